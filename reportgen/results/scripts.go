package results

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
)

// The older scripts' names: /tmp/aura_v27_step6_<timestamp>/<cell>_rep<N>/.
var (
	scriptRunName  = regexp.MustCompile(`^([a-z]+)_v[0-9]+_(.+?)(?:_smoke)?(?:_[0-9][0-9T:Z-]*)*$`)
	scriptCellName = regexp.MustCompile(`^(\+?)([A-Za-z0-9][A-Za-z0-9_.+-]*)_rep(0|[1-9][0-9]{0,5})$`)
)

// scriptCells is the order of the rows in the tables that the scripts were written for.
var scriptCells = []string{"baseline", "a1", "a2", "a3", "full_v27", "fixed", "rule", "sgd", "no_drift", "drift_5sec", "drift_2sec"}

// readScripts reads a directory without run.json and journal: cell directories at the top, or one level down in one
// directory per experiment.
func (r *Run) readScripts() error {
	system, experiment := scriptNames(r.ID)
	if err := r.addScriptCells("", experiment); err != nil {
		return err
	}
	if len(r.Experiments) == 0 {
		entries, err := os.ReadDir(r.Dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if isDir(filepath.Join(r.Dir, e.Name())) {
				_, experiment := scriptNames(e.Name())
				if err := r.addScriptCells(e.Name(), experiment); err != nil {
					return err
				}
			}
		}
	}
	if len(r.Experiments) == 0 {
		return fmt.Errorf("%s: no %s, no %s, no %s and no cell directory such as full_v27_rep0: not a run directory", r.Dir, runFile, journalFile, summaryFile)
	}
	r.System = cmp.Or(system, r.System)
	return nil
}

// ReadSummary reads a summary.csv that stands alone, under any name, or with the cell directories beside it.
func ReadSummary(name string) (*Run, error) {
	dir, base := filepath.Dir(name), filepath.Base(name)
	if base == summaryFile {
		return ReadDir(dir)
	}
	r := &Run{Dir: dir, ID: strings.TrimSuffix(base, filepath.Ext(base))}
	var e Experiment
	r.System, e.Name = scriptNames(strings.TrimSuffix(r.ID, "_summary"))
	s, err := r.readSummary(base)
	if err != nil {
		return nil, err
	}
	if e.addRows(s); len(e.Attempts) == 0 {
		return nil, fmt.Errorf("%s: no row with a cell and a rep", name)
	}
	e.sortScriptCells(s)
	if err := r.measureScripts(e, s); err != nil {
		return nil, err
	}
	r.Experiments[0].GuessBaseline()
	r.Experiments[0].sortAttempts()
	return r, nil
}

// scriptNames takes the program and the experiment out of a directory's name; another name is the experiment's.
func scriptNames(base string) (system, experiment string) {
	if m := scriptRunName.FindStringSubmatch(base); m != nil {
		return strings.ToUpper(m[1]), m[2]
	}
	return "", base
}

// addScriptCells adds the experiment whose cell directories lie in dir, if there are any.
func (r *Run) addScriptCells(dir, name string) error {
	entries, err := os.ReadDir(filepath.Join(r.Dir, dir))
	if err != nil {
		return err
	}
	e := Experiment{Name: name}
	for _, entry := range entries {
		m := scriptCellName.FindStringSubmatch(entry.Name())
		if m == nil || !entry.IsDir() && !isDir(filepath.Join(r.Dir, dir, entry.Name())) {
			continue
		}
		e.cell(m[2]).Label = m[1] + m[2]
		rep, err := strconv.Atoi(m[3])
		if err != nil {
			return err
		}
		e.Attempts = append(e.Attempts, scriptAttempt(m[2], rep, 1, path.Join(dir, entry.Name())))
		e.Attempts = append(e.Attempts, r.scriptTries(m[2], rep, path.Join(dir, entry.Name()))...)
		e.Reps = max(e.Reps, rep+1)
	}
	summary, err := r.readSummary(path.Join(dir, summaryFile))
	if err != nil {
		return err
	}
	e.addRows(summary)
	if len(e.Attempts) == 0 {
		return nil
	}
	e.sortScriptCells(summary)
	return r.measureScripts(e, summary)
}

func scriptAttempt(cell string, rep, try int, dir string) Attempt {
	return Attempt{Cell: cell, Rep: rep, Try: try, Position: -1, Dir: dir}
}

// scriptTries finds the second and later attempts inside a cell directory.
func (r *Run) scriptTries(cell string, rep int, dir string) []Attempt {
	var tries []Attempt
	for try := 2; ; try++ {
		name := path.Join(dir, fmt.Sprintf("try%d", try))
		if !isDir(filepath.Join(r.Dir, name)) {
			return tries
		}
		tries = append(tries, scriptAttempt(cell, rep, try, name))
	}
}

// addRows adds the attempts that stand in summary.csv and have no directory.
func (e *Experiment) addRows(s *summary) {
	for _, row := range s.rows {
		known := slices.ContainsFunc(e.Attempts, func(a Attempt) bool { return a.Cell == row.cell && a.Rep == row.rep })
		if !known {
			c := e.cell(row.cell)
			c.Label = row.label
			e.Attempts = append(e.Attempts, scriptAttempt(row.cell, row.rep, 1, ""))
			e.Reps = max(e.Reps, row.rep+1)
		}
	}
}

// sortScriptCells puts the cells in the order of the scripts' tables, then in that of summary.csv, then by name.
func (e *Experiment) sortScriptCells(s *summary) {
	place := func(name string) int {
		if i := slices.Index(scriptCells, name); i >= 0 {
			return i
		}
		if i := slices.IndexFunc(s.rows, func(r summaryRow) bool { return r.cell == name }); i >= 0 {
			return len(scriptCells) + i
		}
		return len(scriptCells) + len(s.rows)
	}
	slices.SortStableFunc(e.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(place(a.Name), place(b.Name)), cmp.Compare(a.Name, b.Name))
	})
}

// measureScripts reads the logs of the experiment's attempts, fills the gaps from summary.csv and adds the
// experiment to the run.
func (r *Run) measureScripts(e Experiment, s *summary) error {
	one := Run{Dir: r.Dir, Experiments: []Experiment{e}}
	systems := make([]string, len(e.Attempts))
	err := one.each(func(e *Experiment, i int) error {
		a := &e.Attempts[i]
		cell := &crestlog.Cell{Reason: "the cell directory is missing"}
		if a.Dir != "" {
			c, err := crestlog.ReadCell(r.Dir, filepath.Join(r.Dir, filepath.FromSlash(a.Dir)))
			if err != nil {
				return err
			}
			cell = c
		}
		systems[i] = cell.System
		a.judge(cell, s.row(a))
		return nil
	})
	if err != nil {
		return err
	}
	for _, system := range systems {
		r.System = cmp.Or(r.System, displayName(system))
	}
	r.Experiments = append(r.Experiments, one.Experiments[0])
	return nil
}

// displayName is how reports write the name of a program that a log told.
func displayName(system string) string {
	if system == crestlog.SystemMinidm {
		return system
	}
	return strings.ToUpper(system)
}

// judge sets the verdict of an attempt that no journal tells of. A row of summary.csv stands for logs that were not
// kept; logs that were kept and have no result overrule it.
func (a *Attempt) judge(cell *crestlog.Cell, row *summaryRow) {
	a.Metrics, a.Warnings = cell.Metrics, cell.Warnings
	if a.Metrics == nil {
		a.Metrics = map[string]Metric{}
	}
	a.Verdict = Pass
	_, inRow := row.value("commit_kops")
	if !cell.Complete && (cell.Logs > 0 || !inRow) {
		a.Verdict, a.Reason, a.Tail = Fail, cell.Reason, cell.Tail
		return
	}
	if cell.Logs == 0 {
		a.warn("no logs: the numbers are from %s:%d", row.file, row.line)
	}
	a.fill(row)
}
