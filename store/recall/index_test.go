package recall

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func newIndex(t testing.TB, path string) *Index {
	t.Helper()
	x, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func doc(source, ref, text string) Doc { return Doc{Key: Key{source, ref}, Text: text, At: now} }

func refs(hits []Hit) (list []string) {
	for _, h := range hits {
		list = append(list, h.Ref)
	}
	return list
}

func search(t testing.TB, x *Index, q Query) []Hit {
	t.Helper()
	q.Now, q.Limit = now, 10
	hits, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// TestSearch brings words, meaning and an order of the caller together, and prefers
// what is newer and was used.
func TestSearch(t *testing.T) {
	x := newIndex(t, filepath.Join(t.TempDir(), "recall.db"))
	memory := []Doc{doc("memory", "db", "The database runs on port 5433"), doc("memory", "tabs", "Indent with tabs"), doc("memory", "cat", "The user's cat is called Minou")}
	if err := x.Put(t.Context(), "memory", memory); err != nil {
		t.Fatal(err)
	}
	if got := refs(search(t, x, Query{Text: `which "port has the database?`})); !slices.Equal(got, []string{"db"}) { // "the" is in all
		t.Errorf("by words: %v", got)
	}
	list, err := x.Without(t.Context(), "m", 10)
	if err != nil || len(list) != 3 {
		t.Fatalf("without vectors: %v, %v", list, err)
	}
	direction := map[string][]float32{"db": {1, 0, 0}, "tabs": {0, 1, 0}, "cat": {0, 0, 1}}
	var vectors [][]float32
	for _, d := range list {
		vectors = append(vectors, direction[d.Ref])
	}
	if err := x.Learn(t.Context(), "m", list, vectors); err != nil {
		t.Fatal(err)
	}
	if err := x.Learn(t.Context(), "m", []Doc{{Key: Key{"message", "7"}, At: now}}, [][]float32{{0, 0.8, 0.6}}); err != nil {
		t.Fatal(err)
	}
	got := search(t, x, Query{Text: "pet", Vector: []float32{0, 0.1, 1}, Model: "m"})
	if !slices.Equal(refs(got), []string{"cat", "7"}) || got[0].Near < 0.9 || got[0].Text == "" || got[1].Text != "" {
		t.Errorf("by meaning: %+v", got)
	}
	if got := refs(search(t, x, Query{Text: "pet", Vector: []float32{0, 0, 1}, Model: "other"})); len(got) > 0 {
		t.Errorf("by vectors of another model: %v", got)
	}
	both := Query{Text: "cat tabs", Vector: []float32{0, 0, 1}, Model: "m", Others: [][]Doc{{doc("message", "7", "said")}}, Sources: []string{"memory"}}
	if got := refs(search(t, x, both)); got[0] != "cat" || len(got) != 3 {
		t.Errorf("together: %v", got)
	}
	memory[0].At, memory[1].Text = now.Add(-400*24*time.Hour), "Indent the database schema with tabs"
	if err := x.Put(t.Context(), "memory", memory[:2]); err != nil {
		t.Fatal(err)
	}
	if got := refs(search(t, x, Query{Text: "database"})); !slices.Equal(got, []string{"tabs", "db"}) {
		t.Errorf("the older one: %v", got)
	}
	memory[0].Uses = 50
	if err := x.Put(t.Context(), "memory", memory[:2]); err != nil {
		t.Fatal(err)
	}
	if got := refs(search(t, x, Query{Text: "database"})); !slices.Equal(got, []string{"db", "tabs"}) {
		t.Errorf("the one that was used: %v", got)
	}
	if list, err := x.Without(t.Context(), "m", 10); err != nil || len(list) != 1 || list[0].Ref != "tabs" {
		t.Errorf("without vectors: %v, %v", list, err)
	}
	if got := refs(search(t, x, Query{Text: "Minou", Vector: []float32{0, 0, 1}, Model: "m"})); !slices.Equal(got, []string{"7"}) {
		t.Errorf("after it is gone: %v", got)
	}
}

// TestDamaged makes a damaged index again.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recall.db")
	if err := os.WriteFile(path, []byte("this is no database, whatever its name says, and long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := newIndex(t, path)
	if err := x.Put(t.Context(), "memory", []Doc{doc("memory", "a", "text")}); err != nil {
		t.Fatal(err)
	}
	if got := refs(search(t, x, Query{Text: "text"})); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// TestTwo lets two instances write and search at once.
func TestTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recall.db")
	var all sync.WaitGroup
	for n := range 2 {
		x := newIndex(t, path)
		all.Go(func() {
			source := fmt.Sprint("s", n)
			var docs []Doc
			for i := range 20 {
				docs = append(docs, doc(source, fmt.Sprint(i), fmt.Sprintf("word%d of %s", i, source)))
				if err := x.Put(t.Context(), source, docs); err != nil {
					t.Error(err)
					return
				}
				if _, err := x.Search(t.Context(), Query{Text: "word3", Vector: []float32{1, 0}, Model: "m", Limit: 5, Now: now}); err != nil {
					t.Error(err)
				}
				if err := x.Learn(t.Context(), "m", docs[i:], [][]float32{{1, 0.01 * float32(i)}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	x := newIndex(t, path)
	if got := search(t, x, Query{Vector: []float32{1, 0}, Model: "m"}); len(got) != 10 {
		t.Errorf("found %v", refs(got))
	}
}

// BenchmarkSearch searches 20,000 texts by words and vectors.
func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x := newIndex(b, filepath.Join(b.TempDir(), "recall.db"))
	var docs []Doc
	var vectors [][]float32
	for i := range 20_000 {
		docs = append(docs, doc("memory", fmt.Sprint(i), fmt.Sprintf("text %d of %d words about %d", i, i%100, i%1000)))
		vectors = append(vectors, random(r, 768))
	}
	if err := x.Put(b.Context(), "memory", docs); err != nil {
		b.Fatal(err)
	}
	if err := x.Learn(b.Context(), "m", docs, vectors); err != nil {
		b.Fatal(err)
	}
	q := Query{Text: "words about 77", Vector: random(r, 768), Model: "m"}
	search(b, x, q)
	for b.Loop() {
		search(b, x, q)
	}
}
