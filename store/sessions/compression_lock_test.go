package sessions

import (
	"testing"
	"time"
)

// TestLockCompression has one program at a time compress a session, the reference among
// them, until its time is over.
func TestLockCompression(t *testing.T) {
	path, now := newPath(t), epoch
	d := openWith(t, path, Options{Clock: func() time.Time { return now }})
	begin(t, d, "c")
	lock := func(holder string, want bool) {
		t.Helper()
		if taken, err := d.LockCompression(t.Context(), "s-c", holder); err != nil || taken != want {
			t.Errorf("%s: %v, %v", holder, taken, err)
		}
	}
	lock("a", true)
	lock("a", true)
	lock("b", false)
	now = now.Add(compressionLock - time.Second)
	lock("b", false)
	now = now.Add(time.Second)
	lock("b", true)
	lock("a", false)
	for _, holder := range []string{"a", "b"} {
		if err := d.UnlockCompression(t.Context(), "s-c", holder); err != nil {
			t.Fatal(err)
		}
		lock("c", holder == "b")
	}
	raw(t, path, "UPDATE compression_locks SET holder = 'the reference'")
	lock("c", false)
}
