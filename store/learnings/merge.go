package learnings

import "slices"

// merge makes one of entries that say the same: what to do, about calls of one kind, in
// nearly the same words. Files that several programs write or a user edits have such
// entries. The first stays in its place, with what the others have in addition; each of
// them counts as a use. at is where the last entry of the list went.
func merge(list []Entry) (kept []Entry, at int) {
	type said struct{ pattern, fix []string }
	kept = make([]Entry, 0, len(list))
	texts := make([]said, 0, len(list))
	by := map[string][]int{} // the kept ones of a kind
	for _, e := range list {
		t := said{words(e.Pattern), words(e.Fix)}
		i := slices.IndexFunc(by[e.Kind], func(i int) bool {
			k := &kept[i]
			return (k.Fix == e.Fix || common(texts[i].fix, t.fix)) && (k.sameFailure(e) || k.Pattern == e.Pattern || common(texts[i].pattern, t.pattern))
		})
		if i >= 0 {
			at = by[e.Kind][i]
			kept[at].add(e)
			continue
		}
		at = len(kept)
		by[e.Kind] = append(by[e.Kind], at)
		kept, texts = append(kept, e), append(texts, t)
	}
	return kept, at
}

// add takes over what another entry that says the same has in addition.
func (e *Entry) add(o Entry) {
	e.TimesUsed += o.TimesUsed + 1
	if last := o.last(); last.After(e.last()) {
		e.UsedAt = last
	}
	if e.CreatedAt.IsZero() || !o.CreatedAt.IsZero() && o.CreatedAt.Before(e.CreatedAt) {
		e.CreatedAt = o.CreatedAt
	}
	if e.Project != o.Project {
		e.Project = ""
	}
	if e.Context == "" {
		e.Context = o.Context
	}
	e.Tags = slices.Clone(e.Tags)
	for _, tag := range o.Tags {
		if len(e.Tags) < MaxTags && !slices.Contains(e.Tags, tag) {
			e.Tags = append(e.Tags, tag)
		}
	}
	for name, raw := range o.rest {
		if _, has := e.rest[name]; !has && e.rest != nil {
			e.rest[name] = raw
		}
	}
}
