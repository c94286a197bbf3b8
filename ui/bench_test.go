package ui

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/internal/uitest"
	"hermes-tui/store/sessions"
)

// The benchmarks of this file measure the screen without a terminal: a message
// goes in, a frame comes out. The commands that Update returns are not run.

// longMessages is how many messages a long conversation has.
const longMessages = 50_000

// still is a conversation in which nothing happens by itself.
type still struct {
	app.Conversation
	state *event.State
}

func (c still) State() *event.State  { return c.state }
func (c still) Fold() *event.State   { return c.state }
func (c still) Pending() bool        { return false }
func (c still) Handled(*event.State) {}

// longState is the state of a conversation of 50,000 messages, folded from its
// journal.
func longState(b *testing.B) *event.State {
	b.Helper()
	c := uitest.SharedFixture(b, longMessages)
	db, err := sessions.Open(b.Context(), filepath.Join(c.Home, "state.db"), sessions.Options{})
	if err != nil {
		b.Fatal(err)
	}
	st := &event.State{}
	err = db.EachEvent(b.Context(), string(c.Conv), 0, func(row sessions.Event) error {
		e, err := new(event.Decoder).UnmarshalAs(event.Type(row.Type), row.Body)
		if err == nil {
			st.Apply(e)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	return st
}

// newBenchModel is a screen of a size that shows a conversation.
func newBenchModel(st *event.State, w, h int) *Model {
	m, _ := New(Options{Now: time.Now, Settings: app.Settings{Theme: "dark", ShowReasoning: true, Mouse: true, OutputLines: 4}})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(openedMsg{conv: still{state: st}})
	m.View()
	return m
}

// drawn is the frame as text.
func drawn(m *Model) string {
	m.View()
	return strings.Join(m.shown.Rows, "\n")
}

// frames makes sure that a benchmark has drawn what it claims to draw.
func frames(b *testing.B, m *Model, w, h int) {
	b.Helper()
	rows := strings.Split(drawn(m), "\n")
	if len(rows) != h || len(m.shown.Rows) != h || m.lay.w != w {
		b.Fatalf("the frame has %d rows for a screen of %d×%d", len(rows), w, h)
	}
}

// target reports a limit in the unit of the metric it belongs to.
func target(b *testing.B, limit float64, unit string) {
	b.Helper()
	b.ReportMetric(limit, "target-"+unit)
}

// BenchmarkKeyUpdate handles one key and draws the frame for it.
func BenchmarkKeyUpdate(b *testing.B) {
	m := newBenchModel(longState(b), 160, 50)
	keys := []tea.KeyPressMsg{{Code: 'x', Text: "x"}, {Code: tea.KeyBackspace}}
	for range 200 {
		m.Update(keys[0])
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(keys[i%2])
		m.View()
	}
	frames(b, m, 160, 50)
	target(b, 1e6, "ns/op")
}

// BenchmarkView draws a screen of 160 columns and 50 rows: after its width
// changed, so that nothing that was drawn can be kept; with every region asked
// for its rows again; and when nothing changed.
func BenchmarkView(b *testing.B) {
	m := newBenchModel(longState(b), 160, 50)
	for _, c := range []struct {
		name   string
		change func(i int)
		target float64
	}{
		{"all", func(i int) { m.Update(tea.WindowSizeMsg{Width: 160 - i%2, Height: 50}) }, 8e6},
		{"dirty", func(int) { m.dirty = true }, 1e6},
		{"clean", func(int) {}, 1e3},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.change(i)
				m.View()
			}
			target(b, c.target, "ns/op")
		})
	}
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
	frames(b, m, 160, 50)
}

// BenchmarkDelivery hands over one delta in a conversation of 50,000 messages
// and draws the frame.
func BenchmarkDelivery(b *testing.B) {
	m := newBenchModel(longState(b), 160, 50)
	pieces := markdownTokens(2000)
	s := newStreaming(m)
	s.begin()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i > 0 && i%len(pieces) == 0 {
			s.end()
			s.begin()
		}
		s.deliver(pieces[i%len(pieces)])
		m.View()
	}
	frames(b, m, 160, 50)
	target(b, 1e6, "ns/op")
}

// BenchmarkStream20kTokens streams an answer of 20,000 tokens: with a frame for
// every token, which is the worst that can happen, and with a frame for as many
// as arrive between two deliveries at 2,000 tokens a second.
func BenchmarkStream20kTokens(b *testing.B) {
	const tokens = 20_000
	pieces := markdownTokens(tokens)
	for _, c := range []struct {
		name   string
		merged int
		target float64 // ns a token
	}{
		{"each", 1, 250_000},
		{"paced", 2000 * int(paceUsual) / int(time.Second), 10_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				st := &event.State{}
				st.Apply(&event.AgentSpawned{Meta: event.Meta{Agent: "root"}, Role: "root"})
				m := newBenchModel(st, 160, 50)
				s := newStreaming(m)
				s.begin()
				for at := 0; at < tokens; at += c.merged {
					s.deliver(strings.Join(pieces[at:min(at+c.merged, tokens)], ""))
					m.View()
				}
				s.end()
				frames(b, m, 160, 50)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tokens), "ns/token")
			b.ReportMetric(0, "ns/op")
			target(b, c.target, "ns/token")
		})
	}
}

// streaming hands the events of turns to a screen as the pump does.
type streaming struct {
	m    *Model
	meta event.Meta
	turn int
	text strings.Builder
}

func newStreaming(m *Model) *streaming {
	return &streaming{m: m, meta: event.Meta{Agent: m.state.Root().ID}}
}

func (s *streaming) send(events ...event.Event) {
	for _, e := range events {
		*e.Head() = s.meta
		e.Head().At = time.Now()
	}
	s.m.Update(eventsMsg{gen: s.m.gen, events: events})
}

func (s *streaming) id(what string) string { return fmt.Sprint(what, s.turn) }

func (s *streaming) begin() {
	s.turn++
	s.text.Reset()
	s.meta.Turn = event.TurnID(s.id("turn"))
	s.send(&event.TurnStarted{Budget: 1}, &event.MessageCommitted{
		Message: event.MessageID(s.id("question")), Block: event.BlockID(s.id("asked")), Role: event.RoleUser, Text: "Tell me all.",
	})
}

func (s *streaming) deliver(text string) {
	s.text.WriteString(text)
	s.send(&event.TextDelta{Block: event.BlockID(s.id("answer")), Text: text})
}

func (s *streaming) end() {
	s.send(&event.MessageCommitted{
		Message: event.MessageID(s.id("answered")), Block: event.BlockID(s.id("answer")), Role: event.RoleAssistant, Text: s.text.String(),
	}, &event.TurnFinished{Outcome: event.TurnCompleted})
}

// markdownTokens is a text of n words with everything that answers have.
func markdownTokens(n int) []string {
	const page = "## A heading of a few words\n\nSome **prose** that goes on for a while, with `code` in it and a [link](http://example.com) " +
		"at the end, and then one more sentence so that it wraps.\n\n1. first of all\n2. second, with *stress*\n   - and a point below\n\n" +
		"```go\nfunc add(a, b int) int {\n\treturn a + b // of course\n}\n```\n\n" +
		"| name | what it is | size |\n|---|---|---|\n| one | the first | 12 |\n| two | the second | 9 |\n\n> A remark in between.\n\n"
	words := strings.SplitAfter(page, " ")
	all := make([]string, 0, n)
	for len(all) < n {
		all = append(all, words[:min(len(words), n-len(all))]...)
	}
	return all
}

// BenchmarkViewDiff draws the screen with an unfolded difference of 12 lines in
// sight: with every region asked for its rows again, while a call beside it runs.
func BenchmarkViewDiff(b *testing.B) {
	m, _ := New(Options{Now: time.Now, Settings: app.Settings{Theme: "dark", ShowReasoning: true}})
	b.Cleanup(m.cancel)
	m.onSize(tea.WindowSizeMsg{Width: 160, Height: 50})
	busy(m)
	body := "--- a/x.go\n+++ b/x.go\n@@ -1,12 +1,12 @@\n" + strings.Repeat("-\tprintln(\"one\", 1)\n+\tprintln(\"two\", 2)\n", 12)
	happen(m, &event.ToolFinished{Call: "k3", Outcome: event.OutcomeOK, View: event.CallView{Kind: event.ViewWrite, Name: "patch", Subject: "x.go", Lang: "diff", Body: body}})
	m.transcript.FoldAll(false)
	m.dirty = true
	if !strings.Contains(ansi.Strip(drawn(m)), "println(\"two\", 2)") {
		b.Fatal("the difference is not in sight")
	}
	b.ReportAllocs()
	for b.Loop() {
		m.dirty = true
		m.View()
	}
	target(b, 1e6, "ns/op")
}
