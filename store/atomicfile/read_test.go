package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRead reads what is a file, and no more of it than the limit.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := Put(name, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	data, info, err := Read(name, 10)
	if err != nil || string(data) != "0123456789" || info.Size() != 10 {
		t.Errorf("%q, %v, %v", data, info, err)
	}
	data, _, err = Read(name, 4)
	if large, ok := errors.AsType[*LargeError](err); !ok || large.Limit != 4 || string(data) != "0123" {
		t.Errorf("%q, %v", data, err)
	}
	if _, _, err := Read(dir, 4); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err := Read(name+"-", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	for limit, want := range map[int64]string{4 << 10: "it is larger than 4 KB", 16 << 20: "it is larger than 16 MB"} {
		if got := (&LargeError{limit}).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if now, err := os.Stat(name); err != nil || !Unchanged(info, now) || Unchanged(nil, now) {
		t.Errorf("the file has changed: %v", err)
	}
	if err := Put(name, []byte("9876543210"), 0o600); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(name); err != nil || Unchanged(info, now) {
		t.Errorf("the file has not changed: %v", err)
	}
}

// TestAppend adds lines behind what a killed program has left of one, and to files alone.
func TestAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lines")
	for _, step := range []struct{ before, want string }{
		{"", "new\n"}, {"one\n", "one\nnew\n"}, {"one\ntw", "one\ntw\nnew\n"},
	} {
		if step.before != "" {
			if err := Put(name, []byte(step.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := Append(name, []byte("new\n")); err != nil {
			t.Fatal(err)
		}
		if data, _, err := Read(name, 100); err != nil || string(data) != step.want {
			t.Errorf("%q, %v, want %q", data, err, step.want)
		}
	}
	if err := Append(filepath.Dir(name), []byte("x\n")); !errors.Is(err, ErrNotRegular) {
		t.Errorf("to a folder: %v", err)
	}
}
