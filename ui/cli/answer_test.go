//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// hostile is what no answer may bring to a terminal: sequences as they are, of eight
// bits, as entities and within a link, and characters that reorder text.
const hostile = "\x1b]52;c;QQ==\a \x1b[2J \u009b2J \u009d52;c;QQ==\u009c &#x9b;2J &#x1b;[2J [l](https://a.example/\x1b]0;t\a) `\x1b[2J` " +
	"\u202ex &#x202e;x \u2066x\n\n```go\n\x1b]0;t\a \u009b2J \u202e\n```"

// TestExecDrawsOnATerminal prints an answer in Markdown as a document on a terminal:
// in the colours of its background, of a style file, in as many as it has.
func TestExecDrawsOnATerminal(t *testing.T) {
	scenario := &script.Scenario{Name: "test", Rules: []script.Rule{on("", say("# Title\n\n- a **b**\n\n  c\n\n`d` &#27;]52;c;QQ==&#7; "+hostile))}}
	file := filepath.Join(t.TempDir(), "style.json")
	if err := os.WriteFile(file, []byte(`{"h1":{"prefix":"## ","color":"#010203"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	title := func(theme themes.Theme) string { return rows.NewStyle(rows.Fg(theme.Accent), rows.Bold).Open() }
	for name, c := range map[string]struct {
		o     uitest.Options
		shows string
	}{
		"dark":              {uitest.Options{}, title(themes.Dark())},
		"light":             {uitest.Options{Terminal: uitest.Terminal{Light: true}}, title(themes.Light())},
		"a theme":           {uitest.Options{Config: "display:\n  theme: light\n"}, title(themes.Light())},
		"a style file":      {uitest.Options{Config: "display:\n  markdown_style: " + file + "\n"}, "\x1b[38;2;1;2;3;1mTitle"},
		"no style file":     {uitest.Options{Config: "display:\n  markdown_style: " + file + "x\n"}, title(themes.Dark())},
		"256 colours":       {uitest.Options{Env: []string{"COLORTERM="}}, "\x1b[38;5;215;1mTitle"},
		"no colours":        {uitest.Options{Env: []string{"NO_COLOR=1"}}, "\x1b[1mTitle"},
		"no escape at all":  {uitest.Options{Env: []string{"TERM=dumb", "COLORTERM="}}, "# Title\r\n\r\n- a **b**"},
		"a silent terminal": {uitest.Options{Terminal: uitest.Terminal{Silent: true}}, title(themes.Dark())},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.o.Env = append([]string{"COLORTERM=truecolor"}, c.o.Env...)
			c.o.Scenario, c.o.Plain, c.o.Args = scenario, true, []string{"exec", "go"}
			d := uitest.Start(t, c.o)
			if state := d.Wait(); state.Code != 0 {
				t.Fatalf("%+v: %s", state, d.Stderr())
			}
			d.AssertSettings()
			if got := d.Output(); !strings.Contains(got, c.shows) {
				t.Errorf("it lacks %q: %q", c.shows, got)
			}
			for _, bad := range []string{"\x1b]52", "\x1b]0", "\x1b[2J", "\u009b", "\u009c", "\u009d", "\u202e", "\u2066"} {
				if strings.Contains(d.Output(), bad) {
					t.Errorf("%q reached the terminal: %q", bad, d.Output())
				}
			}
			if told := strings.Contains(d.Stderr(), "markdown_style"); told != (name == "no style file") {
				t.Errorf("stderr: %s", d.Stderr())
			}
		})
	}
}

// TestScreenDrawsMarkdownInAStyle shows an answer in the colours of a style file on the
// screen, and says what is wrong with one that cannot be used.
func TestScreenDrawsMarkdownInAStyle(t *testing.T) {
	scenario := &script.Scenario{Name: "test", Rules: []script.Rule{on("", say("# Title\n\nwords"))}}
	file := filepath.Join(t.TempDir(), "style.json")
	if err := os.WriteFile(file, []byte(`{"h1":{"color":"#010203"},"document":{"color":"#040506"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"a style file": file, "no style file": file + "x"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := uitest.Start(t, uitest.Options{Scenario: scenario, Config: "display:\n  markdown_style: " + path + "\n", Env: []string{"COLORTERM=truecolor"}})
			d.Type("go").Press("enter").WaitFor(uitest.Contains("words")).WaitIdle()
			found := strings.Contains(d.Output(), "38;2;1;2;3") && strings.Contains(d.Output(), "38;2;4;5;6")
			if found != (path == file) {
				t.Errorf("in the colours of the file: %v: %q", found, d.Output())
			}
			if path != file {
				d.Expect(uitest.Contains("markdown_style"))
			}
		})
	}
}
