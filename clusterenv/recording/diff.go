package recording

// diffContext is how many equal lines are shown around a difference.
const diffContext = 2

// maxDiff bounds the work of a comparison, in pairs of lines.
const maxDiff = 4 << 20

// diff shows what has to change in a to make b: lines with "- ", "+ " and, around them, "  ". It is empty if they are equal.
func diff(a, b []string) []string {
	if len(a)*len(b) > maxDiff {
		return []string{"(too long to be compared)"}
	}
	common := commonLengths(a, b)
	var all []string
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			all = append(all, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			all = append(all, "- "+a[i])
			i++
		default:
			all = append(all, "+ "+b[j])
			j++
		}
	}
	return shorten(all)
}

// commonLengths is the length of the longest common subsequence of a[i:] and b[j:].
func commonLengths(a, b []string) [][]int {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	return n
}

// shorten leaves out equal lines that are far from any difference.
func shorten(lines []string) []string {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line[0] == ' ' {
			continue
		}
		for j := max(0, i-diffContext); j < min(len(lines), i+diffContext+1); j++ {
			near[j] = true
		}
	}
	var kept []string
	for i, line := range lines {
		switch {
		case near[i]:
			kept = append(kept, line)
		case len(kept) > 0 && kept[len(kept)-1] != "  …":
			kept = append(kept, "  …")
		}
	}
	if n := len(kept); n > 0 && kept[n-1] == "  …" {
		kept = kept[:n-1]
	}
	return kept
}
