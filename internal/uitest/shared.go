package uitest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// shared is what [SharedFixture] shares between the tests of a process.
var shared fixtures

// fixtures are generated conversations, each made when it is first asked for.
type fixtures struct {
	mu   sync.Mutex
	dir  string
	made map[int]Conversation
}

// SharedFixture is [Fixture] with the default options, for conversations that
// take long to write: each size is made once per test process, in a temporary
// folder that [Main] removes. Whoever goes on with it works on a copy, see
// [Conversation.Copy].
func SharedFixture(t testing.TB, n int) Conversation {
	t.Helper()
	c, err := shared.get(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (f *fixtures) get(ctx context.Context, n int) (Conversation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.made[n]; ok {
		return c, nil
	}
	if f.dir == "" {
		dir, err := os.MkdirTemp("", "hermes-tui-fixture-")
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return Conversation{}, fmt.Errorf("share fixture: %w", err)
		}
		f.dir, f.made = dir, map[int]Conversation{}
	}
	c, err := WriteFixture(ctx, filepath.Join(f.dir, strconv.Itoa(n), ".hermes"), n, FixtureOptions{})
	if err == nil {
		f.made[n] = c
	}
	return c, err
}

// remove deletes what was made.
func (f *fixtures) remove() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir != "" {
		_ = os.RemoveAll(f.dir)
	}
	f.dir, f.made = "", nil
}

// Copy copies the home of a conversation into a folder of the test. The copy
// works in the same folder as the original.
func (c Conversation) Copy(t testing.TB) Conversation {
	t.Helper()
	home := filepath.Join(realTemp(t), "home", ".hermes")
	if err := os.CopyFS(home, os.DirFS(c.Home)); err != nil {
		t.Fatal(err)
	}
	c.Home = home
	return c
}
