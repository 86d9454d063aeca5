package results

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/internal/lines"
)

const maxRows = 100_000

// summary is a summary.csv of the older scripts: cell,rep,tried_kops,commit_kops,atomic_per_txn,cn_balance[,n_sgd_logs].
type summary struct {
	rows []summaryRow
	at   map[[2]string]int // index of the last row by cell and rep
}

type summaryRow struct {
	file        string
	line        int
	cell, label string
	rep         int
	values      map[string]printed
}

// printed is a number as somebody printed it: rounded to the digits that stand there.
type printed struct {
	value, halfUnit float64 // halfUnit is half a unit of the last digit
}

// row returns the row of an attempt, nil if there is none. The scripts knew no second try.
func (s *summary) row(a *Attempt) *summaryRow {
	i, ok := s.at[rowKey(a.Cell, a.Rep)]
	if !ok || a.Try > 1 {
		return nil
	}
	return &s.rows[i]
}

func rowKey(cell string, rep int) [2]string { return [2]string{cell, strconv.Itoa(rep)} }

func (r *summaryRow) value(metric string) (printed, bool) {
	if r == nil {
		return printed{}, false
	}
	p, ok := r.values[metric]
	return p, ok
}

// readSummary reads the file of that name below the run directory; a missing one has no rows.
func (r *Run) readSummary(name string) (*summary, error) {
	s := &summary{at: map[[2]string]int{}}
	f, err := os.Open(filepath.Join(r.Dir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := lines.New(f)
	var header []string
	for in.Next() {
		text := strings.TrimSuffix(string(in.Bytes()), "\r")
		switch {
		case in.TooLong():
			r.warn("%s:%d: line is longer than %d bytes", name, in.Number(), lines.MaxLine)
		case strings.TrimSpace(text) == "":
		case header == nil:
			header = splitRow(strings.TrimPrefix(text, "\ufeff"))
		case in.Torn() && len(splitRow(text)) < len(header):
			r.warn("%s:%d: the last line is torn and was dropped", name, in.Number())
		default:
			s.add(r, name, in.Number(), header, splitRow(text))
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, in.Number()+1, err)
	}
	return s, nil
}

// splitRow splits at commas; the scripts quote nothing, and quotes that a spreadsheet added are dropped.
func splitRow(text string) []string {
	fields := strings.Split(text, ",")
	for i := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(fields[i]), `"`)
	}
	return fields
}

// add takes one row. The last row of a cell and rep counts: a repeated run appends.
func (s *summary) add(r *Run, file string, line int, header, fields []string) {
	row := summaryRow{file: file, line: line, rep: -1, values: map[string]printed{}}
	for i, name := range header[:min(len(header), len(fields))] {
		switch name {
		case "cell":
			row.label = fields[i]
			row.cell = strings.TrimPrefix(fields[i], "+")
		case "rep":
			if n, err := strconv.Atoi(strings.TrimPrefix(fields[i], "rep")); err == nil {
				row.rep = n
			}
		default:
			if p, ok := parsePrinted(fields[i]); ok && crestlog.Unit(name) != "" {
				row.values[name] = p
			} else if fields[i] != "" && crestlog.Unit(name) != "" {
				r.warn("%s:%d: %s: %q is no number and counts as absent", file, line, name, fields[i])
			}
		}
	}
	if row.cell == "" || row.rep < 0 || len(s.rows) >= maxRows {
		r.warn("%s:%d: the row does not say which cell and rep", file, line)
		return
	}
	k := rowKey(row.cell, row.rep)
	if i, known := s.at[k]; known {
		r.warn("%s:%d: a second row of cell %s rep %d, after line %d; the last one is used", file, line, row.cell, row.rep, s.rows[i].line)
	}
	s.at[k] = len(s.rows)
	s.rows = append(s.rows, row)
}

var decimal = regexp.MustCompile(`^[0-9]*\.?([0-9]*)(?:[eE]([+-]?[0-9]{1,3}))?$`)

// parsePrinted reads a number that is finite and not negative.
func parsePrinted(s string) (printed, bool) {
	m := decimal.FindStringSubmatch(s)
	v, err := strconv.ParseFloat(s, 64)
	if m == nil || err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return printed{}, false
	}
	exponent, _ := strconv.Atoi(m[2])
	return printed{v, 0.5 * math.Pow10(exponent-len(m[1]))}, true
}

// fill takes the values that the logs lack from the row, and warns of those that the logs contradict.
func (a *Attempt) fill(row *summaryRow) {
	if row == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(row.values)) {
		p, where := row.values[name], Origin{File: row.file, Line: row.line}
		m, ok := a.Metrics[name]
		if !ok && p.value == 0 {
			a.warn("%s: %s says 0, which awk also prints for what it did not find; not used", name, where)
			continue
		}
		if !ok {
			a.Metrics[name] = Metric{Name: name, Value: p.value, Unit: crestlog.Unit(name), Origins: []Origin{where}}
			continue
		}
		// The logs print six significant digits themselves.
		const logDigits = 5e-6
		if math.Abs(m.Value-p.value) > p.halfUnit*(1+1e-9)+logDigits*math.Abs(m.Value) {
			a.warn("%s: %s says %v, the logs say %v (%s)", name, where, p.value, m.Value, m.Origins[0])
		}
	}
}
