package themes

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// palettes are the 16 colours of xterm and of the console of Linux.
var palettes = map[string][16]Color{
	"xterm": {"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"},
	"vga": {"#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
		"#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff"},
}

// shower gives colours as a terminal shows them, those behind text likewise.
type shower struct {
	t       *testing.T
	depth   Depth
	palette [16]Color
	dark    bool
}

// seen is how a colour is shown; empty is what the terminal writes with by itself.
func (s shower) seen(c Color) Color {
	s.t.Helper()
	if c == "" {
		return map[bool]Color{true: s.palette[7], false: s.palette[0]}[s.dark]
	}
	i := c.Index()
	r, g, b, hexed := c.RGB()
	switch {
	case s.depth == Palette16 && i < 0:
		s.t.Errorf("%s is none of 16 colours", c)
	case s.depth == Palette16:
		return s.palette[i]
	case !hexed:
		s.t.Errorf("%q depends on the palette of the terminal", c)
	case s.depth == Palette256:
		if shown := hex(colorprofile.ANSI256.Convert(ansi.RGBColor{R: r, G: g, B: b})); shown != c {
			s.t.Errorf("%s is none of 256 colours: it becomes %s", c, shown)
		}
	}
	return c
}

// depths are how a theme may be shown.
var depths = map[string]struct {
	depth   Depth
	palette string
}{
	"truecolour": {TrueColor, "xterm"}, "256": {Palette256, "xterm"}, "16 xterm": {Palette16, "xterm"}, "16 vga": {Palette16, "vga"},
}

// eachShown runs a test for every theme with colours at every depth.
func eachShown(t *testing.T, test func(*testing.T, Scheme, Theme, shower)) {
	n := 0
	for _, s := range Builtin() {
		if s.True.Mono {
			continue
		}
		n++
		for name, d := range depths {
			t.Run(s.Name+" "+name, func(t *testing.T) {
				test(t, s, s.At(d.depth), shower{t, d.depth, palettes[d.palette], s.Dark})
			})
		}
	}
	if n < 11 {
		t.Errorf("only %d themes have colours", n)
	}
}

// TestContrast computes the contrast of everything that is to be read to all it
// may stand on, as it is shown at each depth: on the background that the theme is made
// for, on black or white, and on what the theme puts behind text.
func TestContrast(t *testing.T) {
	eachShown(t, checkContrast)
}

func checkContrast(t *testing.T, s Scheme, th Theme, show shower) {
	check := func(what string, fg, bg Color, least float64) {
		t.Helper()
		if n := contrast(show.seen(fg), bg); n < least {
			t.Errorf("%s: %s (shown as %s) on %s has a contrast of %.2f", what, fg, show.seen(fg), bg, n)
		}
	}
	end := map[bool]Color{true: "#000000", false: "#ffffff"}[s.Dark]
	paper := []Color{end, s.Background}
	if show.depth == Palette16 {
		paper = paper[:1]
	}
	backs := append([]Color{}, paper...)
	for _, c := range []Color{th.SelectedBg, th.AddedBg, th.RemovedBg} {
		if c != "" {
			backs = append(backs, show.seen(c))
		}
	}
	least := 4.5
	if strings.HasPrefix(s.Name, "contrast-") && show.depth == TrueColor {
		least = 7
	}
	for _, m := range Meanings() {
		c := *m.of(&th)
		switch {
		case m.behind(), m.Name == "badge_fg":
		case m.Name == "border":
			check(m.Name, c, paper[len(paper)-1], 1.3)
		case m.Name == "faint":
			for _, back := range backs {
				check(m.Name, c, back, 3)
			}
		default:
			for _, back := range backs {
				check(m.Name, c, back, 4.5)
			}
			for _, back := range paper {
				check(m.Name, c, back, least)
			}
		}
	}
	for what, c := range map[string]Color{"good": th.Good, "warn": th.Warn, "bad": th.Bad, "muted": th.Muted} {
		if c != "" {
			check(what+" badge", th.BadgeFg, show.seen(c), 4.5)
		}
	}
	if th.AddedWordBg != "" { // on what has changed within a line
		check("added word", th.Text, show.seen(th.AddedWordBg), 4.5)
		check("removed word", th.Text, show.seen(th.RemovedWordBg), 4.5)
	}
}

// TestStandsOut has backgrounds differ from what is around them, and from each other.
func TestStandsOut(t *testing.T) {
	eachShown(t, func(t *testing.T, s Scheme, th Theme, show shower) {
		see := func(c Color) Color {
			if c == "" {
				return ""
			}
			return show.seen(c)
		}
		for what, pair := range map[string][2]Color{
			"marked row": {see(th.SelectedBg), s.Background}, "added line": {see(th.AddedBg), s.Background}, "removed line": {see(th.RemovedBg), s.Background},
			"added word": {see(th.AddedWordBg), or(see(th.AddedBg), s.Background)}, "removed word": {see(th.RemovedWordBg), or(see(th.RemovedBg), s.Background)},
			"added and removed line": {see(th.AddedBg), see(th.RemovedBg)}, "added and removed word": {see(th.AddedWordBg), see(th.RemovedWordBg)},
			"added and removed sign": {see(th.Syntax.Inserted), see(th.Syntax.Deleted)},
			"code and text":          {show.seen(th.Code), show.seen(th.Text)}, "accent and bad": {show.seen(th.Accent), show.seen(th.Bad)},
			"good and bad": {show.seen(th.Good), show.seen(th.Bad)}, "warn and bad": {show.seen(th.Warn), show.seen(th.Bad)},
		} {
			if pair[0] == "" {
				continue
			}
			least := 3.0
			if strings.Contains(what, " and ") {
				least = 12
			}
			if d := different(pair[0], pair[1], nil); d < least {
				t.Errorf("%s: %s and %s look alike (%.1f)", what, pair[0], pair[1], d)
			}
		}
	})
}

func or(a, b Color) Color {
	if a == "" {
		return b
	}
	return a
}

// visions turn light into what is seen of it by those who lack one kind of cones, after
// Machado and others (2009).
var visions = map[string]*[3][3]float64{
	"all cones": nil,
	"no red":    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no green":  {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"no blue":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// different is the distance of two colours in CIELAB, 100 from black to white; about 2
// can just be seen.
func different(a, b Color, vision *[3][3]float64) float64 {
	x, y := lab(a, vision), lab(b, vision)
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

func lab(c Color, vision *[3][3]float64) [3]float64 {
	var light [3]float64
	r, g, b, _ := c.RGB()
	for i, n := range []uint8{r, g, b} {
		if light[i] = float64(n) / 255 / 12.92; n > 10 {
			light[i] = math.Pow((float64(n)/255+0.055)/1.055, 2.4)
		}
	}
	if vision != nil {
		var got [3]float64
		for i, row := range vision {
			got[i] = min(max(row[0]*light[0]+row[1]*light[1]+row[2]*light[2], 0), 1)
		}
		light = got
	}
	f := func(x float64) float64 {
		if x > 0.008856 {
			return math.Cbrt(x)
		}
		return 7.787*x + 16.0/116
	}
	x := f((0.4124*light[0] + 0.3576*light[1] + 0.1805*light[2]) / 0.9505)
	y := f(0.2126*light[0] + 0.7152*light[1] + 0.0722*light[2])
	z := f((0.0193*light[0] + 0.1192*light[1] + 0.9505*light[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestAnyVision has the themes for any colour vision keep apart what differs, for those
// who lack a kind of cones.
func TestAnyVision(t *testing.T) {
	n := 0
	eachShown(t, func(t *testing.T, s Scheme, th Theme, show shower) {
		if !strings.HasPrefix(s.Name, "colorblind-") {
			return
		}
		n++
		for vision, m := range visions {
			for what, pair := range map[string][2]Color{
				"good, bad": {th.Good, th.Bad}, "good, warn": {th.Good, th.Warn}, "warn, bad": {th.Warn, th.Bad},
				"added, removed line": {th.AddedBg, th.RemovedBg}, "added, removed word": {th.AddedWordBg, th.RemovedWordBg},
				"added, removed sign": {th.Syntax.Inserted, th.Syntax.Deleted},
			} {
				if pair[0] == "" && pair[1] == "" {
					continue
				}
				if d := different(show.seen(pair[0]), show.seen(pair[1]), m); d < 12 {
					t.Errorf("%s, %s: %s and %s look alike (%.1f)", vision, what, pair[0], pair[1], d)
				}
			}
		}
	})
	if n != 8 {
		t.Errorf("looked at %d", n)
	}
}

// TestThemesAreWhole holds themes to what each depth needs, and lists to each other.
func TestThemesAreWhole(t *testing.T) {
	names := map[string]bool{}
	fields := 0
	for i, s := range Builtin() {
		if names[s.Name] || s.About == "" || s.Name != Names()[i] {
			t.Errorf("%s twice, or under another name, or nothing is said about it", s.Name)
		}
		names[s.Name] = true
		if got := s.At(Mono); got != (Theme{Mono: true}) {
			t.Errorf("%s has colours where there are none: %+v", s.Name, got)
		}
		if s.True.Mono {
			continue
		}
		if dark := luminance(s.Background) < halfway; dark != s.Dark {
			t.Errorf("%s is made for %s", s.Name, s.Background)
		}
		fields = 0
		for _, m := range Meanings() {
			fields++
			for depth, th := range []Theme{s.True, s.Palette256} {
				if *m.of(&th) == "" && (Depth(depth) == TrueColor || m.Name != "added_bg" && m.Name != "removed_bg") {
					t.Errorf("%s has no %s at depth %d", s.Name, m.Name, depth)
				}
			}
			if th := s.Palette16; m.behind() && *m.of(&th) != "" {
				t.Errorf("%s has a %s of 16 colours", s.Name, m.Name)
			}
		}
	}
	var th Theme
	v := reflect.ValueOf(th)
	if n := v.NumField() - 2 + v.FieldByName("Syntax").NumField(); n != fields {
		t.Errorf("a theme has %d colours, and skins know of %d", n, fields)
	}
	for i, m := range Meanings() {
		*m.of(&th) = Color(fmt.Sprint(i))
	}
	for i, m := range Meanings() {
		if got := *m.of(&th); got != Color(fmt.Sprint(i)) {
			t.Errorf("%s is %s as well", m.Name, got)
		}
	}
}

// TestColours are their own: no theme has more than a few of another's.
func TestColoursAreTheirOwn(t *testing.T) {
	all := Builtin()
	for i, a := range all {
		for _, b := range all[:i] {
			same := 0
			for _, m := range Meanings() {
				if c := *m.of(&a.True); c != "" && c == *m.of(&b.True) {
					same++
				}
			}
			if same > 6 {
				t.Errorf("%s and %s share %d colours", a.Name, b.Name, same)
			}
		}
	}
}
