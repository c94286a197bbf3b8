package pages

import (
	"regexp"
	"strings"
	"testing"

	"hermes-tui/docs"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

func plain(drawn string) string {
	text, _ := term.SplitStyles(drawn)
	return text
}

// TestPages draws every page of the documentation at several widths: nothing that a reader
// reads is lost, and most of them glamour can draw.
func TestPages(t *testing.T) {
	t.Parallel()
	drawnByGlamour := 0
	for _, topic := range docs.Topics() {
		text, ok := docs.Page(topic.Name, "/help")
		if !ok {
			t.Fatalf("there is no page %s", topic.Name)
		}
		for _, width := range []int{60, 120} {
			drawn := Render(text, width, rows.NewStyles(themes.Fitting(true).True))
			if lost := missing(plain(drawn), text); lost != "" {
				t.Errorf("%s at %d lost %q", topic.Name, width, lost)
			}
			if ours, err := draw(term.Sanitize(text), width, themes.Fitting(true).True); err == nil && ours == drawn {
				drawnByGlamour++
			}
		}
	}
	if drawnByGlamour < len(docs.Topics()) {
		t.Errorf("glamour could draw %d of %d", drawnByGlamour, 2*len(docs.Topics()))
	}
}

// TestHostile holds that a document brings no escape sequence along but colours.
func TestHostile(t *testing.T) {
	t.Parallel()
	text := "# a\x1b]0;title\x07 b\n\n&#27;]52;c;aGk=&#7; [x](http://a\x1b[2J) `\x1b[5m`\n\n```\x1b[1m\n\x1b]8;;x\x07\u202e\n```\n"
	for _, theme := range []themes.Theme{themes.Fitting(true).True, {Mono: true}} {
		drawn, err := draw(text, 40, theme)
		if err != nil || strings.ContainsAny(plain(drawn), "\x1b\x07\u202e") || term.Sanitize(drawn) != drawn {
			t.Errorf("%q, %v", drawn, err)
		}
	}
}

// TestThemes holds that code is drawn in the colours of the theme that is asked for, also after
// another one.
func TestThemes(t *testing.T) {
	t.Parallel()
	const text = "```go\nfunc f() {}\n```"
	of := func(c themes.Color) string {
		th := themes.Fitting(true).True
		th.Syntax.Keyword = c
		return Render(text, 40, rows.NewStyles(th))
	}
	for color, open := range map[themes.Color]string{"#010203": "38;2;1;2;3", "#040506": "38;2;4;5;6"} {
		if drawn := of(color); !strings.Contains(drawn, open+"mfunc") {
			t.Errorf("%s: %q", color, drawn)
		}
	}
	if drawn := Render(text, 40, rows.NewStyles(themes.Fitting(true).Palette16)); !regexp.MustCompile(`\x1b\[(1;)?9?3?[0-9]mfunc`).MatchString(drawn) {
		t.Errorf("sixteen colours: %q", drawn)
	}
	if drawn := Render("# a `b`\n\n"+text, 40, rows.NewStyles(themes.Theme{Mono: true})); strings.Contains(drawn, ";2;") || !strings.Contains(drawn, "\x1b[1m") {
		t.Errorf("no colours: %q", drawn)
	}
}

// BenchmarkRender draws the longest kind of page.
func BenchmarkRender(b *testing.B) {
	text, _ := docs.Page("safety", "/help")
	st := rows.NewStyles(themes.Fitting(true).True)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Render(text, 100, st)
	}
}
