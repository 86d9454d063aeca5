// Reportgen turns what a run left behind into the tables of a paper.
//
// Usage:
//
//	reportgen [-o DIR] [-format markdown|github] [-claims FILE] [-check] RUN...
//	reportgen compare [-format FORMAT] [-metric NAME,...] OLD NEW...
//	reportgen claims [-f FILE] [-check] [-format FORMAT] RUN...
//	reportgen explain [-json] RUN EXPERIMENT/CELL METRIC
//	reportgen watch [-every DURATION] RUN
//
// Each command prints its own usage with -h. docs/compare.md, docs/claims.md and docs/github.md describe them.
//
// A RUN is one of
//
//   - a run directory, finished or not: out/demo
//   - a directory of the older shell scripts, or its summary.csv: aura_v27_step6_20260101_000000
//   - a go test -json stream that was kept: out/demo/events.json
//   - a file in the Go benchmark format: out/demo/results.txt
//   - "-", the standard input, with a stream or benchmark text
//   - a pattern of such names: '/tmp/aura_v27_*/summary.csv'
//
// Reportgen finds out which. It prints one table per experiment, in Markdown, on the standard output, and below them the
// microbenchmarks and remote SSD reads; a run gives the same table of an experiment from its directory and from its stream:
//
//	go test -tags local -timeout 0 -json ./e2e/... | reportgen -
//
// # Example
//
// The older scripts ran one cell three times:
//
//	$ reportgen testdata/old-runs/aura_v27_step6_20260101_000000
//	## step6
//
//	| cell     |   n | tried KOPS | commit KOPS [interval] | level | commit rate | atomic/txn | CN balance |
//	|:---------|----:|-----------:|-----------------------:|------:|------------:|-----------:|-----------:|
//	| full_v27 |   3 |          — |   13.64 [13.58, 13.71] |  75 % |           — |          — |          — |
//
//	- Values are medians over the n passed reps. In brackets: the interval of the median from order
//	  statistics, at the level beside it.
//	- n=3: the interval's level is 75 %, a 95 % interval needs 6 reps.
//	- Percentile bootstrap of the median, exact: the recipe calls it 95 %; for normal data it covers
//	  75 % (n=3). It gives full_v27 [13.58, 13.71], the same brackets.
//	- No Δ: this run has no passed rep of a baseline.
//	- To know these medians to ± 2 % at 95 %, by the spread of these reps, takes about 6 reps.
//	- —: no log has this number. It is absent, not 0.
//	- AURA on a cluster whose name was not recorded.
//	- Run aura_v27_step6_20260101_000000: 1 cell × 3 reps; order of the reps not recorded.
//
// # Reading the table
//
// Of each rep the last try that passed counts, and every value is the median over those n reps. The interval beside the
// committed throughput is made of order statistics and has the level that n reps can give: 75 % for three, 96.9 % for six.
// Δ compares with the baseline: the first cell of the plan or, where no plan was recorded, the cell that is called baseline,
// fixed or no_drift; beside it stand the interval of the ratio and p, corrected for all comparisons of the table. A ~ says that
// the reps do not show a difference at p < 0.05, as three against three never can; a ≈ that noise makes such differences, as the
// A/A cell shows. A dash is a number that no log has. docs/statistics.md says what each number means.
//
// Attempts that failed, were cut short or may not be used are listed below the table. Where the fixtures found out why, "What
// went wrong" says so: each fault once, with the attempts and places that had it, the lines that show it, its cause and its
// cure. A fault that follows from another one stands after it. docs/faults.md describes them all.
//
// # Files
//
// With -o, reportgen also writes to DIR; of the second and further runs to DIR/<run>:
//
//	report.html         everything on one page that needs nothing else: sortable tables, figures, where each number came from
//	report.md           the same as Markdown
//	macros.tex          a macro for every number of the tables: \stepSixFullVTwoSevenCommitKops, and \fullKops
//	setup.*, limits.*   the texts of §6.1 and of the limitations; sanity.*: the checks before the run
//	micro.*, ssd.*      the benchmarks: micro.ReadBW.csv and .tex, ssd.sweep.csv and .tex, and micro.md with all of a section
//	step6_commit.pdf    a figure, also as .svg and .png, with its data as .csv and its environment as .tex
//	step6.md            the same Markdown, with the doubts about single reps
//	step6.csv           one line per cell, full precision; lo, hi, level and n in columns of their own
//	step6.metrics.csv   one line per cell and metric: median, intervals, spread, reps needed
//	step6.attempts.csv  one line per attempt and metric, with the file:line of every number
//	step6.faults.csv    one line per attempt and fault found in it, with all its evidence
//	step6.tex           a booktabs table with the label tab:step6, for the width of a two-column page
//	results.txt         every used attempt in the Go benchmark format
//
// In CSV files, a text that a spreadsheet would evaluate has an apostrophe before it: the cell a1 has the label '+a1.
//
// The last file is for benchstat, which compares the cells of one run, or the same cells of two:
//
//	go tool benchstat -col /cell results.txt
//	go tool benchstat old/results.txt new/results.txt
//
// # Messages and exit status
//
// What concerns the reading goes to the standard error: warnings, the last lines of failed attempts and, for a stream, how
// many tests passed, failed, were skipped (and why) or never ended.
//
// The status is 0 if tables were made, even of a run that failed, and also for a stream without an experiment whose tests
// passed or were skipped. It is 1 if an input could not be read or held nothing, 2 if the command line
// is wrong, and 3 if a claim is not supported and -check was given.
package main
