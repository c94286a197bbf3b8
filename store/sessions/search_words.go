package sessions

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// WhenForm says what [When] reads.
const WhenForm = "give one like 2026-11-23, or an age like 3h, 2d or 5w"

// When reads a day, at whose beginning it is midnight where now is, or an age.
func When(value string, now time.Time) (time.Time, bool) {
	if t, err := time.ParseInLocation(time.DateOnly, value, now.Location()); err == nil {
		return t, true
	}
	units := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	last := len(value) - 1
	if last < 0 {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(value[:last])
	if unit := units[value[last]]; err == nil && unit > 0 && n >= 0 && n < 100_000 {
		return now.Add(-time.Duration(n) * unit), true
	}
	return time.Time{}, false
}

// Folder makes the folder of a search absolute: from dir, or from home where it begins
// with a tilde.
func Folder(value, dir, home string) string {
	if rest, ok := strings.CutPrefix(value, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	return filepath.Join(dir, value)
}
