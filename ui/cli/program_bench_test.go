package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"hermes-tui/internal/scripttest"
	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// program runs the program as it is released and gives its time.
func program(b *testing.B, home, dir string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), uitest.Release(b), args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return time.Since(began)
}

// report prints the mean and the best of the times of calls.
func report(b *testing.B, target float64, call func() time.Duration) {
	b.Helper()
	best := time.Hour
	for b.Loop() {
		best = min(best, call())
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
	b.ReportMetric(float64(best.Microseconds())/1000, "best-ms")
	b.ReportMetric(target, "target-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkVersion is the start of the program and its end.
func BenchmarkVersion(b *testing.B) {
	home := b.TempDir()
	report(b, 15, func() time.Duration { return program(b, home, home, "--version") })
}

// BenchmarkExec runs a prompt that a model on this machine answers at once.
func BenchmarkExec(b *testing.B) {
	server, err := scripttest.Serve(&script.Scenario{Name: "bench", Rules: []script.Rule{on("hi", say("Hello."))}}, scripttest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	home := b.TempDir()
	work := filepath.Join(home, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		b.Fatal(err)
	}
	run := func() time.Duration {
		return program(b, home, work, "exec", "--provider", "custom", "--base-url", server.URL(), "--model", "script", "hi")
	}
	run() // makes the home
	report(b, 60, run)
}

// BenchmarkBuild builds the program as it is released from nothing, and gives its size.
func BenchmarkBuild(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "hermes-tui")
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "hermes-tui")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOCACHE="+b.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		b.ReportMetric(used.Seconds(), "cpu-s")
	}
	info, err := os.Stat(bin)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s")
	b.ReportMetric(60, "target-s")
	b.ReportMetric(0, "ns/op")
}
