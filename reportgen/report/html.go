package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // of the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
)

var (
	//go:embed report.html.tmpl
	pageText string
	//go:embed report.css
	style string
	//go:embed report.js
	script string
)

// What HTML shows of the origins of one number; the CSV files and `reportgen explain` have all of them.
const (
	maxParts = 40
	maxLines = 40
)

// An originEntry is the list of origins of one number.
type originEntry struct {
	ID, Title string
	Parts     []Part
	More      string
}

// WriteHTML writes the report as one page that loads nothing: styles, script and figures are inside, and its policy forbids
// the browser all else. Numbers link to the list of their origins at the end of the page.
func (r *Report) WriteHTML(w io.Writer) error {
	entries, ids := r.originEntries()
	page, err := template.New("page").Funcs(template.FuncMap{
		"origin":  func(c Cell) string { return ids[&c.Origins[0]] },
		"sortKey": sortKey,
		"svg":     func(svg []byte) template.HTML { return template.HTML(svg) }, // made by package figure, which escapes its texts
	}).Parse(pageText)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = page.Execute(&out, struct {
		Report  *Report
		Origins []originEntry
		Policy  string
		Style   template.CSS
		Script  template.JS
	}{r, entries, policy(script), template.CSS(style), template.JS(script)})
	if err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// policy forbids everything but what is in the page, and of scripts all but this one.
func policy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
}

// sortKey is what the column of a cell is sorted by, empty for texts.
func sortKey(c Cell) string {
	if !c.Has {
		return ""
	}
	return strconv.FormatFloat(c.Value, 'g', -1, 64)
}

// originEntries numbers the cells with origins in the order of the page. Their IDs are by the first part of the cell's origins.
func (r *Report) originEntries() ([]originEntry, map[*Part]string) {
	var entries []originEntry
	ids := map[*Part]string{}
	for i := range r.Sections {
		for _, b := range r.Sections[i].Blocks {
			if b.Table == nil {
				continue
			}
			for n, row := range b.Table.Rows {
				for j, c := range row {
					if len(c.Origins) == 0 {
						continue
					}
					id := fmt.Sprintf("o-%s-%d-%d", b.Table.ID, n, j)
					ids[&c.Origins[0]] = id
					entries = append(entries, newOriginEntry(id, b.Table.originTitle(n, j), c.Origins))
				}
			}
		}
	}
	return entries, ids
}

// originTitle names a cell: "step6 · full_v27 · commit KOPS".
func (t *Table) originTitle(row, column int) string {
	return t.ID + " · " + t.Rows[row][0].Text + " · " + t.Head[column]
}

// newOriginEntry bounds the origins.
func newOriginEntry(id, title string, origins []Part) originEntry {
	e := originEntry{ID: id, Title: title}
	for _, p := range origins[:min(len(origins), maxParts)] {
		if more := len(p.Lines) - maxLines; more > 0 {
			p.Lines = p.Lines[:maxLines:maxLines]
			p.Text += fmt.Sprintf(" (%d more lines in the CSV file)", more)
		}
		e.Parts = append(e.Parts, p)
	}
	if more := len(origins) - maxParts; more > 0 {
		e.More = fmt.Sprintf("%d more in the CSV file", more)
	}
	return e
}
