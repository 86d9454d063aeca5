package report

import "github.com/gotestbed/gotestbed/reportgen/render"

// clean takes what a terminal obeys or a reader cannot see out of every text of the report. Formats escape the rest.
func (r *Report) clean() {
	for i := range r.Sections {
		s := &r.Sections[i]
		cleanAll(&s.Title, &s.Source, &s.Kind, &s.Warning)
		for j := range s.Blocks {
			b := &s.Blocks[j]
			cleanAll(&b.Text)
			if b.List != nil {
				cleanAll(&b.List.Title)
				cleanEach(b.List.Items)
			}
			if b.Table != nil {
				b.Table.clean()
			}
		}
	}
}

func (t *Table) clean() {
	cleanAll(&t.Title, &t.Float)
	cleanEach(t.Head)
	for _, row := range t.Rows {
		for i := range row {
			c := &row[i]
			cleanAll(&c.Text, &c.Warning)
			for j := range c.Origins {
				p := &c.Origins[j]
				cleanAll(&p.Text)
				for k := range p.Lines {
					cleanAll(&p.Lines[k].File, &p.Lines[k].Text)
				}
			}
		}
	}
}

func cleanAll(texts ...*string) {
	for _, s := range texts {
		*s = render.Clean(*s)
	}
}

func cleanEach(texts []string) {
	for i := range texts {
		texts[i] = render.Clean(texts[i])
	}
}
