//go:build unix

package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// again is the registry of the next run of the program, with a place of its own.
func (b *bench) again() *bench {
	b.t.Helper()
	next := &bench{t: b.t, dir: b.dir, env: b.env, ledger: b.ledger, gate: b.gate, told: make(chan struct{}, 1000)}
	var err error
	next.place, err = place.NewLocal(place.Options{Env: b.env, Temp: b.place.Info().Temp})
	if err != nil {
		b.t.Fatal(err)
	}
	next.Jobs = New(next.options(nil))
	next.tool = next.Tool("root")
	b.t.Cleanup(func() {
		if err := next.Close(ceiling(b.t), false); err != nil {
			b.t.Error(err)
		}
	})
	return next
}

func TestKeptJobsGoOn(t *testing.T) {
	b := newBench(t, nil)
	marker := filepath.Join(b.dir, "go")
	id := b.start("echo one; until [ -e go ]; do sleep 0.02; done; echo two; sleep 600", func(s *Spec) { s.Agent = "child"; s.Watch = []string{"one|two"} })
	b.shows(id, "one")
	ended := b.start("true", nil)
	b.ended(ended)
	screen := b.start("echo up; sleep 600", func(s *Spec) { s.Terminal = true })
	b.shows(screen, "up")
	pid := b.find(id).pid
	if err := b.Close(ceiling(t), true); err != nil {
		t.Fatal(err)
	}
	if b.ledger.count() != 1 {
		t.Fatalf("%+v", b.ledger.records)
	}
	next := b.again()
	if err := next.Restore(ceiling(t)); err != nil {
		t.Fatal(err)
	}
	list := next.List()
	if len(list) != 1 || list[0].ID != id || list[0].State != Detached || list[0].PID != pid || list[0].Agent != "child" || !list[0].Started.Equal(b.find(id).started) {
		t.Fatalf("%+v", list)
	}
	next.shows(id, "one")
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	next.shows(id, "two")
	<-next.told
	if list := next.noticed(); len(list) != 1 || list[0].Output != "two" {
		t.Errorf("what was there before was told again: %+v", list)
	}
	if got := next.do(map[string]any{"action": "poll", "session_id": id}); got["status"] != "running" || got["detached"] != true {
		t.Errorf("poll %v", got)
	}
	for _, action := range []string{"write", "submit", "close"} {
		if got := next.do(map[string]any{"action": action, "session_id": id, "data": "x"}); !strings.Contains(fmt.Sprint(got["error"]), "earlier run") {
			t.Errorf("%s: %v", action, got)
		}
	}
	log := next.find(id).log
	began := time.Now()
	if got := next.do(map[string]any{"action": "kill", "session_id": id}); got["status"] != "killed" {
		t.Errorf("kill %v", got)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("took %v", took)
	}
	next.ended(id)
	if _, err := os.Stat(filepath.Dir(log)); err == nil || b.ledger.count() != 0 {
		t.Errorf("log or record are left: %v, %d", err, b.ledger.count())
	}
}

// Two programs that look after the same job both see it, and its end.
func TestTwoInstances(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("echo up; sleep 600", nil)
	b.shows(id, "up")
	if err := b.Close(ceiling(t), true); err != nil {
		t.Fatal(err)
	}
	one, two := b.again(), b.again()
	for _, next := range []*bench{one, two} {
		if err := next.Restore(ceiling(t)); err != nil {
			t.Fatal(err)
		}
		next.shows(id, "up")
	}
	if err := one.Kill(ceiling(t), id); err != nil {
		t.Fatal(err)
	}
	if i := two.ended(id); i.State != Exited || i.Exit != nil {
		t.Errorf("%+v", i)
	}
}

const crashVariable = "HERMES_TEST_CRASH"

// TestCrashing is the program that TestKilledProgram kills.
func TestCrashing(t *testing.T) {
	dir := os.Getenv(crashVariable)
	if dir == "" {
		t.Skip("NOT A TEST: it is started by TestKilledProgram")
	}
	env := []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}
	here, err := place.NewLocal(place.Options{Env: env, Temp: dir})
	if err != nil {
		t.Fatal(err)
	}
	gate := approval.New(approval.Options{Place: here, Home: dir, Workspace: dir})
	jobs := New(Options{Place: here, Ledger: file{filepath.Join(dir, "ledger")}})
	for _, s := range []struct {
		command string
		tty     bool
	}{
		{"echo living; until [ -e go ]; do sleep 0.02; done; echo on; exit 5", false},
		{"echo dying; until [ -e die ]; do sleep 0.02; done; echo last words", false},
		{"trap '' HUP; echo screen; sleep 600", true},
	} {
		p, err := gate.Decide(context.Background(), approval.Request{Tool: "terminal", Mode: approval.ModeOff, Action: tools.Action{
			Kind: tools.ActExec, Command: s.command, Argv: []string{here.Info().Shell, "-c", s.command}, Dir: dir, Env: env,
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jobs.Start(context.Background(), Spec{Permit: p, Agent: "root", Terminal: s.tty}); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("STARTED")
	select {}
}

// file is a ledger in a file.
type file struct{ name string }

func (f file) Save(_ context.Context, records []Record) error {
	data, err := json.Marshal(records)
	if err != nil {
		return err
	}
	return os.WriteFile(f.name, data, 0o600)
}

func (f file) Load(context.Context) (records []Record, err error) {
	data, err := os.ReadFile(f.name)
	if err != nil {
		return nil, err
	}
	return records, json.Unmarshal(data, &records)
}

func TestKilledProgram(t *testing.T) {
	b := newBench(t, nil)
	dir := b.place.Info().Temp
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashing$", "-test.v")
	cmd.Env = append(os.Environ(), crashVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := ""
	for buf := make([]byte, 1000); !strings.Contains(said, "STARTED"); {
		n, err := out.Read(buf)
		if said += string(buf[:n]); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	records, err := file{filepath.Join(dir, "ledger")}.Load(context.Background())
	if err != nil || len(records) != 3 {
		t.Fatalf("%v, %v", records, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "die"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of a job", func() bool {
		text, _ := os.ReadFile(records[1].Log)
		return strings.Contains(string(text), "last words")
	})
	until(t, "the end of a process", func() bool { return zombieOrGone(records[1].PID) })
	until(t, "the end of one with a terminal", func() bool { return zombieOrGone(records[2].PID) })
	b.ledger.records = records
	next := b.again()
	if err := next.Restore(ceiling(t)); err != nil {
		t.Fatal(err)
	}
	states := map[string]State{}
	for _, i := range next.List() {
		states[i.ID] = i.State
	}
	if states[records[0].ID] != Detached || states[records[1].ID] != Lost || states[records[2].ID] != Lost {
		t.Errorf("%v", states)
	}
	lost := map[string]string{}
	for _, n := range next.noticed() {
		if n.Reason == ReasonLost {
			lost[n.ID] = n.Output
		}
	}
	if len(lost) != 2 || lost[records[1].ID] != "dying\nlast words" {
		t.Errorf("%q", lost)
	}
	next.shows(records[0].ID, "living")
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	next.shows(records[0].ID, "on\n")
	if i := next.ended(records[0].ID); i.State != Exited || i.Exit != nil {
		t.Errorf("%+v", i)
	}
	third := b.again()
	if err := third.Restore(ceiling(t)); err != nil || len(third.List()) != 0 || len(third.noticed()) != 0 {
		t.Errorf("it is told again: %v, %v, %v", err, third.List(), third.noticed())
	}
}

// What cannot be found just now stays remembered.
func TestUnreachablePlace(t *testing.T) {
	b := newBench(t, nil)
	b.ledger.records = []Record{{ID: "proc_1", Command: "x", Ref: "somewhere else", Log: "/nowhere"}, {ID: "", Ref: "x"}}
	if err := b.Restore(ceiling(t)); err == nil || !strings.Contains(err.Error(), "proc_1") {
		t.Errorf("%v", err)
	}
	if len(b.List()) != 0 || b.ledger.count() != 1 {
		t.Errorf("%v, %d", b.List(), b.ledger.count())
	}
	b.ledger.fails = errors.New("damaged")
	if err := b.again().Restore(ceiling(t)); !errors.Is(err, b.ledger.fails) {
		t.Errorf("%v", err)
	}
	b.ledger.fails = nil
}

// A job that never stops writing does not fill the disk.
func TestEndlessOutput(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("yes 'some output of a job' & sleep 600", nil)
	log := b.find(id).log
	last, most, emptied := int64(0), int64(0), 0
	until(t, "three times an empty file", func() bool {
		st, err := os.Stat(log)
		if err == nil {
			if st.Size() < last {
				emptied++
			}
			last, most = st.Size(), max(most, st.Size())
		}
		return emptied >= 3
	})
	if most > 4<<30 {
		t.Errorf("%d bytes", most)
	}
	if n := b.find(id).out.size(); n > maxBytes+slack {
		t.Errorf("%d bytes are kept", n)
	}
}

// The file of a job that writes without end stays bounded, and so does memory.
func TestLogIsEmptied(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: writes 200 MB")
	}
	b := newBench(t, nil)
	id := b.start("head -c 200000000 /dev/zero | tr '\\0' 'x'; echo; until [ -e stop ]; do echo end of it; sleep 0.05; done", nil)
	log := b.find(id).log
	most := int64(0)
	until(t, "the end of it", func() bool {
		if st, err := os.Stat(log); err == nil {
			most = max(most, st.Size())
		}
		out, _ := b.Tail(id, 100)
		return strings.Contains(out, "end of it")
	})
	if st, err := os.Stat(log); err != nil || st.Size() >= 200_000_000 {
		t.Errorf("%d bytes, %v", st.Size(), err)
	}
	if n := b.find(id).out.size(); n > maxBytes+slack {
		t.Errorf("%d bytes are kept", n)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "stop"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.ended(id)
	t.Logf("the file had %d MB at most", most>>20)
}

func BenchmarkOutput(b *testing.B) {
	bb := newBench(b, nil)
	b.SetBytes(10 << 20)
	b.ReportAllocs()
	for b.Loop() {
		id := bb.start("head -c 10485760 /dev/zero | tr '\\0' 'x'", nil)
		bb.ended(id)
	}
}

func (w *window) size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.kept)
}

// What a command has left running is a job: it goes on when the session is closed, is found
// again, and ended. When it has ended meanwhile, no one is told.
func TestLeftRunning(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: what left its group is found on Linux only")
	}
	b := newBench(t, nil)
	leave := func() place.Left {
		p, err := b.place.Start(ceiling(t), place.Proc{Argv: []string{"/bin/sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & setsid sleep 601 & sleep 0.1"}, Dir: b.dir, Env: b.env})
		if err != nil {
			t.Fatal(err)
		}
		exit, err := p.Wait()
		if err != nil || exit.Left.Count != 2 {
			t.Fatalf("%+v, %v", exit, err)
		}
		return exit.Left
	}
	left, other := leave(), leave()
	id, err := b.Keep(ceiling(t), "./serve &", b.dir, "root", false, left)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Keep(ceiling(t), "./confined &", b.dir, "root", true, other); err != nil {
		t.Fatal(err)
	}
	if list := b.List(); len(list) != 2 || list[0].State != Detached || list[0].Command != "./serve &" || list[0].PID != left.PID || !list[0].Stays || list[1].Stays || !b.Busy("root") {
		t.Fatalf("%+v", list)
	}
	if err := b.Close(ceiling(t), false); err != nil {
		t.Fatal(err)
	}
	until(t, "what is confined has ended", func() bool { return zombieOrGone(other.PID) })
	if zombieOrGone(left.PID) || b.ledger.count() != 1 {
		t.Fatalf("ended: %v, %d records", zombieOrGone(left.PID), b.ledger.count())
	}
	next, gone := b.again(), b.again()
	if err := next.Restore(ceiling(t)); err != nil {
		t.Fatal(err)
	}
	if list := next.List(); len(list) != 1 || list[0].ID != id || list[0].State != Detached {
		t.Fatalf("%+v", list)
	}
	records := slices.Clone(b.ledger.records)
	if err := next.Kill(ceiling(t), id); err != nil || !zombieOrGone(left.PID) {
		t.Errorf("%v, %v", err, zombieOrGone(left.PID))
	}
	if err := b.ledger.Save(ceiling(t), records); err != nil {
		t.Fatal(err)
	}
	if err := gone.Restore(ceiling(t)); err != nil || len(gone.List()) != 0 || len(gone.noticed()) != 0 {
		t.Errorf("%v: %+v", err, gone.List())
	}
}
