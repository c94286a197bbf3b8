package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/agent"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/agent/recovery"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/redact"
	"hermes-tui/providers/script"
	"hermes-tui/providers/transport"
	settings "hermes-tui/store/config"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/shellrisk"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimEnv); dir != "" {
		victim(dir)
		return
	}
	if what := os.Getenv(reviverEnv); what != "" {
		reviver(what)
		return
	}
	debug.SetGCPercent(400) // thousands of conversations that are short
	goleak.VerifyTestMain(m)
}

// patience bounds every wait of these tests.
const patience = 20 * time.Second

// rig is a conversation with real parts around it: a server on loopback, a
// database and a workspace on disk.
type rig struct {
	glimpses int // that showed something
	t        testing.TB
	dir      string // HERMES_HOME
	work     string
	db       *sessions.DB
	server   *scripttest.Server
	conv     *agent.Conversation
	ids      event.Source
	rules    *shellrisk.Rules // of families; nil for none

	state *event.State
	log   []event.Event
	// seeded counts the turns that [rig.seed] has put before those of the test.
	seeded int
}

// option changes the configuration of a rig's conversation.
type option func(*agent.Config)

func unattended(c *agent.Config) { c.Unattended = true }

func withBudget(n int) option { return func(c *agent.Config) { c.Budget = n } }

func withMode(m event.Mode) option { return func(c *agent.Config) { c.Mode = m } }

// patient tries failed calls again so many times, without waiting.
func patient(retries int) option {
	return func(c *agent.Config) {
		c.Policy = recovery.Policy{Retries: retries, Resends: 2}
		c.After = func(time.Duration) <-chan time.Time {
			now := make(chan time.Time, 1)
			now <- time.Time{}
			return now
		}
	}
}

func withStore(wrap func(agent.Store) agent.Store) option {
	return func(c *agent.Config) { c.Store = wrap(c.Store) }
}

// newRig starts a conversation that talks to a scenario.
func newRig(t testing.TB, s *script.Scenario, opts ...option) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	r.serve(s)
	r.openStore()
	r.start(nil, opts...)
	return r
}

func (r *rig) serve(s *script.Scenario) {
	r.t.Helper()
	server, err := scripttest.Serve(s, scripttest.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.server = server
	r.t.Cleanup(func() { server.Close() })
}

func (r *rig) openStore() {
	r.t.Helper()
	path := filepath.Join(r.dir, "state.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		empty, err := emptyStore()
		if err == nil {
			err = os.WriteFile(path, empty, 0o600)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	db, err := sessions.Open(r.t.Context(), path, sessions.Options{Clock: r.ids.Clock, Rand: r.ids.Random})
	if err != nil {
		r.t.Fatal(err)
	}
	r.db = db
	r.t.Cleanup(func() { db.Close() })
}

// emptyStore is the file of a new database. To make it takes SQLite longer than many a
// test does for all else.
var emptyStore = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "empty-store-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "state.db")
	db, err := sessions.Open(context.Background(), path, sessions.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// start begins a conversation, or goes on with a past one.
func (r *rig) start(past *agent.Past, opts ...option) {
	r.t.Helper()
	cfg := config(r.t, r.db, r.ids, r.dir, r.work, r.server.URL())
	if past != nil {
		cfg.Past, cfg.Conv, cfg.Session, cfg.Root = past, past.State.Conv, past.State.Session, past.State.Root().ID
	}
	for _, o := range opts {
		o(&cfg)
	}
	r.conv = agent.New(cfg)
	r.state, r.log = r.conv.State(), nil
	conv := r.conv
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := conv.Close(ctx); err != nil {
			r.t.Errorf("close: %v", err)
		}
	})
}

// config puts the parts of a conversation together.
func config(t testing.TB, db *sessions.DB, ids event.Source, home, work, url string) agent.Config {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8"}
	here, err := place.NewLocal(place.Options{Env: env, Home: home})
	check(err)
	work, err = here.FS().Resolve(work)
	check(err)
	tr := transport.New(transport.Options{Version: "test"})
	if t, ok := t.(*testing.T); ok {
		t.Cleanup(tr.CloseIdle)
	}
	client, err := chat.New(chat.Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "test", BaseURL: url}, Transport: tr}})
	check(err)
	jobs := process.New(process.Options{Place: here, Now: ids.Now})
	box, _, err := bind.Toolbox(bind.ToolOptions{
		Settings: settings.Config{Toolsets: []string{"hermes-cli"}, CodeExecution: settings.CodeExecution{MaxToolCalls: 50}}, Place: here, Root: work, Private: home, Env: env, Jobs: jobs, Now: ids.Now,
	})
	check(err)
	if t, ok := t.(*testing.T); ok { // a victim is killed
		t.Cleanup(func() { check(errors.Join(jobs.Close(context.Background(), false), box.Close())) })
	}
	p := &prompt.Builder{
		Files: bind.Files(here), Run: bind.Run(here, env), Dir: work, Guidance: box.Guidance,
		System: prompt.System{Place: "local", OS: here.Info().OS, Shell: here.Info().Shell},
		Soul:   func() (string, error) { return "", nil }, Now: ids.Now, MaxFile: 20_000,
	}
	seal, _, err := bind.OpenSeal(context.Background(), filepath.Join(home, "grants.key"))
	check(err)
	return agent.Config{
		IDs: ids, Store: db, Conv: ids.Conv(), Session: ids.Session(), Root: ids.Agent(), Source: "cli",
		Runtime: agent.Runtime{Client: client, Model: event.Model{Provider: "test", Name: "model", ContextMax: 100_000}},
		Mode:    event.ModeManual, Work: p.Workspace(t.Context(), false),
		Tools: box, Gate: approval.New(approval.Options{Place: here, Home: home, HermesHome: home, Workspace: work, Grants: bind.Grants(db, ids, seal)}),
		Prompt: p, Trust: bind.Trust(db, ids, seal), Mask: bind.Mask(redact.NewSecrets()), Tuning: agent.Tuning{Budget: 90},
		Results: filepath.Join(home, "results"),
	}
}

// until follows the conversation until the state satisfies a condition.
func (r *rig) until(what string, ok func(*event.State) bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	for !ok(r.state) {
		// what is waited for may come without an event
		short, stop := context.WithTimeout(ctx, 20*time.Millisecond)
		events, err := r.conv.Next(short)
		late := short.Err() != nil && ctx.Err() == nil
		stop()
		if err != nil && !late {
			r.t.Fatalf("waiting until %s: %v\n%s", what, err, r.dump()+r.kin())
		}
		for _, e := range events {
			r.state.Apply(e)
		}
		r.log = append(r.log, events...)
	}
}

// idle waits until the turns that were submitted have ended.
func (r *rig) idle(turns int) {
	r.t.Helper()
	r.until("idle", func(s *event.State) bool {
		a := s.Root()
		return a != nil && a.Turns >= r.seeded+turns && a.Turn == ""
	})
}

// submit sends a text.
func (r *rig) submit(text string) {
	r.t.Helper()
	if _, err := r.conv.Submit(text); err != nil {
		r.t.Fatal(err)
	}
}

// plainly submits texts without images.
func plainly(c *agent.Conversation) func(text string) (event.InputID, error) {
	return func(text string) (event.InputID, error) { return c.Submit(text) }
}

// request waits for a question to the user.
func (r *rig) request() event.Request {
	r.t.Helper()
	r.until("a question", func(s *event.State) bool { return len(s.Requests) > 0 })
	return r.state.Requests[0]
}

func (r *rig) answer(q event.Request, a event.Answer) {
	r.t.Helper()
	if err := r.conv.Answer(q.ID, a); err != nil {
		r.t.Fatal(err)
	}
}

// dump describes the transcript, one line a block.
func (r *rig) dump() string { return transcript(r.state) }

func transcript(s *event.State) string {
	var b strings.Builder
	a := s.Root()
	if a == nil {
		return "(no agent)"
	}
	for _, x := range a.Blocks {
		fmt.Fprintf(&b, "%s", x.Kind)
		if x.Partial {
			b.WriteString(" (partial)")
		}
		if c := x.Call; c != nil {
			fmt.Fprintf(&b, " %s %s %s %s: %s", c.View.Name, c.Stage, c.Outcome, c.View.Subject, c.View.Summary)
		}
		fmt.Fprintf(&b, " %s\n", strings.ReplaceAll(x.Text.String(), "\n", "⏎"))
	}
	return b.String()
}

// wants checks that the transcript holds lines with the given texts, in order.
func (r *rig) wants(parts ...string) {
	r.t.Helper()
	rest := r.dump()
	for _, p := range parts {
		_, after, found := strings.Cut(rest, p)
		if !found {
			r.t.Fatalf("transcript lacks %q (in this order):\n%s", p, r.dump())
		}
		rest = after
	}
}

// last is how the newest turn ended.
func (r *rig) last() *event.TurnFinished {
	r.t.Helper()
	for i := len(r.log) - 1; i >= 0; i-- {
		if f, ok := r.log[i].(*event.TurnFinished); ok {
			return f
		}
	}
	r.t.Fatal("no turn has ended")
	return nil
}

// messages reads the stored history.
func (r *rig) messages() []sessions.Message {
	r.t.Helper()
	rows, err := r.db.Messages(r.t.Context(), string(r.conv.Session()))
	if err != nil {
		r.t.Fatal(err)
	}
	return rows
}

// bodies are the requests the server got; all of them are checked to be valid.
func (r *rig) bodies() []body {
	r.t.Helper()
	var all []body
	for _, rec := range r.server.Requests() {
		var b body
		if err := json.Unmarshal(rec.Body, &b); err != nil {
			r.t.Fatalf("request is not JSON: %v", err)
		}
		if err := b.valid(); err != nil {
			r.t.Errorf("request %d is not valid: %v\n%s", len(all), err, rec.Body)
		}
		all = append(all, b)
	}
	return all
}

// body is a chat completions request as a strict server reads it.
type body struct {
	Model    string
	Messages []wireMessage
	Tools    []json.RawMessage
}

type wireMessage struct {
	Role       string
	Content    *string
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// valid checks what the strictest servers check: roles alternate, each call has
// exactly one result directly behind its message, arguments are JSON.
func (b body) valid() error {
	open := map[string]bool{}
	prev := ""
	for i, m := range b.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("message %d: calls without result: %v", i, open)
		}
		switch m.Role {
		case "system":
			if i != 0 {
				return fmt.Errorf("message %d: system prompt not at the start", i)
			}
		case "user":
			if prev == "user" || m.Content == nil || *m.Content == "" {
				return fmt.Errorf("message %d: user after %s, or empty", i, prev)
			}
		case "assistant":
			if prev == "assistant" || prev == "system" {
				return fmt.Errorf("message %d: assistant after %s", i, prev)
			}
			if (m.Content == nil || *m.Content == "") && len(m.ToolCalls) == 0 {
				return fmt.Errorf("message %d: assistant says nothing", i)
			}
			for _, c := range m.ToolCalls {
				if open[c.ID] || c.ID == "" || !json.Valid([]byte(c.Function.Arguments)) {
					return fmt.Errorf("message %d: bad call %+v", i, c)
				}
				open[c.ID] = true
			}
		case "tool":
			if !open[m.ToolCallID] {
				return fmt.Errorf("message %d: result for %q, which was not asked for", i, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		default:
			return fmt.Errorf("message %d: role %q", i, m.Role)
		}
		prev = m.Role
	}
	if prev != "user" && prev != "tool" {
		return fmt.Errorf("the last message is by %s", prev)
	}
	return nil
}

// refusing is a store that refuses while it is told to.
type refusing struct {
	agent.Store
	mu  sync.Mutex
	err error
}

func (s *refusing) Commit(ctx context.Context, b sessions.Batch) error {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.Store.Commit(ctx, b)
}

func (s *refusing) refuse(err error) {
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
}

func say(parts ...script.Step) *script.Scenario {
	return &script.Scenario{Name: "test", Rules: []script.Rule{{Steps: parts}}}
}

// rounds is a scenario that answers the n-th request after the newest user
// message with the n-th list of steps.
func rounds(rules ...[]script.Step) *script.Scenario {
	s := &script.Scenario{Name: "test"}
	for i, steps := range rules {
		s.Rules = append(s.Rules, script.Rule{Match: script.Match{Nth: i + 1}, Steps: steps})
	}
	return s
}

func steps(s ...script.Step) []script.Step { return s }

func call(name string, args map[string]any) script.Call {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return script.Call{Name: name, Args: string(raw)}
}
