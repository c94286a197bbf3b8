package bind

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	tool "hermes-tui/tools/recall"
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

	mu    sync.Mutex // of index, and of bringing it up to date
	index *recall.Index

	keeping sync.Mutex // one at a time makes vectors
	model   string     // that made vectors last
}

// NewRecall makes a recall; the index is opened when it is needed.
func NewRecall(o RecallOptions) *Recall { return &Recall{o: o} }

// Close closes the index. Nothing may be under way.
func (r *Recall) Close() error {
	if r.index == nil {
		return nil
	}
	return r.index.Close()
}

// The sources of texts, as the model reads them.
const (
	fromMemory    = "memory"
	fromArchive   = "archived memory"
	fromLearnings = "learning"
	fromMessages  = "past session"
)

// The bounds of a text that is shown, and of what is turned into vectors: characters
// of a text, texts of a request, messages of one go and those that count at all.
const (
	shownText  = 500
	embedText  = 2_000
	embedBatch = 64
	embedMost  = 512
	embedReach = 20_000
)

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
		learnt = append(learnt, recall.Doc{Key: recall.Key{Ref: e.ID}, Text: e.Pattern + " → " + e.Fix, At: e.CreatedAt, Uses: e.TimesUsed})
	}
	var noted, archived []recall.Doc
	for _, t := range r.o.Targets {
		entries, _, err := r.o.Memory.List(t)
		if err != nil {
			return err
		}
		for _, e := range entries {
			noted = append(noted, memoryDoc(e.Text, e.Project, e.At))
		}
	}
	old, err := r.o.Memory.Archive()
	if err != nil {
		return err
	}
	for _, a := range old {
		if slices.Contains(r.o.Targets, a.Target) {
			archived = append(archived, memoryDoc(a.Text, a.Project, a.At))
		}
	}
	for source, docs := range map[string][]recall.Doc{fromLearnings: learnt, fromMemory: noted, fromArchive: archived} {
		if err := r.index.Put(ctx, source, docs); err != nil {
			return err
		}
	}
	return nil
}

// memoryDoc is an entry of memory as the index knows it: it has no name of its own.
func memoryDoc(text, project string, at time.Time) recall.Doc {
	if project != "" {
		text = "(in " + project + ") " + text
	}
	sum := sha256.Sum256([]byte(text))
	return recall.Doc{Key: recall.Key{Ref: hex.EncodeToString(sum[:12])}, Text: text, At: at}
}

// Keep turns what is new into vectors, as far as one go reaches.
func (r *Recall) Keep(ctx context.Context, embed Embed) error {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if err := r.current(ctx); err != nil {
		return err
	}
	if r.model == "" { // which one answers is only known from an answer
		_, model, err := embed(ctx, []string{"text"})
		if err != nil {
			return err
		}
		r.model = model
	}
	texts, err := r.index.Without(ctx, r.model, embedMost)
	if err != nil {
		return err
	}
	after, err := r.index.Newest(ctx, fromMessages, r.model)
	if err != nil {
		return err
	}
	newest, err := r.o.Sessions.Newest(ctx)
	if err != nil {
		return err
	}
	said, err := r.o.Sessions.SaidAfter(ctx, max(after, newest-embedReach), embedMost)
	if err != nil {
		return err
	}
	for _, s := range said {
		texts = append(texts, messageDoc(s))
	}
	for len(texts) > 0 {
		part := texts[:min(len(texts), embedBatch)]
		texts = texts[len(part):]
		sent := make([]string, len(part))
		for i, d := range part {
			sent[i] = cut(d.Text, embedText)
		}
		vectors, by, err := embed(ctx, sent)
		if err != nil {
			return err
		}
		if err := r.index.Learn(ctx, by, part, vectors); err != nil {
			return err
		}
		r.model = by
	}
	return nil
}

// messageDoc is a message as the index knows it, without what the program has put
// behind it.
func messageDoc(s sessions.Said) recall.Doc {
	s.Text, _ = tools.Detach(s.Text)
	return recall.Doc{Key: recall.Key{Source: fromMessages, Ref: strconv.FormatInt(s.Row, 10)}, Text: s.Text, At: s.At}
}

// Find gives what fits a text, the best first, at most so many. note says what the
// search could not do, empty for nothing. except is a session whose conversation is
// known anyway.
func (r *Recall) Find(ctx context.Context, text, except string, limit int, embed Embed) (list []tool.Found, note string, err error) {
	return r.find(ctx, recall.Query{Text: text, Limit: 4 * limit}, text, except, limit, embed)
}

// find is [Recall.Find] for a query that may be without words: then meaning alone counts.
func (r *Recall) find(ctx context.Context, q recall.Query, text, except string, limit int, embed Embed) (list []tool.Found, note string, err error) {
	if err := r.current(ctx); err != nil {
		return nil, "", err
	}
	q.Now = r.o.Now()
	if vectors, model, err := embed(ctx, []string{cut(text, embedText)}); err == nil && len(vectors) == 1 {
		q.Vector, q.Model = vectors[0], model
	} else {
		note = "searched by words only: " + cmp.Or(err, fmt.Errorf("there is no vector")).Error()
	}
	said, err := r.o.Sessions.Search(ctx, sessions.Search{Text: anyWord(q.Text), Except: except, Limit: 4 * limit})
	if err != nil {
		return nil, "", err
	}
	messages := map[string]tool.Found{}
	var order []recall.Doc
	for _, f := range said {
		for _, h := range f.Hits {
			ref := strconv.FormatInt(h.Row, 10)
			order = append(order, recall.Doc{Key: recall.Key{Source: fromMessages, Ref: ref}, At: h.At})
			messages[ref] = tool.Found{From: fromMessages, Text: unmarked.Replace(h.Snippet), Session: h.Session}
		}
	}
	q.Others = [][]recall.Doc{order}
	hits, err := r.index.Search(ctx, q)
	if err != nil {
		return nil, "", err
	}
	var rows []int64
	for _, h := range hits {
		if row, err := strconv.ParseInt(h.Ref, 10, 64); err == nil && h.Source == fromMessages {
			rows = append(rows, row)
		}
	}
	whole, err := r.o.Sessions.SaidIn(ctx, rows)
	if err != nil {
		return nil, "", err
	}
	there := map[string]bool{}
	for _, s := range whole {
		ref := strconv.FormatInt(s.Row, 10)
		text := messageDoc(s).Text
		// What the index has of a message may be what was put behind it.
		if f, byWords := messages[ref]; s.Session != except && (!byWords || !strings.Contains(text, strings.Trim(f.Text, "… "))) {
			messages[ref] = tool.Found{From: fromMessages, Text: text, Session: s.Session}
		}
		there[ref] = true
	}
	for _, h := range hits {
		f := tool.Found{From: h.Source, Text: h.Text}
		if h.Source == fromMessages {
			if f = messages[h.Ref]; !there[h.Ref] || f.Text == "" {
				continue
			}
		}
		f.Near = h.Near
		if f.Text = cut(f.Text, shownText); h.At.Unix() > 0 {
			f.When = h.At.Format(time.DateOnly)
		}
		if list = append(list, f); len(list) == limit {
			break
		}
	}
	return list, note, nil
}

// How near a text must be to go with a message unasked, and how many do at most.
const (
	recollectNear = 0.5
	recollectMost = 5
)

// Recollect gives what fits a message by its meaning, in at most so many characters:
// learnings, archived entries of memory and what was said in other sessions, since the
// rest of memory is before the model anyway. What told has is left out, and what is
// given is put there.
func (r *Recall) Recollect(ctx context.Context, text, except string, chars int, told map[string]bool, embed Embed) string {
	list, _, err := r.find(ctx, recall.Query{Limit: 8 * recollectMost}, text, except, 2*recollectMost, embed)
	if err != nil {
		return ""
	}
	var b strings.Builder
	n := 0
	for _, f := range list {
		line := strings.TrimSpace(f.From+" "+f.When) + ": " + strings.Join(strings.Fields(f.Text), " ") + "\n"
		if f.Near < recollectNear || f.From == fromMemory || told[f.Text] || b.Len()+len(line) > chars {
			continue
		}
		told[f.Text] = true
		b.WriteString(line)
		if n++; n == recollectMost {
			break
		}
	}
	return b.String()
}

// unmarked takes the marks out of a snippet.
var unmarked = strings.NewReplacer(sessions.MarkBegin, "", sessions.MarkEnd, "")

// anyWord asks for any of the words of a text.
func anyWord(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'()[]{}*^:+", r) })
	return strings.Join(words[:min(len(words), 32)], " OR ")
}

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
