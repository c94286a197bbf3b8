package ui

import (
	"errors"
	"testing"
)

// TestSentence begins with a capital, unless that changed an address, a path or a setting.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"no such session": "No such session.", "stop: it runs.": "Stop: it runs.", "": ".", "été": "Été.",
		"http://127.0.0.1:9/mcp did not answer": "http://127.0.0.1:9/mcp did not answer.", "config.yaml is no file": "config.yaml is no file.", "display.theme: unknown": "display.theme: unknown.",
	} {
		if got := sentence(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
