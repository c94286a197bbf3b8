package slash_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-tui/ui/slash"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		name slash.Name
		args string
	}{
		{"/help", slash.Help, ""},
		{"/HELP", slash.Help, ""},
		{"/help   ", slash.Help, ""},
		{"/new", slash.New, ""},
		{"/clear", slash.New, ""},
		{"/reset fix the store ", slash.New, "fix the store"},
		{"/sessions", slash.Resume, ""},
		{"/resume\tabc", slash.Resume, "abc"},
		{"/res", "", ""},
		{"/resu x", slash.Resume, "x"},
		{"/mode plan", slash.Mode, "plan"},
		{"/model", slash.Model, ""},
		{"/mod", "", ""},
		{"/title two\nlines", slash.Title, "two\nlines"},
		{"/q", slash.Quit, ""},
		{"/e", slash.Quit, ""},
		{"/exit", slash.Quit, ""},
		{"/a", slash.Agents, ""},
		{"/th dark", slash.Theme, "dark"},
	} {
		got, args, err := slash.Parse(c.text)
		if c.name == "" {
			if err == nil {
				t.Errorf("Parse(%q) = %s, want an error", c.text, got.Name)
			}
			continue
		}
		if err != nil || got.Name != c.name || args != c.args {
			t.Errorf("Parse(%q) = %s, %q, %v, want %s, %q", c.text, got.Name, args, err, c.name, c.args)
		}
	}
}

// TestPathsAreText holds the rule that tells commands from text.
func TestPathsAreText(t *testing.T) {
	for text, want := range map[string]bool{
		"/help": true, "/": true, "/nosuch": true, "/x1-2_3 y": true, "/new /etc/hosts": true, "/title\nx": true, "/  ": true,
		"/etc/hosts is wrong": false, "/etc/": false, "//": false, "// a comment": false, "/.profile": false, "/tmp.txt": false,
		"/1": false, "/-x": false, "/ a": false, " /help": false, "help": false, "": false, "/日本": false, "/hélp": false,
		"/?": false, "/a\u00a0b": false, "/" + strings.Repeat("a", 65): false, "/" + strings.Repeat("a", 64): true, "/*.go": false,
	} {
		if got := slash.IsCommand(text); got != want {
			t.Errorf("IsCommand(%q) = %v, want %v", text, got, want)
		}
		_, _, err := slash.Parse(text)
		if got := !errors.Is(err, slash.ErrNoCommand); got != want {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]error{
		"/mod":    &slash.AmbiguousError{Name: "mod", Candidates: []string{"model", "mode"}},
		"/res":    &slash.AmbiguousError{Name: "res", Candidates: []string{"reset", "resume"}},
		"/t":      &slash.AmbiguousError{Name: "t", Candidates: []string{"tree", "title", "trust", "theme", "tools", "todos"}},
		"/hepl":   &slash.UnknownError{Name: "hepl", Nearest: "help"},
		"/Agnets": &slash.UnknownError{Name: "agnets", Nearest: "agents"},
		"/quitt":  &slash.UnknownError{Name: "quitt", Nearest: "quit"},
		"/xyzzy":  &slash.UnknownError{Name: "xyzzy"},
		"/etc":    &slash.UnknownError{Name: "etc"},
		"/":       &slash.UnknownError{},
	} {
		_, _, err := slash.Parse(text)
		if !reflect.DeepEqual(err, want) {
			t.Errorf("Parse(%q): %#v, want %#v", text, err, want)
		}
		if msg := err.Error(); strings.Contains(msg, "\n") || len(msg) < 20 {
			t.Errorf("%q says %q", text, msg)
		}
	}
}

func TestTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	groups := slash.Groups()
	last := 0
	for _, c := range slash.Table() {
		for _, n := range append([]string{string(c.Name)}, c.Aliases...) {
			if seen[n] {
				t.Errorf("%s is there twice", n)
			}
			seen[n] = true
			if got, _, err := slash.Parse("/" + n); err != nil || got.Name != c.Name {
				t.Errorf("/%s is read as %s, %v", n, got.Name, err)
			}
		}
		if c.Help == "" || strings.HasSuffix(c.Help, ".") {
			t.Errorf("/%s: help %q", c.Name, c.Help)
		}
		g := slices.Index(groups, c.Group)
		if g < last {
			t.Errorf("/%s stands outside its group %q", c.Name, c.Group)
		}
		last = g
		if whole := "[" + strings.Join(c.Choices, "|") + "]"; c.Choices != nil && c.Args != whole && !begins(whole, c.Args) {
			t.Errorf("/%s: hint %q, choices %v", c.Name, c.Args, c.Choices)
		}
	}
	slash.Table()[0].Name = "changed"
	if slash.Table()[0].Name == "changed" {
		t.Error("the table can be changed from outside")
	}
}

// begins reports whether a hint is the beginning of one that lists all choices.
func begins(whole, hint string) bool {
	head, cut := strings.CutSuffix(hint, "|…]")
	return cut && strings.HasPrefix(whole, head+"|")
}

func labels(items []slash.Item) []string {
	var list []string
	for _, it := range items {
		list = append(list, it.Label)
	}
	return list
}

func TestComplete(t *testing.T) {
	for text, want := range map[string][]string{
		"/mo":      {"/model [name]", "/mode [guarded|manual|…]", "/memory [add|user|…]", "/permissions"},
		"/re":      {"/resume [id|title]", "/rewind [undo]", "/redo [number]", "/refine [stop|…]", "/reasoning [show|hide|…]", "/review [turn|session]", "/replay [number]", "/new [title]", "/tree", "/share", "/compress [preview|…]", "/uncompress"},
		"/tds":     {"/todos"},
		"/gn":      {"/agents [freeze|thaw]", "/plugins"},
		"/zzz":     nil,
		"/mode":    nil, // complete
		"/exit":    nil,
		"/mode ":   {"guarded", "manual", "smart", "plan", "off"},
		"/mode  P": {"plan"},
		"/mode pl": {"plan"},
		"/mode x":  nil,
		"/mode p ": nil,
		"/th d":    {"dark"},
		"/new x":   nil,
		"/mod p":   nil, // ambiguous
		"/etc/x":   nil,
		"text":     nil,
		"":         nil,
	} {
		if got := labels(slash.Complete(text)); !slices.Equal(got, want) {
			t.Errorf("Complete(%q) = %q, want %q", text, got, want)
		}
	}
	if got := slash.Complete("/"); len(got) != len(slash.Table()) {
		t.Errorf("a slash alone offers %d commands", len(got))
	}
}

func TestCompleteItems(t *testing.T) {
	it := slash.Complete("/mo")[1]
	if it.Insert != "/mode " || !slices.Equal(it.Match, []int{1, 2}) || it.Detail == "" {
		t.Errorf("%+v", it)
	}
	it = slash.Complete("/wa")[0]
	if it.Insert != "/wall" {
		t.Errorf("%+v", it)
	}
	it = slash.Complete("/sess")[0]
	if it.Insert != "/resume " || len(it.Match) != 0 || !strings.HasPrefix(it.Detail, "/sessions: ") {
		t.Errorf("an alias: %+v", it)
	}
	it = slash.Complete("/tds")[0]
	if !slices.Equal(it.Match, []int{1, 3, 5}) {
		t.Errorf("%+v", it)
	}
	it = slash.Complete("/mode pl")[0]
	if it.Insert != "plan" || !slices.Equal(it.Match, []int{0, 1}) {
		t.Errorf("a choice: %+v", it)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"/help", "/new a b", "/etc/hosts", "/", "/mod\n", "/\xff", "/ a", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, args, err := slash.Parse(text)
		if (err == nil) != (c.Name != "") || err != nil && args != "" {
			t.Fatalf("Parse(%q) = %v, %q, %v", text, c, args, err)
		}
		if slash.IsCommand(text) == errors.Is(err, slash.ErrNoCommand) {
			t.Fatalf("IsCommand and Parse differ about %q", text)
		}
		for _, it := range slash.Complete(text) {
			for i, m := range it.Match {
				if m < 0 || m >= len(it.Label) || i > 0 && m <= it.Match[i-1] {
					t.Fatalf("Complete(%q): %+v", text, it)
				}
			}
		}
	})
}

func BenchmarkComplete(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(slash.Complete("/mo")) == 0 {
			b.Fatal("unexpected")
		}
	}
}

// TestTheirCommands takes the commands of Hermes Agent for those that do the same here, or
// says what there is in their place.
func TestTheirCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/stop": "jobs ", "/rollback": "rewind ", "/Status": "context ", "/yolo": "mode off", "/save": "share ", "/reload-mcp now": "mcp ",
		"/session x": "resume x", "/compact": "compress ", "/tasks": "agents ", "/verbose": "details ", "/q": "quit ", "/hist": "There is no command /hist: see /help",
		"/steer go on": "ctrl+s", "/queue": "press enter", "/retry": "/undo", "/history": "/find", "/personality": "SOUL.md",
	} {
		c, args, err := slash.Parse(text)
		got := string(c.Name) + " " + args
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	own := slash.Command{Name: "stop", Skill: true}
	if c, _, err := slash.Parse("/stop", own); err != nil || !c.Skill {
		t.Errorf("a skill of that name: %+v, %v", c, err)
	}
}
