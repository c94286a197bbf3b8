package recall

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func cosine(a, b []float32) float64 {
	var dot, x, y float64
	for i := range a {
		dot, x, y = dot+float64(a[i])*float64(b[i]), x+float64(a[i])*float64(a[i]), y+float64(b[i])*float64(b[i])
	}
	return dot / math.Sqrt(x*y)
}

// TestNearest compares the search with cosines of the vectors themselves.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{1, 7, 8, 9, 24, 384, 768, 1024} {
		m := NewMatrix(dims)
		var all [][]float32
		for i := range 9_000 / max(1, dims/8) {
			all = append(all, random(r, dims))
			m.Add(int64(i), all[i])
		}
		query := random(r, dims)
		got := m.Nearest(query, 10)
		exact := make([]float64, len(all))
		for i, v := range all {
			exact[i] = cosine(query, v)
		}
		sorted := slices.Sorted(slices.Values(exact))
		tenth := sorted[len(sorted)-10]
		for i, n := range got {
			if e := exact[n.ID]; math.Abs(n.Score-e) > 0.03 || e < tenth-0.03 || i > 0 && n.Score > got[i-1].Score {
				t.Errorf("%d dimensions: the %dth is %d with %.3f, which has %.3f, the tenth %.3f", dims, i, n.ID, n.Score, e, tenth)
			}
		}
		if len(got) != 10 {
			t.Errorf("%d dimensions: %d found", dims, len(got))
		}
	}
}

// TestExtremes lets the largest numbers meet, and leaves out what has no direction.
func TestExtremes(t *testing.T) {
	m := NewMatrix(768)
	up, down := make([]float32, 768), make([]float32, 768)
	for i := range up {
		up[i], down[i] = math.MaxFloat32, -1e-30
	}
	nan := slices.Clone(up)
	nan[3] = float32(math.NaN())
	for i, v := range [][]float32{up, down, make([]float32, 768), nan, up[:5], {float32(math.Inf(1))}} {
		m.Add(int64(i), v)
	}
	got := m.Nearest(up, 9)
	if len(got) != 2 || got[0].ID != 0 || math.Abs(got[0].Score-1) > 1e-9 || math.Abs(got[1].Score+1) > 1e-9 {
		t.Errorf("found %v", got)
	}
	if got := m.Nearest(make([]float32, 768), 9); got != nil {
		t.Errorf("for nothing: %v", got)
	}
}

// BenchmarkNearest searches 100,000 vectors of 768 numbers.
func BenchmarkNearest(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	m := NewMatrix(768)
	some := make([][]float32, 64)
	for i := range some {
		some[i] = random(r, 768)
	}
	for i := range 100_000 {
		m.Add(int64(i), some[i%64])
	}
	query := random(r, 768)
	for b.Loop() {
		m.Nearest(query, 50)
	}
}
