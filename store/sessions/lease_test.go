package sessions

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLease(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "leases")
	lease, err := Acquire(t.Context(), dir, "c_1")
	if err != nil {
		t.Fatal(err)
	}
	if m := mode(t, dir); m != 0o700 {
		t.Errorf("mode %o", m)
	}
	_, err = Acquire(t.Context(), dir, "c_1")
	held := as[*HeldError](t, err)
	host, _ := os.Hostname()
	if held.Conv != "c_1" || held.PID != os.Getpid() || host != "" && held.Host != host || time.Since(held.Since) > time.Minute {
		t.Errorf("held %+v", held)
	}
	other, err := Acquire(t.Context(), dir, "c_2")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.Release(), lease.Release(), lease.Release()); err != nil {
		t.Error(err)
	}
	lease, err = Acquire(t.Context(), dir, "c_1")
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
}

func TestLeaseRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, conv := range []string{"", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a\x00b", "é", strings.Repeat("x", 129)} {
		if _, err := Acquire(t.Context(), dir, conv); err == nil {
			t.Errorf("%q was taken", conv)
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		t.Errorf("files %v, %v", names, err)
	}
	why := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := Acquire(ctx, dir, "c"); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(t.Context(), file, "c"); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestLeaseEndsWithItsHolder(t *testing.T) {
	dir := t.TempDir()
	cmd, line := startHolder(t, dir, "c")
	if line != "held" {
		t.Fatalf("the holder says %q", line)
	}
	_, err := Acquire(t.Context(), dir, "c")
	if held := as[*HeldError](t, err); held.PID != cmd.Process.Pid || !strings.Contains(held.Error(), "process ") {
		t.Errorf("held %v", held)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the holder ended by itself")
	}
	lease, err := Acquire(t.Context(), dir, "c")
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
}
