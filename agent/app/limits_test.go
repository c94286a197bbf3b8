package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/providers/script"
)

// TestReadSettings bounds what is read of a file as the settings say.
func TestReadSettings(t *testing.T) {
	zero := 0
	s := &script.Scenario{Rules: []script.Rule{
		{Match: script.Match{Results: &zero}, Steps: []script.Step{script.Call{Name: "read_file", Args: `{"path":"f.txt"}`}}},
		{Steps: []script.Step{script.Text{Text: "done"}}},
	}}
	server, err := script.Serve(s, script.ServeOptions{})
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

// TestRequestTimeoutSetting ends a model call that takes longer than the setting says,
// though the server keeps writing.
func TestRequestTimeoutSetting(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, ": still here\n"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(server.Close)
	b := newBox(t)
	b.env["HERMES_API_TIMEOUT"] = "1"
	b.config("probe: {local_servers: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL + "}\n")
	a := b.open()
	list, err := a.candidates()
	if err != nil {
		t.Fatal(err)
	}
	client, err := a.completions(list[0])
	if err != nil {
		t.Fatal(err)
	}
	stream, err := client.Stream(t.Context(), providers.Request{Model: "m", Messages: []providers.Message{{Role: providers.User}}})
	if err == nil {
		for err == nil {
			_, err = stream.Next()
		}
		stream.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "not complete after 1s") {
		t.Errorf("it ended with %v", err)
	}
}
