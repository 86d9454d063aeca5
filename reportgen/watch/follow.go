package watch

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gotestbed/gotestbed/reportgen/render"
)

// Options say how a run is followed.
type Options struct {
	Out  io.Writer
	Size func() (width, height int)                   // of the terminal that Out is; nil: it is none
	Wait func(ctx context.Context) (time.Time, error) // waits until it is time to look, and returns the time
}

// Follow writes the progress of the run in dir until the run ends, or Wait fails: on a terminal a screen that is drawn anew, elsewhere a
// line for each thing that happens.
func Follow(ctx context.Context, dir string, o Options) error {
	w := New(dir)
	s := screen{out: o.Out}
	for first := true; ; first = false {
		now, err := o.Wait(ctx)
		if err != nil {
			return err
		}
		news, err := w.Poll()
		if err != nil {
			return err
		}
		if o.Size != nil {
			width, height := o.Size()
			err = s.draw(w.Screen(now, width, max(1, height-1))) // the cursor stands on the line below
		} else {
			if first && len(w.attempts) == 0 {
				news = append(news, "waiting for a run in "+dir)
			}
			err = write(o.Out, news)
		}
		if err != nil || w.Ended() {
			return err
		}
	}
}

func write(out io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, render.Clean(line)); err != nil {
			return err
		}
	}
	return nil
}

// A screen is a block of lines at the cursor.
type screen struct {
	out   io.Writer
	lines int
}

// draw replaces the block: it goes up to its first line, and clears line by line what it writes over, so that nothing flickers.
func (s *screen) draw(lines []string) error {
	var b strings.Builder
	if s.lines > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.lines)
	}
	for _, line := range lines {
		b.WriteString("\r" + line + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	s.lines = len(lines)
	_, err := io.WriteString(s.out, b.String())
	return err
}
