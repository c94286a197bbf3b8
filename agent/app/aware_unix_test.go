//go:build unix

package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes-tui/providers/script"
)

// TestAwarenessDuringReading tells what others change while a command runs that is proved
// to only read.
func TestAwarenessDuringReading(t *testing.T) {
	s := &script.Scenario{Rules: when("read", script.Call{Name: "read_file", Args: `{"path":"a.txt"}`}, script.Call{Name: "terminal", Args: `{"command":"cat pipe"}`})}
	b, server := awareBox(t, s)
	file, pipe := filepath.Join(b.dir, "a.txt"), filepath.Join(b.dir, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("one\n"), 0o600), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, c := b.begin()
	ended := make(chan error, 1)
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for cat
		if err == nil {
			err = errors.Join(os.WriteFile(file, []byte("theirs\n"), 0o600), w.Close())
		}
		ended <- err
	}()
	say(t, c, "read")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if sent := lastMessages(t, server); !strings.Contains(sent[len(sent)-1], `not by your calls: "a.txt"`) {
		t.Errorf("the last result is %q", sent[len(sent)-1])
	}
}

// TestFolderOfTheSessionIsGone moves the workspace away during a session: the result of a
// command names it, and says what the user can do.
func TestFolderOfTheSessionIsGone(t *testing.T) {
	s := &script.Scenario{Rules: when("go", script.Call{Name: "terminal", Args: `{"command":"echo 1 > made"}`})}
	b, server := awareBox(t, s)
	_, c := b.begin()
	if err := os.Rename(b.dir, b.dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	say(t, c, "go")
	sent := lastMessages(t, server)
	if last := sent[len(sent)-1]; !strings.Contains(last, "the folder of this session is gone: "+b.dir+" was moved or deleted") || !strings.Contains(last, "--continue") {
		t.Errorf("the last result is %q", last)
	}
}
