//go:build linux

package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// tree50k makes 50,000 files in 500 folders.
func (b *bench) tree50k() []string {
	b.Helper()
	paths := make([]string, 0, 50_000)
	for i := range cap(paths) {
		paths = append(paths, b.put(fmt.Sprintf("d%d/sub/f%d", i/100, i), "1"))
	}
	return paths
}

// heap is what is in use, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkStart50k begins to watch 50,000 files of one tree.
func BenchmarkStart50k(b *testing.B) {
	t := newBench(b, 512)
	paths := t.tree50k()
	before := heap()
	var kept uint64
	for b.Loop() {
		set := t.Set()
		for _, p := range paths {
			if !set.Watch(p) {
				b.Fatal("not watched: ", t.warns)
			}
		}
		b.StopTimer()
		kept = heap() - before
		t.ok(set.Close())
		b.StartTimer()
	}
	b.ReportMetric(float64(kept)/(1<<20), "MB")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/op")
}

// BenchmarkEvent50k changes one of 50,000 watched files, and asks what has changed.
func BenchmarkEvent50k(b *testing.B) {
	t := newBench(b, 512)
	paths := t.tree50k()
	for _, p := range paths {
		t.set.Watch(p)
	}
	t.set.Changed()
	for i := 0; b.Loop(); i++ {
		p := paths[i*7919%len(paths)]
		t.ok(os.WriteFile(p, []byte("2"), 0o600))
		if got, all := t.set.Changed(); len(got) != 1 || got[0] != p || all {
			b.Fatalf("%v, %v", got, all)
		}
	}
}

// BenchmarkNoise50k has others write files beside those that are watched.
func BenchmarkNoise50k(b *testing.B) {
	t := newBench(b, 512)
	for _, p := range t.tree50k() {
		t.set.Watch(p)
	}
	t.set.Changed()
	log := filepath.Join(t.dir, "d0", "sub", "log")
	for b.Loop() {
		for range 1000 {
			t.ok(os.WriteFile(log, []byte("2"), 0o600))
		}
		if got, all := t.set.Changed(); len(got) > 0 || all {
			b.Fatalf("%v, %v", got, all)
		}
	}
}
