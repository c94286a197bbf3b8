package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// TestReadSettings bounds what is read of a file as the settings say.
func TestReadSettings(t *testing.T) {
	zero := 0
	s := &script.Scenario{Rules: []script.Rule{
		{Match: script.Match{Results: &zero}, Steps: []script.Step{script.Call{Name: "read_file", Args: `{"path":"f.txt"}`}}},
		{Steps: []script.Step{script.Text{Text: "done"}}},
	}}
	server, err := scripttest.Serve(s, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	b := newBox(t)
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n" +
		"tool_output: {max_lines: 11, max_line_length: 20}\nfile_read_max_chars: 1000\n")
	if err := os.WriteFile(filepath.Join(b.dir, "f.txt"), []byte(strings.Repeat(strings.Repeat("x", 30)+"\n", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, c := b.begin()
	say(t, c, "read it")
	requests := server.Requests()
	got := string(requests[len(requests)-1].Body)
	if !strings.Contains(got, "11|"+strings.Repeat("x", 20)+"...") || strings.Contains(got, "12|x") || strings.Contains(got, strings.Repeat("x", 21)) {
		t.Errorf("the model got %s", got)
	}
	if !strings.Contains(got, "lines, at most 11") {
		t.Error("the tool does not say how much it reads")
	}
}

// TestLimitsOfCallsAndFiles sees each of two limits of the settings take effect: that of
// a whole file that is read, and that of the time a model call may take.
func TestLimitsOfCallsAndFiles(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		name, setting, want string
		steps               []script.Step
	}{
		{"file_read_max_chars", "file_read_max_chars: 1000\n", "have more than 1000 characters", []script.Step{script.Call{Name: "read_file", Args: `{"path":"f.txt"}`}}},
		{"request_timeout_s", "network: {request_timeout_s: 1}\n", "did not answer in time", []script.Step{script.Open{}, script.Stall{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
				{Match: script.Match{Results: &zero}, Steps: c.steps}, {Steps: []script.Step{script.Text{Text: "done"}}},
			}}, scripttest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { server.Close() })
			b := newBox(t)
			b.config("probe: {local_servers: false}\nagent: {auto_title: false, api_max_retries: 1}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n" + c.setting)
			if err := os.WriteFile(filepath.Join(b.dir, "f.txt"), []byte(strings.Repeat(strings.Repeat("x", 30)+"\n", 40)), 0o600); err != nil {
				t.Fatal(err)
			}
			_, conv := b.begin()
			if _, err := conv.Submit("go"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var end *event.TurnFinished
			for end == nil {
				events, err := conv.Next(ctx)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if f, ok := e.(*event.TurnFinished); ok {
						end = f
					}
				}
			}
			requests := server.Requests()
			if got := end.Explain + string(requests[len(requests)-1].Body); !strings.Contains(got, c.want) {
				t.Errorf("the turn ended %s: %s", end.Outcome, got)
			}
		})
	}
}
