package bind

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-tui/store/recall"
	"hermes-tui/store/sessions"
	tool "hermes-tui/tools/recall"
	"hermes-tui/tools/shorten"
)

// Find gives what fits a text, the best first, at most so many. note says what the search
// could not do, empty for nothing. except is a session whose conversation is known anyway.
// What is about one project says so.
func (r *Recall) Find(ctx context.Context, text, except string, limit int, embed Embed) (list []tool.Found, note string, err error) {
	return r.find(ctx, looking{text: text, except: except, limit: limit, embed: embed, words: func() string { return anyWord(text) }}, recall.Query{Text: text, Limit: 4 * limit})
}

// looking is what a text is looked for with.
type looking struct {
	text, except string
	limit        int
	embed        Embed
	// words are what messages are asked for where words count.
	words func() string
}

// Used counts that texts were shown to a model, for what is found after.
func (r *Recall) Used(ctx context.Context, list []tool.Found) error {
	keys := make([]recall.Key, len(list))
	for i, f := range list {
		keys[i] = recall.Key{Source: f.From, Ref: f.Ref}
	}
	if len(keys) == 0 {
		return nil
	}
	return r.index.Used(ctx, keys)
}

// find is [Recall.Find] for a query that may be without words: then meaning alone counts, and
// words where no model gives one.
func (r *Recall) find(ctx context.Context, l looking, q recall.Query) (list []tool.Found, note string, err error) {
	if err := r.current(ctx); err != nil {
		return nil, "", err
	}
	q.Now = r.o.Now()
	if vectors, model, err := l.embed(ctx, []string{shorten.To(l.text, embedText)}); err == nil && len(vectors) == 1 {
		q.Vector, q.Model = vectors[0], model
	} else {
		note = "searched by words only: " + cmp.Or(err, fmt.Errorf("there is no vector")).Error()
		q.Text = l.text
	}
	messages, order := map[string]tool.Found{}, []recall.Doc(nil)
	if q.Text != "" {
		if messages, order, err = r.said(ctx, l.words(), l.except); err != nil {
			return nil, "", err
		}
	}
	q.Others = [][]recall.Doc{order}
	hits, err := r.index.Search(ctx, q)
	if err != nil {
		return nil, "", err
	}
	there, err := r.whole(ctx, hits, messages, l.except)
	if err != nil {
		return nil, "", err
	}
	for _, h := range hits {
		f := tool.Found{From: h.Source, Text: h.Text, Project: h.Project}
		if h.Source == FromMessages {
			if f = messages[h.Ref]; !there[h.Ref] || f.Text == "" {
				continue
			}
		}
		f.Near, f.Ref = h.Near, h.Ref
		if f.Text = shorten.To(f.Text, shownText); h.At.Unix() > 0 {
			f.When = h.At.Format(time.DateOnly)
		}
		if list = append(list, f); len(list) == l.limit {
			break
		}
	}
	return list, note, nil
}

// foundBy bounds the conversations in which words are found.
const foundBy = 40

// said are messages that a search finds, in order and by their rows.
func (r *Recall) said(ctx context.Context, search, except string) (map[string]tool.Found, []recall.Doc, error) {
	found, err := r.o.Sessions.Search(ctx, sessions.Search{Text: search, Except: except, Limit: foundBy})
	if err != nil {
		return nil, nil, err
	}
	messages := map[string]tool.Found{}
	var order []recall.Doc
	for _, f := range found {
		for _, h := range f.Hits {
			ref := strconv.FormatInt(h.Row, 10)
			order = append(order, recall.Doc{Key: recall.Key{Source: FromMessages, Ref: ref}, At: h.At})
			messages[ref] = tool.Found{From: FromMessages, Text: unmarked.Replace(h.Snippet), Session: h.Session, Message: h.ID}
		}
	}
	return messages, order, nil
}

// whole puts the texts of messages that were found by their meaning into messages, and says
// which of them are still there.
func (r *Recall) whole(ctx context.Context, hits []recall.Hit, messages map[string]tool.Found, except string) (there map[string]bool, err error) {
	var rows []int64
	for _, h := range hits {
		if row, err := strconv.ParseInt(h.Ref, 10, 64); err == nil && h.Source == FromMessages {
			rows = append(rows, row)
		}
	}
	list, err := r.o.Sessions.SaidIn(ctx, rows)
	there = map[string]bool{}
	for _, s := range list {
		ref := strconv.FormatInt(s.Row, 10)
		text := messageDoc(s).Text
		// What the index has of a message may be what was put behind it.
		if f, byWords := messages[ref]; s.Session != except && (!byWords || !strings.Contains(text, strings.Trim(f.Text, "… "))) {
			messages[ref] = tool.Found{From: FromMessages, Text: text, Session: s.Session, Message: s.ID}
		}
		there[ref] = true
	}
	return there, err
}

// anyWord asks for any of the words of a text. Where a script puts no blanks between them,
// that is three characters each, as the index of messages has them.
func anyWord(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'()[]{}*^:+", r) })
	if parts := threes(text); parts != nil {
		words = append(parts, slices.DeleteFunc(words, func(w string) bool { return len([]rune(w)) < 3 || recall.Runs(w) != nil })...)
	}
	return anyOf(recall.Telling(words))
}

// anyOf asks for any of some words.
func anyOf(words []string) string { return strings.Join(words[:min(len(words), 32)], " OR ") }

// threes are three characters each of what a text has in scripts without blanks.
func threes(text string) (parts []string) {
	for _, run := range recall.Runs(text) {
		for i := range max(len(run)-2, 0) {
			parts = append(parts, string(run[i:i+3]))
		}
	}
	return parts
}
