package themes

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Color is "#rrggbb", the name of one of the 16 colours that the terminal's own palette
// gives, or empty for the terminal's default.
type Color string

// The 16 colours.
const (
	Black         Color = "black"
	Red           Color = "red"
	Green         Color = "green"
	Yellow        Color = "yellow"
	Blue          Color = "blue"
	Magenta       Color = "magenta"
	Cyan          Color = "cyan"
	White         Color = "white"
	BrightBlack   Color = "bright-black"
	BrightRed     Color = "bright-red"
	BrightGreen   Color = "bright-green"
	BrightYellow  Color = "bright-yellow"
	BrightBlue    Color = "bright-blue"
	BrightMagenta Color = "bright-magenta"
	BrightCyan    Color = "bright-cyan"
	BrightWhite   Color = "bright-white"
)

var sixteen = [...]Color{
	Black, Red, Green, Yellow, Blue, Magenta, Cyan, White,
	BrightBlack, BrightRed, BrightGreen, BrightYellow, BrightBlue, BrightMagenta, BrightCyan, BrightWhite,
}

// Index is which of the 16 colours it is, -1 for none of them.
func (c Color) Index() int { return slices.Index(sixteen[:], c) }

// RGB gives the parts of "#rrggbb".
func (c Color) RGB() (r, g, b uint8, ok bool) {
	if len(c) != 7 || c[0] != '#' {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseUint(string(c[1:]), 16, 32)
	return uint8(n >> 16), uint8(n >> 8), uint8(n), err == nil
}

// hex writes a colour.
func hex(c color.Color) Color {
	r, g, b, _ := c.RGBA()
	return Color(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
}

// parseColor reads a colour as people write it: "#rgb", "#rrggbb", the number of one of
// 256 colours, the name of one of the 16, "default" for the terminal's own.
func parseColor(s string) (Color, error) {
	name := strings.ToLower(strings.TrimSpace(s))
	if name == "" || name == "default" {
		return "", nil
	}
	if rest, is := strings.CutPrefix(name, "#"); is {
		if len(rest) == 3 {
			rest = string([]byte{rest[0], rest[0], rest[1], rest[1], rest[2], rest[2]})
		}
		if _, _, _, ok := Color("#" + rest).RGB(); ok {
			return Color("#" + rest), nil
		}
	}
	if n, err := strconv.ParseUint(name, 10, 8); err == nil {
		if n < uint64(len(sixteen)) {
			return sixteen[n], nil
		}
		return hex(ansi.IndexedColor(n)), nil
	}
	name = strings.TrimPrefix(strings.NewReplacer("_", "-", " ", "-").Replace(name), "ansi")
	if rest, is := strings.CutPrefix(name, "bright"); is {
		name = "bright-" + strings.TrimPrefix(rest, "-")
	}
	if c := Color(name); c.Index() >= 0 {
		return c, nil
	}
	return "", fmt.Errorf("%q is no colour: write \"#rrggbb\", a number from 0 to 255, the name of one of 16 colours such as red or bright-red, or default", s)
}

// in256 is the nearest of 256 colours.
func in256(c Color) Color {
	r, g, b, ok := c.RGB()
	if !ok {
		return c
	}
	return hex(colorprofile.ANSI256.Convert(ansi.RGBColor{R: r, G: g, B: b}))
}

// luminance is the relative luminance of WCAG, from 0 to 1. Named colours count as
// those of xterm.
func luminance(c Color) float64 {
	r, g, b, ok := c.RGB()
	if i := c.Index(); i >= 0 {
		r, g, b, ok = hex(ansi.IndexedColor(i)).RGB() //nolint:gosec // one of 16
	}
	if !ok {
		return 0
	}
	part := func(n uint8) float64 {
		if v := float64(n) / 255; v > 0.03928 {
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return float64(n) / 255 / 12.92
	}
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

// halfway is the luminance at which black and white have the same contrast.
const halfway = 0.179

// contrast is the contrast of WCAG between two colours, from 1 to 21.
func contrast(a, b Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
