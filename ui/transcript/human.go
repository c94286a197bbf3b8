package transcript

import "strconv"

// count writes a number with the noun it counts.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
