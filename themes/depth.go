package themes

import "github.com/charmbracelet/colorprofile"

// Depth is how many colours a terminal has.
type Depth int

// The depths.
const (
	TrueColor Depth = iota
	Palette256
	Palette16
	Mono // none: attributes only
)

// DepthOf is the depth of a terminal with such a profile. One that is not known yet
// is taken for the best.
func DepthOf(p colorprofile.Profile) Depth {
	switch p {
	case colorprofile.ANSI256:
		return Palette256
	case colorprofile.ANSI:
		return Palette16
	case colorprofile.ASCII, colorprofile.NoTTY:
		return Mono
	}
	return TrueColor
}
