//go:build unix

package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// providerScript is a memory provider: it notes what it reads in the file "told" of
// HERMES_HOME and answers; $1 is what it does when it is asked to prefetch.
const providerScript = `#!/bin/sh
while IFS= read -r line; do
	printf '%s\n' "$line" >> "$HERMES_HOME/told"
	rest=${line#*:}
	id=${rest%%,*}
	case "$line" in
	*'"prefetch"'*) eval "$1" ;;
	*) printf '{"id":%s,"text":"The block of the provider."}\n' "$id" ;;
	esac
done
`

// withProvider begins a conversation with a memory provider that prefetches so. seen gets
// the bodies of the requests to the model.
func withProvider(t *testing.T, prefetch string, steps ...script.Step) (a *App, c Conversation, b *box, seen func() []string) {
	t.Helper()
	zero := 0
	if steps == nil {
		steps = []script.Step{script.Text{Text: "It is so."}}
	}
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{{Match: script.Match{Results: &zero}, Steps: steps}, {Steps: []script.Step{script.Text{Text: "It is so."}}}}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b = newBox(t)
	name := filepath.Join(b.home.Dir(), "provider.sh")
	if err := os.WriteFile(name, []byte(providerScript), 0o700); err != nil {
		t.Fatal(err)
	}
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n" +
		"memory:\n  prefetch_chars: 30\n  provider: command\n  provider_command: ['" + name + "', '" + strings.ReplaceAll(prefetch, "'", "''") + "']\n")
	a, c = b.begin()
	return a, c, b, func() (bodies []string) {
		for _, r := range server.Requests() {
			bodies = append(bodies, string(r.Body))
		}
		return bodies
	}
}

// TestMemoryProvider puts what a provider gives into the prompt and beside the message, as
// data and within the budget, and tells it of writes, of the turn and of the end.
func TestMemoryProvider(t *testing.T) {
	write := script.Call{Name: "memory", Args: `{"target":"memory","action":"add","content":"uses tabs"}`}
	a, c, b, seen := withProvider(t, `printf '{"id":%s,"text":"Minou sleeps in the office, which is on the left."}\n' "$id"`, write)
	say(t, c, "which pet?")
	closed(t, a)
	first := seen()[0]
	for _, want := range []string{"The block of the provider.", "from the memory provider", "Minou sleeps in the office, wh\\n", `name=\"provider\"`} {
		if !strings.Contains(first, want) {
			t.Errorf("the model does not get %q: %s", want, first)
		}
	}
	told, err := os.ReadFile(filepath.Join(b.home.Dir(), "told"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"query":"which pet?"`, `"verb":"memory_write"`, `+uses tabs`, `"user":"which pet?","answer":"It is so."`, `"verb":"session_end"`, `"verb":"shutdown"`} {
		if !strings.Contains(string(told), want) {
			t.Errorf("it was not told %s:\n%s", want, told)
		}
	}
}

// TestMemoryProviderDies goes on with the notes when the provider ends, and says so once.
func TestMemoryProviderDies(t *testing.T) {
	a, c, _, seen := withProvider(t, "exit 4")
	if _, err := a.AddMemory(t.Context(), true, "", "likes tea"); err != nil {
		t.Fatal(err)
	}
	say(t, c, "which pet?")
	say(t, c, "which pet?")
	closed(t, a)
	if said := notices(c); strings.Count(said, "The memory provider has ended (exit code 4) and is not asked any more") != 1 || strings.Count(said, "provider") != 1 {
		t.Errorf("the user was told %q", said)
	}
	if body := seen()[1]; !strings.Contains(body, "likes tea") || strings.Contains(body, "Minou") {
		t.Errorf("the model got %s", body)
	}
}

// TestMemoryProviderInterrupted ends the wait for a provider at once when the user stops
// the turn.
func TestMemoryProviderInterrupted(t *testing.T) {
	_, c, b, _ := withProvider(t, ":")
	if _, err := c.Submit("which pet?"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; {
		told, _ := os.ReadFile(filepath.Join(b.home.Dir(), "told"))
		if strings.Contains(string(told), "which pet?") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it was not asked")
		}
	}
	began := time.Now()
	c.Interrupt(c.Root(), Self)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		events, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if end, ok := e.(*event.TurnFinished); ok {
				if took := time.Since(began); took > prefetchTime/2 || end.Outcome != event.TurnInterrupted {
					t.Errorf("it ended after %v as %s", took, end.Outcome)
				}
				say(t, c, "go on") // the next message is not held back
				return
			}
		}
	}
}
