package learnings

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers/redact"
)

// helperEnv makes the test binary act as another process: its value is the file.
const helperEnv = "LEARNINGS_HELPER"

func TestMain(m *testing.M) {
	path := os.Getenv(helperEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := churn(path, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// churn adds entries and says each that is stored, until its standard input ends.
func churn(path, name string) error {
	s := open(path)
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	for i := 0; ; i++ {
		e, _, err := s.Add(context.Background(), Entry{Pattern: fmt.Sprintf("call%s_%d fails%s_%d", name, i, name, i), Fix: fmt.Sprintf("fix%s_%d do%s_%d", name, i, name, i)})
		if err != nil {
			return err
		}
		fmt.Println(e.ID)
		select {
		case <-ended:
			return nil
		default:
		}
	}
}

func open(path string) *Store {
	return New(Options{
		Path: path, Limit: 1 << 30, Mask: redact.Masker{}.Text, Now: time.Now,
		Scan: func(text string) []string {
			if strings.Contains(text, "ignore all previous instructions") {
				return []string{"prompt_injection"}
			}
			return nil
		},
	})
}

func newStore(t testing.TB) *Store {
	return open(filepath.Join(t.TempDir(), "home", "learnings.jsonl"))
}

func mustAdd(t testing.TB, s *Store, e Entry) Entry {
	t.Helper()
	e, _, err := s.Add(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
