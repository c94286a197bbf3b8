//go:build unix

package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

func TestLife(t *testing.T) {
	b := newBench(t, nil)
	id := b.start(`printf 'begun\n'; read x; echo "got $x"; exit 3`, nil)
	if !strings.HasPrefix(id, "proc_") || len(id) != len("proc_")+12 {
		t.Errorf("id %q", id)
	}
	b.shows(id, "begun")
	if got := b.do(map[string]any{"action": "poll", "session_id": id}); got["status"] != "running" || got["output_preview"] != "begun" || got["pid"] == 0.0 || got["exit_code"] != nil {
		t.Errorf("poll %v", got)
	}
	list := b.do(map[string]any{"action": "list"})["processes"].([]any)
	if len(list) != 1 {
		t.Fatalf("list %v", list)
	}
	if l := list[0].(map[string]any); l["session_id"] != id || l["cwd"] != b.dir || l["status"] != "running" || l["output_preview"] != "begun" || l["command"] == "" || l["agent"] != nil {
		t.Errorf("list %v", l)
	}
	if b.ledger.count() != 1 {
		t.Errorf("%d records", b.ledger.count())
	}
	if got := b.do(map[string]any{"action": "submit", "session_id": id, "data": "word"}); got["status"] != "ok" {
		t.Errorf("submit %v", got)
	}
	got := b.do(map[string]any{"action": "wait", "session_id": id})
	if got["status"] != "exited" || got["output"] != "begun\ngot word" || got["exit_code"] != 3.0 || got["completion_reason"] != "exited" || got["termination_source"] != "itself" {
		t.Errorf("wait %v", got)
	}
	b.ended(id)
	if got := b.do(map[string]any{"action": "kill", "session_id": id}); got["status"] != "already_exited" {
		t.Errorf("kill %v", got)
	}
	if b.ledger.count() != 0 {
		t.Errorf("%d records", b.ledger.count())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changes < 2 {
		t.Errorf("%d changes", b.changes)
	}
	if files, _ := os.ReadDir(b.scratch); len(files) != 0 {
		t.Errorf("logs are left: %v", files)
	}
}

func TestPromptOutput(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("echo ready; sleep 60", nil)
	began := time.Now()
	b.shows(id, "ready")
	if took := time.Since(began); took > time.Second {
		t.Errorf("output after %v", took)
	}
	log := b.find(id).log
	if st, err := os.Stat(log); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("log %v, %v", st, err)
	}
	if st, err := os.Stat(filepath.Dir(log)); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("folder %v, %v", st, err)
	}
}

func TestKill(t *testing.T) {
	for name, tty := range map[string]bool{"pipes": false, "terminal": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			id := b.start("trap '' TERM HUP; sleep 600 & echo child $!; setsid sleep 601 & wait; wait", func(s *Spec) { s.Terminal, s.Notify = tty, true })
			b.shows(id, "child ")
			began := time.Now()
			got := b.do(map[string]any{"action": "kill", "session_id": id})
			if took := time.Since(began); took > time.Second {
				t.Errorf("took %v", took)
			}
			if got["status"] != "killed" || got["exit_code"] != -15.0 || got["completion_reason"] != "killed" || got["termination_source"] != "agent" {
				t.Errorf("kill %v", got)
			}
			out, _ := b.Tail(id, 1000)
			var pid int
			if _, err := fmt.Sscanf(out[strings.Index(out, "child "):], "child %d", &pid); err != nil {
				t.Fatal(out, err)
			}
			if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil && zombieOrGone(pid) == false {
				t.Error("its child is alive")
			}
			b.ended(id)
			if len(b.notices) != 0 {
				t.Errorf("the agent was told what it did: %v", b.notices)
			}
			if got := b.do(map[string]any{"action": "kill", "session_id": "proc_nothing"}); got["status"] != "not_found" {
				t.Errorf("kill %v", got)
			}
		})
	}
}

func zombieOrGone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func TestTerminal(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("tty >/dev/null && stty size; printf 'name? '; read n; printf '\\033[1mhello\\033[0m %s\\n10%%\\r100%%\\n' \"$n\"; cat", func(s *Spec) { s.Terminal = true })
	b.shows(id, "name? ")
	if got := b.do(map[string]any{"action": "submit", "session_id": id, "data": "anna"}); got["status"] != "ok" {
		t.Fatalf("submit %v", got)
	}
	b.shows(id, "100%")
	if got := b.do(map[string]any{"action": "close", "session_id": id}); got["status"] != "ok" {
		t.Errorf("close %v", got)
	}
	got := b.do(map[string]any{"action": "wait", "session_id": id})
	if got["status"] != "exited" || got["output"] != "30 120\nname? anna\nhello anna\n100%" {
		t.Errorf("wait %q", got)
	}
}

func TestClosedInputEndsIt(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("cat", nil)
	b.do(map[string]any{"action": "write", "session_id": id, "data": "rm -rf / is only text for cat\nhalf"})
	b.do(map[string]any{"action": "close", "session_id": id})
	got := b.do(map[string]any{"action": "wait", "session_id": id})
	if got["status"] != "exited" || got["output"] != "rm -rf / is only text for cat\nhalf" {
		t.Errorf("wait %v", got)
	}
	if got := b.do(map[string]any{"action": "write", "session_id": id, "data": "x"}); !strings.Contains(fmt.Sprint(got["error"]), "has ended") {
		t.Errorf("write %v", got)
	}
}

func TestWait(t *testing.T) {
	b := newBench(t, func(o *Options) { o.MaxWait = 2 * time.Second })
	id := b.start("sleep 600", nil)
	got := b.do(map[string]any{"action": "wait", "session_id": id, "timeout": 1})
	if got["status"] != "timeout" || got["timeout_note"] != "It is still running after 1 seconds." {
		t.Errorf("wait %v", got)
	}
	got = b.do(map[string]any{"action": "wait", "session_id": id, "timeout": 900})
	if got["status"] != "timeout" || got["timeout_note"] != "Waited 2 seconds instead of 900, which is the most for one call." {
		t.Errorf("wait %v", got)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("stopped"))
	res, err := b.tool.Run(ctx, tools.Call{Args: json.RawMessage(`{"action":"wait","session_id":"` + id + `"}`)}, nil, nil)
	if err != nil || res.Status != tools.StatusCancelled || !strings.Contains(res.Content, `"interrupted"`) {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestLog(t *testing.T) {
	b := newBench(t, nil)
	id := b.start("seq 1 500", nil)
	b.ended(id)
	for _, c := range []struct {
		offset, limit           int
		first, last, lines, now string
	}{
		{0, 0, "301", "500", "200", "lines 301 to 500 of 500"},
		{0, 3, "498", "500", "3", "lines 498 to 500 of 500"},
		{10, 2, "11", "12", "2", "lines 11 to 12 of 500"},
		{499, 5, "500", "500", "1", "lines 500 to 500 of 500"},
		{1, 9999, "2", "500", "499", "lines 2 to 500 of 500"},
		{700, 5, "", "", "1", "no lines"},
	} {
		args := map[string]any{"action": "log", "session_id": id, "offset": c.offset}
		if c.limit > 0 {
			args["limit"] = c.limit
		}
		got := b.do(args)
		lines := strings.Split(got["output"].(string), "\n")
		if lines[0] != c.first || lines[len(lines)-1] != c.last || fmt.Sprint(len(lines)) != c.lines || got["showing"] != c.now || got["total_lines"] != 500.0 {
			t.Errorf("offset %d, limit %d: %d lines from %q to %q, %v of %v", c.offset, c.limit, len(lines), lines[0], lines[len(lines)-1], got["showing"], got["total_lines"])
		}
	}
}

func TestRefusedArguments(t *testing.T) {
	b := newBench(t, nil)
	for _, args := range []map[string]any{
		{"action": "poll"}, {"action": "nonsense", "session_id": "x"}, {"action": "write", "session_id": "x", "data": "y"}, {"action": "submit"},
	} {
		if got := b.do(args); got["error"] == nil {
			t.Errorf("%v: %v", args, got)
		}
	}
	if !json.Valid(b.tool.Parameters) {
		t.Error("bad schema")
	}
	for _, bad := range []string{`nonsense`, `{"action":5}`} {
		_ = b.tool.Preview(json.RawMessage(bad))
		if _, err := b.tool.Action(json.RawMessage(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	for name, permit := range map[string]approval.Permit{"void": {}} {
		if _, err := b.Start(context.Background(), Spec{Permit: permit}); !errors.Is(err, approval.ErrNoPermit) {
			t.Errorf("%s permit: %v", name, err)
		}
	}
	p := b.permit("true")
	b.start("true", func(s *Spec) { s.Permit = p })
	if _, err := b.Start(context.Background(), Spec{Permit: p}); !errors.Is(err, approval.ErrUsedPermit) {
		t.Errorf("used permit: %v", err)
	}
	refusal := errors.New("not ready")
	if _, err := b.Start(context.Background(), Spec{Permit: b.permit("touch ran"), Ready: func(approval.Run) ([]string, error) { return nil, refusal }}); !errors.Is(err, refusal) {
		t.Errorf("not ready: %v", err)
	}
}

func TestMostJobs(t *testing.T) {
	b := newBench(t, nil)
	first := b.start("true", nil)
	b.ended(first)
	for range MaxJobs {
		b.start("sleep 600", nil)
	}
	if b.find(first) != nil {
		t.Error("the job that had ended did not make room")
	}
	if _, err := b.Start(context.Background(), Spec{Permit: b.permit("sleep 600")}); err == nil || !strings.Contains(err.Error(), "64 background jobs are running") {
		t.Errorf("the 65th: %v", err)
	}
	began := time.Now()
	if err := b.Close(ceiling(t), false); err != nil {
		t.Error(err)
	}
	t.Logf("64 jobs were ended in %v", time.Since(began))
	if _, err := b.Start(context.Background(), Spec{Permit: b.permit("true")}); !errors.Is(err, errClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestEndedAreForgotten(t *testing.T) {
	b := newBench(t, nil)
	b.now = time.Unix(1e9, 0)
	id := b.start("exit 127", nil)
	if i := b.ended(id); *i.Exit != 127 || i.State != Exited || b.find(id).reason != ReasonFailedStart {
		t.Errorf("%+v", i)
	}
	b.pass(KeepEnded)
	if len(b.List()) != 1 {
		t.Error("forgotten too early")
	}
	b.pass(time.Second)
	if len(b.List()) != 0 || b.do(map[string]any{"action": "poll", "session_id": id})["status"] != "not_found" {
		t.Error("not forgotten")
	}
}

func TestUnrecordedJobDoesNotRun(t *testing.T) {
	b := newBench(t, nil)
	b.ledger.fails = errors.New("the disk is full")
	_, err := b.Start(context.Background(), Spec{Permit: b.permit("echo $$ > pid; sleep 600"), Notify: true})
	if err == nil || !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(err.Error(), "ended again") {
		t.Errorf("%v", err)
	}
	if len(b.List()) != 0 || len(b.notices) != 0 {
		t.Errorf("%v, %v", b.List(), b.notices)
	}
	b.ledger.fails = nil
}
