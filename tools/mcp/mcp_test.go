//go:build unix

package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes-tui/tools"
	"hermes-tui/tools/mcp"
	"hermes-tui/tools/place"
)

// bench keeps servers for a test.
type bench struct {
	t *testing.T
	*mcp.Servers
	dir string

	mu   sync.Mutex
	pins map[string]string
	logs map[string]*bytes.Buffer
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), pins: map[string]string{}, logs: map[string]*bytes.Buffer{}}
	b.open()
	return b
}

// open begins anew with what was agreed to before.
func (b *bench) open() {
	here, err := place.NewLocal(place.Options{Env: os.Environ()})
	if err != nil {
		b.t.Fatal(err)
	}
	b.Servers = mcp.New(mcp.Options{
		Start: func(ctx context.Context, s mcp.Spawn) (func() (int, error), error) {
			env := []string{}
			for k, v := range s.Env {
				env = append(env, k+"="+v)
			}
			p, err := here.Start(ctx, place.Proc{Argv: append([]string{s.Command}, s.Args...), Dir: "/", Env: env, Stdin: s.In, Stdout: s.Out, Stderr: s.Errs, Whole: true, Leashed: true})
			if err != nil {
				return nil, err
			}
			return func() (int, error) { exit, err := p.Wait(); return exit.Code, err }, nil
		},
		HTTP: func(context.Context, mcp.Config) (*http.Client, mcp.Login, error) {
			return &http.Client{Transport: &http.Transport{DisableCompression: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it leads elsewhere") }}, nil, nil
		},
		Pins: &mcp.Pins{
			Dir:    filepath.Join(b.dir, "pins"),
			Newest: func(key string) string { b.mu.Lock(); defer b.mu.Unlock(); return b.pins[key] },
			Allow:  func(key, hash string) error { b.mu.Lock(); defer b.mu.Unlock(); b.pins[key] = hash; return nil },
		},
		Scan: func(text string) []string {
			if strings.Contains(text, "previous instructions") {
				return []string{"prompt_injection"}
			}
			return nil
		},
		Log: func(name string) io.WriteCloser { return b.log(name) }, Changed: func() {}, Version: "test", Now: time.Now,
	})
	b.t.Cleanup(b.Close)
}

type logged struct {
	b    *bench
	name string
}

func (b *bench) log(name string) io.WriteCloser { return logged{b, name} }

func (l logged) Write(p []byte) (int, error) {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	if l.b.logs[l.name] == nil {
		l.b.logs[l.name] = &bytes.Buffer{}
	}
	if l.b.logs[l.name].Len() > 1<<20 {
		return len(p), nil
	}
	return l.b.logs[l.name].Write(p)
}

func (logged) Close() error { return nil }

func (b *bench) logOf(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.logs[name] == nil {
		return ""
	}
	return b.logs[name].String()
}

// entry is a server that is this test program.
func entry(role string, env ...string) mcp.Config {
	c := mcp.Config{Name: role, Origin: "test", Command: os.Args[0], Env: map[string]string{"MCP_TEST_ROLE": role}, ConnectTimeout: 10 * time.Second, Timeout: 20 * time.Second, Trusted: true}
	for i := 0; i+1 < len(env); i += 2 {
		c.Env[env[i]] = env[i+1]
	}
	return c
}

// begin has servers run and waits until they are there or not.
func (b *bench) begin(entries ...mcp.Config) []mcp.Status {
	b.t.Helper()
	b.Set(entries)
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	b.Wait(ctx)
	return b.List()
}

// until waits for a state of the first server.
func (b *bench) until(what string, is func(mcp.Status) bool) mcp.Status {
	b.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		s := b.List()[0]
		if is(s) {
			return s
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("waiting until %s: %s %s, log:\n%.2000s", what, s.State, s.Why, b.logOf(s.Name))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (b *bench) tools() []tools.Tool {
	return b.Tools(func(mcp.Config) bool { return true }, mcp.Session{Save: func(_ context.Context, kind string, data []byte) (string, error) {
		return fmt.Sprintf("/kept/%s/%d", kind, len(data)), nil
	}, Sample: func(_ context.Context, s mcp.Sampling) (string, string, error) {
		if s.Prompt == "fail" {
			return "", "", errors.New("no model is there")
		}
		return fmt.Sprintf("%s|%s|%d", s.System, s.Prompt, s.Tokens), "house:m", nil
	}})
}

// call calls a tool by its end.
func (b *bench) call(ctx context.Context, name, args string, h tools.Host, out tools.Sink) (tools.Result, error) {
	b.t.Helper()
	list := b.tools()
	i := slices.IndexFunc(list, func(t tools.Tool) bool { return strings.HasSuffix(t.Name, "__"+name) })
	if i < 0 {
		b.t.Fatalf("there is no %s among %v", name, names(list))
	}
	return list[i].Run(ctx, tools.Call{Name: list[i].Name, Args: json.RawMessage(args), By: "the main agent"}, h, out)
}

func names(list []tools.Tool) (all []string) {
	for _, t := range list {
		all = append(all, t.Name)
	}
	return all
}

// wants calls a tool and looks for something in what comes.
func (b *bench) wants(name, args, want string, status tools.Status) {
	b.t.Helper()
	r, err := b.call(b.t.Context(), name, args, nil, io.Discard)
	if err != nil || !strings.Contains(r.Content, want) || r.Status != status {
		b.t.Errorf("%s %s: %.500q (%s), %v; want %q (%s)", name, args, r.Content, r.Status, err, want, status)
	}
}

// answers is a user who gives these answers, the last one again and again.
type answers struct {
	tools.Host
	list []tools.Answer

	mu    sync.Mutex
	asked []*tools.Clarify
}

func (a *answers) Ask(_ context.Context, q tools.Question) (tools.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, q.Clarify)
	return a.list[min(len(a.asked), len(a.list))-1], nil
}

// chooses is the answer to one question, fills one to several.
func chooses(text string) tools.Answer { return tools.Answer{Choice: tools.ChoiceText, Text: text} }

func fills(parts ...[]string) tools.Answer {
	return tools.Answer{Choice: tools.ChoiceText, Parts: parts}
}

// TestGood goes through what a server offers.
func TestGood(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.begin(entry("good"))[0]
	if s.State != mcp.Ready || s.Says != "good 1\nBe kind." || len(s.Tools) != 13 {
		t.Fatalf("%+v", s)
	}
	b.wants("echo", `{"text":"hi"}`, "echo hi", tools.StatusOK)
	b.wants("fail", `{}`, "it does not work", tools.StatusFailed)
	b.wants("structured", `{}`, `"answer":42`, tools.StatusOK)
	b.wants("picture", `{}`, "[image, image/png, 4 bytes, kept in /kept/image/png/4]\na hidden word", tools.StatusOK)
	b.wants("list_resources", `{}`, "note://one", tools.StatusOK)
	b.wants("read_resource", `{"uri":"note://one"}`, "the first note", tools.StatusOK)
	b.wants("read_resource", `{"uri":"note://two"}`, "good", tools.StatusFailed)
	b.wants("list_prompts", `{}`, "greet", tools.StatusOK)
	b.wants("get_prompt", `{"name":"greet","arguments":{"who":"Anna"}}`, "Greet Anna", tools.StatusOK)
	for _, tool := range b.tools() {
		if reads := strings.HasSuffix(tool.Name, "echo") || strings.Contains(tool.Name, "_prompt") || strings.Contains(tool.Name, "resource"); tool.ReadsOnly != reads || tool.Action != nil {
			t.Errorf("%s: reads only %v, asks %v", tool.Name, tool.ReadsOnly, tool.Action != nil)
		}
	}
	r, err := b.call(t.Context(), "echo", `{"text":"x"}`, nil, nil)
	if err != nil || r.Untrusted != "the MCP server good" {
		t.Errorf("%+v, %v", r, err)
	}
	b.wants("more", `{}`, "", tools.StatusOK)
	b.until("the new tool waits", func(s mcp.Status) bool { return len(s.Held) == 1 && s.Held[0].Tool.Given == "new" })
	if err := b.Allow("good"); err != nil {
		t.Fatal(err)
	}
	b.until("it is there", func(s mcp.Status) bool { return len(s.Held) == 0 && len(s.Tools) == 14 })
	b.wants("new", `{}`, "new indeed", tools.StatusOK)
}

// TestNotTrusted asks about each call.
func TestNotTrusted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := entry("good")
	c.Trusted, c.Exclude, c.Include = false, []string{"e*"}, []string{"echo", "fa?l"}
	b.begin(c)
	list := b.tools()
	if len(list) != 1 || list[0].ReadsOnly || list[0].Class != tools.Exclusive {
		t.Fatalf("%+v", names(list))
	}
	a, err := list[0].Action(json.RawMessage(`{"a":1}`))
	if err != nil || a.Kind != tools.ActCall || a.Server != "good" || a.Item != "fail" || !strings.Contains(a.Command, `"a": 1`) {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestStopped cancels a call: the server hears of it and lives.
func TestStopped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := filepath.Join(t.TempDir(), "cancelled")
	b.begin(entry("good", "CANCELLED", file))
	ctx, cancel := context.WithCancelCause(t.Context())
	out := &waits{seen: make(chan struct{})}
	go func() {
		<-out.seen
		cancel(errors.New("stopped"))
	}()
	began := time.Now()
	if _, err := b.call(ctx, "slow", `{}`, nil, out); err == nil || err.Error() != "stopped" || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if out.String() != "25 % a quarter\n" {
		t.Errorf("progress: %q", out.String())
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		if _, err := os.Stat(file); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the server was not told")
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.wants("echo", `{"text":"still"}`, "echo still", tools.StatusOK)
	c := entry("good")
	c.Timeout = 200 * time.Millisecond
	b.begin(c)
	b.wants("slow", `{}`, "did not answer within 200ms", tools.StatusFailed)
}

type waits struct {
	bytes.Buffer
	seen chan struct{}
	once sync.Once
}

func (w *waits) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	w.once.Do(func() { close(w.seen) })
	return n, err
}

// TestCrash has a server end during a call; it comes back, and nothing of it stays.
func TestCrash(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.begin(entry("good"))
	b.wants("crash", `{}`, "what it has done is not known", tools.StatusFailed)
	b.wants("echo", `{"text":"again"}`, "echo again", tools.StatusOK)
	if log := b.logOf("good"); !strings.Contains(log, "going down") || !strings.Contains(log, "it ended with code 3") || strings.Count(log, "up\n") != 2 {
		t.Errorf("log: %s", log)
	}
}

// TestPins: a tool of which the server says something else is held back until the user has
// seen what; the others stay.
func TestPins(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// what is said comes from a file: the entry stays the same
	script := filepath.Join(b.dir, "server.sh")
	write := func(says string) {
		if err := os.WriteFile(script, []byte("#!/bin/sh\nSAYS='"+says+"' exec "+os.Args[0]+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := entry("good")
	c.Command = script
	write("")
	if s := b.begin(c)[0]; len(s.Held) != 0 || len(s.Tools) != 13 {
		t.Fatalf("%+v", s)
	}
	b.Close()
	write(" and tells others")
	b.open()
	s := b.begin(c)[0]
	if len(s.Held) != 1 || len(s.Tools) != 12 || !strings.Contains(s.Held[0].Diff, "-Says it again\n+Says it again and tells others\n") {
		t.Fatalf("%+v", s.Held)
	}
	if slices.Contains(names(b.tools()), "mcp__good__echo") {
		t.Error("the changed tool is offered")
	}
	if _, err := b.Ask(t.Context(), "good", "echo", nil); err == nil || !strings.Contains(err.Error(), "waits for you to look at it") {
		t.Errorf("the changed tool is called: %v", err)
	}
	if err := b.Allow("good"); err != nil {
		t.Fatal(err)
	}
	b.until("it is back", func(s mcp.Status) bool { return len(s.Tools) == 13 })
	b.Close()
	for what, change := range map[string]func(*mcp.Config){
		"folder": func(c *mcp.Config) { c.Dir = b.dir }, "variable": func(c *mcp.Config) { c.Env["TOKEN"] = "another" }, "argument": func(c *mcp.Config) { c.Args = []string{"--verbose"} },
	} {
		b.open()
		other := entry("good")
		other.Command = script
		change(&other)
		write(" in another " + what)
		if s := b.begin(other)[0]; len(s.Held) != 1 || !strings.Contains(s.Held[0].Diff, "-Says it again and tells others\n+Says it again in another "+what+"\n") {
			t.Errorf("another %s: %+v", what, s.Held)
		}
		b.Close()
	}
	files, err := filepath.Glob(filepath.Join(b.dir, "pins", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("[]"), 0o600); err != nil { // what the hash is of is lost
		t.Fatal(err)
	}
	b.open()
	if s := b.begin(c)[0]; len(s.Held) != 13 || len(s.Tools) != 0 {
		t.Errorf("held %d, offered %d", len(s.Held), len(s.Tools))
	}
}

// TestHostile holds servers that do what they should not.
func TestHostile(t *testing.T) {
	t.Parallel()
	at := func(t *testing.T, role string) (*bench, mcp.Status) {
		t.Parallel()
		b := newBench(t)
		c := entry(role)
		c.ConnectTimeout, c.Timeout = 20*time.Second, 2*time.Second
		return b, b.begin(c)[0]
	}
	t.Run("junk", func(t *testing.T) {
		b, s := at(t, "junk")
		if s.State != mcp.Ready || !strings.HasPrefix(s.Junk, "It has written 10 lines that are no message") || !strings.Contains(b.logOf("junk"), `"listening"`) || !strings.Contains(b.logOf("junk"), "Welcome to the") || !strings.Contains(b.logOf("junk"), "{broken") {
			t.Errorf("%+v, %q", s, b.logOf("junk"))
		}
		b.wants("call", `{}`, "cannot be read", tools.StatusFailed)
		b.wants("call", `{}`, "cannot be read", tools.StatusFailed)
	})
	t.Run("mute", func(t *testing.T) {
		b := newBench(t)
		c := entry("mute")
		c.ConnectTimeout = 200 * time.Millisecond
		b.begin(c)
		s := b.until("it is parked", func(s mcp.Status) bool { return s.State == mcp.Parked })
		if !strings.Contains(s.Why, "did not answer within 200ms") {
			t.Error(s.Why)
		}
	})
	t.Run("dies", func(t *testing.T) {
		b, _ := at(t, "dies")
		s := b.until("it is parked", func(s mcp.Status) bool { return s.State == mcp.Parked })
		if !strings.Contains(s.Why, "it ended with code 7") || !strings.Contains(b.logOf("dies"), "no config") {
			t.Error(s.Why, b.logOf("dies"))
		}
	})
	t.Run("cursor", func(t *testing.T) {
		if _, s := at(t, "cursor"); s.State != mcp.Ready || len(s.Tools) != 1 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("pages", func(t *testing.T) {
		if _, s := at(t, "pages"); s.State != mcp.Ready || len(s.Tools) != 200 {
			t.Errorf("%d tools, %s", len(s.Tools), s.State)
		}
	})
	t.Run("many", func(t *testing.T) {
		if _, s := at(t, "many"); s.State != mcp.Ready || len(s.Tools) != 10_000 {
			t.Errorf("%d tools, %s %s", len(s.Tools), s.State, s.Why)
		}
	})
	t.Run("schemas", func(t *testing.T) {
		_, s := at(t, "schemas")
		var kept []string
		for _, tool := range s.Tools {
			kept = append(kept, tool.Given+" "+string(tool.Schema))
		}
		if got := strings.Join(kept, ", "); got != `list {"type":"object","properties":{}}, text {"properties":{},"type":"object"}, none {"type":"object","properties":{}}` || len(s.Left) != 2 {
			t.Errorf("%s; left %q", got, s.Left)
		}
	})
	t.Run("names", func(t *testing.T) {
		_, s := at(t, "names")
		seen := map[string]bool{}
		for _, tool := range s.Tools {
			if seen[tool.Name] || len(tool.Name) > 64 || strings.Trim(tool.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
				t.Errorf("%q", tool.Name)
			}
			if seen[tool.Name] = true; tool.Given == "ansi" && tool.Description != "Clean this" {
				t.Errorf("%q", tool.Description)
			}
		}
		if len(s.Tools) != 5 || len(s.Left) != 1 {
			t.Errorf("%+v, left %q", s.Tools, s.Left)
		}
	})
	t.Run("evil", func(t *testing.T) {
		b, s := at(t, "evil")
		if len(s.Tools) != 1 || len(s.Held) != 1 || len(s.Held[0].Findings) == 0 {
			t.Errorf("%+v", s)
		}
		if err := b.Allow("evil"); err != nil {
			t.Fatal(err)
		}
		b.until("it counts", func(s mcp.Status) bool { return len(s.Tools) == 2 })
	})
	t.Run("modern", func(t *testing.T) {
		if _, s := at(t, "modern"); s.State != mcp.Ready || len(s.Tools) != 1 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("frame", func(t *testing.T) {
		b, _ := at(t, "frame")
		b.wants("call", `{}`, "what it has done is not known: it sent a message of more than 16 MB", tools.StatusFailed)
	})
	t.Run("flood", func(t *testing.T) {
		b, _ := at(t, "flood")
		b.wants("call", `{}`, "did not answer within 2s", tools.StatusFailed)
	})
	t.Run("stderr", func(t *testing.T) {
		b := newBench(t)
		b.begin(entry("stderr"))
		b.wants("call", `{}`, "still here", tools.StatusOK)
		if n := len(b.logOf("stderr")); n > 2<<20 {
			t.Errorf("%d bytes in the log", n)
		}
	})
	t.Run("twice", func(t *testing.T) {
		b, _ := at(t, "twice")
		b.wants("call", `{}`, `what it has done is not known: it sent a message in which the key \"text\" stands twice`, tools.StatusFailed)
	})
	t.Run("refuses", func(t *testing.T) {
		b, _ := at(t, "refuses")
		r, err := b.call(t.Context(), "call", `{}`, nil, io.Discard)
		if err != nil || !strings.Contains(r.Content, "evil.example") || r.Untrusted != "the MCP server refuses" || r.Status != tools.StatusFailed {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("silent", func(t *testing.T) {
		b, _ := at(t, "silent")
		b.wants("call", `{}`, "did not answer within 2s", tools.StatusFailed)
	})
}

// TestEntries says what of entries cannot be used, and starts nothing of them.
func TestEntries(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct {
		mcp.Config
		want string
	}{
		{mcp.Config{}, "neither a command nor a url"},
		{mcp.Config{Command: "x", URL: "http://h"}, "a command and a url"},
		{mcp.Config{URL: "ftp://h"}, "none of http or https"},
		{mcp.Config{URL: "https://u:p@h/"}, "a password"},
		{mcp.Config{Command: "x", Include: []string{"["}}, "cannot be read"},
		{mcp.Config{Command: "x", Name: "a\x1b[2Jb"}, "cannot be shown"},
	} {
		if c.Name == "" {
			c.Name = "n"
		}
		if s := b.begin(c.Config)[0]; s.State != mcp.Failed || !strings.Contains(s.Why, c.want) {
			t.Errorf("%+v: %s %s", c.Config, s.State, s.Why)
		}
	}
	c := mcp.Config{Name: "none", Command: "/no/such/program"}
	if s := b.begin(c)[0]; s.State != mcp.Parked || !strings.Contains(s.Why, "no such file") {
		t.Errorf("%s %s", s.State, s.Why)
	}
	if err := b.Again("nobody"); err == nil {
		t.Error("tried one that is not there")
	}
}

// TestRemote speaks to a server over HTTP: sessions that expire are begun again, headers
// are sent, redirects to other hosts not followed, and a missing login is known.
func TestRemote(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	expire, login := false, false
	header := ""
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return good() }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		header = r.Header.Get("X-Key")
		gone, unknown := expire && r.Header.Get("Mcp-Session-Id") != "", login
		if gone {
			expire = false
		}
		mu.Unlock()
		switch {
		case unknown:
			w.WriteHeader(http.StatusUnauthorized)
		case gone:
			w.WriteHeader(http.StatusNotFound)
		case r.URL.Path == "/away":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusTemporaryRedirect)
		default:
			inner.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	b := newBench(t)
	c := mcp.Config{Name: "far", Origin: "test", URL: server.URL + "/mcp", Headers: map[string]string{"X-Key": "secret"}, Trusted: true, ConnectTimeout: 5 * time.Second, Timeout: 5 * time.Second}
	if s := b.begin(c)[0]; s.State != mcp.Ready || len(s.Tools) != 13 {
		t.Fatalf("%+v", s)
	}
	b.wants("echo", `{"text":"far"}`, "echo far", tools.StatusOK)
	b.WaitOffers(t.Context()) // which are asked for beside
	mu.Lock()
	expire = true
	mu.Unlock()
	b.wants("echo", `{"text":"again"}`, "echo again", tools.StatusOK) // it only reads: called again
	b.WaitOffers(t.Context())
	mu.Lock()
	expire = true
	mu.Unlock()
	b.wants("structured", `{}`, "what it has done is not known", tools.StatusFailed)
	b.until("it is back", func(s mcp.Status) bool { return s.State == mcp.Ready })
	mu.Lock()
	if header != "secret" {
		t.Errorf("header %q", header)
	}
	mu.Unlock()
	c.URL = server.URL + "/away"
	b.begin(c)
	if s := b.until("it is parked", func(s mcp.Status) bool { return s.State == mcp.Parked }); !strings.Contains(s.Why, "elsewhere") {
		t.Errorf("%s", s.Why)
	}
	mu.Lock()
	login = true
	mu.Unlock()
	c.URL, c.Headers = server.URL, nil
	b.begin(c)
	b.until("it wants a login", func(s mcp.Status) bool { return s.State == mcp.NeedsLogin })
	b.Close()
}

// TestConfigEdit: an entry that changes is begun anew, the other stays, and what is no
// longer wanted ends.
func TestConfigEdit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two := entry("good"), entry("junk")
	b.begin(one, two)
	one = entry("good", "SAYS", " anew")
	b.begin(one, two)
	if log := b.logOf("good"); strings.Count(log, "up\n") != 2 {
		t.Errorf("log of the changed one: %s", log)
	}
	if list := b.begin(two); len(list) != 1 || list[0].State != mcp.Ready {
		t.Errorf("%+v", list)
	}
	if log := b.logOf("junk"); strings.Count(log, "Welcome") != 1 {
		t.Errorf("log of the other: %s", log)
	}
	b.Close()
	if b.Set([]mcp.Config{two}); len(b.List()) != 0 {
		t.Error("begun after the end")
	}
}

// TestReal speaks to servers of others, where they are installed.
func TestReal(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("HERMES_MCP_NPM")
	if dir == "" {
		t.Skip("SKIPPED: HERMES_MCP_NPM does not name a folder in which @modelcontextprotocol/server-everything, -filesystem and -memory are installed")
	}
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte("alpha"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"PATH": os.Getenv("PATH"), "HOME": work, "MEMORY_FILE_PATH": filepath.Join(work, "memory.json")}
	server := func(name string, args ...string) mcp.Config {
		return mcp.Config{Name: name, Origin: "test", Command: filepath.Join(dir, "node_modules/.bin/mcp-server-"+name), Args: args, Env: env, Trusted: true}
	}
	b := newBench(t)
	for _, s := range b.begin(server("everything"), server("filesystem", work), server("memory")) {
		if s.State != mcp.Ready || len(s.Tools) < 5 {
			t.Errorf("%s: %s %s, %d tools\n%s", s.Name, s.State, s.Why, len(s.Tools), b.logOf(s.Name))
		}
	}
	b.wants("everything__echo", `{"message":"hello"}`, "Echo: hello", tools.StatusOK)
	b.wants("get-sum", `{"a":2,"b":3}`, "5", tools.StatusOK)
	b.wants("get-tiny-image", `{}`, "kept in /kept/image/png/", tools.StatusOK)
	b.wants("list_resources", `{}`, "demo://resource", tools.StatusOK)
	b.wants("list_prompts", `{}`, "simple-prompt", tools.StatusOK)
	out := &waits{seen: make(chan struct{})}
	if r, err := b.call(t.Context(), "trigger-long-running-operation", `{"duration":1,"steps":4}`, nil, out); err != nil || !strings.Contains(r.Content, "completed") || !strings.Contains(out.String(), "50 %") {
		t.Errorf("%+v %v %q", r, err, out.String())
	}
	user := &answers{list: []tools.Answer{{Choice: tools.ChoiceDeny}}}
	if r, err := b.call(t.Context(), "trigger-elicitation-request", `{}`, user, io.Discard); err != nil {
		t.Errorf("%+v %v", r, err)
	}
	b.wants("read_text_file", `{"path":"`+work+`/a.txt"}`, "alpha", tools.StatusOK)
	b.wants("read_text_file", `{"path":"/etc/passwd"}`, "denied", tools.StatusFailed)
	b.wants("create_entities", `{"entities":[{"name":"Anna","entityType":"person","observations":["likes tabs"]}]}`, "Anna", tools.StatusOK)
	b.wants("search_nodes", `{"query":"tabs"}`, "Anna", tools.StatusOK)
	if text, err := b.Ask(t.Context(), "memory", "search_nodes", map[string]any{"query": "tabs", "session": "s", "chars": 100}); err != nil || !strings.Contains(text, "Anna") {
		t.Errorf("%q, %v", text, err)
	}
}
