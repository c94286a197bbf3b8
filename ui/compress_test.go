//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/scripttest"
	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// lighthouse starts the program with a model of a small window, whose summaries are the
// given answers one after the other, and fills that window.
func lighthouse(t *testing.T, cols, rows int, config string, summaries ...[]script.Step) *Driver {
	t.Helper()
	sc := &script.Scenario{Models: []script.Model{{ID: "m", ContextLength: 20_000}}}
	for i, steps := range summaries {
		r := script.Rule{Match: script.Match{System: "You keep the record"}, Steps: steps}
		if i < len(summaries)-1 {
			r.Times = 1
		}
		sc.Rules = append(sc.Rules, r)
	}
	sc.Rules = append(sc.Rules, script.Rule{Steps: []script.Step{script.Text{Text: "ok"}}})
	server, err := scripttest.Serve(sc, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	home := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	config = fmt.Sprintf("model: {provider: custom, base_url: %q, default: m, context_length: 20000}\nagent: {auto_title: false}\n", server.URL()) + config
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	d := Start(t, Options{Cols: cols, Rows: rows, Home: home})
	d.WaitFor(Contains("Type what you want done"))
	for i := range 8 {
		d.Paste(fmt.Sprint("saying ", i, strings.Repeat(" many words", 170))).Press("enter").WaitIdle()
	}
	return d
}

// TestCompressOnScreen previews a compression, shows the summary while it is written and
// stops it with escape, then does it, and takes it back.
func TestCompressOnScreen(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		d := lighthouse(t, size[0], size[1], "",
			[]script.Step{script.Text{Text: "## Goal\nKeep the lighthouse.\n"}, script.Stall{}}, []script.Step{script.Text{Text: "## Goal\nPaint the lighthouse."}})
		d.Type("/compress preview").Press("enter").WaitFor(Contains("What /compress would do"), Contains("Left out, with a summary in place"), Contains("❯ saying 2"))
		d.Press("esc").Type("/compress").Press("enter").WaitFor(Contains("summing up what is left out"), Contains("Keep the lighthouse."), Contains("shortening the context"))
		d.Press("esc").WaitFor(Contains("Stopped: nothing was shortened."), NotContains("summing up"), NotContains("Keep the lighthouse."))
		d.Type("/compress").Press("enter").WaitFor(Contains("context shortened"))
		d.Press("f6").Press("enter").WaitFor(Contains("Paint the lighthouse."))
		d.Press("esc").Type("/uncompress").Press("enter").WaitFor(Contains("compression was taken back"), Contains("Taken back: the model gets about"))
		d.WaitIdle()
	}
}

// TestSummaryEditedOnScreen changes a summary before it counts.
func TestSummaryEditedOnScreen(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		d := lighthouse(t, size[0], size[1], "compression: {review: ask}\n", []script.Step{script.Text{Text: "## Goal\nKeep the lighthouse."}})
		d.Type("/compress").Press("enter").WaitFor(Contains("Shall this summary stand in"), Contains("Edit it"), Contains("Keep the lighthouse."))
		d.Press("tab")
		choose(d, "Edit it").Press("enter").WaitFor(Contains("gets this instead"), Contains("## Goal"))
		d.Type(" And sell it.").WaitFor(Contains("lighthouse. And sell it.")).Press("enter").WaitFor(Contains("context shortened"))
		d.Press("f6").Press("enter").WaitFor(Contains("lighthouse. And sell it."))
		d.WaitIdle()
	}
}
