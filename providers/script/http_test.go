package script_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// TestPlayOverHTTP holds that a server plays every scenario as a client in this
// process does.
func TestPlayOverHTTP(t *testing.T) {
	const hi = `{"model": "m", "stream": true, "stream_options": {"include_usage": true},
	"messages": [{"role": "system", "content": "You are."}, {"role": "user", "content": "hi"}]}`
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	c := &http.Client{Transport: tr}
	for _, p := range script.Plays(t) {
		t.Run(p.Name, func(t *testing.T) {
			s, err := scripttest.Serve(p.Scenario, scripttest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			var body []byte
			resp, err := c.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(hi))
			if err == nil {
				defer resp.Body.Close()
				body, err = io.ReadAll(resp.Body)
			}
			if got := script.Hear(resp, body, err); got != p.Want {
				t.Errorf("\n got  %s\n want %s\n wire %v %q", got, p.Want, err, body)
			}
		})
	}
}
