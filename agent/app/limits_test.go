package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
