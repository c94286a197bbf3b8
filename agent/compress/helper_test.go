package compress

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/clarify"
	"hermes-tui/tools/files"
	"hermes-tui/tools/patch"
	"hermes-tui/tools/place"
	"hermes-tui/tools/search"
	"hermes-tui/tools/shell"
	"hermes-tui/tools/shorten"
	"hermes-tui/tools/skill"
	"hermes-tui/tools/todo"
)

const (
	saidOpen  = "[message from the user]"
	saidClose = "[end of it]"
)

// defaults is what the settings say when no one has changed them.
func defaults() Config {
	return Config{Enabled: true, Threshold: 0.50, TargetRatio: 0.20, ProtectFirst: 3, ProtectLast: 20}
}

// engine is one with the default settings and marks.
func engine(change ...func(*Config)) *Engine {
	c := defaults()
	c.SaidOpen, c.SaidClose = saidOpen, saidClose
	for _, f := range change {
		f(&c)
	}
	return New(c, known)
}

// known finds the tools that histories of tests call.
func known(name string) (tools.Tool, bool) {
	t, ok := knownTools()[name]
	return t, ok
}

var knownTools = sync.OnceValue(func() map[string]tools.Tool {
	local, err := place.NewLocal(place.Options{Home: "/", Temp: os.TempDir(), Rand: rand.Reader})
	if err != nil {
		panic(err)
	}
	f := files.New(files.Options{Place: local})
	all := append(f.Tools(), patch.New(f).Tool(), search.New(search.Options{Place: local}).Tool(), todo.New().Family().Tools[0],
		clarify.New(clarify.Options{}), skill.New(nil, nil).Family().Tools[1], shell.New(shell.Options{Place: local, NoInit: true}).Tool())
	byName := map[string]tools.Tool{}
	for _, t := range all {
		byName[t.Name] = t
	}
	return byName
})

// script builds histories for tests.
type script struct {
	list []providers.Message
	n    int
}

func (s *script) id(prefix string) string {
	s.n++
	return fmt.Sprint(prefix, s.n)
}

func (s *script) user(text string) *script {
	s.list = append(s.list, providers.Message{ID: s.id("u"), Role: providers.User, Parts: providers.TextParts(text)})
	return s
}

func (s *script) says(text string) *script {
	s.list = append(s.list, providers.Message{ID: s.id("a"), Role: providers.Assistant, Parts: providers.TextParts(text), Finish: providers.FinishStop})
	return s
}

// made is a call with its result.
type made struct{ tool, args, result string }

// calls adds an assistant message with calls, and their results.
func (s *script) calls(list ...made) *script {
	m := providers.Message{ID: s.id("a"), Role: providers.Assistant, Finish: providers.FinishToolCalls}
	var results []providers.Message
	for _, c := range list {
		id := s.id("c")
		m.Calls = append(m.Calls, providers.Call{ID: id, WireID: "w" + id, Name: c.tool, Arguments: c.args})
		results = append(results, providers.Message{
			ID: s.id("t"), Role: providers.Tool, Parts: providers.TextParts(c.result), CallID: id, CallName: c.tool,
		})
	}
	s.list = append(append(s.list, m), results...)
	return s
}

// reads adds a read_file call whose result has n characters of content.
func (s *script) reads(path string, n int) *script {
	return s.calls(made{"read_file", encode(map[string]any{"path": path}), encode(map[string]any{
		"content": strings.Repeat(path[:1], n), "total_lines": 1,
	})})
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// sum is the size of a history.
func sum(history []providers.Message) int {
	n := 0
	for i := range history {
		n += size(&history[i])
	}
	return n
}

// texts lists the contents of a history, one line per message, long ones by
// their length.
func texts(history []providers.Message) string {
	var b strings.Builder
	for _, m := range history {
		text := m.Text()
		if len(text) > 300 {
			text = fmt.Sprintf("%d bytes", len(text))
		}
		fmt.Fprintf(&b, "%s %s %q", m.ID, m.Role, text)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, " %s(%s)", c.Name, shorten.Line(c.Arguments, 60))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// compressTo compresses to a size and checks what always holds.
func compressTo(t *testing.T, e *Engine, history []providers.Message, b Budget) Result {
	t.Helper()
	r := e.Compress(history, b, nil)
	check(t, e, history, b, nil, r)
	return r
}
