// Package spelling compares words, to guess which of those that are known was meant. It
// keeps nothing, imports nothing of this program and is safe for concurrent use.
package spelling

// Distance counts the insertions, deletions, replacements and swaps of neighbours that
// lead from a to b, in bytes. A distance of limit or more comes out as limit; words whose
// lengths differ by that much are not looked at, which bounds the work.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return max(limit, 0)
	}
	var room [3 * 65]int // spares words of the usual length an allocation
	all, n := room[:], len(b)+1
	if 3*n > len(all) {
		all = make([]int, 3*n)
	}
	before, last, row := all[:n], all[n:2*n], all[2*n:3*n]
	for j := range row {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
