package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// Bench writes the used attempts in the Go benchmark format, one line per cell and rep, for benchstat: -col /cell compares
// the cells of one file, and two files compare the same cells of two runs. That is why the name of the run is a comment: as a
// configuration line it would put the runs into separate tables.
type Bench struct{}

// File returns results.txt: the experiments of a run share it.
func (Bench) File(string) string { return "results.txt" }

// benchUnits maps a metric to its unit, in base units, and a factor. Better is the direction that benchstat is told.
var benchUnits = []struct {
	metric, unit string
	factor       float64
	better       string
}{
	{"tried_kops", "tried-txn/s", 1000, "higher"},
	{"commit_kops", "commit-txn/s", 1000, "higher"},
	{"commit_rate", "commit-ratio", 1, "higher"},
	{"atomic_per_txn", "atomics/txn", 1, ""},
	{"cn_balance", "cn-balance", 1, "higher"},
}

// Write writes the configuration, the units and the results.
func (Bench) Write(w io.Writer, t *Table) error {
	p := &printer{w: w}
	p.printf("# run: %s\n", orUnknown(t.Run, absent))
	for _, c := range [][2]string{{"system", t.System}, {"cluster", t.Cluster}} {
		if value := short(c[1]); value != "" {
			p.printf("%s: %s\n", c[0], value)
		}
	}
	p.doubts(t)
	p.printf("\n")
	if p.err != nil {
		return p.err
	}
	out := benchfmt.NewWriter(w)
	for _, u := range benchUnits {
		if err := writeUnit(out, u.unit, u.better); err != nil {
			return err
		}
	}
	for _, r := range t.Rows {
		for _, a := range r.Used {
			if err := writeResult(out, t, &r, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// doubts writes, as comments, what there is to say against the numbers below.
func (p *printer) doubts(t *Table) {
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, w := range t.AllWarnings(r) {
			if !slices.Contains(t.Warnings, w) {
				p.printf("# doubt: %s/cell=%s: %s\n", benchName(t), benchPart(r.Cell.Name), short(w))
			}
		}
	}
	for _, w := range t.Warnings {
		p.printf("# doubt: %s: %s\n", benchName(t), short(w))
	}
}

func writeUnit(out *benchfmt.Writer, unit, better string) error {
	if better == "" {
		return nil
	}
	key := benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}
	return out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: unit, Value: better})
}

func writeResult(out *benchfmt.Writer, t *Table, r *Row, a results.Attempt) error {
	name := fmt.Sprintf("%s/cell=%s", benchName(t), benchPart(r.Cell.Name))
	res := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
	for _, u := range benchUnits {
		if m, ok := a.Metrics[u.metric]; ok && formatFull(m.Value) != "" {
			res.Values = append(res.Values, benchfmt.Value{Value: scale(m.Value, u.factor), Unit: u.unit})
		}
	}
	if len(res.Values) == 0 {
		return nil
	}
	return out.Write(res)
}

// scale multiplies without the tail that 13.64 × 1000 has in binary. A factor of 1 leaves every bit as it is.
func scale(v, factor float64) float64 {
	if factor == 1 {
		return v
	}
	return roundTo(v*factor, 15)
}

// benchName is the name of the test without its prefix, or made from the experiment's: TestStep6 and step6 give Step6.
func benchName(t *Table) string {
	name, ok := strings.CutPrefix(t.Test, "Test")
	if !ok || name == "" {
		name = t.Experiment
	}
	runes := []rune(name)
	if len(runes) == 0 || !unicode.IsLetter(runes[0]) {
		return "X" + benchPart(name)
	}
	runes[0] = unicode.ToUpper(runes[0])
	return benchPart(string(runes))
}

// benchPart keeps a name one part of a benchmark's name. Other bytes, and a final -N, which would be read as GOMAXPROCS, are
// written as %XX, so that different names stay different.
func benchPart(name string) string {
	var b strings.Builder
	dash := strings.LastIndexByte(name, '-')
	procs := dash >= 0 && dash+1 < len(name) && strings.Trim(name[dash+1:], "0123456789") == ""
	for i := range len(name) {
		c := name[i]
		if isAlnum(c) || c == '_' || c == '.' || c == '+' || c == '-' && !(procs && i == dash) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
