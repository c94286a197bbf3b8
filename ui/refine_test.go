//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hermes-tui/internal/scripttest"
	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// TestRefineOnScreen shows a look back in a row of its own while it runs, ends it by hand,
// and says what it cost when it ends by itself.
func TestRefineOnScreen(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		server, err := scripttest.Serve(&script.Scenario{
			Models: []script.Model{{ID: "m", ContextLength: 20_000}},
			Rules: []script.Rule{
				{Match: script.Match{User: "Look back"}, Times: 1, Steps: []script.Step{script.Stall{}}},
				{Match: script.Match{User: "Look back", Results: new(int)}, Steps: []script.Step{script.Call{Name: "memory", Args: `{"target":"user","action":"add","content":"wants tabs"}`}}},
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
		config := fmt.Sprintf("model: {provider: custom, base_url: %q, default: m, context_length: 20000}\nagent: {auto_title: false}\npricing: [{model: m, input: 1000, output: 1000}]\n", server.URL())
		if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: home})
		d.WaitFor(Contains("Type what you want done"))
		d.Type("/refine stop").Press("enter").WaitFor(Contains("No look back at this session is running."))
		d.Type("use tabs").Press("enter").WaitIdle()
		d.Type("/refine").Press("enter").WaitFor(Contains("looking back at this session"))
		d.Type("/refine stop").Press("enter").WaitFor(NotContains("looking back at this session"), Contains("nothing was kept"), Contains("it was stopped"))
		d.Type("/refine").Press("enter").WaitFor(NotContains("looking back at this session"), Contains("Looked back: "), Contains("($"))
		d.WaitIdle()
	}
}
