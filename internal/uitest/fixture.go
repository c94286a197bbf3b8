package uitest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// FixtureOptions choose a generated conversation.
type FixtureOptions struct {
	// Seed chooses the texts and ids; the same seed gives the same conversation.
	Seed uint64
	// Title names it; empty is "Fixture of N messages".
	Title string
	// Dir is the folder it works in; empty is the folder "project" beside the
	// home, where [Start] starts the program.
	Dir string
}

// Conversation is a generated conversation.
type Conversation struct {
	// Home is the HERMES_HOME that holds it, Dir the folder it works in.
	Home, Dir string
	Conv      event.ConvID
	Session   event.SessionID
	Title     string
	// Messages, Turns, Calls and Events count what was stored.
	Messages, Turns, Calls, Events int
	// First is the beginning of the first question, Last the end of the newest
	// answer; each is on the screen in one piece if it has 30 columns. Last is
	// empty when the newest turn was interrupted, as it is with 1 or 3 messages.
	First, Last string
}

// Fixture writes a home with one generated conversation of exactly n messages
// and its journal: questions, reasoning, answers in Markdown, tool calls with
// their results. Start the program with Options.Home and "--resume" to open it.
func Fixture(t testing.TB, n int, o FixtureOptions) Conversation {
	t.Helper()
	c, err := WriteFixture(t.Context(), filepath.Join(realTemp(t), "home", ".hermes"), n, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// WriteFixture is [Fixture] for a home of the caller's choice, which is made if
// it is not there. It can hold other conversations, but none with the same
// options.
func WriteFixture(ctx context.Context, home string, n int, o FixtureOptions) (Conversation, error) {
	if n < 1 {
		return Conversation{}, errors.New("write fixture: a conversation has at least one message")
	}
	if o.Title == "" {
		o.Title = fmt.Sprintf("Fixture of %d messages", n)
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(filepath.Dir(home), "project")
	}
	for _, dir := range []string{home, o.Dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return Conversation{}, fmt.Errorf("write fixture: %w", err)
		}
	}
	g := newGenerator(home, o)
	db, err := sessions.Open(ctx, filepath.Join(home, "state.db"), sessions.Options{Clock: g.now})
	if err != nil {
		return Conversation{}, fmt.Errorf("write fixture: %w", err)
	}
	err = g.write(ctx, db, n)
	if err := errors.Join(err, db.Close()); err != nil {
		return Conversation{}, fmt.Errorf("write fixture: %w", err)
	}
	return g.made, nil
}

// fixtureStart is when generated conversations begin.
var fixtureStart = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// batchMessages is how many messages are stored at once.
const batchMessages = 1000

// generator makes up a conversation.
type generator struct {
	made  Conversation
	prose prose
	ids   event.Source
	clock time.Time
	root  event.AgentID
	usage event.Usage

	turn  event.TurnID
	seq   uint64
	batch sessions.Batch
	err   error // the first one of encoding
}

func newGenerator(home string, o FixtureOptions) *generator {
	var seed [32]byte
	for i := range 8 {
		seed[i] = byte(o.Seed >> (8 * i))
	}
	copy(seed[8:], o.Title)
	source := rand.NewChaCha8(seed)
	g := &generator{prose: prose{rand.New(source)}, clock: fixtureStart}
	g.ids = event.Source{Random: source, Clock: g.now}
	g.root = g.ids.Agent()
	g.made = Conversation{Home: home, Dir: o.Dir, Title: o.Title, Conv: g.ids.Conv(), Session: g.ids.Session()}
	g.batch = g.empty()
	return g
}

func (g *generator) now() time.Time { return g.clock }

// pass lets time go by.
func (g *generator) pass(d time.Duration) { g.clock = g.clock.Add(d) }

func (g *generator) empty() sessions.Batch {
	return sessions.Batch{Conv: string(g.made.Conv), Session: string(g.made.Session)}
}

// write stores a conversation of n messages.
func (g *generator) write(ctx context.Context, db *sessions.DB, n int) error {
	g.begin()
	for left := n; left > 0; {
		before := g.made.Messages
		g.writeTurn(left)
		left -= g.made.Messages - before
		if len(g.batch.Messages) < batchMessages && left > 0 {
			continue
		}
		if g.err != nil {
			return g.err
		}
		if err := db.Commit(ctx, g.batch); err != nil {
			return err
		}
		g.batch = g.empty()
	}
	return nil
}

// begin describes the conversation.
func (g *generator) begin() {
	model := event.Model{Provider: "custom", Name: "script", Host: "127.0.0.1", ContextMax: 200_000}
	work := event.Workspace{Dir: g.made.Dir, Root: g.made.Dir, Trusted: true, Place: "local", Home: filepath.Dir(g.made.Home)}
	g.batch.Create = &sessions.NewSession{
		Source: "cli", Agent: string(g.root), Workspace: work.Dir, At: g.clock,
		Model: model.Name, Provider: model.Provider, BaseURL: model.Host,
	}
	g.emit(&event.AgentSpawned{Role: "root", Model: model.Name})
	g.emit(&event.ModelChanged{Model: model})
	g.emit(&event.ModeChanged{Mode: event.ModeManual})
	g.emit(&event.WorkspaceChanged{Work: work})
	g.emit(&event.TitleChanged{Title: g.made.Title})
	g.effect(
		sessions.SetTitle{Title: g.made.Title},
		sessions.SetSystemPrompt{Text: "You are an agent in a terminal. This conversation was generated for tests."},
	)
}

// emit adds an event to the batch.
func (g *generator) emit(e event.Event) {
	g.seq++
	g.made.Events++
	*e.Head() = event.Meta{Seq: g.seq, At: g.clock, Conv: g.made.Conv, Session: g.made.Session, Agent: g.root, Turn: g.turn}
	event.Stamp(e)
	body, err := event.Marshal(e)
	if err != nil && g.err == nil {
		g.err = err
	}
	h := e.Head()
	g.batch.Events = append(g.batch.Events, sessions.Event{
		Seq: g.seq, Type: string(h.Type), At: h.At, Agent: string(h.Agent), Turn: string(h.Turn), Body: body,
	})
}

func (g *generator) effect(all ...sessions.Effect) { g.batch.Effects = append(g.batch.Effects, all...) }

// say adds a message to the batch.
func (g *generator) say(m sessions.Message) {
	m.Agent, m.Turn, m.At = string(g.root), string(g.turn), g.clock
	g.batch.Messages = append(g.batch.Messages, m)
	g.made.Messages++
}
