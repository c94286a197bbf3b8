//go:build unix

package snapshots

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// plant makes n files of size bytes of text-like data, 50 in a directory.
func plant(b testing.TB, root string, n, size int) {
	b.Helper()
	words := make([]string, 2000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range words {
		words[i] = fmt.Sprintf("word%x ", r.IntN(1<<20))
	}
	data := make([]byte, 0, size+16)
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("d%d/e%d", i/2500, i/50))
		if i%50 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		data = data[:0]
		for len(data) < size {
			data = append(data, words[r.IntN(len(words))]...)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// cpu reports the processor time of an operation: on a busy machine the wall clock
// says little.
func cpu(b *testing.B) func() {
	now := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := now()
	return func() { b.ReportMetric(float64((now()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op") }
}

func benchBaseline(b *testing.B, n, size int) {
	base := b.TempDir()
	root := filepath.Join(base, "work")
	plant(b, root, n, size)
	b.SetBytes(int64(n) * int64(size))
	var kept int64
	defer cpu(b)()
	for i := 0; b.Loop(); i++ {
		k, err := Open(context.Background(), Options{Dir: filepath.Join(base, fmt.Sprint("s", i)), Conv: "c", Files: disk{}, Root: root})
		if err != nil {
			b.Fatal(err)
		}
		if err := k.Warm(context.Background()); err != nil {
			b.Fatal(err)
		}
		kept = k.base.size()
		if err := k.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(kept)/1e6, "MB-kept")
}

func BenchmarkBaseline50kSmall(b *testing.B) { benchBaseline(b, 50_000, 2_000) }
func BenchmarkBaseline500MB(b *testing.B)    { benchBaseline(b, 5_000, 100_000) }

// opened is a Keeper of n files that are no longer racy.
func opened(b *testing.B, n int) (*Keeper, string) {
	base := b.TempDir()
	root := filepath.Join(base, "work")
	plant(b, root, n, 500)
	k, err := Open(context.Background(), Options{Dir: filepath.Join(base, "s"), Conv: "c", Files: disk{}, Root: root,
		Clock: func() time.Time { return time.Now().Add(time.Hour) }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = k.Close() })
	if err := k.Warm(context.Background()); err != nil {
		b.Fatal(err)
	}
	return k, root
}

func BenchmarkWalk50k(b *testing.B) {
	k, _ := opened(b, 50_000)
	b.ReportAllocs()
	defer cpu(b)()
	for b.Loop() {
		if _, err := k.walk(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReopenWarm50k(b *testing.B) {
	k, _ := opened(b, 50_000)
	o := k.opt
	defer cpu(b)()
	for b.Loop() {
		if err := k.Close(); err != nil {
			b.Fatal(err)
		}
		var err error
		if k, err = Open(context.Background(), o); err != nil {
			b.Fatal(err)
		}
		if err := k.Warm(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	if err := k.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchCall(b *testing.B, n int, scoped bool) {
	k, root := opened(b, n)
	ctx := context.Background()
	path := filepath.Join(root, "d0/e0/f0.txt")
	b.ReportAllocs()
	defer cpu(b)()
	for i := 0; b.Loop(); i++ {
		c := Call{ID: fmt.Sprint("call", i), Turn: "t"}
		if scoped {
			c.Paths = []string{path}
		}
		if err := k.Begin(ctx, c); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "version %d", i), 0o644); err != nil {
			b.Fatal(err)
		}
		if list, err := k.End(ctx, c.ID); err != nil || len(list) != 1 {
			b.Fatal(list, err)
		}
	}
}

func BenchmarkCallTree50k(b *testing.B) { benchCall(b, 50_000, false) }
func BenchmarkCallNamed(b *testing.B)   { benchCall(b, 50_000, true) }

func BenchmarkPlanApply100(b *testing.B) {
	k, root := opened(b, 5_000)
	ctx := context.Background()
	defer cpu(b)()
	for i := 0; b.Loop(); i++ {
		id := fmt.Sprint("call", i)
		if err := k.Begin(ctx, Call{ID: id, Turn: id}); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("d0/e%d/f%d.txt", j/50, j)), fmt.Append(nil, i, j), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := k.End(ctx, id); err != nil {
			b.Fatal(err)
		}
		p, err := k.Plan(ctx, Filter{Turns: []string{id}})
		if err != nil || len(p.Restore) != 100 {
			b.Fatal(len(p.Restore), err)
		}
		if r, err := k.Apply(ctx, p, Choice{}); err != nil || len(r.Restored) != 100 {
			b.Fatal(r, err)
		}
	}
}
