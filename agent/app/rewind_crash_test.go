package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
	"hermes-tui/store"
	"hermes-tui/store/config"
)

// rewindEnv makes the test binary act as a program that goes back, undoes that, and
// kills itself on the way: folder, "tick" or "file", number.
const rewindEnv = "APP_REWIND_CRASH"

// rewindFiles is how many files the rewind of the test restores.
const rewindFiles = 24

func fileN(dir string, n int) string { return filepath.Join(dir, "work", fmt.Sprintf("f%02d", n)) }

// crashingRewind is what the program does; it ends with 0 when it came to the end.
func crashingRewind(task string) error {
	dir, point, _ := strings.Cut(task, "|")
	kind, number, _ := strings.Cut(point, "|")
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	die := func() {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	}
	var armed atomic.Bool
	var ticks atomic.Int64
	ids := event.SystemSource()
	ids.Clock = func() time.Time {
		if kind == "tick" && armed.Load() && int(ticks.Add(1)) == n {
			die()
		}
		return time.Now()
	}
	home, err := store.Find(store.Where{Dir: filepath.Join(dir, "home")})
	if err != nil {
		return err
	}
	env := func(name string) (string, bool) { v, ok := rewindEnviron(dir)[name]; return v, ok }
	c, _, err := config.Load(config.Options{File: home.Config(), Env: env})
	if err != nil {
		return err
	}
	ctx := context.Background()
	a, err := Open(ctx, Options{Version: "test", Home: home, Config: c, Env: env, Dir: filepath.Join(dir, "work"), IDs: ids})
	if err != nil {
		return err
	}
	ref, err := a.Latest(ctx)
	if err != nil {
		return err
	}
	conv, err := a.Resume(ctx, ref)
	if err != nil {
		return err
	}
	prompts := promptTurns(conv.State())
	armed.Store(true)
	if kind == "file" {
		go func() {
			for {
				if text, _ := os.ReadFile(fileN(dir, n)); string(text) != "new\n" {
					die()
				}
			}
		}()
	}
	if _, err := conv.Rewind(ctx, RewindOptions{To: prompts[1], Conversation: true, Files: true}); err != nil {
		return err
	}
	fmt.Println("rewound")
	if err := conv.UndoRewind(ctx); err != nil {
		return err
	}
	fmt.Println("undone")
	armed.Store(false)
	return a.Close()
}

func rewindEnviron(dir string) map[string]string {
	return map[string]string{"PATH": os.Getenv("PATH"), "HOME": dir, "OLLAMA_HOST": "127.0.0.1:1"}
}

func promptTurns(s *event.State) (turns []event.TurnID) {
	for _, b := range s.Root().Blocks {
		if b.Kind == event.BlockUser {
			turns = append(turns, b.Turn)
		}
	}
	return turns
}

// TestRewindKilledAtEveryStep kills the program at each step of a rewind and of its
// undoing: resumed, the conversation and the files agree, and what was finished is
// said.
func TestRewindKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the command of the test is one of a Unix shell")
	}
	b := newBox(t)
	dir := filepath.Dir(b.dir)
	raw, err := json.Marshal(map[string]any{"command": "for n in $(seq -w 0 23); do echo new > f$n; done"})
	if err != nil {
		t.Fatal(err)
	}
	zero := 0
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		{Match: script.Match{User: "^change$", Results: &zero}, Steps: []script.Step{script.Call{Name: "terminal", Args: string(raw)}}},
		{Steps: []script.Step{script.Text{Text: "ok"}}},
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b.config("probe:\n  local_servers: false\napprovals:\n  mode: \"off\"\nmodel:\n  provider: custom\n  default: script\n  base_url: " + server.URL() + "\n")
	for n := range rewindFiles {
		if n%2 == 0 {
			continue // half of them are made by the command
		}
		if err := os.WriteFile(fileN(dir, n), []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(fileN(dir, 0), []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, c := b.begin()
	say(t, c, "first")
	say(t, c, "change")
	closed(t, a)
	seed := filepath.Join(t.TempDir(), "seed")
	copyAll(t, dir, seed)
	points := 0
	for n := 1; ; n++ {
		point := "tick|" + strconv.Itoa(n)
		if !killedRewind(t, b, seed, point) {
			break
		}
		points++
	}
	for n := 1; n < rewindFiles; n += 2 {
		if killedRewind(t, b, seed, "file|"+strconv.Itoa(n)) {
			points++
		}
	}
	if points < 32 {
		t.Errorf("killed at %d points only", points)
	}
}

// copyAll copies a folder with the modes of its files.
func copyAll(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-Rp", from+"/.", to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// killedRewind runs the program from the seed and has it killed at a point, which
// it may not come to; then it looks at what a resume makes of it.
func killedRewind(t *testing.T, b *box, seed, point string) bool {
	t.Helper()
	dir := filepath.Dir(b.dir)
	for _, sub := range []string{"home", "work"} {
		if err := os.RemoveAll(filepath.Join(dir, sub)); err != nil {
			t.Fatal(err)
		}
	}
	copyAll(t, seed, dir)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rewindEnv+"="+dir+"|"+point)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("%s: %v\n%s", point, err, out)
	}
	a, conv := b.resume()
	defer closed(t, a)
	back := len(promptTurns(conv.State())) == 1
	restored, changed := 0, 0
	for n := range rewindFiles {
		switch text, err := os.ReadFile(fileN(dir, n)); {
		case err != nil, string(text) == "old\n":
			restored++
		case string(text) == "new\n":
			changed++
		default:
			t.Errorf("%s: %s holds %q", point, fileN("", n), text)
		}
	}
	if back && changed > 0 || !back && changed < rewindFiles/2 {
		t.Errorf("%s: the conversation went back: %v, %d files restored, %d not\n%s", point, back, restored, changed, out)
	}
	said := notices(conv)
	cut := strings.Contains(said, "finished now")
	rewound, undone := strings.Contains(string(out), "rewound"), strings.Contains(string(out), "undone")
	switch {
	case !rewound && back && !strings.Contains(said, "Rewound"), rewound && !undone && !back && !strings.Contains(said, "undone"):
		t.Errorf("%s: nothing is said of it:\n%s", point, said)
	case cut && back && rewound:
		t.Errorf("%s: what had ended was finished again:\n%s", point, said)
	}
	if back && cut {
		if draft, err := conv.Draft(t.Context()); err != nil || draft != "change" {
			t.Errorf("%s: the draft is %q, %v", point, draft, err)
		}
	}
	if conv.(*conversation).changes.Unsettled() {
		t.Errorf("%s: the rewind is not settled", point)
	}
	t.Logf("%s: back %v, %d restored, finished %v", point, back, restored, cut)
	return true
}
