package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A growing run directory.
type growing struct {
	t     *testing.T
	dir   string
	start time.Time
}

func newGrowing(t *testing.T) *growing {
	return &growing{t, filepath.Join(t.TempDir(), "demo"), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

// at is that many seconds after the start.
func (g *growing) at(seconds float64) time.Time {
	return g.start.Add(time.Duration(seconds * float64(time.Second)))
}

func (g *growing) add(name, text string) {
	g.t.Helper()
	name = filepath.Join(g.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		g.t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		g.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		g.t.Fatal(err)
	}
}

// event appends a line to the journal; rest is what it has besides.
func (g *growing) event(seconds float64, event, cell string, rep int, rest string) {
	g.t.Helper()
	g.add("journal.jsonl", fmt.Sprintf(`{"time":%q,"event":%q,"experiment":"step6","cell":%q,"rep":%d,"try":1%s}`+"\n", g.at(seconds).Format(time.RFC3339Nano), event, cell, rep, rest))
}

// story lets a run of two cells and two reps go on, and calls look after each step with the time.
func (g *growing) story(look func(seconds float64)) {
	look(0)
	g.add("run.json", `{"version":1,"id":"demo","system":"minidm","tag":"local","cluster":{"name":"local"},"experiments":[{"name":"step6","cells":[{"name":"baseline","label":"baseline"},{"name":"a1","label":"+a1"}]}]}`)
	for rep := range 2 {
		g.event(1, "planned", "baseline", rep, "")
		g.event(1, "planned", "a1", rep, "")
	}
	g.event(1, "started", "baseline", 0, `,"dir":"step6/baseline_rep0"`)
	look(4)
	for cn, v := range []string{"7.25", "6.50"} {
		name := fmt.Sprintf("step6/baseline_rep0/m_cn%d.log", cn)
		g.add(name, "\x1b[32m[   5000000][engine.go:1] Tried txn thpt: 9.00 KOPS, committed txn thpt: 1.00 KOPS, abort rate: 0.18\x1b[0m\n"+
			"\x1b[32m[  10000000][engine.go:1] Tried txn thpt: 9.00 KOPS, committed txn thpt: "+v+" KOPS, abort rate: 0.18\x1b[0m\nTried txn thpt: 9.")
	}
	look(9)
	g.add("step6/baseline_rep0/cell.json", `{"metrics":[{"name":"commit_kops","value":13.5,"unit":"KOPS"}]}`)
	g.event(21, "ended", "baseline", 0, `,"verdict":"pass"`)
	g.event(22, "started", "a1", 0, `,"dir":"step6/a1_rep0"`)
	look(27)
	g.event(32, "ended", "a1", 0, `,"verdict":"fail","reason":"cn1: exit status\u001b[31m 139"`)
	g.add("journal.jsonl", `{"time":"2026-11-30T12:00:33Z","event":"star`)
	look(33)
	g.add("journal.jsonl", `ted","experiment":"step6","cell":"baseline","rep":1,"try":1,"dir":"../../outside"}`+"\nnot an event\n")
	look(34)
	look(34 + 400)
	g.event(440, "ended", "baseline", 1, `,"verdict":"infra","reason":"cn0: connection lost"`)
	g.add("journal.jsonl", `{"time":"2026-11-30T12:07:21Z","event":"run-ended","rep":0,"reason":"signal: interrupt"}`+"\n")
	look(441)
}

// follow runs Follow through the story and returns what it wrote.
func follow(t *testing.T, size func() (int, int)) string {
	g := newGrowing(t)
	ticks, idle := make(chan time.Time), make(chan bool)
	wait := func(context.Context) (time.Time, error) {
		idle <- true
		return <-ticks, nil
	}
	var out bytes.Buffer
	done := make(chan error)
	go func() { done <- Follow(t.Context(), g.dir, Options{Out: &out, Size: size, Wait: wait}) }()
	<-idle
	g.story(func(seconds float64) {
		ticks <- g.at(seconds)
		select {
		case <-idle:
		case err := <-done:
			if err != nil || seconds != 441 {
				t.Fatalf("it ended after %v s: %v", seconds, err)
			}
		}
	})
	return strings.ReplaceAll(out.String(), g.dir, "out/demo")
}

func TestPlainLines(t *testing.T) {
	got := follow(t, nil)
	want := `waiting for a run in out/demo
12:00:01 step6 baseline rep 0: started, 0 of 4 done
12:00:21 step6 baseline rep 0: pass in 20 s, 13.50 KOPS committed; 1 of 4 done, about 60 s left
12:00:22 step6 +a1 rep 0: started, 1 of 4 done
12:00:32 step6 +a1 rep 0: fail in 10 s: cn1: exit status 139; 2 of 4 done, about 30 s left
12:00:33 step6 baseline rep 1: started, 2 of 4 done
12:07:20 step6 baseline rep 1: infra in 7 min: cn0: connection lost; 3 of 4 done, about 10 s left
12:07:21 the run has ended: 1 pass, 1 fail, 1 infra, 1 not run: signal: interrupt
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestScreens(t *testing.T) {
	g := newGrowing(t)
	w := New(g.dir)
	screens := map[float64]string{}
	g.story(func(seconds float64) {
		if _, err := w.Poll(); err != nil {
			t.Fatal(err)
		}
		screens[seconds] = strings.ReplaceAll(strings.Join(w.Screen(g.at(seconds), 0, 0), "\n"), g.dir, "out/demo")
	})
	check := func(seconds float64, want string) {
		t.Helper()
		if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(screens[seconds])); diff != "" {
			t.Errorf("after %v s (-want +got)\n%s", seconds, diff)
		}
	}
	check(0, "out/demo\n\nwaiting for the first plan in out/demo\n\n"+legend+"\n")
	check(9, `
out/demo · minidm · on local

step6  0 of 4  ░░░░░░░░░░░░░░░░░░░░
  baseline  ▶·
  +a1       ··

`+legend+`

now   step6 baseline rep 0, for 8.0 s, 13.75 KOPS committed at the moment
left  not known before the first cell has ended`)
	check(27, `
out/demo · minidm · on local

step6  1 of 4  █████░░░░░░░░░░░░░░░
  baseline  ●·  13.50 KOPS
  +a1       ▶·

`+legend+`

now   step6 +a1 rep 0, for 5.0 s
last  step6 baseline rep 0: pass, 13.50 KOPS committed
left  about 55 s, until 12:01:22`)
	check(434, `
out/demo · minidm · on local

step6  2 of 4  ██████████░░░░░░░░░░
  baseline  ●▶  13.50 KOPS
  +a1       ✗·

`+legend+`

now   step6 baseline rep 1, for 7 min
last  step6 +a1 rep 0: fail
left  about 10 s, until 12:07:24
! no news for 7 min: has the driver ended?
! 1 lines of journal.jsonl are no events
! step6 +a1 rep 0: fail: cn1: exit status 139`)
	if got := screens[441]; !strings.Contains(got, "ended 12:07:21, 3 of 4 done") || !strings.Contains(got, "! cut short: signal: interrupt") {
		t.Errorf("the last screen:\n%s", got)
	}
}

// A terminal that is too small shows what is happening, and never more lines or columns than it has.
func TestSmallTerminal(t *testing.T) {
	g := newGrowing(t)
	w := New(g.dir)
	for i := range 100 {
		g.event(1, "planned", fmt.Sprintf("cell%d_with_a_rather_long_name", i), 0, "")
	}
	g.event(2, "started", "cell7_with_a_rather_long_name", 0, "")
	if _, err := w.Poll(); err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {20, 10}, {1, 1}} {
		lines := w.Screen(g.at(3), size[0], size[1])
		if len(lines) > size[1] || size[1] > 1 && !strings.HasPrefix(lines[len(lines)-2], "now   step6 cell7") {
			t.Errorf("%v: %d lines:\n%s", size, len(lines), strings.Join(lines, "\n"))
		}
		for _, line := range lines {
			if n := len([]rune(line)); n > size[0] {
				t.Errorf("%v: a line of %d characters", size, n)
			}
		}
	}
}

// On a terminal each screen replaces the one before.
func TestRedraw(t *testing.T) {
	var out bytes.Buffer
	s := screen{out: &out}
	for _, lines := range [][]string{{"a", "b", "c"}, {"d"}} {
		if err := s.draw(lines); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff("\ra\x1b[K\n\rb\x1b[K\n\rc\x1b[K\n\x1b[J"+"\x1b[3A\rd\x1b[K\n\x1b[J", out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	got := follow(t, func() (int, int) { return 80, 24 })
	if n := strings.Count(got, "\x1b[J"); n != 8 || !strings.Contains(got, "ended 12:07:21") {
		t.Errorf("%d screens:\n%q", n, got)
	}
}

// A new run in the same directory begins anew.
func TestAnotherRun(t *testing.T) {
	g := newGrowing(t)
	w := New(g.dir)
	g.event(1, "planned", "a1", 0, "")
	g.event(2, "started", "a1", 0, "")
	if _, err := w.Poll(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(g.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Poll(); err != nil {
		t.Fatal(err)
	}
	g.event(5, "planned", "b", 0, "")
	news, err := w.Poll()
	if done, all := w.count(); err != nil || done != 0 || all != 1 {
		t.Errorf("%d of %d, news %q, error %v", done, all, news, err)
	}
}

func TestFollowEndsWithItsWait(t *testing.T) {
	why := errors.New("signal")
	wait := func(context.Context) (time.Time, error) { return time.Time{}, why }
	if err := Follow(t.Context(), t.TempDir(), Options{Out: &bytes.Buffer{}, Wait: wait}); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
}

// Whatever stands in a journal: no panic, and lines without control characters.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"time":"2026-11-30T12:00:33Z","event":"started","experiment":"a","cell":"b","rep":1,"dir":"x"}` + "\n" +
		`{"time":"0001-01-01T00:00:00Z","event":"ended","experiment":"a","cell":"b","rep":1,"verdict":"\u001b[31m","reason":"\u0000"}` + "\n"))
	f.Add([]byte(`{"event":"run-ended"}` + "\n\n{\n"))
	f.Fuzz(func(t *testing.T, journal []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), journal, 0o666); err != nil {
			t.Fatal(err)
		}
		w := New(dir)
		news, err := w.Poll()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := write(&out, news); err != nil {
			t.Fatal(err)
		}
		for _, line := range append(w.Screen(time.Unix(0, 0), 80, 24), strings.Split(out.String(), "\n")...) {
			if strings.ContainsAny(line, "\x1b\x00\r\n") {
				t.Fatalf("%q", line)
			}
		}
	})
}
