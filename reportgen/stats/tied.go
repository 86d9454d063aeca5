package stats

import "slices"

// tiedLimit is the largest sample for which tiedP is used; beyond it the normal approximation is good.
const tiedLimit = 25

// tiedP returns the two-sided p of the Mann-Whitney U test for samples with equal values among them: twice the smaller tail of
// the distribution of a's rank sum over all ways to divide the values into samples of these sizes, and at most 1.
//
// It stands in for benchmath here, which takes both tails from one side of that distribution. Ties make the distribution
// lopsided unless the samples are of one size, and p comes out wrong: 0 for {1, 1} against six zeros, where it is 0.071.
func tiedP(a, b []float64) float64 {
	groups, observed := midranks(a, b)
	most := (len(a) + len(b)) * (len(a) + len(b) + 1) // no doubled rank sum is larger
	// ways[k][s] is in how many ways k values of the groups so far have the doubled rank sum s.
	ways := make([][]float64, len(a)+1)
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for _, g := range groups {
		for k := len(a); k > 0; k-- { // downwards: ways[k-n] must not yet hold this group
			choices := 1.0
			for n := 1; n <= min(g.size, k); n++ {
				choices *= float64(g.size-n+1) / float64(n)
				for s := n * g.rank2; s <= most; s++ {
					ways[k][s] += choices * ways[k-n][s-n*g.rank2]
				}
			}
		}
	}
	var below, above, all float64
	for s, n := range ways[len(a)] {
		all += n
		if s <= observed {
			below += n
		}
		if s >= observed {
			above += n
		}
	}
	return min(1, 2*min(below, above)/all)
}

// A group is one value that occurs size times among both samples; rank2 is twice the mean of its ranks, a whole number.
type group struct{ size, rank2 int }

// midranks returns the groups of equal values, in ascending order, and twice the sum of a's ranks.
func midranks(a, b []float64) (groups []group, observed int) {
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	for first := 0; first < len(all); {
		after := first
		for after < len(all) && all[after] == all[first] {
			after++
		}
		g := group{size: after - first, rank2: first + 1 + after}
		for _, v := range a {
			if v == all[first] {
				observed += g.rank2
			}
		}
		groups = append(groups, g)
		first = after
	}
	return groups, observed
}
