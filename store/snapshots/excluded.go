package snapshots

import (
	"context"
	"fmt"
	"slices"
)

// Exclusion is a group of what is not kept.
type Exclusion struct {
	Why   string // in words
	Count int    // of names; a directory counts once, whatever it holds
	Names []string
}

// Excluded counts and names what changes are not watched of, or can't be undone,
// and why. Names are absolute paths, sorted, no more than Limits.Names each.
func (k *Keeper) Excluded(ctx context.Context) ([]Exclusion, error) {
	done, err := k.use(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what is not kept: %w", err)
	}
	defer done()
	return k.excluded(func(string) bool { return true }), nil
}

// unwatched are the groups of which no change is known.
func (k *Keeper) unwatched() []Exclusion {
	return k.excluded(func(why string) bool {
		return why == skipIgnored.words() || why == skipMany.words() || why == skipLocked.words()
	})
}

// excluded lists the groups that are wanted.
func (k *Keeper) excluded(wanted func(why string) bool) []Exclusion {
	var all []Exclusion
	if !k.watched {
		all = append(all, Exclusion{Why: "everything in this folder, which is too wide to be watched: only files that are named by a tool are kept, changes by shell commands are not", Count: 1, Names: []string{k.root}})
	}
	if k.damaged > 0 {
		all = append(all, Exclusion{Why: "changes whose record is damaged", Count: k.damaged})
	}
	names := map[string][]string{}
	for dir, n := range k.x.nodes {
		for base, e := range n.entries {
			if why := whyNot(e); why != "" && wanted(why) {
				names[why] = append(names[why], k.join(dir, base))
			}
		}
	}
	for _, why := range reasons() {
		if list := names[why]; len(list) > 0 {
			slices.Sort(list)
			all = append(all, Exclusion{Why: why, Count: len(list), Names: slices.Clone(list[:min(len(list), k.opt.Limits.Names)])})
		}
	}
	return all
}

const (
	whyLarge  = "files too large to keep"
	whyLocked = "files that may not be read"
	whyOver   = "files beyond the space for copies: kept only when a tool names them"
)

func whyNot(e *entry) string {
	switch {
	case e.skip != kept:
		return e.skip.words()
	case e.state.Unread == tooLarge:
		return whyLarge
	case e.state.Unread != "":
		return whyLocked
	case e.over:
		return whyOver
	}
	return ""
}

// reasons are all reasons in the order in which they are told.
func reasons() []string {
	all := []string{whyLarge, whyLocked, whyOver}
	for s := kept + 1; s < skips; s++ {
		all = append(all, s.words())
	}
	return all
}
