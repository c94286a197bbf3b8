package sessions

import (
	"context"
	"errors"
	"time"
)

// Search says what [DB.Search] looks for.
type Search struct {
	// Text is what the user or the model typed, see [SanitizeQuery].
	Text string
	// Roles are those whose messages count; empty is users and assistants.
	Roles []string
	// Folder is one that conversations work in, or above theirs; empty is any.
	Folder string
	// From and To bound the time of a message; zero is no bound.
	From, To time.Time
	Sort     Sort
	// Limit is the most conversations to find; 0 means 10, and 100 is the most.
	Limit int
	// Typed says that the last word is being typed. If very many words begin like it,
	// those of the newest messages count.
	Typed bool
	// Left says that what was taken back counts as well, where it is kept as one of
	// [DB.Ways].
	Left bool
	// Except is a session whose conversation is not looked at.
	Except string
}

// Sort is the order of what was found.
type Sort string

// The orders.
const (
	Best   Sort = "" // what fits best; of very many matches the newest
	Newest Sort = "newest"
	Oldest Sort = "oldest"
)

// Found is a conversation with what was found in it.
type Found struct {
	ConversationInfo
	// Hits are what was found in it, in the order of the search; at most 5.
	Hits []Hit
	// Total counts the messages that were found in it. With More there may be others:
	// the words are said so often that not all places were looked at.
	Total int
	More  bool
}

// Hit is a message that was found.
type Hit struct {
	Row     int64
	ID      string // as in [Message]
	Session string
	Role    string
	At      time.Time
	// Way is the way that it was left on, empty for what was not taken back.
	Way string
	// Snippet is the text around what was found, of about 40 words. What was found
	// stands between [MarkBegin] and [MarkEnd].
	Snippet string

	// lineage is the same for all sessions of a conversation.
	lineage string
	size    int // of the text, in bytes
	score   float64
}

// The marks of a snippet. A message may hold them, too.
const (
	MarkBegin = "\x02"
	MarkEnd   = "\x03"
)

// The bounds of a search: a word that is everywhere has a million matches.
const (
	mostRanked  = 2_000  // matches that are told apart by conversation, one by one
	mostSlow    = 500    // the same where each of them takes longer to find
	mostScanned = 16_384 // matches that are looked at in one go
	mostRead    = 40_000 // messages that are read
	eachFound   = 10     // matches of one conversation, where there are more than mostRanked
	hitsShown   = 5
	mostFound   = 100
	searchTime  = 5 * time.Second
)

// Search finds messages by their words, conversations by what was said in them: what
// was taken back (but see [Search.Left]), archived or said to subagents is not found, and all sessions that a
// conversation was compressed into count as one. Terms of Chinese, Japanese and Korean
// are found anywhere in a text. Text that holds nothing to look for finds nothing. It
// takes 5 s at most.
func (d *DB) Search(ctx context.Context, s Search) ([]Found, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, searchTime, errors.New("the search took longer than "+searchTime.String()))
	defer cancel()
	if s.Limit <= 0 {
		s.Limit = 10
	}
	s.Limit = min(s.Limit, mostFound)
	if len(s.Roles) == 0 {
		s.Roles = []string{"user", "assistant"}
	}
	m, err := d.matching(ctx, s)
	if err != nil || m.table == "" {
		return nil, err
	}
	g := gathering{d: d, s: s, m: m, lineages: map[string]string{}, found: map[string]int{}}
	hits, err := g.run(ctx)
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	if err := d.order(ctx, s, m, hits); err != nil {
		return nil, err
	}
	found, err := d.folded(ctx, s, hits)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	for i := range found {
		found[i].More = g.more && found[i].Total >= eachFound
	}
	return found, d.snip(ctx, m, found)
}

// folded puts the hits of one conversation together, in the order of their first.
func (d *DB) folded(ctx context.Context, s Search, hits []Hit) ([]Found, error) {
	var found []Found
	at := map[string]int{}
	var first []string // a session of each
	for _, h := range hits {
		i, known := at[h.lineage]
		if !known && len(found) < s.Limit {
			i, known = len(found), true
			at[h.lineage] = i
			found, first = append(found, Found{}), append(first, h.Session)
		}
		if !known {
			continue
		}
		if found[i].Total++; len(found[i].Hits) < hitsShown {
			found[i].Hits = append(found[i].Hits, h)
		}
	}
	infos, err := d.conversationsOf(ctx, first)
	if err != nil {
		return nil, err
	}
	kept := found[:0]
	for i, f := range found {
		if info, ok := infos[first[i]]; ok {
			f.ConversationInfo = info
			kept = append(kept, f)
		}
	}
	return kept, nil
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*NotFoundError](err)
	return ok
}
