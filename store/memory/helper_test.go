package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// helperEnv makes the test binary act as another process: its value is the folder.
const helperEnv = "MEMORY_HELPER"

func TestMain(m *testing.M) {
	dir := os.Getenv(helperEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := churn(dir, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// churn adds entries and says each that is stored, until its standard input ends.
func churn(dir, name string) error {
	s := open(dir, 400)
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	for i := 0; ; i++ {
		t := Targets[i%2]
		e := fmt.Sprintf("fact %s %d%s.", name, i, strings.Repeat(name, i%20))
		if err := keep(s, i, adding(t, e)); err != nil {
			return err
		}
		fmt.Println(e)
		select {
		case <-ended:
			return nil
		default:
		}
	}
}

// keep stores a change at once or by way of those that wait, in some of which it goes on
// to be one.
func keep(s *Store, i int, c Change) error {
	if i%3 > 0 {
		_, err := s.Apply(context.Background(), c)
		return err
	}
	p, err := s.Plan(c)
	if err != nil {
		return err
	}
	w, err := s.Stage(p, "")
	if err == nil && i%2 == 0 {
		_, err = s.Take(context.Background(), w.ID)
	}
	return err
}

func open(dir string, limit int) *Store {
	return New(Options{
		Dir: dir, Pending: filepath.Join(dir, "pending"), Limits: map[Target]int{Notes: limit, User: limit}, Archive: true, Now: time.Now,
		Scan: func(text string) []string {
			if strings.Contains(strings.ToLower(text), "ignore all previous instructions") {
				return []string{"prompt_injection"}
			}
			return nil
		},
	})
}

func adding(t Target, texts ...string) Change {
	c := Change{Target: t}
	for _, text := range texts {
		c.Operations = append(c.Operations, Operation{Action: Add, Content: text})
	}
	return c
}

func mustApply(t *testing.T, s *Store, c Change) Plan {
	t.Helper()
	p, err := s.Apply(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func texts(t *testing.T, s *Store, target Target) []string {
	t.Helper()
	list, _, err := s.List(target)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, e := range list {
		all = append(all, e.Text)
	}
	return all
}

func wantProblem(t *testing.T, err error, want Problem) {
	t.Helper()
	if e, ok := errors.AsType[*Error](err); ok != (want != "") || ok && (e.Problem != want || e.Text == "") {
		t.Errorf("error %v, want %s", err, want)
	}
}
