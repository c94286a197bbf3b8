//go:build linux

package ui_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// BenchmarkTurn100k continues a session of 100,000 messages that was never compressed: on
// the screen, where all of it is there before enter is pressed, and by exec, the first turn,
// which compresses it, and the one behind.
func BenchmarkTurn100k(b *testing.B) {
	conv := SharedFixture(b, 100_000)
	const settings = "model: {provider: custom, base_url: '{{url}}', default: script, context_length: 200000}\n"
	b.Run("screen", func(b *testing.B) {
		for b.Loop() {
			c := conv.Copy(b)
			d, r := measured(b, Options{Home: c.Home, Dir: c.Dir, Args: []string{"--resume", string(c.Session)}, Scenario: answers(on("hi", say("FINANIF"))), Config: settings, Timeout: time.Minute})
			d.WaitFor(Contains("❯ ")).Type("/tree").Press("enter").WaitFor(Contains("Branches of this session")).Press("esc").WaitFor(NotContains("Branches of this session")).WaitIdle()
			before, found := peak(b, d.Pid()), r.expect("FINANIF")
			began := time.Now()
			d.Type("hi").Press("enter")
			b.ReportMetric(within(b, "the answer", found).Sub(began).Seconds(), "s")
			b.ReportMetric(peak(b, d.Pid())-before, "MB-more")
			d.WaitIdle().Press("ctrl+d").Wait()
		}
		b.ReportMetric(1, "target-s")
		b.ReportMetric(150, "target-MB-more")
	})
	c := conv.Copy(b)
	launch := Prepare(b, Options{Home: c.Home, Dir: c.Dir, Scenario: answers(on("hi", say("Hello."))), Config: settings, Bin: Release(b)})
	for _, turn := range []string{"exec", "exec again"} {
		b.Run(turn, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), launch.Bin, "exec", "-c", "hi")
				cmd.Dir, cmd.Env = launch.Dir, launch.Env
				began := time.Now()
				if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "Hello.") {
					b.Fatalf("%v: %s", err, out)
				}
				b.ReportMetric(time.Since(began).Seconds(), "s")
				b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
				b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1000, "MB")
			}
			b.ReportMetric(1, "target-s")
		})
	}
}

// peak is the most memory that a process has had, in MB.
func peak(b *testing.B, pid int) (mb float64) {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(rest, &mb); err != nil {
		b.Fatal(err)
	}
	return mb / 1000
}
