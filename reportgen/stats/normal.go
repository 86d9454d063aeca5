package stats

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
)

// normal.csv holds what has no closed form: properties of samples of n normal values, simulated with a fixed seed by
// TestNormalTable, which derives them again; for odd n the coverage is counted (go test ./reportgen/stats -run TestNormalTable -update).
//
//go:embed normal.csv
var normalCSV string

// A normalRow is what is known of samples of one size.
type normalRow struct {
	coverage float64 // of the bootstrap interval, as a fraction
	outlier  float64 // distance from the median, in MAD, that one sample in a hundred reaches
}

// normalTable is normal.csv by n.
var normalTable = sync.OnceValue(func() map[int]normalRow {
	table := map[int]normalRow{}
	for line := range strings.Lines(normalCSV) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		n, err := strconv.Atoi(fields[0])
		if err != nil { // the header
			continue
		}
		coverage, _ := strconv.ParseFloat(fields[1], 64) // the test reads every number back
		outlier, _ := strconv.ParseFloat(fields[2], 64)
		table[n] = normalRow{coverage, outlier}
	}
	return table
})

// tableMax is the largest sample of normal.csv.
const tableMax = 30

// bootstrapCoverage returns NaN where nothing was simulated.
func bootstrapCoverage(n int) float64 {
	if row, ok := normalTable()[n]; ok {
		return row.coverage
	}
	return math.NaN()
}

// outlierLimit returns the limit for a sample of n values, 3 or more. That of the largest sample in the table is stricter than
// need be for larger ones.
func outlierLimit(n int) float64 { return normalTable()[min(n, tableMax)].outlier }
