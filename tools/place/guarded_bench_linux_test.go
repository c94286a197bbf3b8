package place

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkGuardedStart starts processes in a guarded place, confined and plain in turn. It
// reports the lower quartiles of both, and what confined ones take more.
func BenchmarkGuardedStart(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		g, work := newGuarded(b, GuardedOptions{})
		g.inTurn(b, work, nil)
	})
	b.Run("project", func(b *testing.B) {
		o, work := project(b)
		g, _ := newGuarded(b, o)
		g.inTurn(b, work, nil)
	})
	// Something comes and goes among the temporary files, in the home directory and in
	// the workspace between any two starts.
	b.Run("busy", func(b *testing.B) {
		o, work := project(b)
		g, _ := newGuarded(b, o)
		g.inTurn(b, work, func(i int) {
			for _, dir := range []string{"/tmp", filepath.Dir(o.Hidden[0]), work} {
				name := filepath.Join(dir, fmt.Sprint("place-bench-comes-and-goes", i%2))
				if err := os.WriteFile(name, nil, 0o600); err != nil {
					b.Fatal(err)
				}
				if err := os.Remove(name); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// project makes a home directory with hidden paths, a workspace with protected ones
// and a folder for temporary files with very many.
func project(b *testing.B) (o GuardedOptions, work string) {
	home, err := os.MkdirTemp("/var/tmp", "place-bench")
	if err != nil {
		b.Skip("SKIPPED:", err)
	}
	work = filepath.Join(home, "src", "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		b.Fatal(err)
	}
	for i := range 20 {
		name := filepath.Join(home, fmt.Sprint(".secret", i))
		if i%2 == 0 {
			name = filepath.Join(home, ".config", fmt.Sprint("program", i), "key")
		}
		writeDeep(b, name)
		o.Hidden = append(o.Hidden, name)
	}
	slices.Reverse(o.Hidden) // the first lies in home
	for i := range 50 {
		name := filepath.Join(work, fmt.Sprint("rules", i%10), fmt.Sprint("file", i))
		if i%5 > 0 {
			writeDeep(b, name)
		}
		o.ReadOnly = append(o.ReadOnly, name)
	}
	var many []string
	entries, _ := os.ReadDir("/tmp")
	for i := len(entries); i < maxTemp-200; i++ {
		many = append(many, filepath.Join("/tmp", fmt.Sprint("place-bench-", os.Getpid(), "-", i)))
		write(b, many[len(many)-1], "")
	}
	b.Cleanup(func() {
		_ = os.RemoveAll(home)
		for _, name := range many {
			_ = os.Remove(name)
		}
	})
	o.Roots = []string{work}
	return o, work
}

// writeDeep makes a file and the folders that it is in.
func writeDeep(b *testing.B, name string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		b.Fatal(err)
	}
	write(b, name, "x")
}

// inTurn starts a plain and a confined process in each iteration, after between, which may be nil.
func (g *Guarded) inTurn(b *testing.B, work string, between func(i int)) {
	program, err := exec.LookPath("true")
	if err != nil {
		b.Skip("SKIPPED:", err)
	}
	var took [2][]time.Duration
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		for kind, c := range []*Confine{nil, {}} {
			if between != nil {
				between(i)
			}
			i++
			start := time.Now()
			p, err := g.Start(context.Background(), Proc{Argv: []string{program}, Dir: work, Env: testEnv, Confine: c})
			if err != nil {
				b.Fatal(err)
			}
			if exit, err := p.Wait(); err != nil || exit.Code != 0 {
				b.Fatal(exit, err)
			}
			took[kind] = append(took[kind], time.Since(start))
		}
	}
	quartile := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/4].Microseconds())
	}
	plain, confined := quartile(took[0]), quartile(took[1])
	b.ReportMetric(plain, "plain-µs")
	b.ReportMetric(confined, "confined-µs")
	b.ReportMetric(confined-plain, "more-µs")
}

// BenchmarkNewGuarded makes places, which a conversation begins with.
func BenchmarkNewGuarded(b *testing.B) {
	o, _ := project(b)
	for b.Loop() {
		g, err := NewGuarded(context.Background(), newLocal(b), o)
		if err != nil {
			b.Skip("SKIPPED:", err)
		}
		b.StopTimer()
		if err := g.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
