package app

import (
	"context"
	"slices"

	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/tools/recall"
)

// MemoryFound is something that a search over what is remembered has found.
type MemoryFound struct {
	recall.Found
	// What it is, one of these: an entry, an archived one, a learning. Of a message it is
	// none.
	Entry    *Remembered
	Archived *MemoryArchived
	Learning *Learning
}

// searchHits is how much a search of the user finds.
const searchHits = 50

// SearchMemory implements [Conversation]. What has gone meanwhile is left out.
func (c *conversation) SearchMemory(ctx context.Context, words string) ([]MemoryFound, error) {
	found, note, err := c.app.recall.Find(ctx, words, string(c.Session()), searchHits, c.side.Embed)
	if err != nil {
		return nil, err
	}
	c.keepVectors()
	if note != "" && !c.app.saidWords.Swap(true) {
		c.Notify(event.LevelInfo, "Memory was "+note+".")
	}
	entries, _, err := c.app.Memory()
	if err != nil {
		return nil, err
	}
	archived, err := c.app.memory.Archive()
	if err != nil {
		return nil, err
	}
	learnt, _, err := c.app.learnings.List()
	if err != nil {
		return nil, err
	}
	var list []MemoryFound
	for _, f := range found {
		m := MemoryFound{Found: f}
		switch f.From {
		case bind.FromMemory:
			m.Entry = pick(entries, func(r Remembered) bool { return r.ID == f.Ref })
		case bind.FromArchive:
			m.Archived = pick(archived, func(a MemoryArchived) bool { return a.ID() == f.Ref })
		case bind.FromLearnings:
			m.Learning = pick(learnt, func(l Learning) bool { return l.ID == f.Ref })
		}
		if f.From == bind.FromMessages || m.Entry != nil || m.Archived != nil || m.Learning != nil {
			list = append(list, m)
		}
	}
	return list, nil
}

// pick is the first of a list that is meant, nil for none.
func pick[T any](list []T, means func(T) bool) *T {
	if i := slices.IndexFunc(list, means); i >= 0 {
		return &list[i]
	}
	return nil
}

// Meaningful implements [Conversation].
func (c *conversation) Meaningful() (yes bool, why string) {
	if c.side.Embeds() {
		return true, ""
	}
	return false, "searched by words only: " + auxiliary.ErrNoEmbedding.Error()
}
