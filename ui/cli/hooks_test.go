package cli

import (
	"encoding/json"
	"testing"
)

// TestHooksAlike approves entries by their ids: those that are alike share one, those for other
// tools have their own.
func TestHooksAlike(t *testing.T) {
	t.Parallel()
	b, _ := with(t, on("", say("ok")))
	b.settings(`hooks:
  pre_tool_call:
    - {command: "true", matcher: terminal}
    - {command: "true", matcher: terminal, timeout: 5}
    - {command: "true", matcher: patch}
`)
	list := func() (hooks []struct{ ID, State string }) {
		t.Helper()
		if o := b.run("hooks", "list", "--json"); json.Unmarshal([]byte(o.out), &hooks) != nil || len(hooks) != 3 {
			t.Fatal(o)
		}
		return hooks
	}
	before := list()
	if before[0].ID != before[1].ID || before[0].ID == before[2].ID {
		t.Errorf("%+v", before)
	}
	if o := b.run("hooks", "approve", before[0].ID); o.code != exitOK {
		t.Error(o)
	}
	if l := list(); l[0].State != "new" || l[0].ID != before[2].ID || l[1].State != "approved" || l[2].State != "approved" { // what waits comes first
		t.Errorf("%+v", l)
	}
	if o := b.run("hooks", "approve", ""); o.code != exitUsage {
		t.Error(o)
	}
}
