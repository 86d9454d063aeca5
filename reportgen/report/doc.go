// Package report turns what runs left behind into the evaluation section of a paper: a setup paragraph, a table with
// figures for each experiment, microbenchmarks, checks, what went wrong and limitations. A Report is made once, from the
// runs, by New; Markdown, HTML, LaTeX and the macros print the same report, and the same runs always give the same bytes.
//
// Nothing is invented: what the run directory does not say is missing from the text, or said to be unknown. Every number of
// a table carries its origins, the lines of the logs that it was read from.
package report
