package themes

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// shelf is a library with skins.
func shelf(t *testing.T, files map[string]string) Library {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Library{Dir: dir}
}

func found(t *testing.T, l Library, name string) Scheme {
	t.Helper()
	s, err := l.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSkin changes what it names at each depth and inherits the rest.
func TestSkin(t *testing.T) {
	l := shelf(t, map[string]string{"mine.yaml": `
description: mine
inherits: lagoon
background: "#001122"
colors:
  accent: "#F80"
  link: 39          # of 256
  warn: bright_yellow
  text: default
  selected_bg: "#112233"
colors_256: {accent: "#ff8700"}
colors_16: {accent: ansibrightred, good: default}
`})
	s, base := found(t, l, "mine"), lagoon()
	if s.Name != "mine" || s.About != "mine" || !s.Dark || s.Background != "#001122" || s.File != filepath.Join(l.Dir, "mine.yaml") {
		t.Errorf("%+v", s)
	}
	want := base.True
	want.Accent, want.Link, want.Warn, want.Text, want.SelectedBg = "#ff8800", "#00afff", BrightYellow, "", "#112233"
	if s.True != want {
		t.Errorf("true colour: %+v", s.True)
	}
	want = base.Palette256
	want.Accent, want.Link, want.Warn, want.Text = "#ff8700", "#00afff", BrightYellow, ""
	if s.Palette256 != want {
		t.Errorf("256: %+v", s.Palette256)
	}
	want = base.Palette16
	want.Accent, want.Good = BrightRed, ""
	if s.Palette16 != want {
		t.Errorf("16: %+v", s.Palette16)
	}
	if s.At(Mono) != (Theme{Mono: true}) {
		t.Errorf("none: %+v", s.At(Mono))
	}
}

// TestSkinOfHermesAgent takes a skin with every key that the format of Hermes Agent has.
func TestSkinOfHermesAgent(t *testing.T) {
	var all strings.Builder
	all.WriteString("name: Sea\ndescription: at sea\nbanner_logo: |\n  [bold]x[/]\nbanner_hero: x\ntool_prefix: \"┊\"\ntool_emojis: {terminal: \"$\"}\n" +
		"spinner: {waiting_faces: [a], thinking_faces: [b], thinking_verbs: [c], wings: [[l, r]]}\nbranding: {agent_name: A, welcome: W}\ncolors:\n")
	for i, f := range Foreigns() {
		all.WriteString("  " + f.Name + ": \"#0000" + strconv.FormatInt(int64(16+i), 16) + "\"\n")
	}
	s := found(t, shelf(t, map[string]string{"sea.yml": all.String()}), "sea")
	color := func(name string) Color {
		for i, f := range Foreigns() {
			if f.Name == name {
				return Color("#0000" + strconv.FormatInt(int64(16+i), 16))
			}
		}
		t.Fatal(name)
		return ""
	}
	for _, c := range []struct {
		what string
		got  Color
		from string
	}{
		{"text", s.True.Text, "ui_text"}, {"strong", s.True.Strong, "ui_primary"}, {"accent", s.True.Accent, "ui_accent"}, {"border", s.True.Border, "ui_border"},
		{"good", s.True.Good, "ui_ok"}, {"bad", s.True.Bad, "ui_error"}, {"inserted", s.True.Syntax.Inserted, "ui_ok"}, {"user", s.True.User, "prompt"},
		{"marked", s.True.SelectedBg, "selection_bg"}, {"faint", s.True.Faint, "status_bar_dim"}, {"muted", s.True.Muted, "status_bar_text"},
	} {
		if c.got != color(c.from) {
			t.Errorf("%s is %s, not that of %s", c.what, c.got, c.from)
		}
	}
	if s.Dark { // its text is dark
		t.Error("it is taken for a dark one")
	}
	if s.True.Link != Light().Link || s.Name != "sea" || s.About != "at sea" {
		t.Errorf("%+v", s)
	}
	for _, f := range Foreigns() {
		for _, as := range f.As {
			if !strings.Contains(meaningNames(), " "+as+" ") {
				t.Errorf("%s stands for %s, which is nothing", f.Name, as)
			}
		}
	}
}

func meaningNames() string {
	list := " "
	for _, m := range Meanings() {
		list += m.Name + " "
	}
	return list
}

// TestSkinsInherit follows skins through each other, and tells names apart that are a
// skin's and a built-in theme's.
func TestSkinsInherit(t *testing.T) {
	l := shelf(t, map[string]string{
		"a.yaml":     "inherits: b\ncolors: {accent: \"#111111\"}\n",
		"b.yaml":     "inherits: light\ncolors: {accent: \"#222222\", user: \"#222222\"}\n",
		"light.yaml": "colors: {user: \"#333333\", code: \"#333333\"}\n",
		"cream.yaml": "inherits: cream\ncolors: {code: \"#444444\"}\n",
		"old.yaml":   "inherits: default\n",
		"empty.yaml": "",
		"pale.yaml":  "background: white\n",
		"bare.yaml":  "inherits: mono\ncolors: {accent: \"#555555\"}\n",
	})
	want := Light()
	want.Accent, want.User, want.Code = "#111111", "#222222", "#333333"
	if s := found(t, l, "a"); s.True != want || s.Dark {
		t.Errorf("a: %+v", s)
	}
	want = cream().True
	want.Code = "#444444"
	if s := found(t, l, "cream"); s.True != want || s.About != cream().About {
		t.Errorf("cream: %+v", s)
	}
	for _, name := range []string{"old", "empty"} {
		if s := found(t, l, name); s.True != Dark() || s.Name != name {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s := found(t, l, "pale"); s.Dark || s.True.User != "#333333" {
		t.Errorf("pale: %+v", s)
	}
	if s := found(t, l, "bare"); s.True.Mono || s.Palette256.Mono || s.True.Accent != "#555555" || !s.Palette16.Mono {
		t.Errorf("bare: %+v", s)
	}
	names := ""
	for _, e := range l.List() {
		if e.Err != nil {
			t.Error(e.Name, e.Err)
		}
		names += e.Name + " "
	}
	if want := "dark contrast-dark contrast-light colorblind-dark colorblind-light mono violet arctic earth lagoon a b bare cream empty light old pale "; names != want {
		t.Errorf("listed are %s", names)
	}
}

// TestBadSkins says what is wrong, where, and what was probably meant.
func TestBadSkins(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"key":         {"colors:\n  text: red\ncolours: {}\n", `line 3: "colours" is not a key of a skin; do you mean colors?`},
		"colour":      {"colors:\n  ui_acent: red\n", `line 2: "colors.ui_acent" is not a colour of a skin; do you mean colors.ui_accent?`},
		"nothing":     {"zzzzzzzzzz: 1\n", `line 1: "zzzzzzzzzz" is not a key of a skin`},
		"value":       {"colors:\n  accent: \"#12345\"\n", `line 2: colors.accent: "#12345" is no colour`},
		"word":        {"colors: {accent: rot}\n", `"rot" is no colour`},
		"number":      {"colors: {accent: 256}\n", `"256" is no colour`},
		"list":        {"colors:\n  accent: [red]\n", "line 2: colors.accent must be one text"},
		"section":     {"colors: red\n", "line 1: colors must hold keys"},
		"top":         {"- red\n", "line 1: the file must hold keys"},
		"twice":       {"colors:\n  text: red\n  accent: red\n  text: blue\n", "line 4: colors.text stands here for the second time"},
		"syntax":      {"colors:\n  text: [\n", "this is no YAML"},
		"tabs":        {"colors:\n\ttext: red\n", "line 2: this is no YAML"},
		"parent":      {"\ninherits: arctik\n", `line 2: there is no theme "arctik" to inherit: do you mean arctic?`},
		"background":  {"background: {}\n", "line 1: background must be one text"},
		"foreign 256": {"colors_256: {ui_ok: red}\n", "is not a colour of a skin"},
		"alias":       {"colors: &a\n  text: *a\n", "must be one text"},
		"loop":        {"inherits: loop2\n", "circle"},
		"large":       {"# " + strings.Repeat("x", maxSkin), "more than 64 KB"},
		"bomb":        {"a: &a [1,1]\nb: &b [*a,*a]\n", `"a" is not a key of a skin`},
	} {
		l := shelf(t, map[string]string{"bad.yaml": c.text, "loop2.yaml": "inherits: bad\n"})
		_, err := l.Find("bad")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), filepath.Base(l.Dir)+"/bad.yaml") {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
		for _, e := range l.List() {
			if e.Name == "bad" && (e.Err == nil || e.File == "") {
				t.Errorf("%s is listed as %+v", name, e)
			}
		}
	}
	l := shelf(t, nil)
	if err := os.Mkdir(filepath.Join(l.Dir, "dir.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"dir": "this is no file", "../x": "there is no theme", "Dark": "do you mean dark?", "pink": "choose one of auto, dark, light", "": "there is no theme"} {
		if _, err := l.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, ok := range map[string]bool{"dark": true, "auto": true, "": true, "dir": true, "pink": false, "../x": false} {
		if err := l.Exists(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestWeak names what of a skin cannot be read on its background.
func TestWeak(t *testing.T) {
	l := shelf(t, map[string]string{"dim.yaml": "background: \"#000000\"\ncolors: {text: \"#555555\", faint: \"#222222\", border: \"#111111\"}\n"})
	if got := found(t, l, "dim").Weak(); got != "text 2.8:1, faint 1.3:1" {
		t.Error(got)
	}
	for _, s := range Builtin() {
		if s.Weak() != "" {
			t.Errorf("%s: %s", s.Name, s.Weak())
		}
	}
}

// FuzzSkin reads any text without harm: it is a skin, or there is an error that says what
// is wrong.
func FuzzSkin(f *testing.F) {
	for _, seed := range []string{"colors: {text: red}", "inherits: dark\ncolors_16: {good: 3}", "a: [", "<<: *a", "colors:\n  ? [x]\n  : y", "\x00", "- 1", "colors: ~"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSkin([]byte(text))
		if err != nil {
			if err.Error() == "" {
				t.Error("nothing is said")
			}
			return
		}
		for _, c := range s.over(dark()).True.all() {
			if _, _, _, ok := c.RGB(); !ok && c != "" && c.Index() < 0 {
				t.Errorf("%q is no colour", c)
			}
		}
	})
}

func (t Theme) all() []Color {
	var list []Color
	for _, m := range Meanings() {
		list = append(list, *m.of(&t))
	}
	return list
}
