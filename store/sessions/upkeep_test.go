package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestUpkeep gives space back, indexes again and finds damage.
func TestUpkeep(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	for _, conv := range []string{"a", "b"} {
		begin(t, d, conv)
		long := say(conv, 1)
		long.Messages[0].Content = strings.Repeat(conv+" words of it 日本語のテキスト ", 4_000) + " long text"
		mustCommit(t, d, long)
	}
	sizes, err := d.Sizes(t.Context())
	if err != nil || sizes["a"] < 100_000 || sizes["a"] > 50_000_000 || len(sizes) != 2 {
		t.Errorf("sizes %v, %v", sizes, err)
	}
	if err := d.Delete(t.Context(), "s-a"); err != nil {
		t.Fatal(err)
	}
	before, after, err := d.Vacuum(t.Context())
	if err != nil || after > before*3/4 || after == 0 {
		t.Errorf("vacuum: %d to %d, %v", before, after, err)
	}
	found := func() int {
		t.Helper()
		list, err := d.Search(t.Context(), Search{Text: "long", Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if found() != 1 {
		t.Fatal("not found")
	}
	raw(t, path, "DELETE FROM messages_fts", "DELETE FROM messages_fts_trigram")
	if found() != 0 {
		t.Fatal("found without an index")
	}
	if err := d.Rebuild(t.Context()); err != nil || found() != 1 {
		t.Errorf("after the rebuild %d found, %v", found(), err)
	}
	mustCommit(t, d, say("b", 2)) // the triggers act on the new index
	if list, err := d.Search(t.Context(), Search{Text: "text", Limit: 5}); err != nil || len(list) != 1 {
		t.Errorf("after a new message %v, %v", list, err)
	}
	if list, err := d.Search(t.Context(), Search{Text: "日本語", Limit: 5}); err != nil || len(list) != 1 {
		t.Errorf("by characters %v, %v", list, err)
	}
	if faults, _, err := d.Check(t.Context()); err != nil || len(faults) != 0 {
		t.Errorf("whole: %v, %v", faults, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(make([]byte, 16_000), after/2); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	d = mustOpen(t, path)
	if faults, _, err := d.Check(t.Context()); err == nil && len(faults) == 0 {
		t.Error("the damage was not found")
	}
}

// TestCopyBeforeTablesChange: a database whose tables have to be changed is copied as it
// was, once, and one that only gets more is not.
func TestCopyBeforeTablesChange(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "a")
	mustCommit(t, d, say("a", 1))
	copies := func(want int) []string {
		t.Helper()
		list, err := filepath.Glob(path + ".before-*")
		if err != nil || len(list) != want {
			t.Fatalf("copies %v, %v, want %d", list, err, want)
		}
		return list
	}
	reopen := func(statement string) {
		t.Helper()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		raw(t, path, statement)
		d = mustOpen(t, path)
	}
	reopen("DROP TABLE tui_drafts")
	copies(0)
	reopen("ALTER TABLE sessions DROP COLUMN handoff_error")
	name := copies(1)[0]
	if list := d.Notices(); len(list) != 1 || !strings.Contains(list[0], name) {
		t.Errorf("said: %q", list)
	}
	wantValue(t, name, "SELECT content FROM messages", "text 1")
	wantValue(t, name, "SELECT COUNT(*) FROM pragma_table_info('sessions') WHERE name = 'handoff_error'", "0")
	wantValue(t, path, "SELECT COUNT(*) FROM pragma_table_info('sessions') WHERE name = 'handoff_error'", "1")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	reopen("SELECT 1")
	copies(1)

	mine := path + ".before-mine"
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 4 { // older ones
		old := fmt.Sprintf("%s.before-2020010%d-000000", path, i+1)
		if err := os.WriteFile(old, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2020, 1, i+1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(old, at, at); err != nil {
			t.Fatal(err)
		}
	}
	reopen("ALTER TABLE sessions DROP COLUMN handoff_error")
	list := copies(4)
	if !slices.Contains(list, mine) || !slices.Contains(list, name) || !slices.Contains(list, path+".before-20200104-000000") {
		t.Errorf("kept are %v", list)
	}
	if said := d.Notices(); len(said) != 1 || !strings.Contains(said[0], "the newest 2 are kept, 3 deleted") {
		t.Errorf("said: %q", said)
	}
}
