package modelcache

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// helperEnv makes the test binary act as another process: its value names what to do.
const helperEnv = "MODELCACHE_HELPER"

func TestMain(m *testing.M) {
	task := os.Getenv(helperEnv)
	if task == "" {
		os.Exit(m.Run())
	}
	if err := help(task, os.Args[1], os.Args[2]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// help does a task in a folder, under a name of its own. It says "ready" and begins
// when its standard input ends.
func help(task, dir, name string) error {
	c := in(dir, time.Now)
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	for i := 0; task == "churn" || i < rounds; i++ {
		err := errors.Join(
			c.Put(context.Background(), NewKey("https://"+name+"/v1", strconv.Itoa(i%rounds)), some(50)),
			c.Learn(context.Background(), "m"+strconv.Itoa(i%rounds), "https://"+name+"/v1", 2_000+i, true),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// rounds is how many lists and windows a helper writes.
const rounds = 20

// start starts a helper and gives what makes it begin.
func start(t *testing.T, task, dir, name string) (*exec.Cmd, func() error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, dir, name)
	cmd.Env = append(os.Environ(), helperEnv+"="+task, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the helper said %q, %v", line, err)
	}
	go func() {
		if rest, _ := io.ReadAll(r); len(rest) > 0 {
			t.Logf("%s: %s", name, rest)
		}
	}()
	return cmd, stdin.Close
}

func listsIn(dir string) string  { return filepath.Join(dir, "cache", "models.json") }
func limitsIn(dir string) string { return filepath.Join(dir, "context_length_cache.yaml") }

// in is a cache in a folder.
func in(dir string, now func() time.Time) *Cache {
	return New(Options{Lists: listsIn(dir), Limits: limitsIn(dir), Now: now})
}

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)} }

// some makes a list of models.
func some(n int) []providers.Model {
	list := make([]providers.Model, n)
	for i := range list {
		list[i] = providers.Model{
			ID: fmt.Sprintf("vendor/model-%d", i), Name: "Model", ContextMax: 200_000 + i, OutputMax: 64_000,
			Vision: 1, Tools: 2, Price: &providers.ListPrice{Input: "0.000003", Output: "0.000015"},
		}
	}
	return list
}

func mustPut(t *testing.T, c *Cache, k Key, list []providers.Model) {
	t.Helper()
	if err := c.Put(t.Context(), k, list); err != nil {
		t.Fatal(err)
	}
}

func mustLearn(t *testing.T, c *Cache, model, base string, tokens int) {
	t.Helper()
	if err := c.Learn(t.Context(), model, base, tokens, true); err != nil {
		t.Fatal(err)
	}
}

func wantProblem(t *testing.T, err error, p Problem) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Problem != p {
		t.Errorf("error %v, want problem %s", err, p)
		return
	}
	if s := e.Error(); strings.Contains(s, "\n") || strings.Contains(s, "<nil>") || len(s) < 20 {
		t.Errorf("no sentence: %q", s)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
