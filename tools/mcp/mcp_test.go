//go:build unix

package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
)

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
	if r, err := b.call(t.Context(), "picture", `{}`, nil, io.Discard); err != nil || len(r.Images) != 1 || string(r.Images[0].Data) != "\x89PNG" {
		t.Errorf("%d pictures, %v", len(r.Images), err)
	}
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
	if _, err := b.Ask(t.Context(), "good", "echo", nil); err == nil || !strings.Contains(err.Error(), "needs your approval") {
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
	agreed, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if edited := bytes.ReplaceAll(agreed, []byte("Says it"), []byte("Tells it")); bytes.Equal(edited, agreed) {
		t.Fatalf("nothing to edit in %s", agreed)
	} else if err := os.WriteFile(files[0], edited, 0o600); err != nil { // they are not what was agreed to
		t.Fatal(err)
	}
	b.open()
	if s := b.begin(c)[0]; len(s.Held) != 13 || len(s.Tools) != 0 {
		t.Errorf("edited: held %d, offered %d", len(s.Held), len(s.Tools))
	}
	b.Close()
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
	if s := b.begin(c)[0]; s.State != mcp.Parked || s.Why != "There is no /no/such/program." {
		t.Errorf("%s %s", s.State, s.Why)
	}
	if err := b.Again("nobody"); err == nil {
		t.Error("tried one that is not there")
	}
}

// TestOlderTransport reaches servers of 2024 that the entry does not call so, by what they say to
// a POST, and says so. Where that one is not to be had either, the first answer is what is said.
func TestOlderTransport(t *testing.T) {
	t.Parallel()
	older := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return good() }, nil)
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost && r.URL.RawQuery == "":
				w.WriteHeader(status)
			case r.URL.Path == "/none":
				w.WriteHeader(http.StatusNotFound)
			default:
				older.ServeHTTP(w, r)
			}
		}))
		t.Cleanup(server.Close)
		c := mcp.Config{Name: "far", Origin: "test", URL: server.URL + "/sse", Trusted: true, ConnectTimeout: 10 * time.Second, Timeout: 5 * time.Second}
		if s := newBench(t).begin(c)[0]; s.State != mcp.Ready || len(s.Tools) != 13 || !strings.Contains(s.Why, "transport: sse") {
			t.Errorf("%d: %s, %q, %d tools", status, s.State, s.Why, len(s.Tools))
		}
		c.URL = server.URL + "/none"
		if s := newBench(t).begin(c)[0]; s.State == mcp.Ready || strings.Contains(s.Why, "transport") || !strings.Contains(s.Why, http.StatusText(status)) {
			t.Errorf("%d: %s, %q", status, s.State, s.Why)
		}
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

// TestConfigEdit: an entry that changes is begun again, the other stays, and what is no
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
