//go:build unix

package mcp_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/mcp"
)

// TestRests: a program that no one calls is ended, and a call starts it again; one that is
// called is not ended meanwhile.
func TestRests(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*mcp.Config){
		"idle": func(c *mcp.Config) { c.IdleTimeout = time.Second },
		"old":  func(c *mcp.Config) { c.MaxLifetime = time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			e := entry("good")
			change(&e)
			b.begin(e)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := b.call(ctx, "slow", `{}`, nil, io.Discard)
				done <- err
			}()
			time.Sleep(2 * time.Second)
			select {
			case err := <-done:
				t.Fatalf("ended in a call: %v", err)
			default:
			}
			cancel()
			<-done
			s := b.until("it rests", func(s mcp.Status) bool { return s.Rests })
			if s.State != mcp.Parked || len(s.Tools) != 13 || !strings.Contains(s.Why, "rests") {
				t.Errorf("%+v", s)
			}
			b.wants("echo", `{"text":"again"}`, "echo again", tools.StatusOK)
			b.until("it rests again", func(s mcp.Status) bool { return s.Rests })
		})
	}
}

// TestEras: an entry may ask for one form of the protocol.
func TestEras(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role  string
		era   mcp.Era
		state mcp.State
		why   string
	}{
		{"good", mcp.Legacy, mcp.Ready, ""}, {"good", mcp.Stateless, mcp.Ready, ""},
		{"modern", mcp.Stateless, mcp.Ready, ""}, {"modern", mcp.Legacy, mcp.Parked, "what is that"},
		{"old", mcp.Stateless, mcp.Parked, "does not speak the stateless protocol"},
	} {
		b := newBench(t)
		e := entry(c.role)
		e.Era = c.era
		b.Set([]mcp.Config{e})
		s := b.until(c.role+" "+string(c.era), func(s mcp.Status) bool { return s.State == c.state })
		if !strings.Contains(s.Why, c.why) {
			t.Errorf("%s %s: %s", c.role, c.era, s.Why)
		}
	}
}

// TestClash: when tools of two servers have one name, those of the first count, and the
// second says why its own do not.
func TestClash(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	x, y := entry("good"), entry("good")
	x.Name, y.Name = "a.b", "a_b"
	list := b.begin(x, y)
	if list[0].Clash != "" || len(list[0].Tools) != 13 || list[1].Clash != "a.b" || len(list[1].Tools) != 0 || len(list[1].Left) != 13 || !strings.Contains(list[1].Left[0], "a tool of the server a.b is called mcp__a_b__") {
		t.Errorf("%+v", list)
	}
	if len(b.tools()) != 13 {
		t.Errorf("%v", names(b.tools()))
	}
}
