package compare

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A cell of results.txt: its values of commit-txn/s and of atomics/txn.
type benchCell struct {
	name   string
	values []float64
}

// writeResults writes cells as reportgen would, and reads them as reportgen does.
func writeResults(t *testing.T, run string, cells []benchCell) (file string, source Source) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "# run: %s\nsystem: minidm\n\nUnit commit-txn/s better=higher\n\n", run)
	for _, c := range cells {
		for _, v := range c.values {
			fmt.Fprintf(&text, "BenchmarkStep6/cell=%s 1 %v commit-txn/s %v atomics/txn\n", c.name, v*1000, v)
		}
	}
	file = filepath.Join(t.TempDir(), run+".txt")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	bench, err := results.ReadBench(file, strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	runs := render.FromBench(bench.Results)
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	return file, Source{Name: run, Run: runs[0]}
}

// benchstatLine is a line of its CSV: centre and half width of both files, and the verdict.
type benchstatLine struct {
	old, new     float64
	oldCI, newCI string
	verdict, p   string
}

// benchstat runs the module's own on two files and returns the lines of the unit, by cell.
func benchstat(t *testing.T, unit, oldFile, newFile string) map[string]benchstatLine {
	t.Helper()
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not in PATH: benchstat cannot be run")
	}
	out, err := exec.Command(gotool, "tool", "benchstat", "-format", "csv", oldFile, newFile).Output()
	if err != nil {
		t.Fatal(err)
	}
	in := csv.NewReader(strings.NewReader(string(out)))
	in.FieldsPerRecord = -1
	records, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]benchstatLine{}
	inUnit := false
	for _, r := range records {
		if len(r) > 1 && r[0] == "" {
			inUnit = r[1] == unit
		}
		if !inUnit || len(r) < 6 || r[0] == "" {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(r[0], "Step6/cell="), "-")
		l := benchstatLine{old: parse(t, r[1]), oldCI: r[2], new: parse(t, r[3]), newCI: r[4], verdict: r[5]}
		if len(r) > 6 {
			l.p = r[6]
		}
		lines[name] = l
	}
	return lines
}

func parse(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func sample(r *rand.Rand, n int, centre float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Round(centre*(1+0.05*r.NormFloat64())*1e4) / 1e4
	}
	return values
}

// TestAgreesWithBenchstat runs benchstat on the same files: centres, half widths of the intervals that it has, differences with
// their verdicts, p, and the geometric mean.
func TestAgreesWithBenchstat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var before, after []benchCell
	for i, sizes := range [][2]int{{6, 6}, {6, 6}, {8, 7}, {12, 12}, {6, 6}, {3, 3}, {5, 4}} {
		name := fmt.Sprintf("c%d", i)
		shift := 1 + 0.04*float64(i%4)
		before = append(before, benchCell{name, sample(r, sizes[0], 14)})
		after = append(after, benchCell{name, sample(r, sizes[1], 14*shift)})
	}
	after[4].values = before[4].values // equal values, samples of one size
	oldFile, oldRun := writeResults(t, "old", before)
	newFile, newRun := writeResults(t, "new", after)
	c, err := New([]Source{oldRun, newRun})
	if err != nil {
		t.Fatal(err)
	}
	ours := tableOf(t, c, "commit_kops")
	theirs := benchstat(t, "commit-txn/s", oldFile, newFile)
	if len(theirs) != len(before)+1 {
		t.Fatalf("benchstat has %d lines, want %d and the mean", len(theirs), len(before))
	}
	different := 0
	for _, row := range ours.Rows {
		want := theirs[row.Cell.Name]
		checkSide(t, row.Cell.Name+" old", row.Sides[0], want.old, want.oldCI)
		checkSide(t, row.Cell.Name+" new", row.Sides[1], want.new, want.newCI)
		d := row.Sides[1].Delta
		verdict := "~"
		if d.P < 0.05 {
			different++
			verdict = fmt.Sprintf("%+.2f%%", d.Percent)
		}
		if verdict != want.verdict {
			t.Errorf("%s: verdict %s, benchstat has %s", row.Cell.Name, verdict, want.verdict)
		}
		if p := fmt.Sprintf("p=%.3f", d.P); !strings.HasPrefix(want.p, p+" ") {
			t.Errorf("%s: %s, benchstat has %s", row.Cell.Name, p, want.p)
		}
	}
	if different == 0 || different == len(ours.Rows) {
		t.Errorf("%d of %d cells differ: the data try only one verdict", different, len(ours.Rows))
	}
	if got, want := fmt.Sprintf("%+.2f%%", (ours.GeoMeans[1].Ratio-1)*100), theirs["geomean"].verdict; got != want {
		t.Errorf("geometric mean %s, benchstat has %s", got, want)
	}
}

// checkSide compares a centre, and the interval where benchstat has one: it prints the larger half width in percent.
func checkSide(t *testing.T, name string, s Side, centre float64, half string) {
	t.Helper()
	if math.Abs(s.Summary.Median*1000-centre) > 1e-9*centre {
		t.Errorf("%s: centre %v, benchstat has %v", name, s.Summary.Median*1000, centre)
	}
	if len(s.Values) < 6 {
		if half != "∞" {
			t.Errorf("%s: benchstat has ± %s of %d values", name, half, len(s.Values))
		}
		if s.Summary.Level >= 0.95 {
			t.Errorf("%s: level %v of %d values", name, s.Summary.Level, len(s.Values))
		}
		return
	}
	m := s.Summary.Median
	got := fmt.Sprintf("%.0f%%", 100*max(s.Summary.Hi-m, m-s.Summary.Lo)/m)
	if got != half {
		t.Errorf("%s: ± %s, benchstat has ± %s", name, got, half)
	}
}

func tableOf(t *testing.T, c *Comparison, metric string) *Table {
	t.Helper()
	for i := range c.Tables {
		if c.Tables[i].Metric == metric {
			return &c.Tables[i]
		}
	}
	t.Fatalf("no table of %s", metric)
	return nil
}
