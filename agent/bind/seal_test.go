package bind_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/bind"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

// seal is the key beside a database.
func seal(t *testing.T, db string) bind.Seal {
	t.Helper()
	s, _, err := bind.OpenSeal(t.Context(), filepath.Join(filepath.Dir(db), "grants.key"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What is written into the database without the key counts for nothing, neither new
// rows nor changed ones, nor ones that were taken back.
func TestPermissionsAreSealed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.db")
	db, key := open(t, file), seal(t, file)
	grants, trust := bind.Grants(db, ticking(), key), bind.Trust(db, ticking(), key)
	given := approval.Grant{Kind: tools.ActExec, Pattern: "npm * (outside)", Example: "npm ci", At: time.Unix(1_700_000_000, 123_456_789),
		Pins: []approval.Pin{{File: "/w/package.json", Content: "sha256:ab"}}}
	if err := grants.Add(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Grants(t.Context(), "")
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	counts := func(want int) {
		t.Helper()
		if list, err := bind.Grants(open(t, file), ticking(), seal(t, file)).List(t.Context()); err != nil || len(list) != want {
			t.Errorf("%d permissions count, want %d: %+v, %v", len(list), want, list, err)
		}
	}
	put := func(g sessions.AddGrant) {
		t.Helper()
		g.Always = true
		if err := db.Commit(context.Background(), sessions.Batch{Effects: []sessions.Effect{g}}); err != nil {
			t.Fatal(err)
		}
	}
	counts(1)
	mac := rows[0].MAC
	row := sessions.AddGrant{ID: rows[0].ID, Kind: rows[0].Kind, Pattern: rows[0].Pattern, Example: rows[0].Example, At: rows[0].Created, Pins: rows[0].Pins, MAC: mac}
	for name, change := range map[string]func(*sessions.AddGrant){
		"id": func(*sessions.AddGrant) {}, "kind": func(g *sessions.AddGrant) { g.Kind = "write" },
		"pattern": func(g *sessions.AddGrant) { g.Pattern = "rm * (outside)" }, "example": func(g *sessions.AddGrant) { g.Example = "x" },
		"time": func(g *sessions.AddGrant) { g.At = g.At.Add(time.Minute) }, "mac": func(g *sessions.AddGrant) { g.MAC = "" },
		"pins": func(g *sessions.AddGrant) { g.Pins = strings.ReplaceAll(g.Pins, "ab", "cd") }, "no pins": func(g *sessions.AddGrant) { g.Pins = "" },
		"swapped": func(g *sessions.AddGrant) { g.Pattern, g.Example = g.Example, g.Pattern },
		"moved":   func(g *sessions.AddGrant) { g.Pattern, g.Example = g.Pattern+g.Example, "" },
	} {
		forged := row
		forged.ID = "forged-" + name
		change(&forged)
		put(forged)
	}
	counts(1)
	if list, err := grants.List(t.Context()); err != nil || !slices.Equal(list[0].Pins, given.Pins) {
		t.Errorf("%+v, %v", list, err)
	}
	elsewhere := filepath.Join(t.TempDir(), "state.db") // beside another key
	other, copied := open(t, elsewhere), row
	copied.Always = true
	if err := other.Commit(t.Context(), sessions.Batch{Effects: []sessions.Effect{copied}}); err != nil {
		t.Fatal(err)
	}
	if list, err := bind.Grants(other, ticking(), seal(t, elsewhere)).List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("copied from another folder: %+v, %v", list, err)
	}
	put(sessions.AddGrant{ID: "t", Kind: bind.TrustKind, Pattern: "/w", Example: "trusted", MAC: mac})
	if decided, yes, err := trust.Trusted(t.Context(), "/w"); decided || yes || err != nil {
		t.Errorf("a forged decision on a folder counts: %v %v %v", decided, yes, err)
	}
	commit := func(e sessions.Effect) {
		t.Helper()
		if err := db.Commit(context.Background(), sessions.Batch{Effects: []sessions.Effect{e}}); err != nil {
			t.Fatal(err)
		}
	}
	commit(key.Revoke(rows[0], false))
	counts(0)
	revoked := key.Revoke(rows[0], false)
	revoked.Undo = true // the row alone, without the key
	commit(revoked)
	counts(0)
	commit(key.Revoke(rows[0], true))
	counts(1)
}

// The key is made once, for this user alone; one that is damaged is not used.
func TestSealKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "grants.key")
	_, made, err := bind.OpenSeal(t.Context(), file)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	st, err := os.Stat(file)
	if err != nil || st.Mode().Perm() != 0o600 || st.Size() != 32 {
		t.Errorf("%v %v", st, err)
	}
	if _, made, err = bind.OpenSeal(t.Context(), file); err != nil || made {
		t.Errorf("made again: %v, %v", made, err)
	}
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err = bind.OpenSeal(t.Context(), file); err == nil {
		t.Error("a damaged key was used")
	}
}
