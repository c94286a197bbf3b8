package themes

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// xterm and vga are the 16 colours of xterm and of the console of Linux.
var palettes = map[string][16]Color{
	"xterm": {"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"},
	"vga": {"#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
		"#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff"},
}

// seen is how a terminal of a depth shows a colour; empty is what it writes with by
// itself.
func seen(t *testing.T, c Color, d Depth, palette [16]Color, dark bool) Color {
	t.Helper()
	if c == "" {
		return map[bool]Color{true: palette[7], false: palette[0]}[dark]
	}
	n, err := strconv.ParseUint(string(c[1:]), 16, 32)
	if err != nil || len(c) != 7 {
		t.Fatalf("%q is no colour", c)
	}
	rgb := ansi.RGBColor{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n)}
	switch d {
	case Palette256:
		got := colorprofile.ANSI256.Convert(rgb)
		r, g, b, _ := got.RGBA()
		if shown := Color(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)); shown != c {
			t.Errorf("%s is none of 256 colours: it becomes %s", c, shown)
		}
	case Palette16:
		return palette[colorprofile.ANSI.Convert(rgb).(ansi.BasicColor)]
	}
	return c
}

func luminance(c Color) float64 {
	part := func(from int) float64 {
		n, _ := strconv.ParseUint(string(c[from:from+2]), 16, 8)
		if v := float64(n) / 255; v > 0.03928 {
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return float64(n) / 255 / 12.92
	}
	return 0.2126*part(1) + 0.7152*part(3) + 0.0722*part(5)
}

func contrast(a, b Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast computes the contrast of everything that is to be read to all it
// may stand on, as it is shown at each depth.
func TestContrast(t *testing.T) {
	for _, theme := range []Theme{Dark(), Light()} {
		for name, d := range map[string]Depth{"truecolour": TrueColor, "256": Palette256, "16 xterm": Palette16, "16 vga": Palette16} {
			t.Run(theme.Name+" "+name, func(t *testing.T) {
				palette := palettes["xterm"]
				if name == "16 vga" {
					palette = palettes["vga"]
				}
				checkContrast(t, theme.For(d), d, palette)
			})
		}
	}
}

func checkContrast(t *testing.T, th Theme, d Depth, palette [16]Color) {
	show := func(c Color) Color { return seen(t, c, d, palette, th.Dark) }
	check := func(what string, fg, bg Color) {
		t.Helper()
		if n := contrast(show(fg), bg); n < 4.5 {
			t.Errorf("%s: %s (shown as %s) on %s has a contrast of %.2f", what, fg, show(fg), bg, n)
		}
	}
	backs := map[bool][]Color{true: {"#000000", "#1e1e1e"}, false: {"#ffffff", "#f5f5f5"}}[th.Dark]
	if d == Palette16 {
		backs = backs[:1]
	}
	for _, c := range []Color{th.SelectedBg, th.AddedBg, th.RemovedBg} {
		if c != "" {
			backs = append(backs, show(c))
		}
	}
	read := map[string]Color{
		"Text": th.Text, "Strong": th.Strong, "Muted": th.Muted, "Faint": th.Faint, "Accent": th.Accent, "User": th.User,
		"Reasoning": th.Reasoning, "Link": th.Link, "Code": th.Code, "Good": th.Good, "Warn": th.Warn, "Bad": th.Bad, "Info": th.Info,
	}
	syntax := reflect.ValueOf(th.Syntax)
	for i := range syntax.NumField() {
		read["Syntax."+syntax.Type().Field(i).Name] = Color(syntax.Field(i).String())
	}
	for what, c := range read {
		for _, back := range backs {
			check(what, c, back)
		}
	}
	for what, c := range map[string]Color{"good": th.Good, "warn": th.Warn, "bad": th.Bad, "muted": th.Muted} {
		if c != "" {
			check(what+" badge", th.BadgeFg, show(c))
		}
	}
	added, removed := th.Text, th.Text // on what has changed within a line
	if th.AddedBg == "" {
		added, removed = th.Syntax.Inserted, th.Syntax.Deleted
	}
	if th.AddedWordBg != "" {
		check("added word", added, show(th.AddedWordBg))
		check("removed word", removed, show(th.RemovedWordBg))
	}
	for _, pair := range [][2]Color{{th.AddedBg, th.RemovedBg}, {th.Syntax.Inserted, th.Syntax.Deleted}} {
		if a, b := pair[0], pair[1]; a != b && hue(show(a)) == hue(show(b)) {
			t.Errorf("added %s and removed %s have the same hue", show(a), show(b))
		}
	}
}

// hue is which of red, green and blue a colour has most of.
func hue(c Color) int {
	most, at := Color(""), 0
	for i := range 3 {
		if part := c[1+2*i : 3+2*i]; part > most {
			most, at = part, i
		}
	}
	return at
}

// TestThemesAreWhole holds a theme of few colours to those of the one it stands
// for: what has a colour of its own there has one that is named here, or is empty
// on purpose where sixteen are too few.
func TestThemesAreWhole(t *testing.T) {
	for _, theme := range []Theme{Dark(), Light()} {
		few := theme.For(Palette256)
		if few.Name != theme.Name || few.Dark != theme.Dark || theme.For(Palette16).Dark != theme.Dark || theme.For(TrueColor) != theme {
			t.Errorf("%s is another theme at another depth", theme.Name)
		}
		v := reflect.ValueOf(few)
		for i := range v.NumField() {
			if f := v.Type().Field(i).Name; v.Field(i).IsZero() && f != "Dark" && f != "AddedBg" && f != "RemovedBg" {
				t.Errorf("%s has no %s at 256 colours", theme.Name, f)
			}
		}
	}
}
