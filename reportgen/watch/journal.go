package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// An event is a line of journal.jsonl; docs/run-directory.md describes it.
type event struct {
	Time       time.Time       `json:"time"`
	Event      string          `json:"event"`
	Experiment string          `json:"experiment"`
	Cell       string          `json:"cell"`
	Rep        int             `json:"rep"`
	Try        int             `json:"try"`
	Verdict    results.Verdict `json:"verdict"`
	Reason     string          `json:"reason"`
	Dir        string          `json:"dir"`
}

// chunk is how many bytes of a journal are read at once. A line is never so long.
const chunk = 1 << 20

// A tail reads what is appended to a file, whole lines only.
type tail struct {
	name   string
	info   os.FileInfo // of the file that was read last
	offset int64       // behind the last whole line
}

// next returns the new whole lines. fresh says that the file is another one than before, or was cut: what was read of it counts
// no more. A file that is not there has no lines.
func (t *tail) next() (lines [][]byte, fresh bool, err error) {
	f, err := os.Open(t.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, t.reset(nil), nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	if t.info == nil || !os.SameFile(t.info, info) || info.Size() < t.offset {
		fresh = t.reset(info)
	}
	t.info = info
	for {
		data := make([]byte, min(chunk, max(0, info.Size()-t.offset)))
		n, err := f.ReadAt(data, t.offset)
		if err != nil && err != io.EOF {
			return lines, fresh, fmt.Errorf("%s: %w", t.name, err)
		}
		end := bytes.LastIndexByte(data[:n], '\n') + 1
		if end == 0 && n == chunk {
			end = n // no line of a journal: its pieces are no events, and are warned of
		}
		if end == 0 {
			return lines, fresh, nil
		}
		for line := range bytes.Lines(data[:end]) {
			lines = append(lines, bytes.TrimSpace(line))
		}
		t.offset += int64(end)
	}
}

// reset forgets the file, and reports whether there was one.
func (t *tail) reset(info os.FileInfo) bool {
	had := t.info != nil
	t.info, t.offset = info, 0
	return had
}

// parseEvent reads one line.
func parseEvent(line []byte) (event, error) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return event{}, err
	}
	if e.Event != runEnded && (e.Experiment == "" || e.Cell == "" || e.Rep < 0) {
		return event{}, fmt.Errorf("event %q does not say which attempt", e.Event)
	}
	return e, nil
}

// The events that a journal has.
const (
	planned  = "planned"
	started  = "started"
	ended    = "ended"
	runEnded = "run-ended"
)
