package place

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestSocketMadeLater: a confined process that waits for a service to be started meets none in a
// hidden folder, however often it tries.
func TestSocketMadeLater(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no python3")
	}
	base, work := tempDir(t), tempDir(t)
	folder := filepath.Join(base, "user")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	g, err := NewGuarded(t.Context(), newLocal(t), GuardedOptions{Roots: []string{work}, Hidden: []string{folder}})
	if err != nil {
		t.Skip("SKIPPED:", err)
	}
	t.Cleanup(func() { _ = g.Close() })
	if !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	script := `
import socket, os, time
open("began", "w").close()
while not os.path.exists("stop"):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect("` + folder + `/agent"); open("met", "w").close()
    except OSError:
        pass
    s.close()
    open("tries", "a").write("x")
`
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := g.Start(ctx, Proc{Argv: []string{python, "-c", script}, Dir: work, Env: os.Environ(), Confine: &Confine{}})
	if err != nil {
		t.Fatal(err)
	}
	tries := func() int64 { st, err := os.Stat(filepath.Join(work, "tries")); return sizeOf(st, err) }
	await := func(n int64) {
		for tries() < n && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	await(1)
	l, err := net.Listen("unix", filepath.Join(folder, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	await(tries() + 50)
	write(t, filepath.Join(work, "stop"), "")
	if exit, err := p.Wait(); err != nil || exit.Code != 0 {
		t.Errorf("%+v, %v", exit, err)
	}
	if _, err := os.Stat(filepath.Join(work, "met")); err == nil {
		t.Error("it met the service")
	}
}

func sizeOf(st os.FileInfo, err error) int64 {
	if err != nil {
		return 0
	}
	return st.Size()
}
