package verbs

import (
	"regexp"
	"strconv"
	"strings"
)

// perfJSON collects the file of --out_json. Before 2024-01 neither its keys nor its words were quoted and commas
// stood before closing braces, so that it is read as pairs in sections, which fits both forms.
type perfJSON struct {
	text  strings.Builder
	depth int
	done  bool // the outer brace is closed
	over  bool // longer than maxLine
}

// jsonLine takes a line of the file.
func (p *perftext) jsonLine(text string) {
	if p.json == nil {
		p.json = &perfJSON{}
	}
	j := p.json
	switch {
	case j.done:
		return
	case j.text.Len()+len(text) > maxLine:
		j.over = true
		return
	}
	j.text.WriteString(text)
	j.text.WriteByte('\n')
	j.depth += strings.Count(text, "{") - strings.Count(text, "}")
	if j.depth <= 0 {
		j.done = true
		p.readJSON()
	}
}

var jsonPair = regexp.MustCompile(`"?([A-Za-z][\w.]*)"?\s*:\s*(\{|"[^"\n]*"|[^,{}\[\]\n]*)`)

// readJSON takes the pairs of what was collected.
func (p *perftext) readJSON() {
	section := ""
	for _, m := range jsonPair.FindAllStringSubmatch(p.json.text.String(), -1) {
		key, value := m[1], strings.Trim(strings.TrimSpace(m[2]), `"`)
		switch {
		case value == "{":
			section = key
			if strings.HasPrefix(key, "results") && len(p.Rows) < 16 {
				p.Rows = append(p.Rows, PerfRow{Side: strings.TrimPrefix(strings.TrimPrefix(key, "results"), "_")})
			}
		case section == "test_info":
			p.jsonInfo(key, value)
		case strings.HasPrefix(section, "results") && len(p.Rows) > 0:
			p.Rows[len(p.Rows)-1].jsonResult(key, value)
		}
	}
	p.dropEmpty()
}

// dropEmpty removes rows without a message size, which --output leaves out.
func (p *perftext) dropEmpty() {
	rows := p.Rows[:0]
	for _, r := range p.Rows {
		if r.Bytes > 0 {
			rows = append(rows, r)
		}
	}
	p.Rows = rows
}

func (p *perftext) jsonInfo(key, value string) {
	names := map[string]string{"Device": "Device", "Number_of_qps": "Number of qps", "Transport_type": "Transport type",
		"Connection_type": "Connection type", "Link_type": "Link type", "Mtu": "Mtu", "GID_index": "GID index"}
	switch {
	case key == "test":
		p.Title = jsonTitle(value)
		p.Bidirectional = strings.Contains(value, "Bidirectional")
	case names[key] != "" && value != "":
		p.param(names[key], value)
	}
}

// jsonTitle turns RDMA_Write_BW_Test into the title of the text output.
func jsonTitle(s string) string {
	t := strings.ReplaceAll(strings.TrimSuffix(s, "_Test"), "_", " ")
	for _, word := range []string{"RDMA Write IMM", "RDMA Write", "RDMA Read", "FETCH AND ADD", "CMP AND SWAP"} {
		t = strings.Replace(t, word, strings.ReplaceAll(word, " ", "_"), 1)
	}
	return t + " Test"
}

func (r *PerfRow) jsonResult(key, value string) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || v != v || v < 0 || v > 1e18 {
		return
	}
	switch key {
	case "MsgSize":
		r.Bytes, _ = decimal(value)
	case "n_iterations":
		r.Iterations, _ = decimal(value)
	case "BW_peak":
		if v > 0 {
			r.Peak = &v
		}
	case "BW_average":
		r.Average = &v
	case "MsgRate":
		r.MsgRate = &v
	case "tps_average":
		r.TPS = &v
	case "CPU_util":
		r.CPU = &v
	case "percentile_99":
		r.latency("99% percentile", "usec", &v)
	case "percentile_99.9":
		r.latency("99.9% percentile", "usec", &v)
	default:
		r.latency(key, "usec", &v)
	}
}
