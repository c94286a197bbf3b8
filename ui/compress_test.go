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

// TestCompressOnScreen previews a compression, shows the summary while it is written and
// stops it with escape, then does it, and takes it back.
func TestCompressOnScreen(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		server, err := scripttest.Serve(&script.Scenario{
			Models: []script.Model{{ID: "m", ContextLength: 20_000}},
			Rules: []script.Rule{
				{Match: script.Match{System: "You keep the record"}, Times: 1, Steps: []script.Step{script.Text{Text: "## Goal\nKeep the lighthouse."}, script.Stall{}}},
				{Match: script.Match{System: "You keep the record"}, Steps: []script.Step{script.Text{Text: "## Goal\nPaint the lighthouse."}}},
				{Steps: []script.Step{script.Text{Text: "ok"}}},
			},
		}, scripttest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
		home := filepath.Join(t.TempDir(), "home")
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		config := fmt.Sprintf("model: {provider: custom, base_url: %q, default: m, context_length: 20000}\nagent: {auto_title: false}\n", server.URL())
		if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: home})
		d.WaitFor(Contains("Type what you want done"))
		for i := range 8 {
			d.Paste(fmt.Sprint("saying ", i, strings.Repeat(" many words", 170))).Press("enter").WaitIdle()
		}
		d.Type("/compress preview").Press("enter").WaitFor(Contains("What /compress would do"), Contains("Left out, with a summary in place"), Contains("❯ saying 2"))
		d.Press("esc").Type("/compress").Press("enter").WaitFor(Contains("summing up what is left out"), Contains("Keep the lighthouse."), Contains("shortening the context"))
		d.Press("esc").WaitFor(Contains("Stopped: nothing was shortened."), NotContains("summing up"), NotContains("Keep the lighthouse."))
		d.Type("/compress").Press("enter").WaitFor(Contains("context shortened"))
		d.Press("f6").Press("enter").WaitFor(Contains("Paint the lighthouse."))
		d.Press("esc").Type("/uncompress").Press("enter").WaitFor(Contains("compression was taken back"), Contains("Taken back: the model gets about"))
		d.WaitIdle()
	}
}
