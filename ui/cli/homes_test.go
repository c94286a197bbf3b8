package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/uitest"
)

// TestEarlierHomes opens homes that earlier states of the program have written: settings, a
// session with calls of tools and one with a denied call, and memory where there was one.
// testdata/homes/README.md says how they are made.
func TestEarlierHomes(t *testing.T) {
	bin := uitest.Build(t)
	files, err := filepath.Glob(filepath.Join("testdata", "homes", "*.tar.gz"))
	if err != nil || len(files) < 6 {
		t.Fatalf("there are %d homes, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tar.gz"), func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if err := unpack(file, home); err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) string {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), bin, args...)
				cmd.Dir = filepath.Join(home, "project")
				cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8"}
				out, err := cmd.Output()
				if err != nil {
					if failed, ok := errors.AsType[*exec.ExitError](err); ok {
						out = append(out, failed.Stderr...)
					}
					t.Fatalf("%v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			list := run("sessions", "list")
			if strings.Count(list, "\n") != 2 {
				t.Errorf("the sessions are\n%s", list)
			}
			holds(t, "list", list, "who is in the lighthouse", "remove all")
			holds(t, "search", run("sessions", "search", "sleeps"), "who is in the lighthouse", "keeper.txt", "In the lighthouse")
			id := sessionOf(t, list, "lighthouse")
			holds(t, "show", run("sessions", "show", id), "❯ who is in the lighthouse", "**the keeper sleeps**", "❯ remember it", "It is kept.")
			holds(t, "export", run("sessions", "export", "--format", "json", id), `"write_file"`, `"reasoning": "They want the keeper."`, `cat keeper.txt`, `\"output\":\"The keeper sleeps.`)
			holds(t, "export of the denied one", run("sessions", "export", "--format", "json", sessionOf(t, list, "remove")), "--no-preserve-root", "I may not remove it.")

			holds(t, "continue", run("exec", "--provider", "script", "--scenario", "scenario.json", "--resume", id, "and the lighthouse again"), "**the keeper sleeps**")
			if after := run("sessions", "list"); strings.Count(after, "\n") != 2 {
				t.Errorf("going on has made another session:\n%s", after)
			}
			holds(t, "show what was said now", run("sessions", "show", id), "It is kept.", "❯ and the lighthouse again")

			if _, err := os.Stat(filepath.Join(home, ".hermes", "memories")); err == nil { // earlier, there was none
				holds(t, "memory", run("memory", "show"), "The keeper sleeps at noon.")
			}
			if theme := run("config", "get", "display.theme"); strings.TrimSpace(theme) != "dark" {
				t.Errorf("the theme is %q", theme)
			}
			run("config", "check")
			run("config", "set", "display.theme", "cream")
			settings, err := os.ReadFile(filepath.Join(home, ".hermes", "config.yaml"))
			if err != nil || !strings.Contains(string(settings), "# settings of an earlier version") || !strings.Contains(string(settings), "theme: cream") {
				t.Errorf("%v:\n%s", err, settings)
			}
			var rows []struct{ Check, About, State, Says string }
			if err := json.Unmarshal([]byte(run("doctor", "--json")), &rows); err != nil {
				t.Fatal(err)
			}
			seen := 0
			for _, r := range rows {
				if r.Check == "home" || r.Check == "settings" || r.Check == "sessions" {
					if seen++; r.State != "ok" {
						t.Errorf("doctor finds of %s, %s: %s, %s", r.Check, r.About, r.State, r.Says)
					}
				}
			}
			if seen < 3 {
				t.Errorf("doctor has looked at %d of the home", seen)
			}
		})
	}
}

// sessionOf is the id of the session of a list that holds a text.
func sessionOf(t *testing.T, list, text string) string {
	t.Helper()
	for line := range strings.Lines(list) {
		if strings.Contains(line, text) {
			return strings.Fields(line)[0]
		}
	}
	t.Fatalf("no session holds %q:\n%s", text, list)
	return ""
}

// unpack writes what a compressed archive holds into a folder.
func unpack(file, dir string) error {
	packed, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("%s would be written elsewhere", h.Name)
		}
		name := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(name, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(name), 0o700); err == nil {
			var text []byte
			if text, err = io.ReadAll(in); err == nil {
				err = os.WriteFile(name, text, 0o600)
			}
		}
		if err != nil {
			return err
		}
	}
}
