package snapshots

import (
	"context"
	"testing"
)

// TestBetween compares where two conversations have left the files of one workspace, the
// other one's as it left them, though that was put back since.
func TestBetween(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	f.write("both", "base\n")
	f.write("mine", "base\n")
	f.write("theirs", "base\n")
	f.write("same", "base\n")
	o := f.o
	o.Conv = "c2"
	k, err := Open(ctx, o)
	f.ok(err)
	defer func() { f.ok(k.Close()) }()
	other := &fixture{t: t, Keeper: k, o: o, root: f.root}
	other.call("t1", func() {
		f.write("both", "theirs\n")
		f.write("theirs", "theirs\n")
		f.write("same", "alike\n")
		f.write("new", "made\n")
	}, "both", "theirs", "same", "new")
	other.rewind("t1")
	mine := f.call("t1", func() {
		f.write("both", "mine\n")
		f.write("mine", "mine\n")
		f.write("same", "alike\n")
	}, "both", "mine", "same")
	theirs, err := k.Changes(ctx, Filter{Turns: []string{"t1"}, Undone: true})
	f.ok(err)
	d, err := f.Between(ctx, mine, k, theirs, DiffLimits{})
	f.ok(err)
	want(t, "diff", d.Text, `diff --git a/both b/both
--- a/both
+++ b/both
@@ -1 +1 @@
-mine
+theirs
diff --git a/mine b/mine
--- a/mine
+++ b/mine
@@ -1 +1 @@
-mine
+base
diff --git a/new b/new
new file mode 100644
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+made
diff --git a/theirs b/theirs
--- a/theirs
+++ b/theirs
@@ -1 +1 @@
-base
+theirs
`)
	d, err = f.Between(ctx, mine, nil, nil, DiffLimits{})
	if f.ok(err); len(d.Files) != 3 {
		t.Errorf("beside nothing: %+v", d.Files)
	}
}
