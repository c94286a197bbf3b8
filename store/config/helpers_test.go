package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// env is an environment.
func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// file writes a config.yaml and gives its name.
func file(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// load reads a text that must be good and silent.
func load1(t *testing.T, text string, vars ...string) Config {
	t.Helper()
	c, warnings, err := Load(Options{File: file(t, text), Env: env(vars...)})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	for _, w := range warnings {
		t.Errorf("%s\nwarning: %v", text, w)
	}
	return c
}

// asError checks that err is an Error in one line.
func asError(t *testing.T, err error) *Error {
	t.Helper()
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		t.Fatalf("error is %v", err)
	}
	if strings.ContainsAny(e.Error(), "\n\x1b") || len(e.Error()) > 600 {
		t.Errorf("message %q", e.Error())
	}
	return e
}
