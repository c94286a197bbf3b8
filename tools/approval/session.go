package approval

import (
	"maps"
	"slices"
)

// Session are the permissions that hold until the session ends, as they are shown,
// in the order of their texts. Those that were stored as well are among them.
func (g *Gate) Session() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(maps.Keys(g.session))
}

// SetSession gives a permission until the session ends, or takes it back.
func (g *Gate) SetSession(rule string, on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if on {
		g.session[rule] = true
	} else {
		delete(g.session, rule)
	}
}

// Texts are the rules as they are shown, in the order in which they were given.
func (r *Rules) Texts() []string {
	if r == nil {
		return nil
	}
	list := make([]string, 0, len(r.list))
	for _, p := range r.list {
		list = append(list, p.String())
	}
	return list
}
