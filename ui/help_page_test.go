//go:build unix

package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/docs"
	"hermes-tui/internal/uitest"
	"hermes-tui/ui/markdown"
)

// TestHelpPage opens a page by its topic, which tab completes, and goes back to the draft.
func TestHelpPage(t *testing.T) {
	d := uitest.Start(t, uitest.Options{Args: []string{"--provider", "demo"}, Timeout: time.Minute})
	d.WaitIdle()
	d.Type("/help tro").Press("tab").WaitFor(uitest.Contains("/help trouble")).Press("enter")
	d.WaitFor(uitest.Contains("When something does not work"), uitest.Contains("COLORTERM does not travel with ssh"))
	d.Press("esc").WaitFor(uitest.Not(uitest.Contains("COLORTERM")))
	d.Type("/help nothing").Press("enter").WaitFor(uitest.Contains("There is no page nothing: /help lists them all."))
	d.Quit().Wait()
}

// TestHelpPages draws every page in narrow and wide windows: no row is wider, and it goes
// to the end.
func TestHelpPages(t *testing.T) {
	m := newScreen(t, 80, 24, settingsOfTests())
	md := markdown.New(markdown.Options{})
	for _, topic := range docs.Topics() {
		text, _ := docs.Page(topic.Name, "/help")
		for _, w := range []int{36, 76, 156} {
			rows := md.Render(text, w, m.styles)
			for i, r := range rows {
				if n := ansi.StringWidth(r); n > w {
					t.Fatalf("%s at %d: row %d has %d cells: %s", topic.Name, w, i, n, ansi.Strip(r))
				}
			}
			all := ansi.Strip(strings.Join(rows, " "))
			last := strings.Fields(strings.NewReplacer("`", "", "|", " ", "*", "").Replace(text))
			if word := last[len(last)-1]; !slices.Contains(strings.Fields(all), word) && w == 156 {
				t.Errorf("%s at %d does not end with %q", topic.Name, w, word)
			}
		}
	}
}
