package app

import (
	"slices"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/approval"
)

func texts(list []api.Permission, kind api.PermissionKind) (out []string) {
	for _, p := range list {
		if p.Kind == kind {
			out = append(out, p.Text)
		}
	}
	return out
}

// TestTrust decides on a folder that has nothing to ask about, and takes it back.
func TestTrust(t *testing.T) {
	b := newBox(t)
	_, c := b.begin()
	mine := c.(*conversation)
	for _, yes := range []bool{true, false, true} {
		root, files, err := c.Trust(t.Context(), yes)
		if err != nil || root == "" || len(files) > 0 {
			t.Fatalf("%q, %v, %v", root, files, err)
		}
		list, _, err := c.Permissions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(list, api.PermissionFolder); !slices.Equal(got, []string{root}) || mine.trusted() != yes || c.State().Work.Trusted != yes {
			t.Errorf("%v: %q, trusted %v, shown %v", yes, got, mine.trusted(), c.State().Work.Trusted)
		}
	}
}

func TestPermissions(t *testing.T) {
	b := newBox(t)
	b.config("approvals:\n  deny: [\"terminal(git push *)\"]\n  hosts: [a.example]\n")
	a, c := b.begin()
	a.background.group.Wait() // it deletes old decisions
	now := a.o.IDs.Now().UTC().Truncate(time.Second)
	batch := sessions.Batch{Conv: string(c.ID()), Effects: []sessions.Effect{
		sessions.AddGrant{ID: "g1", Always: true, Kind: "exec", Pattern: "make *", Example: "make all"},
		sessions.AddGrant{ID: "t1", Always: true, Kind: bind.TrustKind, Pattern: "/work", Example: "not trusted", At: now.Add(-time.Hour)},
		sessions.AddGrant{ID: "t2", Always: true, Kind: bind.TrustKind, Pattern: "/work", Example: "trusted", At: now},
		sessions.CallPlanned{ID: "k", Name: "terminal", Arguments: `{"command":"make all"}`},
		sessions.AddDecision{ID: "d1", Call: "k", Tool: "terminal", Digest: "x", Outcome: "allow", By: "grant", Rule: "make *", At: now},
		sessions.AddDecision{ID: "d2", Tool: "patch", Digest: "x", Outcome: "deny", By: "person", Category: "agent_config", At: now.Add(time.Second)},
		sessions.AddDecision{ID: "old", Tool: "patch", Digest: "x", Outcome: "deny", By: "person", At: now.Add(-decisionsKept - time.Hour)},
	}}
	if err := a.db.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	mine := c.(*conversation)
	mine.gate.SetSession(approval.Grant{Kind: "exec", Pattern: "make *"}, true)
	mine.gate.SetSession(approval.Grant{Kind: "exec", Pattern: "npm *", Pins: []approval.Pin{}}, true)
	list, log, err := c.Permissions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[api.PermissionKind][]string{
		api.PermissionSession: {"npm *"}, api.PermissionAlways: {"make *"}, api.PermissionFolder: {"/work"},
		api.PermissionRule: {"deny terminal(git push *)", "connect a.example"}, api.PermissionProject: nil,
	} {
		if got := texts(list, kind); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	grant := list[slices.IndexFunc(list, func(p api.Permission) bool { return p.Text == "make *" })]
	if !grant.Used.Equal(now) || grant.Example != "make all" {
		t.Errorf("%+v", grant)
	}
	if len(log) != 3 || log[0].Subject != "patch" || log[0].Why != "agent config" || log[1].Subject != "make all" || log[1].Why != "make *" {
		t.Errorf("%+v", log)
	}
	for _, p := range list {
		err := c.Revoke(t.Context(), p, false)
		if fixed := p.Kind == api.PermissionRule; (err != nil) != fixed {
			t.Errorf("%s: %v", p.Text, err)
		}
	}
	if left := mine.gate.Session(); len(left) != 0 {
		t.Errorf("still for the session: %q", left)
	}
	if err := c.Revoke(t.Context(), grant, true); err != nil {
		t.Fatal(err)
	}
	closed(t, a)
	a = b.open()
	a.background.group.Wait()
	again, err := a.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, _, err = again.Permissions(t.Context())
	if err != nil || !slices.Equal(texts(list, api.PermissionAlways), []string{"make *"}) || texts(list, api.PermissionFolder) != nil {
		t.Errorf("after leaving: %+v, %v", list, err)
	}
	if all, err := a.db.Decisions(t.Context(), "", 10); err != nil || len(all) != 2 {
		t.Errorf("decisions kept: %+v, %v", all, err)
	}
}
