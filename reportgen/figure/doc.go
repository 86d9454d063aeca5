// Package figure draws what a run measured: bars with intervals and the single reps on them, weights and throughput over
// time, the balance of the compute nodes, latencies, and sweeps over block sizes. A Figure is made once and written as PDF
// and SVG, with its font embedded, as PNG, and as CSV: every mark with the line of the log that it comes from.
//
// All figures share one style. They are sized for a column of a two-column paper, or for both, with text of 7 points.
// What differs in colour differs in its marker, dash or hatch too, so that a figure can be read in grey; the colours are
// those of Okabe and Ito, which the colour-blind can tell apart. The same input always gives the same bytes.
//
// Text is Liberation Sans. Every PDF and SVG carries the font, cut down by package subset to the characters of
// Windows-1252, some 20 KB in place of 400: a paper may be refused for fonts that are not embedded, and a page that stands
// alone must not look for one. PNGs have the outlines of the letters filled.
//
// What cannot be drawn is Missing, with the reason, and never an empty frame.
package figure
