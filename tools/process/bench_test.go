//go:build unix

package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

func TestMain(m *testing.M) {
	if handled, code := place.SandboxMain(os.Args); handled {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

// bench has a real place and a real gate.
type bench struct {
	*Jobs
	t      testing.TB
	place  *place.Local
	gate   *approval.Gate
	ledger *memory
	tool   tools.Tool
	dir    string
	env    []string

	mu      sync.Mutex
	now     time.Time // zero: the real time
	notices []Notice
	changes int
	told    chan struct{}
}

func newBench(t testing.TB, change func(*Options)) *bench {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: filepath.Join(base, "app"), ledger: &memory{}, told: make(chan struct{}, 1000)}
	for _, d := range []string{"app", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.env = []string{"HOME=" + filepath.Join(base, "home"), "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TERM=dumb"}
	b.place, err = place.NewLocal(place.Options{Env: b.env, Temp: filepath.Join(base, "tmp")})
	if err != nil {
		t.Fatal(err)
	}
	b.gate = approval.New(approval.Options{Place: b.place, Home: filepath.Join(base, "home"), Workspace: b.dir})
	b.Jobs = New(b.options(change))
	b.tool = b.Tool("root")
	t.Cleanup(func() {
		if err := b.Close(ceiling(t), false); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) options(change func(*Options)) Options {
	o := Options{
		Place: b.place, Ledger: b.ledger, Now: b.clock,
		Notify: func(n Notice) {
			b.mu.Lock()
			b.notices = append(b.notices, n)
			b.mu.Unlock()
			b.told <- struct{}{}
		},
		Changed: func() {
			b.mu.Lock()
			b.changes++
			b.mu.Unlock()
		},
	}
	if change != nil {
		change(&o)
	}
	return o
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now.IsZero() {
		return time.Now()
	}
	return b.now
}

func (b *bench) pass(by time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(by)
}

// ceiling is a context that ends when something hangs.
func ceiling(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func (b *bench) permit(command string) approval.Permit {
	b.t.Helper()
	p, err := b.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Mode: approval.ModeOff, Action: tools.Action{
		Kind: tools.ActExec, Command: command, Argv: []string{b.place.Info().Shell, "--norc", "-c", command}, Dir: b.dir, Env: b.env, Background: true,
	}})
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bench) start(command string, change func(*Spec)) string {
	b.t.Helper()
	s := Spec{Permit: b.permit(command), Agent: "root"}
	if change != nil {
		change(&s)
	}
	got, err := b.Start(context.Background(), s)
	if err != nil {
		b.t.Fatalf("%s: %v", command, err)
	}
	return got.ID
}

// until waits for a condition.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx := ceiling(t)
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s did not come about", what)
		}
	}
}

func (b *bench) shows(id, text string) {
	b.t.Helper()
	until(b.t, fmt.Sprintf("output %q", text), func() bool {
		out, _ := b.Tail(id, 1<<20)
		return strings.Contains(out, text)
	})
}

func (b *bench) ended(id string) Info {
	b.t.Helper()
	job := b.find(id)
	if job == nil {
		b.t.Fatalf("no job %s", id)
	}
	if err := await(ceiling(b.t), job.over); err != nil {
		b.t.Fatalf("%s has not ended", id)
	}
	return job.info()
}

// call makes a call of the process tool, with the answer to what the gate may ask.
func (b *bench) call(answer tools.Choice, args map[string]any) (map[string]any, tools.Result, *person) {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	who := &person{choice: answer}
	c := tools.Call{ID: "1", Name: "process", Args: raw}
	action, err := b.tool.Action(raw)
	if err != nil {
		return map[string]any{"error": err.Error()}, tools.Result{Status: tools.StatusFailed}, who
	}
	if action.Kind != "" {
		permit, err := b.gate.Decide(context.Background(), approval.Request{Tool: "terminal", Action: action, Mode: approval.ModeManual, Host: who})
		if err != nil {
			return map[string]any{"denied": err.Error()}, tools.Result{Status: tools.StatusDenied}, who
		}
		c.Permit = permit
	}
	_ = b.tool.Preview(raw)
	res, err := b.tool.Run(ceiling(b.t), c, who, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	got := map[string]any{}
	if err := json.Unmarshal([]byte(res.Content), &got); err != nil {
		b.t.Fatalf("%s: %v", res.Content, err)
	}
	return got, res, who
}

// do makes a call about which no one may be asked.
func (b *bench) do(args map[string]any) map[string]any {
	b.t.Helper()
	got, _, who := b.call(tools.ChoiceDeny, args)
	if who.asked != nil {
		b.t.Errorf("%v: %q was asked", args, who.asked.Text)
	}
	return got
}

// person answers approvals.
type person struct {
	choice tools.Choice
	asked  *tools.Approval
}

func (p *person) Ask(_ context.Context, q tools.Question) (tools.Answer, error) {
	p.asked = q.Approval
	return tools.Answer{Choice: p.choice}, nil
}

func (p *person) Invoke(context.Context, tools.Call) tools.Result { return tools.Result{} }

// memory is a ledger.
type memory struct {
	mu      sync.Mutex
	records []Record
	fails   error
}

func (m *memory) Save(_ context.Context, records []Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	data, err := json.Marshal(records) // as it would be kept
	if err != nil {
		return err
	}
	m.records = nil
	return json.Unmarshal(data, &m.records)
}

func (m *memory) Load(context.Context) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.records, m.fails
}

func (m *memory) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.records)
}
