package place

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newLocal is this machine with a home and a temporary directory of the test.
func newLocal(t testing.TB) *Local {
	t.Helper()
	l, err := NewLocal(Options{
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "USER=tester"}, Home: t.TempDir(), Temp: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// tempDir is a temporary directory without links in its name.
func tempDir(t testing.TB) string {
	t.Helper()
	return realPath(t.TempDir())
}

func TestInfo(t *testing.T) {
	info := newLocal(t).Info()
	if info.Name != "local" || info.User != "tester" || info.Isolated {
		t.Errorf("info = %+v", info)
	}
	for _, p := range []string{info.Home, info.Temp, info.Shell} {
		if !filepath.IsAbs(p) {
			t.Errorf("%q is not absolute", p)
		}
	}
}

func TestNewLocalLooksUpTheEnvironment(t *testing.T) {
	home, temp := tempDir(t), tempDir(t)
	l, err := NewLocal(Options{Env: []string{
		"HOME=/nowhere", "HOME=" + home, "TMPDIR=" + temp, "LOGNAME=me", "PATH=.:relative:/bin:/usr/bin",
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := l.Info()
	if got.Home != home || got.Temp != temp || got.User != "me" {
		t.Errorf("info = %+v", got)
	}
	if strings.HasPrefix(got.Shell, ".") {
		t.Errorf("shell = %q", got.Shell)
	}
}

func TestNewLocalFallsBackFromABadTemp(t *testing.T) {
	l, err := NewLocal(Options{Home: t.TempDir(), Env: []string{"TMPDIR=/no/such/place"}})
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(l.Info().Temp); err != nil || !st.IsDir() {
		t.Errorf("temp = %q, %v", l.Info().Temp, err)
	}
}

func TestScratchIsPrivate(t *testing.T) {
	l := newLocal(t)
	dir, remove, err := l.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(dir)
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("mode = %v, %v", st.Mode(), err)
	}
	if filepath.Dir(dir) != l.Info().Temp {
		t.Errorf("%q is not in %q", dir, l.Info().Temp)
	}
	other, removeOther, err := l.Scratch()
	if err != nil || other == dir {
		t.Errorf("second = %q, %v", other, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []func() error{remove, remove, removeOther} {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("after remove: %v", err)
	}
}
