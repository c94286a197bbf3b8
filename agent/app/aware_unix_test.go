//go:build unix

package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes-tui/providers/script"
	"hermes-tui/tools"
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

// TestFolderOfTheSessionIsGone moves the workspace away during a session: no tool makes it
// again, and each result names it and says what the user can do.
func TestFolderOfTheSessionIsGone(t *testing.T) {
	edit := "*** Begin Patch\n*** Add File: sub/made\n+1\n*** End Patch"
	for name, call := range map[string]script.Call{
		"command": {Name: "terminal", Args: `{"command":"echo 1 > made"}`},
		"reader":  {Name: "terminal", Args: `{"command":"ls"}`},
		"write":   {Name: "write_file", Args: `{"path":"made","content":"1\n"}`},
		"below":   {Name: "write_file", Args: `{"path":"sub/made","content":"1\n"}`},
		"patch":   {Name: "patch", Args: tools.JSON(map[string]string{"mode": "patch", "patch": edit})},
	} {
		t.Run(name, func(t *testing.T) {
			b, server := awareBox(t, &script.Scenario{Rules: when("go", call)})
			_, c := b.begin()
			if err := os.Rename(b.dir, b.dir+"-moved"); err != nil {
				t.Fatal(err)
			}
			say(t, c, "go")
			sent := lastMessages(t, server)
			last := sent[len(sent)-1]
			if !strings.Contains(last, "the folder of this session is gone: "+b.dir+" was moved or deleted") || !strings.Contains(last, "--continue") {
				t.Errorf("the last result is %q", last)
			}
			if _, err := os.Lstat(b.dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder was made again: %v", err)
			}
		})
	}
}

// TestFolderOfTheSessionIsGoneOutside writes where the folder that is gone was not.
func TestFolderOfTheSessionIsGoneOutside(t *testing.T) {
	out := filepath.Join(t.TempDir(), "made")
	b, server := awareBox(t, &script.Scenario{Rules: when("go", script.Call{Name: "write_file", Args: tools.JSON(map[string]string{"path": out, "content": "1\n"})})})
	_, c := b.begin()
	if err := os.Rename(b.dir, b.dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	say(t, c, "go")
	if got, err := os.ReadFile(out); err != nil || string(got) != "1\n" {
		t.Errorf("%q %v, and the model got %q", got, err, lastMessages(t, server))
	}
}
