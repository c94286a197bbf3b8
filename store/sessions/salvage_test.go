package sessions

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// crowded is the bytes of a database of 20 sessions of 60 messages, some of them long.
func crowded(t *testing.T) []byte {
	t.Helper()
	path := newPath(t)
	d := mustOpen(t, path)
	for i := range 20 {
		conv := fmt.Sprint("c", i)
		b := Batch{Conv: conv, Session: "s-" + conv, Create: &NewSession{Workspace: "/w", Model: "m", Title: "Talk " + conv}}
		for n := 1; n <= 60; n++ {
			one := say(conv, n)
			one.Messages[0].Content = fmt.Sprintf("word%d of talk%d ", n, i) + strings.Repeat("more text ", n%7*40)
			if n == 30 {
				one.Messages[0].Content += strings.Repeat("very long ", 2000)
			}
			b.Messages, b.Events = append(b.Messages, one.Messages...), append(b.Events, one.Events...)
		}
		mustCommit(t, d, b)
	}
	mustClose(t, d)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// harm writes a database of which a page is overwritten: one that a query names.
func harm(t *testing.T, whole []byte, page string, fill byte) (path string, before []byte) {
	t.Helper()
	path = newPath(t)
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	number := atoi(t, value(t, path, page))
	before = slices.Clone(whole)
	copy(before[4096*(number-1):], bytes.Repeat([]byte{fill}, 4096))
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, before
}

func leafOf(table string) string {
	return "SELECT pageno FROM dbstat WHERE name = '" + table + "' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 3"
}

func rootOf(table string) string {
	return "SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'"
}

// TestSalvage makes a whole database of one that is damaged in each of many places, and
// keeps the damaged one.
func TestSalvage(t *testing.T) {
	whole := crowded(t)
	for name, c := range map[string]struct {
		page string
		most int64 // messages that may be lost
		says string
	}{
		"index of messages":        {leafOf("idx_messages_session"), 0, "No message is missing."},
		"root of that index":       {rootOf("idx_messages_session"), 0, "No message is missing."},
		"own index":                {rootOf("tui_idx_links_conv"), 0, "No message is missing."},
		"leaf of messages":         {leafOf("messages"), 40, "Messages that could not be read"},
		"root of messages":         {rootOf("messages"), 0, "No message is missing."},
		"inner page of messages":   {"SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'internal' ORDER BY pageno DESC LIMIT 1", 0, "No message is missing."},
		"long text":                {"SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'overflow' LIMIT 1", 1, "Messages that could not be read: 1 (1 of 60 in s-c"},
		"leaf of sessions":         {rootOf("sessions"), 0, "No message is missing."},
		"journal":                  {rootOf("tui_journal"), 0, "Transcripts that are made again"},
		"leaf of the journal":      {leafOf("tui_journal"), 0, "Transcripts that are made again"},
		"index of words":           {leafOf("messages_fts_data"), 0, "No message is missing."},
		"root of words":            {rootOf("messages_fts_data"), 0, "No message is missing."},
		"messages of this program": {rootOf("tui_messages"), 0, "Rows of tui_messages could not be read."},
		"links":                    {rootOf("tui_links"), 0, "Rows of tui_links could not be read."},
	} {
		for _, fill := range []byte{0, 0x7e} {
			t.Run(fmt.Sprint(name, " ", fill), func(t *testing.T) {
				t.Parallel()
				path, before := harm(t, whole, c.page, fill)
				faults, _, err := Faults(t.Context(), path)
				if err != nil || len(faults) == 0 {
					t.Fatalf("found %q, %v", faults, err)
				}
				s, err := Salvage(t.Context(), path, Options{Clock: stepClock()})
				if err != nil {
					t.Fatalf("%v (%v)", err, faults)
				}
				if kept, err := os.ReadFile(s.Kept); err != nil || string(kept) != string(before) || mode(t, s.Kept) != 0o600 || mode(t, path) != 0o600 {
					t.Errorf("the damaged one is not kept: %v", err)
				}
				if !strings.Contains(s.Report(), c.says) || !strings.HasSuffix(s.Report(), s.Kept+".") {
					t.Errorf("said %q, want %q", s.Report(), c.says)
				}
				lost := int64(0)
				for _, l := range s.Lost {
					lost += l.Lost
				}
				if s.Messages+lost != 1200 || lost > c.most {
					t.Errorf("%d messages, and %d lost: %s", s.Messages, lost, s.Report())
				}
				if faults, _, err := Faults(t.Context(), path); err != nil || len(faults) > 0 {
					t.Errorf("there are faults: %q, %v", faults, err)
				}
				d := mustOpen(t, path)
				for _, n := range d.Notices() {
					t.Errorf("noticed %q", n)
				}
				found, err := d.Search(t.Context(), Search{Text: "word7", Limit: 30})
				if list, listed := d.List(t.Context(), Filter{}); err != nil || listed != nil || len(found) < 19 || len(list) != 20 {
					t.Errorf("%d found, %v; %d listed, %v", len(found), err, len(list), listed)
				}
				begin(t, d, "new")
				mustCommit(t, d, say("new", 1))
				wantValue(t, path, "SELECT COUNT(*) FROM pragma_foreign_key_check", "0")
				wantValue(t, path, "SELECT seq >= 1201 FROM sqlite_sequence WHERE name = 'messages'", "1")
				if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.new-*")); len(left) > 0 {
					t.Errorf("left %v", left)
				}
			})
		}
	}
}

// TestSalvageLeavesAlone: what can't be salvaged, what is open elsewhere and what is
// stopped stays as it is, and nothing is left beside it.
func TestSalvageLeavesAlone(t *testing.T) {
	same := func(path string, before []byte) {
		t.Helper()
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("it was changed: %v", err)
		}
		left, err := filepath.Glob(path + ".*")
		if err != nil || len(left) > 0 {
			t.Errorf("left %v, %v", left, err)
		}
	}
	whole := crowded(t)
	path, before := harm(t, whole, "SELECT 1", 0x7e)
	_, err := Salvage(t.Context(), path, Options{})
	wantKind(t, err, KindNotDatabase)
	same(path, before)

	path, before = harm(t, whole, leafOf("messages"), 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Salvage(ctx, path, Options{}); err == nil {
		t.Error("a salvage that was stopped went on")
	}
	same(path, before)

	d := mustOpen(t, path)
	if _, err := d.Latest(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	_, err = Salvage(t.Context(), path, Options{})
	wantKind(t, err, KindBusy)
	mustClose(t, d)
	same(path, before)

	_, err = Salvage(t.Context(), filepath.Join(t.TempDir(), "none.db"), Options{})
	if err == nil {
		t.Error("salvaged what is not there")
	}
}

// TestSalvageTakesTheLog reads what a killed program has left in the log.
func TestSalvageTakesTheLog(t *testing.T) {
	path, _ := harm(t, crowded(t), leafOf("idx_messages_session"), 0)
	there := filepath.Join(t.TempDir(), "state.db")
	conn(t, path, func(c *sql.Conn) {
		for _, q := range []string{"PRAGMA journal_mode=WAL", "INSERT INTO state_meta (key, value) VALUES ('kept', 'in the log')"} {
			if _, err := c.ExecContext(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		for _, end := range []string{"", "-wal"} { // as after a kill
			if err := copyFile(there+end, path+end); err != nil {
				t.Fatal(err)
			}
		}
	})
	if !hasLog(there) {
		t.Fatal("there is no log")
	}
	s, err := Salvage(t.Context(), there, Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, there, "SELECT value FROM state_meta WHERE key = 'kept'", "in the log")
	if _, err := os.Stat(s.Kept + "-wal"); err != nil {
		t.Error(err)
	}
}
