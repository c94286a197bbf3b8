package bind

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes-tui/store/learnings"
	"hermes-tui/store/memory"
	"hermes-tui/store/recall"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Embed turns texts into vectors, and names the model that did.
type Embed func(ctx context.Context, texts []string) (vectors [][]float32, model string, err error)

// RecallOptions say what a [Recall] finds texts in.
type RecallOptions struct {
	// Path is the file of the index.
	Path      string
	Sessions  *sessions.DB
	Learnings *learnings.Store
	Memory    *memory.Store
	// Targets are those of memory that are remembered.
	Targets []memory.Target
	Now     func() time.Time
}

// Recall finds what was noted, learnt and said, by words and by meaning. It is safe for
// concurrent use.
type Recall struct {
	o RecallOptions

	mu    sync.Mutex // of index and put, and of bringing the index up to date
	index *recall.Index
	put   map[string][]recall.Doc // what was put into the index last, by source

	keeping sync.Mutex // one at a time makes vectors
	model   string     // that made vectors last
	past    int        // messages of earlier times that got vectors since the program began
}

// NewRecall makes a recall; the index is opened when it is needed.
func NewRecall(o RecallOptions) *Recall { return &Recall{o: o, put: map[string][]recall.Doc{}} }

// Close closes the index. Nothing may be under way.
func (r *Recall) Close() error {
	if r.index == nil {
		return nil
	}
	return r.index.Close()
}

// The sources of texts, as the model reads them.
const (
	FromMemory    = "memory"
	FromArchive   = "archived memory"
	FromLearnings = "learning"
	FromMessages  = "past session"
)

// The bounds of a text that is shown, and of what is turned into vectors: characters of a
// text, texts of the first request and of any, messages of one go, messages of earlier times since the program
// began, and messages at all, whose vectors have to be in memory.
const (
	shownText  = 500
	embedText  = 2_000
	embedFirst = 8
	embedBatch = 64
	embedMost  = 512
	embedPast  = 2_048
	embedAll   = 150_000
)

// lastVectors is how long the end of the program waits for vectors that were asked for.
const lastVectors = 3 * time.Second

// current opens the index and brings its own texts up to date.
func (r *Recall) current(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.index == nil {
		x, err := recall.Open(ctx, r.o.Path)
		if err != nil {
			return err
		}
		r.index = x
	}
	list, _, err := r.o.Learnings.List()
	if err != nil {
		return err
	}
	var learnt []recall.Doc
	for _, e := range list {
		learnt = append(learnt, recall.Doc{Key: recall.Key{Ref: e.ID}, Text: e.Pattern + " → " + e.Fix, Project: e.Project, At: e.CreatedAt, Uses: e.TimesUsed})
	}
	var noted, archived []recall.Doc
	for _, t := range r.o.Targets {
		entries, _, err := r.o.Memory.List(t)
		if err != nil {
			return err
		}
		for _, e := range entries {
			noted = append(noted, recall.Doc{Key: recall.Key{Ref: memory.ID(t, e)}, Text: e.Text, Project: e.Project, At: e.At})
		}
	}
	old, err := r.o.Memory.Archive()
	if err != nil {
		return err
	}
	for _, a := range old {
		if slices.Contains(r.o.Targets, a.Target) {
			archived = append(archived, recall.Doc{Key: recall.Key{Ref: a.ID()}, Text: a.Text, Project: a.Project, At: a.At})
		}
	}
	for source, docs := range map[string][]recall.Doc{FromLearnings: learnt, FromMemory: noted, FromArchive: archived} {
		if known, ok := r.put[source]; ok && slices.Equal(known, docs) {
			continue
		}
		if err := r.index.Put(ctx, source, docs); err != nil {
			return err
		}
		r.put[source] = docs
	}
	return nil
}

// Warm opens the index and brings it up to date, so that no message waits for that.
func (r *Recall) Warm(ctx context.Context) {
	_ = r.current(ctx) // the next search tells
	_, _ = r.o.Sessions.Rare(ctx, []string{"warm"}, 1)
}

// Keep turns what is new into vectors, as far as one go reaches. When ctx ends, what was
// sent last has [lastVectors] to come back: it is kept, and not sent again next time.
func (r *Recall) Keep(ctx context.Context, embed Embed) error {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastVectors, cancel) })()
	texts, err := r.unlearnt(within)
	for size := embedFirst; err == nil && len(texts) > 0; size = min(2*size, embedBatch) {
		part := texts[:min(len(texts), size)]
		texts = texts[len(part):]
		before := r.model
		if err = r.learn(within, part, embed); err == nil && ctx.Err() != nil {
			return nil
		}
		if err == nil && before != "" && r.model != before { // another one answers, with vectors of other texts
			texts, err = r.unlearnt(within)
		}
	}
	return err
}

// learn turns some texts into vectors and keeps these.
func (r *Recall) learn(ctx context.Context, texts []recall.Doc, embed Embed) error {
	sent := make([]string, len(texts))
	for i, d := range texts {
		sent[i] = shorten.To(d.Text, embedText)
	}
	vectors, by, err := embed(ctx, sent)
	if err == nil {
		err = r.index.Learn(ctx, by, texts, vectors)
	}
	if err == nil {
		r.model = by
	}
	return err
}

// unlearnt returns texts without a vector of the model that answered last.
func (r *Recall) unlearnt(ctx context.Context) (texts []recall.Doc, err error) {
	if err = r.current(ctx); err == nil && r.model == "" {
		r.model, err = r.index.Model(ctx)
	}
	if err == nil {
		texts, err = r.index.Without(ctx, r.model, embedMost)
	}
	if err != nil {
		return nil, err
	}
	said, err := r.unread(ctx)
	for _, s := range said {
		texts = append(texts, messageDoc(s))
	}
	return texts, err
}

// unread are messages that have no vectors yet: those behind the newest that has one, and
// for a part of each run of the program some before the oldest, so that with time all have.
func (r *Recall) unread(ctx context.Context) ([]sessions.Said, error) {
	oldest, newest, count, err := r.index.Reach(ctx, FromMessages, r.model)
	if err != nil {
		return nil, err
	}
	var said []sessions.Said
	if count > 0 {
		if said, err = r.o.Sessions.SaidAfter(ctx, newest, embedMost); err != nil {
			return nil, err
		}
	} else if newest, err = r.o.Sessions.Newest(ctx); err == nil {
		oldest = newest + 1
	}
	room := min(embedMost-len(said), embedPast-r.past, embedAll-count)
	if err != nil || room <= 0 {
		return said, err
	}
	before, err := r.o.Sessions.SaidBefore(ctx, oldest, room)
	r.past += len(before)
	return append(said, before...), err
}

// messageDoc is a message as the index knows it, without what the program has put
// behind it.
func messageDoc(s sessions.Said) recall.Doc {
	s.Text, _ = tools.Detach(s.Text)
	return recall.Doc{Key: recall.Key{Source: FromMessages, Ref: strconv.FormatInt(s.Row, 10)}, Text: s.Text, At: s.At}
}

// unmarked takes the marks out of a snippet.
var unmarked = strings.NewReplacer(sessions.MarkBegin, "", sessions.MarkEnd, "")
