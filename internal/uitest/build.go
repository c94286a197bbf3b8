package uitest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// program and release are what [Build] and [Release] share between the tests of
// a process.
var (
	program built
	release = built{release: true}
)

// built is a program that is built when it is first asked for.
type built struct {
	release bool // as a release is built

	mu   sync.Mutex
	done bool
	bin  string
	err  error
}

func (b *built) get() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.done {
		b.bin, b.err = build(b.release)
		b.done = true
	}
	return b.bin, b.err
}

// remove deletes the program; the next get builds it again.
func (b *built) remove() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bin != "" {
		_ = os.RemoveAll(filepath.Dir(b.bin))
	}
	b.done, b.bin, b.err = false, "", nil
}

// Build gives the path of the built program: HERMES_TUI_BIN if that is set,
// otherwise the outcome of go build, once per test process, with the race
// detector if the test has it. The file is in a temporary folder, which [Main]
// removes.
func Build(t testing.TB) string {
	t.Helper()
	if bin := os.Getenv("HERMES_TUI_BIN"); bin != "" {
		return bin
	}
	bin, err := program.get()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// Release is [Build] for measurements: the program as it is released, without
// symbols, without cgo and without the race detector.
func Release(t testing.TB) string {
	t.Helper()
	if bin := os.Getenv("HERMES_TUI_BIN"); bin != "" {
		return bin
	}
	bin, err := release.get()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

func build(release bool) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "hermes-tui-build-")
	if err != nil {
		return "", fmt.Errorf("build the program: %w", err)
	}
	bin := filepath.Join(dir, "hermes-tui")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	args := []string{"build", "-o", bin}
	switch {
	case release:
		args = append(args, "-trimpath", "-ldflags", "-s -w")
	case raced:
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = root
	if release {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return "", fmt.Errorf("build the program in %s: %w\n%s", root, err, out)
	}
	return bin, nil
}

// moduleRoot is the nearest folder with a go.mod, from the current one up.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("find the module: there is no go.mod above the current folder")
		}
		dir = up
	}
}

// Main runs the tests of a package and removes what [Build], [Release] and
// [SharedFixture] left behind:
//
//	func TestMain(m *testing.M) { os.Exit(uitest.Main(m)) }
//
// The tests wait most of the time; of those that may run in parallel, four do, or as
// many as is given, unless the command line says.
func Main(m *testing.M, parallel ...int) int {
	defer program.remove()
	defer release.remove()
	defer shared.remove()
	heedHangup()
	n := 4
	if len(parallel) > 0 {
		n = parallel[0]
	}
	_ = flag.Set("test.parallel", strconv.Itoa(n))
	return m.Run()
}

// heedHangup makes the programs that are tested die of SIGHUP as they do in a
// terminal, also where the tests were started with nohup: a signal that is ignored
// stays so in programs that are started, one that is caught does not.
func heedHangup() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}
