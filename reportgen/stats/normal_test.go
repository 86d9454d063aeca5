package stats

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write normal.csv instead of comparing with it")

// sample fills values with normal ones, of median 0.
func sample(rng *rand.Rand, values []float64) []float64 {
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return values
}

// simulate derives one row of normal.csv.
func simulate(n, trials int) normalRow {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	values := make([]float64, n)
	covered := 0
	extremes := make([]float64, 0, trials)
	for range trials {
		slices.Sort(sample(rng, values))
		medians := resampledMedians(values)
		if quantile(medians, 0.025) <= 0 && 0 <= quantile(medians, 0.975) {
			covered++
		}
		median, mad := medianMAD(values)
		extremes = append(extremes, max(median-values[0], values[n-1]-median)/mad)
	}
	slices.Sort(extremes)
	return normalRow{float64(covered) / float64(trials), extremes[trials*99/100]}
}

// normal.csv holds what the simulation gives: rows of it are derived again, from fewer trials, and all are complete.
func TestNormalTable(t *testing.T) {
	if *update {
		writeNormalTable(t)
		return
	}
	for n := 2; n <= tableMax; n++ {
		if row := normalTable()[n]; row.coverage <= 0 || n >= 3 && row.outlier <= 0 {
			t.Fatalf("n=%d: normal.csv says %+v", n, row)
		}
	}
	for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24} {
		want, got := normalTable()[n], simulate(n, 2000)
		if math.Abs(got.coverage-want.coverage) > 0.035 {
			t.Errorf("n=%d: coverage %.4f, normal.csv says %.4f", n, got.coverage, want.coverage)
		}
		if n >= 3 && math.Abs(math.Log(got.outlier/want.outlier)) > 0.7 {
			t.Errorf("n=%d: outlier limit %.2f, normal.csv says %.2f", n, got.outlier, want.outlier)
		}
	}
}

func writeNormalTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("n,bootstrap_coverage,outlier_mad\n")
	for n := 2; n <= tableMax; n++ {
		row := simulate(n, 200_000)
		if n%2 == 1 {
			row.coverage = counted(n)
		}
		fmt.Fprintf(&b, "%d,%.4f,", n, row.coverage)
		if n >= 3 { // two values are equally far from their median
			fmt.Fprintf(&b, "%.2f", row.outlier)
		}
		b.WriteByte('\n')
	}
	if err := os.WriteFile("normal.csv", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// For odd n the bootstrap interval is a pair of order statistics, whose coverage follows from counting: normal.csv says that.
func TestNormalTableIsExactForOddN(t *testing.T) {
	for n := 3; n <= tableMax; n += 2 {
		if got, want := bootstrapCoverage(n), counted(n); math.Abs(got-want) > 0.0001 {
			t.Errorf("n=%d: normal.csv says %.4f, counting %.4f", n, got, want)
		}
	}
}

// counted returns the coverage of the bootstrap interval for an odd n.
func counted(n int) float64 {
	b := BootstrapMedian(ranks(n))
	return atLeast(n, int(b.Lo), 0.5) - atLeast(n, int(b.Hi), 0.5)
}
