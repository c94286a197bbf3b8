package app

import (
	"context"
	"slices"

	"hermes-tui/agent/api"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
)

// searchHits is how much a search of the user finds.
const searchHits = 50

// SearchMemory implements [api.Recollection]. What has gone meanwhile is left out.
func (c *conversation) SearchMemory(ctx context.Context, words string) ([]api.MemoryFound, error) {
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
	archived, err := c.app.MemoryArchive()
	if err != nil {
		return nil, err
	}
	learnt, _, err := c.app.Learnings()
	if err != nil {
		return nil, err
	}
	var list []api.MemoryFound
	for _, f := range found {
		m := api.MemoryFound{From: f.From, Text: f.Text, Project: f.Project, When: f.When, Session: f.Session, Message: f.Message}
		switch f.From {
		case bind.FromMemory:
			m.Memory = pick(entries, func(r api.Memory) bool { return r.ID == f.Ref })
		case bind.FromArchive:
			m.Archived = pick(archived, func(a api.Memory) bool { return a.ID == f.Ref })
		case bind.FromLearnings:
			m.Learning = pick(learnt, func(l api.Learning) bool { return l.ID == f.Ref })
		}
		if f.From == bind.FromMessages || m.Memory != nil || m.Archived != nil || m.Learning != nil {
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

// Meaningful implements [api.Recollection].
func (c *conversation) Meaningful() (yes bool, why string) {
	if c.side.Embeds() {
		return true, ""
	}
	return false, "searched by words only: " + auxiliary.ErrNoEmbedding.Error()
}
