package approval

import (
	"slices"
	"strings"
)

// Session are the permissions that hold until the session ends, in the order of their
// texts. Those that were stored as well are among them.
func (g *Gate) Session() []Grant {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(g.session), func(a, b Grant) int { return strings.Compare(a.Pattern, b.Pattern) })
}

// SetSession gives a permission until the session ends, or takes it back.
func (g *Gate) SetSession(n Grant, on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.session = slices.DeleteFunc(g.session, n.same)
	if on {
		g.session = append(g.session, n)
	}
}
