//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestOneEditorAtATime presses the key of the editor twice before the first one is there.
func TestOneEditorAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	editor := filepath.Join(dir, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho . >>"+dir+"/began\necho IN THE EDITOR\nread line\necho over\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := Start(t, Options{Cols: 100, Rows: 30, Env: []string{"VISUAL=" + editor}, Scenario: answers(on("go", say("It is done.")))})
	d.Type("go").Press("enter").WaitFor(Contains("It is done.")).WaitIdle().Press("f6", "up")
	d.Send("eee").WaitFor(Contains("IN THE EDITOR")).Send("x\r").WaitFor(NotContains("IN THE EDITOR")).WaitIdle()
	if began, err := os.ReadFile(filepath.Join(dir, "began")); err != nil || strings.Count(string(began), ".") != 1 {
		t.Errorf("editors: %q, %v", began, err)
	}
	d.Quit().Wait()
}
