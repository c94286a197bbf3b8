package rows

import (
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
)

// byRunes is set for a terminal that measures characters one by one.
var byRunes atomic.Bool

// MeasureByRunes makes widths those of a terminal without grapheme widths (mode 2027):
// the sum of the widths of a cluster's characters. A process has one terminal, so this
// holds for all of it. Rows that were made before have other widths.
func MeasureByRunes(on bool) { byRunes.Store(on) }

// Method is how the terminal measures text.
func Method() ansi.Method {
	if byRunes.Load() {
		return ansi.WcWidth
	}
	return ansi.GraphemeWidth
}

// Cluster returns the first grapheme cluster of s and its width in cells.
func Cluster(s string) (cluster string, width int) { return ansi.FirstGraphemeCluster(s, Method()) }

// Truncate cuts s after w cells, those of tail included, which it then ends with.
func Truncate(s string, w int, tail string) string { return Method().Truncate(s, w, tail) }

// TruncateLeft leaves the first w cells of s out and begins with prefix then.
func TruncateLeft(s string, w int, prefix string) string { return Method().TruncateLeft(s, w, prefix) }

// Cut returns the cells of s from one to before another.
func Cut(s string, from, to int) string { return Method().Cut(s, from, to) }
