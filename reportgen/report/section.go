package report

import "github.com/gotestbed/gotestbed/reportgen/results"

// A Section is one part of a report: what stands under one heading. Its texts are plain; each format escapes them.
type Section struct {
	ID      string // anchor, unlike that of any other section: step6, setup
	File    string // what its files are called: step6
	Dir     string // where its files are, below the report's directory; empty: in it
	Place   string // where it belongs in a paper: §6.2; empty if nowhere
	Title   string
	Source  string // the run that it is from, for reports of several; empty otherwise
	Kind    string // recording, emulated: what its numbers are instead of measured on real nodes; empty if they are
	Warning string // what that means
	Blocks  []Block

	run    string // ID of the run
	placed int    // index into Report.Tables, -1: none
}

// A Block is one of a section's parts; exactly one field is set.
type Block struct {
	Text   string // a paragraph
	List   *List
	Table  *Table
	Figure *Figure
}

// A List is a heading of its own, unless it is empty, with items.
type List struct {
	Title string
	Items []string
	Kind  ListKind
}

// A ListKind says what the items of a list are.
type ListKind int

// The kinds of lists.
const (
	Notes    ListKind = iota // what a reader must know
	Warnings                 // doubts
)

// A Table has cells of text, some with a number and its origins.
type Table struct {
	ID    string // anchor, unlike that of any other table
	File  string // what its files are called
	Title string
	Float string // title of the LaTeX table, if Title is empty because the section's says it
	Head  []string
	Keys  []string // what a row is, for the names of macros; nil if the table has none
	Right int      // the first column that is set to the right; -1: none
	Wrap  int      // without one, the first column that wraps in LaTeX; 0: the last
	Rows  [][]Cell
}

// A Cell is one cell of a table.
type Cell struct {
	Text    string
	Value   float64 // what the table is sorted by, if HasValue
	Has     bool    // the cell is a number
	Badge   Badge   // the text is a verdict or an answer
	Origins []Part  // how the number came about; nil for texts
	Warning string  // a doubt about this number
	Macros  []Macro // for the text of a paper
}

// A Badge colours a verdict or an answer.
type Badge string

// The badges.
const (
	Good    Badge = "good"
	Bad     Badge = "bad"
	Doubt   Badge = "doubt"
	Neutral Badge = "neutral"
)

// A Part is one number that a cell was made of: a rep, with the lines that it was read from.
type Part struct {
	Text  string // rep 0: 13.71 KOPS
	Lines []Line
}

// A Line is a line of a file of a run.
type Line struct {
	results.Origin
	Text string // the line, cleaned; empty if it cannot be read
	Href string // of the file, as seen from the report; empty if the run is known from a stream only
}

// texts returns the rows without their origins.
func (t *Table) texts() [][]string {
	rows := make([][]string, 0, len(t.Rows))
	for _, row := range t.Rows {
		texts := make([]string, 0, len(row))
		for _, c := range row {
			texts = append(texts, c.Text)
		}
		rows = append(rows, texts)
	}
	return rows
}
