//go:build unix

package place

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// hostileNames are names that something on the way might take apart.
func hostileNames() []string {
	var all []byte
	for c := 1; c < 256; c++ {
		if c != '/' {
			all = append(all, byte(c))
		}
	}
	list := []string{
		"plain", "with  space", " led", "trailed ", "new\nline", "trailing\n", "\n", "\nled", "quote'\"", "'", "-dash", "--", "*", "?[a-z]",
		"$(exit 9)`exit 9`", `back\n\\`, ";&|<>", "tab\t", "\xff\xfe", "\x81\x88\x82\x83", "é⚡", "~", "#", "!", "...", ".hidden", "x\r",
		"a=b", "%s%d", strings.Repeat("n", 255), "-n", "\x1e", "{a,b}", "(x)",
	}
	for chunk := range slices.Chunk(all, 100) {
		list = append(list, string(chunk))
	}
	return list
}

func placeHostileNames(t *testing.T, p Place) {
	dir, f := scratch(t, p), p.FS()
	var want []string
	for _, name := range hostileNames() {
		full := dir + "/" + name
		put(t, p, full, "in "+name)
		want = append(want, name)
		if got := get(t, p, full); got != "in "+name {
			t.Errorf("%q reads %q", name, got)
		}
		for _, stat := range []func(string) (fs.FileInfo, error){f.Stat, f.Lstat} {
			st, err := stat(full)
			if err != nil || st.Name() != name || st.Size() != int64(len("in "+name)) || st.Mode() != 0o644 {
				t.Errorf("%q: stat %v, %v", name, st, err)
			}
		}
		if got, err := f.Resolve(full); err != nil || got != full {
			t.Errorf("%q resolves to %q, %v", name, got, err)
		}
	}
	list, err := f.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
		if info, err := e.Info(); err != nil || info.Size() != int64(len("in "+e.Name())) || !e.Type().IsRegular() {
			t.Errorf("%q: entry %v, %v", e.Name(), info, err)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("listed %q\nwant   %q", got, want)
	}
	for _, name := range want {
		full := dir + "/" + name
		if err := f.Rename(full, dir+"/moved"); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if err := f.Symlink(name, full); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if to, err := f.Readlink(full); err != nil || to != name {
			t.Errorf("%q leads to %q, %v", name, to, err)
		}
		for _, gone := range []string{full, dir + "/moved"} {
			if err := f.Remove(gone); err != nil {
				t.Errorf("%q: %v", gone, err)
			}
		}
	}
}

func placeHostileDirectories(t *testing.T, p Place) {
	dir, f := scratch(t, p), p.FS()
	for _, name := range hostileNames() {
		full := dir + "/" + name
		made, err := f.MkdirAll(full+"/sub", 0o755)
		if err != nil || !slices.Equal(made, []string{full, full + "/sub"}) {
			t.Errorf("%q: made %q, %v", name, made, err)
			continue
		}
		put(t, p, full+"/sub/f", name)
		if err := f.Symlink("sub", full+"/to"); err != nil {
			t.Error(err)
		}
		if got, err := f.Resolve(full + "/to/f"); err != nil || got != full+"/sub/f" {
			t.Errorf("%q resolves to %q, %v", name, got, err)
		}
		if got := get(t, p, full+"/to/f"); got != name {
			t.Errorf("%q reads %q", name, got)
		}
		list, err := f.ReadDir(full)
		if err != nil || len(list) != 2 || list[0].Name() != "sub" || !list[0].IsDir() || list[1].Type() != fs.ModeSymlink {
			t.Errorf("%q: %v, %v", name, list, err)
		}
		var out bytes.Buffer
		proc, err := p.Start(t.Context(), Proc{Argv: []string{"/bin/sh", "-c", "pwd -P; ls"}, Dir: full, Env: testEnv, Stdout: &out})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if _, err := proc.Wait(); err != nil || out.String() != full+"\nsub\nto\n" {
			t.Errorf("%q: a process is in %q, %v", name, out.String(), err)
		}
	}
}

func placeLargeFile(t *testing.T, p Place) {
	data := make([]byte, 5<<20+12345)
	src := rand.NewChaCha8([32]byte{1})
	_, _ = src.Read(data)
	name := scratch(t, p) + "/large"
	put(t, p, name, string(data))
	if got := get(t, p, name); got != string(data) {
		t.Errorf("read %d bytes, want the same %d", len(got), len(data))
	}
	f, err := p.FS().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, r := range [][2]int{{0, 10}, {65530, 20}, {1 << 20, 1 << 20}, {len(data) - 5, 5}, {3, 3 << 20}, {262143, 2}} {
		part := make([]byte, r[1])
		n, err := f.ReadAt(part, int64(r[0]))
		if n != r[1] || err != nil && !errors.Is(err, io.EOF) || !bytes.Equal(part, data[r[0]:r[0]+r[1]]) {
			t.Errorf("at %d: %d bytes, %v", r[0], n, err)
		}
	}
	part := make([]byte, 10)
	if n, err := f.ReadAt(part, int64(len(data)-3)); n != 3 || !errors.Is(err, io.EOF) {
		t.Errorf("across the end: %d, %v", n, err)
	}
	if n, err := f.ReadAt(part, int64(len(data)+100000)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %d, %v", n, err)
	}
}

func placeFileThatGrows(t *testing.T, p Place) {
	name := scratch(t, p) + "/log"
	put(t, p, name, "one")
	f, err := p.FS().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if data, err := io.ReadAll(f); err != nil || string(data) != "one" {
		t.Fatalf("%q, %v", data, err)
	}
	in(t, p, "printf two >>"+shellWord(name), nil)
	if data, err := io.ReadAll(f); err != nil || string(data) != "two" {
		t.Errorf("then %q, %v", data, err)
	}
}

func placeRefuses(t *testing.T, p Place) {
	dir, f := scratch(t, p), p.FS()
	in(t, p, "cd "+dir+" && mkdir real full && echo kept >target && : >full/x && ln -s target link && ln -s real linkdir && ln -s loop loop && mkfifo fifo", nil)
	at := func(s string) string { return dir + "/" + s }
	_, statErr := f.Stat(at("none"))
	_, openErr := f.Open(at("none"))
	_, fifoErr := f.Open(at("fifo"))
	_, zeroErr := f.Open("/dev/zero")
	_, listErr := f.ReadDir(at("none"))
	_, notDir := f.ReadDir(at("target"))
	_, below := f.Stat(at("target/x"))
	_, readlink := f.Readlink(at("target"))
	_, noLink := f.Readlink(at("none"))
	_, loop := f.Resolve(at("loop/x"))
	_, belowFile := f.Resolve(at("target/x"))
	_, mkLink := f.MkdirAll(at("linkdir/sub"), 0o755)
	_, mkFile := f.MkdirAll(at("target/sub"), 0o755)
	_, rel := f.Stat("relative")
	cases := []struct {
		what      string
		err, want error
	}{
		{"stat", statErr, fs.ErrNotExist}, {"open", openErr, fs.ErrNotExist}, {"list", listErr, fs.ErrNotExist},
		{"open a pipe", fifoErr, ErrNotRegular}, {"open a device", zeroErr, ErrNotRegular},
		{"list a file", notDir, syscall.ENOTDIR}, {"below a file", below, syscall.ENOTDIR},
		{"readlink of a file", readlink, syscall.EINVAL}, {"readlink of nothing", noLink, fs.ErrNotExist},
		{"loop", loop, errTooManyLinks}, {"resolve below a file", belowFile, syscall.ENOTDIR},
		{"mkdir through a link", mkLink, ErrLink}, {"mkdir below a file", mkFile, nil},
		{"relative", rel, errNotAbsolute},
		{"write a link", f.WriteAtomic(at("link"), []byte("x"), 0o644), ErrLink},
		{"write behind a link", f.WriteAtomic(at("linkdir/new"), []byte("x"), 0o644), ErrLink},
		{"write a directory", f.WriteAtomic(at("real"), []byte("x"), 0o644), ErrNotRegular},
		{"write a pipe", f.WriteAtomic(at("fifo"), []byte("x"), 0o644), ErrNotRegular},
		{"write nowhere", f.WriteAtomic(at("none/new"), []byte("x"), 0o644), fs.ErrNotExist},
		{"write relative", f.WriteAtomic("rel", []byte("x"), 0o644), errNotAbsolute},
		{"write a long name", f.WriteAtomic(at(strings.Repeat("n", 256)), []byte("x"), 0o644), syscall.ENAMETOOLONG},
		{"remove nothing", f.Remove(at("none")), fs.ErrNotExist},
		{"remove a full directory", f.Remove(at("full")), syscall.ENOTEMPTY},
		{"remove behind a link", f.Remove(at("linkdir/x")), ErrLink},
		{"rename onto", f.Rename(at("target"), at("link")), fs.ErrExist},
		{"rename onto a directory", f.Rename(at("target"), at("real")), fs.ErrExist},
		{"rename nothing", f.Rename(at("none"), at("new")), fs.ErrNotExist},
		{"rename behind a link", f.Rename(at("target"), at("linkdir/x")), ErrLink},
		{"link onto", f.Symlink("x", at("target")), fs.ErrExist},
		{"link behind a link", f.Symlink("x", at("linkdir/x")), ErrLink},
	}
	for _, c := range cases {
		var pe *fs.PathError
		if c.err == nil || c.want != nil && !errors.Is(c.err, c.want) || !errors.As(c.err, &pe) {
			t.Errorf("%s: %v (%T), want %v", c.what, c.err, c.err, c.want)
		}
	}
	if out, _ := in(t, p, "cd "+dir+" && ls -A . real full && cat target", nil); out !=
		".:\nfifo\nfull\nlink\nlinkdir\nloop\nreal\ntarget\n\nfull:\nx\n\nreal:\nkept\n" {
		t.Errorf("afterwards:\n%s", out)
	}
}

func placeResolve(t *testing.T, p Place) {
	dir, f := scratch(t, p), p.FS()
	in(t, p, "cd "+dir+" && mkdir -p real/sub other && ln -s real/sub in && ln -s "+dir+"/other abs && ln -s 'real/not yet' dangling && ln -s '*' glob && ln -s ' real//./sub/../sub ' odd", nil)
	cases := map[string]string{
		"real/sub": "real/sub", "in/file": "real/sub/file", "in/..": "real", "abs/x/y": "other/x/y", "dangling": "real/not yet",
		"dangling/x": "real/not yet/x", "missing/../abs/x": "other/x", "./real//sub/": "real/sub", "missing/x/../../real": "real",
		"glob": "*", "odd": " real/sub ",
	}
	for name, want := range cases {
		got, err := f.Resolve(dir + "/" + name)
		if err != nil || got != path.Join(dir, want) && got != dir+"/"+want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
		}
	}
	if got, err := f.Resolve("/../.."); err != nil || got != "/" {
		t.Errorf("above the root: %q, %v", got, err)
	}
}

func placeModes(t *testing.T, p Place) {
	dir, f := scratch(t, p), p.FS()
	for _, mode := range []fs.FileMode{0o644, 0o600, 0o755, 0o666, 0o400, 0o755 | fs.ModeSetuid} {
		if err := f.WriteAtomic(dir+"/f", nil, mode); err != nil {
			t.Fatal(err)
		}
		if st, err := f.Stat(dir + "/f"); err != nil || st.Mode() != mode || st.Size() != 0 {
			t.Errorf("mode %v, %v, want %v", st.Mode(), err, mode)
		}
	}
	made, err := f.MkdirAll(dir+"/a/b", 0o750)
	if err != nil || len(made) != 2 {
		t.Fatalf("made %q, %v", made, err)
	}
	if st, err := f.Stat(dir + "/a/b"); err != nil || st.Mode() != fs.ModeDir|0o750 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if again, err := f.MkdirAll(dir+"/a/b", 0o750); err != nil || len(again) != 0 {
		t.Errorf("again %q, %v", again, err)
	}
	if st, err := f.Stat("/"); err != nil || !st.IsDir() {
		t.Errorf("the root: %v, %v", st, err)
	}
	if list, err := f.ReadDir(dir + "/a/b"); err != nil || len(list) != 0 {
		t.Errorf("an empty directory: %v, %v", list, err)
	}
}

// placeWritesAtomically: a reader must see one version or another, never a mixture or nothing.
func placeWritesAtomically(t *testing.T, p Place) {
	name := scratch(t, p) + "/f"
	version := func(i int) []byte { return bytes.Repeat([]byte{'a' + byte(i%26)}, 200<<10) }
	put(t, p, name, string(version(0)))
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			f, err := p.FS().Open(name)
			if err != nil {
				t.Error(err)
				return
			}
			data, err := io.ReadAll(f)
			_ = f.Close()
			if errors.Is(err, errReplaced) {
				continue
			}
			if err != nil || len(data) != 200<<10 || bytes.Count(data, data[:1]) != len(data) {
				t.Errorf("%d bytes, %v", len(data), err)
			}
		}
	})
	for i := range 30 {
		put(t, p, name, string(version(i)))
	}
	close(stop)
	reader.Wait()
}

func placeConcurrentUse(t *testing.T, p Place) {
	dir := scratch(t, p)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := dir + "/" + string(rune('a'+i))
			for range 5 {
				text := strings.Repeat(name, 100)
				if err := p.FS().WriteAtomic(name, []byte(text), 0o600); err != nil {
					t.Error(err)
					return
				}
				if got := get(t, p, name); got != text {
					t.Errorf("%s: %d bytes", name, len(got))
				}
			}
		})
	}
	all.Wait()
}
