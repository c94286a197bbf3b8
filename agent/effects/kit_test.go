//go:build linux

package effects_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// kit is what every machine is made from, prepared once.
var kit struct {
	once sync.Once
	dir  string
	bin  string
	skip string // why there are no machines here
	err  error
}

// dangerous are programs that stand-ins replace also where they are installed.
var dangerous = []string{
	"shutdown", "reboot", "poweroff", "halt", "init", "telinit", "timedatectl", "hdparm", "nvme", "fsfreeze", "swapoff", "kexec",
}

// prepare makes the kit, or skips the test where machines are not to be had.
func prepare(t testing.TB) {
	t.Helper()
	if os.Getenv("HERMES_EFFECTS") == "" {
		t.Skip("SKIPPED: set HERMES_EFFECTS to sample or all")
	}
	kit.once.Do(func() {
		kit.dir, kit.err = os.MkdirTemp("", "effects")
		if kit.err != nil {
			return
		}
		if kit.err = os.Chmod(kit.dir, 0o755); kit.err != nil {
			return
		}
		if kit.bin = os.Getenv("HERMES_TUI_BIN"); kit.bin == "" {
			kit.bin = filepath.Join(kit.dir, "hermes-tui")
			cmd := exec.Command("go", "build", "-o", kit.bin, ".")
			cmd.Dir = "../.."
			if out, err := cmd.CombinedOutput(); err != nil {
				kit.err = fmt.Errorf("build: %w: %s", err, out)
				return
			}
		}
		if kit.err = layKit(); kit.err != nil {
			return
		}
		r, err := tryMachine(context.Background(), job{Plain: true, Calls: []toolCall{command("true")}})
		if err != nil || r.Code != 0 {
			kit.skip = fmt.Sprintf("this machine allows no machines of their own: %v %s", err, r.Note)
		}
	})
	if kit.err != nil {
		t.Fatal(kit.err)
	}
	if kit.skip != "" {
		t.Skip("SKIPPED: " + kit.skip)
	}
}

// layKit writes the workspace, the home and a warm build cache.
func layKit() error {
	for dir, files := range map[string]map[string]string{"home": homeFiles(), "ws": workFiles()} {
		for name, text := range files {
			if err := put(filepath.Join(kit.dir, dir, name), text); err != nil {
				return err
			}
		}
	}
	if _, err := exec.LookPath("git"); err == nil {
		script := `set -e; chmod +x evil.sh; git init -q; git add .gitignore a.txt go.mod main.go src README.md; git commit -qm one; git add -A; git reset -q .env; git commit -qm two
git branch other; git init -q --bare ../origin.git; git remote add origin /srv/red/origin.git`
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir = filepath.Join(kit.dir, "ws")
		cmd.Env = append(os.Environ(), "HOME="+filepath.Join(kit.dir, "home"), "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("repository: %w: %s", err, out)
		}
	}
	warm := exec.Command("/bin/sh", "-c", "go vet ./... && go test -count=1 ./...")
	warm.Dir = filepath.Join(kit.dir, "ws")
	warm.Env = append(os.Environ(), "GOCACHE="+filepath.Join(kit.dir, "cache", "go-build"), "GOFLAGS=-mod=mod", "GOPROXY=off", "CGO_ENABLED=0", "GOTOOLCHAIN=local")
	if out, err := warm.CombinedOutput(); err != nil {
		return fmt.Errorf("warm the build cache: %w: %s", err, out)
	}
	return trusted(filepath.Join(kit.dir, "home/.hermes"))
}

// put writes a file; scripts are executable, the home's files private.
func put(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	switch {
	case strings.HasSuffix(name, "/mine"), strings.HasSuffix(name, ".sh"):
		mode = 0o755
	case strings.Contains(name, "/home/."):
		mode = 0o600
	}
	return os.WriteFile(name, []byte(text), mode)
}

// trusted records that the user trusts the workspace.
func trusted(dir string) error {
	ctx := context.Background()
	db, err := sessions.Open(ctx, filepath.Join(dir, "state.db"), sessions.Options{})
	if err != nil {
		return err
	}
	seal, _, err := bind.OpenSeal(ctx, filepath.Join(dir, "grants.key"))
	if err != nil {
		return err
	}
	if err := bind.Trust(db, event.SystemSource(), seal).Decide(ctx, work, true); err != nil {
		return err
	}
	return db.Close()
}

// command is a call of terminal.
func command(text string) toolCall {
	args, _ := json.Marshal(map[string]string{"command": text})
	return toolCall{"terminal", args}
}

// tryMachine does a job in a machine of its own.
func tryMachine(ctx context.Context, j job) (report, error) {
	base, err := os.MkdirTemp(kit.dir, "m")
	if err != nil {
		return report{}, err
	}
	defer os.RemoveAll(base) // the kit goes as a whole
	j.Base, j.Kit = base, kit.dir
	if j.Bin == "" {
		j.Bin = kit.bin
	}
	in, err := json.Marshal(j)
	if err != nil {
		return report{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return report{}, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), roleEnv+"=machine")
	cmd.Stdin, cmd.SysProcAttr = bytes.NewReader(in), namespaces()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return report{}, fmt.Errorf("%w: %s", err, cut(errs.String(), 3000))
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return report{}, fmt.Errorf("report: %w: %s", err, cut(out.String(), 500))
	}
	return r, nil
}

// machines does jobs side by side and returns the reports in their order.
func machines(t testing.TB, jobs []job) []report {
	t.Helper()
	reports := make([]report, len(jobs))
	next := make(chan int)
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for i := range next {
				r, err := tryMachine(t.Context(), jobs[i])
				if err != nil { // on a busy machine one may be killed for want of memory
					t.Logf("tried again, since a machine died: %v", err)
					r, err = tryMachine(t.Context(), jobs[i])
				}
				if err != nil {
					r.Note = strings.TrimSpace(r.Note + " " + err.Error())
				}
				reports[i] = r
			}
		})
	}
	for i := range slices.All(jobs) {
		next <- i
	}
	close(next)
	wait.Wait()
	return reports
}
