package watch

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
)

// count returns how many attempts have ended, of how many.
func (w *Watcher) count() (done, all int) {
	for _, a := range w.attempts {
		if a.done() {
			done++
		}
	}
	return done, len(w.attempts)
}

func (w *Watcher) progress() string {
	done, all := w.count()
	return fmt.Sprintf("%d of %d done", done, all)
}

// remaining estimates how long the attempts that have not ended will take: as long as those of their cell did, or else those of
// their experiment, or else all. ok is false as long as none has ended.
func (w *Watcher) remaining(now time.Time) (d time.Duration, ok bool) {
	sums := map[[2]string]time.Duration{}
	counts := map[[2]string]int{}
	keys := func(a *attempt) [3][2]string { return [3][2]string{{a.experiment, a.cell}, {a.experiment, ""}, {}} }
	for _, a := range w.attempts {
		if took := a.took(); a.done() && took > 0 {
			for _, k := range keys(a) {
				sums[k] += took
				counts[k]++
			}
		}
	}
	for _, a := range w.attempts {
		if a.done() {
			continue
		}
		for _, k := range keys(a) {
			if n := counts[k]; n > 0 {
				mean := sums[k] / time.Duration(n)
				if a == w.running {
					mean = max(0, mean-now.Sub(a.started))
				}
				d += mean
				break
			}
		}
	}
	return d, counts[[2]string{}] > 0
}

// left says how long the rest takes, empty if nothing is left or nothing is known.
func (w *Watcher) left(now time.Time) string {
	done, all := w.count()
	d, ok := w.remaining(now)
	if !ok || done == all {
		return ""
	}
	return ", about " + round(d) + " left"
}

// round writes a duration as a person would say it.
func round(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

func clock(t time.Time) string { return t.Format("15:04:05") }

func kops(v float64) string { return fmt.Sprintf("%.2f", v) }

// recent is how many bytes of the end of a growing log are read. It holds hundreds of lines.
const recent = 32 << 10

var computeNodeLog = regexp.MustCompile(`^m_cn\d+\.log$`)

// throughput is the sum of what the compute nodes of the running attempt say in their last interval; 0 if they say nothing yet.
func (w *Watcher) throughput() float64 {
	if w.running == nil || w.running.dir == "" || !filepath.IsLocal(filepath.FromSlash(w.running.dir)) {
		return 0
	}
	dir := filepath.Join(w.dir, filepath.FromSlash(w.running.dir))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	sum := 0.0
	for _, e := range entries {
		if computeNodeLog.MatchString(e.Name()) {
			sum += lastInterval(filepath.Join(dir, e.Name()))
		}
	}
	return sum
}

// lastInterval is the committed throughput of the last interval at the end of a log, 0 if there is none.
func lastInterval(name string) float64 {
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0
	} else if _, err := f.Seek(max(0, info.Size()-recent), 0); err != nil {
		return 0
	}
	last := 0.0
	_, err = crestlog.ParseSeries(name, f, crestlog.Options{
		Interval: func(v crestlog.Interval) {
			if !math.IsNaN(v.CommitKOPS) {
				last = v.CommitKOPS
			}
		},
		Restart: func() { last = 0 },
	})
	if err != nil {
		return 0
	}
	return last
}
