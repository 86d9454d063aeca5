package verbs

import (
	"regexp"
	"strings"
)

// perfColumn matches the titles of the columns, in their order; the number of blanks differs.
var perfColumn = regexp.MustCompile(`#\w+|BW (?:peak|average|Port\d)\s*\[[^\]]*\]|MsgRate(?: Port\d)?\s*\[[^\]]*\]|` +
	`t_\w+\s*\[\w+\]|99(?:\.9+)?% percentile\s*\[\w+\]|tps average|CPU_Util\s*\[%+\]`)

// perfColumns cuts a table's header into titles.
func perfColumns(text string) []string { return perfColumn.FindAllString(text, -1) }

// isRow reports whether a line consists of numbers only. Fewer than two are no row: with
// --output the tools print one bare number, whose unit nothing tells.
func isRow(text string) bool {
	f := strings.Fields(text)
	for _, s := range f {
		if _, ok := float(s); !ok && !noNumber[s] {
			return false
		}
	}
	return len(f) >= 2
}

// noNumber are what printf makes of a division by a clock that did not move: nothing was measured.
var noNumber = map[string]bool{"inf": true, "-inf": true, "nan": true, "-nan": true}

// row takes a line of numbers. One that is cut is no row: its last number may have lost digits.
func (p *perftext) row(text string, last bool) {
	f := strings.Fields(text)
	if len(f) != len(p.columns) {
		p.cut = p.cut || len(f) < len(p.columns)
		return
	}
	r := PerfRow{Side: p.side}
	for i, title := range p.columns {
		if !r.set(title, f[i]) {
			return
		}
	}
	if r.Bytes > 0 && !(last && p.lacksDecimals(f[len(f)-1])) {
		p.Rows = append(p.Rows, r)
		p.cut, p.closed = false, false
		return
	}
	p.cut = true
}

// lacksDecimals reports whether the last number of the capture was cut: rates have six decimals, others two.
func (p *perftext) lacksDecimals(s string) bool {
	want := 2
	if strings.HasPrefix(p.columns[len(p.columns)-1], "MsgRate") {
		want = 6
	}
	_, decimals, _ := strings.Cut(s, ".")
	return len(decimals) < want && !noNumber[s]
}

// set stores one cell.
func (r *PerfRow) set(title, cell string) bool {
	if noNumber[cell] {
		return !strings.HasPrefix(title, "#")
	}
	v, ok := float(cell)
	if !ok {
		return false
	}
	name, unit, _ := strings.Cut(strings.TrimSuffix(title, "]"), "[")
	switch strings.TrimSpace(name) {
	case "#bytes":
		r.Bytes, ok = decimal(cell)
	case "#iterations":
		r.Iterations, ok = decimal(cell)
	case "BW peak":
		if v > 0 {
			r.Peak = &v
		}
	case "BW average":
		r.Average, r.Unit = &v, unitLabel(unit)
	case "MsgRate":
		r.MsgRate = &v
	case "tps average":
		r.TPS = &v
	case "CPU_Util":
		r.CPU = &v
	default:
		r.latency(strings.TrimSpace(name), unit, &v)
	}
	return ok
}

func (r *PerfRow) latency(name, unit string, v *float64) {
	field := map[string]**float64{
		"t_min": &r.Min, "t_max": &r.Max, "t_typical": &r.Typical, "t_avg": &r.Avg, "t_stdev": &r.Stdev,
		"99% percentile": &r.P99, "99.9% percentile": &r.P999,
	}[name]
	if field != nil {
		*field, r.LatencyUnit = v, unit
	}
}

// equal compares the values of two rows.
func (r PerfRow) equal(o PerfRow) bool {
	a, b := r.numbers(), o.numbers()
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) || a[i] != nil && *a[i] != *b[i] {
			return false
		}
	}
	return r.Bytes == o.Bytes && r.Iterations == o.Iterations && r.Side == o.Side
}

func (r PerfRow) numbers() []*float64 {
	return []*float64{r.Peak, r.Average, r.MsgRate, r.Min, r.Max, r.Typical, r.Avg, r.Stdev, r.P99, r.P999, r.TPS}
}
