package place

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWriteAtomicKeepsAttributes replaces a file that has extended attributes and an access
// list, and one whose mode is more than reading and writing.
func TestWriteAtomicKeepsAttributes(t *testing.T) {
	name := filepath.Join(tempDir(t), "f")
	write(t, name, "old")
	list := "\x02\x00\x00\x00" + "\x01\x00\x06\x00\xff\xff\xff\xff" + "\x02\x00\x04\x00\x39\x30\x00\x00" + "\x04\x00\x04\x00\xff\xff\xff\xff" + "\x10\x00\x04\x00\xff\xff\xff\xff" + "\x20\x00\x00\x00\xff\xff\xff\xff"
	want := map[string]string{"user.origin": "https://example.com", "user.empty": "", "system.posix_acl_access": list}
	for attribute, value := range want {
		if err := unix.Setxattr(name, attribute, []byte(value), 0); err != nil {
			if attribute != "system.posix_acl_access" {
				t.Skip("SKIPPED: this file system keeps no extended attributes:", err)
			}
			delete(want, attribute)
		}
	}
	st, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"new", "newer"} {
		if err := newLocal(t).FS().WriteAtomic(name, []byte(text), st.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	for attribute, value := range want {
		got := make([]byte, 4096)
		if n, err := unix.Getxattr(name, attribute, got); err != nil || string(got[:n]) != value {
			t.Errorf("%s: %q, %v", attribute, got[:max(n, 0)], err)
		}
	}
	if now, err := os.Stat(name); err != nil || now.Mode() != st.Mode() {
		t.Errorf("mode %v, was %v", now.Mode(), st.Mode())
	}
	if err := newLocal(t).FS().WriteAtomic(name, nil, fs.ModeSetuid|0o755); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(name); err != nil || now.Mode() != fs.ModeSetuid|0o755 {
		t.Errorf("mode %v", now.Mode())
	}
}
