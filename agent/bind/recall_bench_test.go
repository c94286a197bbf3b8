package bind

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"hermes-tui/store/learnings"
	"hermes-tui/store/memory"
	"hermes-tui/store/recall"
	"hermes-tui/store/sessions"
)

// BenchmarkRecollect finds what goes with a message among 20,000 messages of earlier
// sessions, each with a vector of 768 numbers, without the request for its own vector, and
// by words alone.
func BenchmarkRecollect(b *testing.B) {
	const count, size, batch = 20_000, 768, 500
	r := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		v := make([]float32, size)
		for i := range v {
			v[i] = r.Float32() - 0.5
		}
		return v
	}
	dir := b.TempDir()
	db, err := sessions.Open(b.Context(), filepath.Join(dir, "state.db"), sessions.Options{Clock: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	x := NewRecall(RecallOptions{
		Path: filepath.Join(dir, "recall.db"), Sessions: db, Now: time.Now,
		Learnings: learnings.New(learnings.Options{Path: filepath.Join(dir, "learnings.jsonl"), Now: time.Now}),
		Memory:    memory.New(memory.Options{Dir: filepath.Join(dir, "memories"), Now: time.Now}),
	})
	b.Cleanup(func() { _ = x.Close() })
	if err := x.current(b.Context()); err != nil {
		b.Fatal(err)
	}
	for n := range count / batch {
		to := sessions.Batch{Conv: fmt.Sprint("c", n), Session: fmt.Sprint("s", n), Create: &sessions.NewSession{Source: "cli"}}
		for i := range batch {
			to.Messages = append(to.Messages, sessions.Message{ID: fmt.Sprint("m", n, "-", i), Role: "user", Content: fmt.Sprintf("words about item%dx%d", n, i), At: time.Now()})
		}
		if err := db.Commit(b.Context(), to); err != nil {
			b.Fatal(err)
		}
	}
	said, err := db.SaidAfter(b.Context(), 0, count)
	if err != nil || len(said) != count {
		b.Fatal(len(said), err)
	}
	var docs []recall.Doc
	var vectors [][]float32
	for _, s := range said {
		docs, vectors = append(docs, messageDoc(s)), append(vectors, vector())
	}
	if err := x.index.Learn(b.Context(), "m", docs, vectors); err != nil {
		b.Fatal(err)
	}
	embed := func(context.Context, []string) ([][]float32, string, error) {
		return [][]float32{vectors[777]}, "m", nil
	}
	for name, embed := range map[string]Embed{"meaning": embed, "words": func(context.Context, []string) ([][]float32, string, error) { return nil, "", errors.New("no model") }} {
		o := Recollection{Text: "which words are about item7x333?", Embed: embed}
		x.Recollect(b.Context(), o) // which reads the vectors
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got := x.Show(b.Context(), x.Recollect(b.Context(), o), 1500, func(string) bool { return false }); got == "" {
					b.Fatal("nothing fits")
				}
			}
		})
	}
}
