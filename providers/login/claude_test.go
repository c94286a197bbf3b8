package login

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// store writes the file of Claude Code below a directory.
func store(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, ".credentials.json")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func claudeLogin(token string, end time.Time) string {
	return fmt.Sprintf(`{"claudeAiOauth":{"accessToken":%q,"refreshToken":"rt-CANARY","expiresAt":%d,"scopes":["x"]},"other":1}`, token, end.UnixMilli())
}

func TestClaude(t *testing.T) {
	good := claudeLogin("sk-ant-oat-CANARY-store", noon.Add(time.Hour))
	late := claudeLogin("sk-ant-oat-CANARY-store", noon.Add(-time.Minute))
	for _, c := range []struct {
		name    string
		env     map[string]string
		home    string // content of the file there, "" for none
		config  string // the same below CLAUDE_CONFIG_DIR
		source  string
		access  string
		key     bool
		passed  bool
		problem Problem
		words   string
	}{
		{name: "nothing", problem: ProblemNone, words: "ANTHROPIC_API_KEY"},
		{name: "the first variable", env: map[string]string{envToken: "tok-1", envClaude: "tok-2", envKey: "k"}, home: good, source: "env:ANTHROPIC_TOKEN", access: "tok-1"},
		{name: "the second variable", env: map[string]string{envClaude: " tok-2\n", envKey: "k"}, home: good, source: "env:CLAUDE_CODE_OAUTH_TOKEN", access: "tok-2"},
		{name: "a key in a variable for tokens", env: map[string]string{envToken: "sk-ant-api-1"}, source: "env:ANTHROPIC_TOKEN", access: "sk-ant-api-1", key: true},
		{name: "the store", env: map[string]string{envKey: "k"}, home: good, source: SourceClaude, access: "sk-ant-oat-CANARY-store"},
		{name: "the store elsewhere", home: late, config: good, source: SourceClaude, access: "sk-ant-oat-CANARY-store"},
		{name: "the key", env: map[string]string{envKey: "k"}, source: "env:ANTHROPIC_API_KEY", access: "k", key: true},
		{name: "expired", home: late, problem: ProblemExpired, words: "expired on 17 Jun at 11:59: run claude once"},
		{name: "expired, with a key", home: late, env: map[string]string{envKey: "k"}, source: "env:ANTHROPIC_API_KEY", access: "k", key: true, passed: true},
		{name: "damaged", home: `{"claudeAiOauth":`, problem: ProblemIssuer, words: "cannot be used"},
		{name: "another form", home: `{"claudeAiOauth":"CANARY"}`, problem: ProblemIssuer, words: "cannot be used"},
		{name: "no login in it", home: `{"mcpOAuth":{}}`, problem: ProblemNone, words: "claude"},
		{name: "odd token", home: claudeLogin("CANARY\nX: y", noon.Add(time.Hour)), problem: ProblemIssuer, words: "its token"},
		{name: "too large", home: `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, problem: ProblemIssuer, words: "larger than 1 MB"},
		{name: "odd variable", env: map[string]string{envToken: "CANARY CANARY"}, problem: ProblemSetting, words: "ANTHROPIC_TOKEN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home, dir := t.TempDir(), t.TempDir()
			if c.home != "" {
				store(t, filepath.Join(home, ".claude"), c.home)
			}
			if c.config != "" {
				store(t, dir, c.config)
				c.env = map[string]string{envDir: dir}
			}
			got, err := Claude(func(name string) string { return c.env[name] }, home, noon)
			if c.problem != "" {
				fails(t, err, c.problem, c.words)
				return
			}
			if err != nil || got.Source != c.source || got.Access() != c.access || got.APIKey != c.key || (got.Passed != nil) != c.passed || got.Refresh() != "" {
				t.Errorf("got %v %q key %v passed %v, %v", got, got.Access(), got.APIKey, got.Passed, err)
			}
			if s := fmt.Sprintf("%v %+v %#v", got, got, got); strings.Contains(s, "CANARY") {
				t.Errorf("printed %s", s)
			}
		})
	}
}

// A directory in its place, and a file that may not be read, are said.
func TestClaudeUnreadable(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".claude", ".credentials.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Claude(func(string) string { return "" }, home, noon)
	fails(t, err, ProblemIssuer, "no regular file")
	_, err = Claude(func(string) string { return "" }, "", noon)
	fails(t, err, ProblemNone)
}

// The login is read again once Claude Code has renewed it, and its file stays as it is.
func TestClaudeSource(t *testing.T) {
	home := t.TempDir()
	c := &clock{at: noon}
	first := claudeLogin("tok-CANARY-1", noon.Add(time.Hour))
	path := store(t, filepath.Join(home, ".claude"), first)
	s := NewSource(ClaudeKeeper{Env: func(string) string { return "" }, Home: home, Clock: c.now}, c.now)
	for _, at := range []time.Duration{0, 59 * time.Minute} { // shortly before its end there is nothing to renew it with
		c.at = noon.Add(at)
		if got, err := keyOf(t.Context(), s); err != nil || got != "tok-CANARY-1" {
			t.Fatalf("%v: %s %v", at, got, err)
		}
	}
	c.at = noon.Add(time.Hour)
	_, err := keyOf(t.Context(), s)
	fails(t, err, ProblemExpired, "run claude once")
	if raw, err := os.ReadFile(path); err != nil || string(raw) != first {
		t.Errorf("the file became %s %v", raw, err)
	}
	store(t, filepath.Join(home, ".claude"), claudeLogin("tok-CANARY-2", noon.Add(9*time.Hour)))
	if got, err := keyOf(t.Context(), s); err != nil || got != "tok-CANARY-2" {
		t.Errorf("%s %v", got, err)
	}
}
