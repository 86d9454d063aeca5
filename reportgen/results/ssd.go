package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/internal/lines"
)

const ssdDir = "ssd"

// Bounds of what is kept of the sweeps.
const (
	maxSweeps = 100
	maxPoints = 10_000
)

// An SSDPoint is one block size of a sweep: a line of ssd/<mode>.csv.
type SSDPoint struct {
	BlockSize int64   // bytes
	Bandwidth float64 // MiB/s
	LatencyUS float64 // of a block, in µs
	IOPS      float64
	Origin    Origin
}

// An SSDSweep is the remote SSD read with blocks of every size, in one mode of the server: pinned, staged.
type SSDSweep struct {
	Mode   string
	Points []SSDPoint
}

// readSSD reads ssd/<mode>.csv, in the order of the modes' names.
func (r *Run) readSSD() error {
	entries, err := os.ReadDir(filepath.Join(r.Dir, ssdDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		r.warn("%s: %v", ssdDir, err)
		return nil
	}
	for _, entry := range entries {
		mode, ok := strings.CutSuffix(entry.Name(), ".csv")
		if !ok || !entry.Type().IsRegular() || len(r.SSD) == maxSweeps {
			continue
		}
		name := path.Join(ssdDir, entry.Name())
		f, err := os.Open(filepath.Join(r.Dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		sweep, warnings, err := parseSSD(name, mode, f)
		f.Close()
		if err != nil {
			return err
		}
		for _, w := range warnings {
			r.warn("%s", w)
		}
		if len(sweep.Points) > 0 {
			r.SSD = append(r.SSD, sweep)
		}
	}
	return nil
}

// ssdColumns are the columns that a sweep has; others may stand beside them.
var ssdColumns = []string{"block_size", "bandwidth_mib_s", "latency_us", "iops"}

// parseSSD reads a sweep. Lines that are no point are warnings; the error is an I/O error.
func parseSSD(name, mode string, src io.Reader) (sweep SSDSweep, warnings []string, err error) {
	sweep.Mode = mode
	in := lines.New(src)
	var column []int
	for in.Next() && len(warnings) < maxListed && len(sweep.Points) < maxPoints {
		where := fmt.Sprintf("%s:%d", name, in.Number())
		text := strings.TrimSpace(string(in.Bytes()))
		switch {
		case in.TooLong():
			warnings = append(warnings, fmt.Sprintf("%s: line is longer than %d bytes", where, lines.MaxLine))
		case text == "":
		case column == nil:
			if column = ssdHeader(strings.TrimPrefix(text, "\ufeff")); column == nil {
				return sweep, []string{fmt.Sprintf("%s: no header %s", where, strings.Join(ssdColumns, ","))}, nil
			}
		default:
			p, problem := ssdPoint(splitRow(text), column)
			if problem != "" {
				warnings = append(warnings, where+": "+problem)
				continue
			}
			p.Origin = Origin{File: name, Line: in.Number()}
			sweep.Points = append(sweep.Points, p)
		}
	}
	if err := in.Err(); err != nil {
		return SSDSweep{}, nil, fmt.Errorf("%s:%d: %w", name, in.Number()+1, err)
	}
	return sweep, warnings, nil
}

// ssdHeader returns where each of ssdColumns stands, nil if one is missing.
func ssdHeader(text string) []int {
	fields := splitRow(text)
	column := make([]int, len(ssdColumns))
	for i, name := range ssdColumns {
		if column[i] = slices.Index(fields, name); column[i] < 0 {
			return nil
		}
	}
	return column
}

func ssdPoint(fields []string, column []int) (p SSDPoint, problem string) {
	var values [4]float64
	for i, c := range column {
		if c >= len(fields) {
			return p, "the row is short and was dropped"
		}
		v, ok := parsePrinted(fields[c])
		if !ok || v.value <= 0 {
			return p, fmt.Sprintf("%s: %q is no positive number; the row was dropped", ssdColumns[i], clip(fields[c], 40))
		}
		values[i] = v.value
	}
	size, err := strconv.ParseInt(fields[column[0]], 10, 64)
	if err != nil || values[0] > math.MaxInt64/2 {
		return p, fmt.Sprintf("block_size: %q is no whole number of bytes; the row was dropped", clip(fields[column[0]], 40))
	}
	return SSDPoint{BlockSize: size, Bandwidth: values[1], LatencyUS: values[2], IOPS: values[3]}, ""
}
