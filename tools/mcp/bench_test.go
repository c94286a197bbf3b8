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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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
	kids map[string]int // the newest process of each server
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), pins: map[string]string{}, logs: map[string]*bytes.Buffer{}, kids: map[string]int{}}
	b.open()
	return b
}

// open begins again with what was agreed to before.
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
			b.mu.Lock()
			b.kids[s.Name] = p.PID()
			b.mu.Unlock()
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
