package snapshots

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func FuzzJournal(f *testing.F) {
	now := func() time.Time { return time.Unix(1, 0) }
	j, _, _, err := openJournal(f.TempDir(), filepath.Join(f.TempDir(), "j"), now)
	if err != nil {
		f.Fatal(err)
	}
	ref := CallRef{ID: "c", Turn: "t"}
	row := changeRow{Path: "/w/a\xff", Before: State{}, After: State{Kind: File, Mode: 0o644, Size: 3, Hash: Hash{1}}}
	err = j.append(&record{Kind: recBegin, Call: &ref, Tree: true}, &record{Kind: recChanges, Calls: []CallRef{ref}, Changes: []changeRow{row}},
		&record{Kind: recEnd, Call: &ref}, &record{Kind: recRewind, ID: "r", Changes: []changeRow{row}}, &record{Kind: recGo, ID: "r"})
	if err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(j.f.Name())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-5])
	f.Add([]byte("00000000 {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, n, _ := parseJournal(data)
		if n < 0 || n > int64(len(data)) || n > 0 && data[n-1] != '\n' {
			t.Fatalf("%d good bytes of %d", n, len(data))
		}
		h := newHistory(records)
		for path := range h.paths {
			h.net(path, selection{all: true})
			h.last(path)
		}
		again, m, damaged := parseJournal(data[:n])
		if len(again) != len(records) || m != n || damaged > bytes.Count(data, []byte{'\n'}) {
			t.Fatal("reading what is good gives something else")
		}
	})
}

// Journals stay for good, so their form does.
func TestFormOfJournals(t *testing.T) {
	line := `{"n":1,"at":"2030-01-01T00:00:00Z","kind":"changes","calls":[{"id":"c","turn":"t"}],"changes":[` +
		`{"p":{"b64":"/w=="},"b":{},"a":{"k":"file","m":420,"s":3,"h":"0100000000000000000000000000000000000000000000000000000000000000"}},` +
		`{"p":"x","b":{"k":"link","l":"to"},"a":{"k":"file","m":384,"s":9,"u":"too large to keep","t":7},"back":5}]}`
	parse := func(line string) (*record, error) {
		return parseLine(fmt.Appendf(nil, "%08x %s", crc32.ChecksumIEEE([]byte(line)), line))
	}
	r, err := parse(line)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.line()
	if err != nil {
		t.Fatal(err)
	}
	want(t, "again", string(again[9:]), line+"\n")
	for _, bad := range []string{`"k":"pipe"`, `"k":"file","h":"01"`, `"k":"file","h":"` + strings.Repeat("x", 64) + `"`} {
		if _, err := parse(`{"n":1,"kind":"changes","changes":[{"p":"x","b":{},"a":{` + bad + `}}]}`); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func FuzzIndex(f *testing.F) {
	join := func(a, b string) string { return strings.TrimSuffix(a, "/") + "/" + b }
	x := newIndex()
	x.set("/w", "a", &entry{state: State{Kind: File, Mode: 0o644, Size: 3, Hash: Hash{1}}, racy: true})
	x.set("/w", "d", &entry{state: State{Kind: Dir}})
	x.set("/w/d", "l", &entry{state: State{Kind: Link, Target: "x"}})
	x.set("/w/d", "s", &entry{skip: skipGit})
	good := encodeIndex(x, "/w", true)
	f.Add(good)
	f.Add(good[:len(good)-3])
	var o ops
	o.mark("/w")
	o.enter("/", nil)
	o.set("/", "", nil, &entry{state: State{Kind: Dir}})
	f.Add(o.frame())
	f.Fuzz(func(t *testing.T, data []byte) {
		l := decodeIndex(data, "/w", join)
		if l.good < 0 || l.good > int64(len(data)) {
			t.Fatal(l.good)
		}
		if l.good == 0 {
			return
		}
		again := decodeIndex(encodeIndex(l.index, "/w", l.whole), "/w", join)
		if again.index.files != l.index.files || len(again.index.nodes) != len(l.index.nodes) {
			t.Fatal("written and read it is something else")
		}
	})
}

func TestDamagedFiles(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	f.write("a", "0")
	f.write("b", "0")
	f.call("t1", func() { f.write("a", "1") })
	f.call("t2", func() { f.write("b", "2") })
	f.call("t3", func() { f.write("a", "3") })
	f.ok(f.Close())
	path := filepath.Join(f.o.Dir, "c1", "journal")
	data, err := os.ReadFile(path)
	f.ok(err)
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, line := range lines { // the changes of t1 are damaged, the last line is torn
		if bytes.Contains(line, []byte(`"turn":"t1"`)) && bytes.Contains(line, []byte(`"kind":"changes"`)) {
			lines[i] = bytes.Replace(line, []byte("t1"), []byte("tX"), 1)
		}
	}
	f.ok(os.WriteFile(path, append(bytes.Join(lines, nil), "0badc0de {\"n\":"...), 0o600))
	f.ok(os.WriteFile(filepath.Join(f.o.Dir, "c1", "index"), []byte("not an index"), 0o600))
	f.open()
	p := f.plan("t1", "t2", "t3")
	want(t, "restore", f.names(p.Restore), "a, b")
	for _, i := range p.Restore {
		if f.label(i.Path) == "a" && i.Want.Size != 1 {
			t.Errorf("%+v", i)
		}
	}
	list, err := f.Excluded(ctx)
	f.ok(err)
	if len(list) == 0 || list[0].Count != 1 || !strings.Contains(list[0].Why, "damaged") {
		t.Errorf("excluded: %+v", list)
	}
	f.call("t4", func() { f.write("b", "4") })
	f.reopen()
	want(t, "goes on", f.names(f.plan("t4").Restore), "b")
}

// A journal that ends anywhere is read as far as it goes.
func TestTornJournal(t *testing.T) {
	f := newFixture(t)
	f.write("a", "0")
	f.call("t1", func() { f.write("a", "1") })
	r := f.rewind("t1")
	f.undo(r.ID, Choice{})
	f.ok(f.Close())
	path := filepath.Join(f.o.Dir, "c1", "journal")
	whole, err := os.ReadFile(path)
	f.ok(err)
	ctx := context.Background()
	for n := 0; n <= len(whole); n += 11 {
		f.ok(os.WriteFile(path, whole[:n], 0o600))
		f.open()
		if f.damaged > 0 {
			t.Fatalf("%d bytes: %d damaged lines", n, f.damaged)
		}
		if p, err := f.Pending(ctx); err != nil || p != nil && p.Cut {
			_, err := f.Finish(ctx)
			f.ok(err)
		}
		if p := f.plan("t1"); len(p.Impossible) > 0 {
			t.Fatalf("%d bytes: %s", n, describe(p.Impossible))
		}
		f.call("t2", func() { f.write("a", "1") })
		f.ok(f.Close())
	}
	f.open()
}

// A content that is damaged on the disk is listed, not restored.
func TestDamagedContent(t *testing.T) {
	f := newFixture(t)
	text := strings.Repeat("before ", 1000)
	f.write("a", text)
	f.call("t1", func() { f.write("a", "1") })
	f.ok(f.Close())
	packs, err := filepath.Glob(filepath.Join(f.o.Dir, "*", "*"+packEnd))
	f.ok(err)
	more, err := filepath.Glob(filepath.Join(f.o.Dir, "*", "*", "*"+packEnd))
	f.ok(err)
	for _, p := range append(packs, more...) {
		data, err := os.ReadFile(p)
		f.ok(err)
		for i := range data {
			data[i] ^= 0x55
		}
		f.ok(os.WriteFile(p, data, 0o600))
	}
	f.open()
	before := f.tree()
	r := f.apply(f.plan("t1"), Choice{})
	if len(r.Left) != 1 || !strings.Contains(r.Left[0].Why, "not kept") {
		t.Errorf("%+v", r)
	}
	want(t, "tree", f.tree(), before)
}

func TestDiff(t *testing.T) {
	f := newFixture(t)
	f.write("text", "one\ntwo\nthree\n")
	f.write("gone", "x\n")
	f.write("bin", "a\x00b")
	f.write("mode", "m")
	f.write("large", strings.Repeat("line\n", 1000))
	f.link("text", "link")
	list := f.call("t1", func() {
		f.write("text", "one\n2\nthree\nfour\n")
		f.remove("gone")
		f.write("bin", "a\x00c")
		f.writeMode("mode", "m", 0o755)
		f.write("large", "short")
		f.remove("link")
		f.link("bin", "link")
		f.write("made", "new\n")
	})
	d, err := f.Diff(context.Background(), list, DiffLimits{File: 2000})
	f.ok(err)
	want(t, "diff", d.Text, `diff --git a/bin b/bin
Binary file changed
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/large b/large
File changed; it is too large to compare
diff --git a/link b/link
--- a/link
+++ b/link
@@ -1 +1 @@
-text
\ No newline at end of file
+bin
\ No newline at end of file
diff --git a/made b/made
new file mode 100644
--- /dev/null
+++ b/made
@@ -0,0 +1 @@
+new
diff --git a/mode b/mode
old mode 100644
new mode 100755
diff --git a/text b/text
--- a/text
+++ b/text
@@ -1,3 +1,4 @@
 one
-two
+2
 three
+four
`)
	for _, file := range d.Files {
		if file.Name == "text" && (file.Added != 2 || file.Removed != 1) {
			t.Errorf("%+v", file)
		}
	}
	d, err = f.Diff(context.Background(), list, DiffLimits{Text: 100})
	f.ok(err)
	if d.Omitted != 6 || len(d.Text) > 100 || len(d.Files) != 7 {
		t.Errorf("omitted %d, %d bytes", d.Omitted, len(d.Text))
	}
}
