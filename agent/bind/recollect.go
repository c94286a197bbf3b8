package bind

import (
	"context"
	"slices"
	"strings"

	"hermes-tui/store/recall"
	tool "hermes-tui/tools/recall"
)

// How near a text must be to go with a message unasked, and how many do at most.
const (
	recollectNear = 0.5
	recollectMost = 5
)

// Recollection says what a message is to call to mind.
type Recollection struct {
	Text string
	// Except is the session of the message, Project what its conversation is about.
	Except, Project string
	Embed           Embed
}

// Recollected is what fits a message, the best first.
type Recollected struct {
	list []tool.Found
	fits func(tool.Found) bool
}

// Recollect returns what fits a message by its meaning, or by its words where no model makes
// vectors: learnings, archived entries of memory and what was said in other sessions, since
// the rest of memory is before the model anyway. Texts about another project are left out.
func (r *Recall) Recollect(ctx context.Context, o Recollection) Recollected {
	q := recall.Query{Limit: 8 * recollectMost, Project: &o.Project, Sources: []string{FromArchive, FromLearnings, FromMessages}}
	by := wording{asked: recall.Words(o.Text)}
	list, note, err := r.find(ctx, looking{text: o.Text, except: o.Except, limit: 4 * recollectMost, embed: o.Embed, words: func() string {
		by.rare, _ = r.o.Sessions.Rare(ctx, by.asked, rare) // what cannot be counted is not rare
		return anyOf(append(slices.Clone(by.rare), threes(o.Text)...))
	}}, q)
	if err != nil {
		return Recollected{}
	}
	if note == "" {
		return Recollected{list, func(f tool.Found) bool { return f.Near >= recollectNear }}
	}
	return Recollected{list, by.fits}
}

// Show returns what was recollected as lines for the model, at most so many characters,
// without texts that it has already: sent reports those.
func (r *Recall) Show(ctx context.Context, found Recollected, chars int, sent func(string) bool) string {
	var b strings.Builder
	var shown []tool.Found
	for _, f := range found.list {
		text := strings.Join(strings.Fields(f.Text), " ")
		line := strings.TrimSpace(f.From+" "+f.When) + ": " + text + "\n"
		if !found.fits(f) || b.Len()+len(line) > chars || sent(text) {
			continue
		}
		b.WriteString(line)
		if shown = append(shown, f); len(shown) == recollectMost {
			break
		}
	}
	_ = r.Used(ctx, shown) // what is not counted counts as unused
	return b.String()
}

// When a text fits a message by its words: it has one in four of those of the message, at
// least as many as are said first here, and no more than are said then. What was said in
// other sessions takes one that few messages hold, or pairs of characters that make words.
const (
	fewWords  = 2
	manyWords = 5
	rare      = 8 // messages
	manyPairs = 3
)

// wording is what a message is about, by its words.
type wording struct {
	asked []string // see [recall.Words]
	rare  []string // those of them that few messages hold
}

// fits reports whether a text fits the message.
func (w *wording) fits(f tool.Found) bool {
	need := min(max((len(w.asked)+3)/4, fewWords), manyWords)
	held := recall.Words(f.Text)
	both, pairs, seldom := 0, 0, false
	for _, word := range w.asked {
		if !slices.Contains(held, word) {
			continue
		}
		both++
		seldom = seldom || slices.Contains(w.rare, word)
		if recall.Runs(word) != nil {
			pairs++
		}
	}
	return both >= need && (seldom || pairs >= manyPairs || f.From != FromMessages)
}
