package keys

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Hint is an action worth knowing just now, and what it does then.
type Hint struct {
	Action Action
	Text   string
}

// Map finds the action of a key.
type Map struct {
	Bindings  []Binding // in the order of the table
	byContext map[Context]map[string]Action
}

// New applies the user's own keys to the table. own maps actions, or
// "context.action" for one context only, to keys; no keys is none. What does not fit
// is reported and left at its default. A key has one action in a context: the
// user's own choice before a default, else the first of the table.
func New(own map[string][]string) (*Map, []string) {
	table, problems, chosen := Default(), []string(nil), map[int]bool{}
	for _, name := range sortedKeys(own) {
		keys, bad := keysOf(own[name])
		for _, k := range bad {
			problems = append(problems, fmt.Sprintf("keys: %s: there is no key called %q; a name is like ctrl+s, alt+up, pgdown or x", name, k))
		}
		if len(bad) > 0 && len(keys) == 0 {
			continue
		}
		if !rebind(table, name, keys, chosen) {
			problems = append(problems, fmt.Sprintf("keys: there is no action %q; there are %s", name, actionsFor(table, name)))
		}
	}
	m := &Map{Bindings: table, byContext: map[Context]map[string]Action{}}
	for _, theirs := range []bool{true, false} {
		for i := range table {
			if chosen[i] == theirs {
				problems = append(problems, m.claim(&table[i])...)
			}
		}
	}
	return m, append(problems, m.hidden(chosen)...)
}

// claim gives a binding those of its keys that are free, and reports the others.
func (m *Map) claim(b *Binding) (problems []string) {
	keys := m.byContext[b.Context]
	if keys == nil {
		keys = map[string]Action{}
		m.byContext[b.Context] = keys
	}
	var free []string
	for _, k := range b.Keys {
		if other, taken := keys[k]; taken {
			problems = append(problems, fmt.Sprintf("keys: %s is both %s and %s (%s); it is %s", k, other, b.Action, b.Context, other))
			continue
		}
		keys[k] = b.Action
		free = append(free, k)
	}
	b.Keys = free
	return problems
}

// hidden reports keys that should work Anywhere and mean something else in some
// context, where one of the two is the user's own choice. In the table itself that is
// meant: up and ctrl+p step through lists.
func (m *Map) hidden(chosen map[int]bool) []string {
	theirs := map[string]bool{}
	for i, b := range m.Bindings {
		if b.Context == Anywhere && chosen[i] {
			for _, k := range b.Keys {
				theirs[k] = true
			}
		}
	}
	var problems []string
	for i, b := range m.Bindings {
		if b.Context == Anywhere {
			continue
		}
		for _, k := range b.Keys {
			if other, ok := m.byContext[Anywhere][k]; ok && other != b.Action && (chosen[i] || theirs[k]) {
				problems = append(problems, fmt.Sprintf("keys: %s is %s (%s), so it is not %s there", k, b.Action, b.Context, other))
			}
		}
	}
	return problems
}

// keysOf brings the names of keys into the form in which keys arrive. bad are
// those that no key has.
func keysOf(names []string) (keys, bad []string) {
	for _, n := range names {
		k, ok := Name(n)
		switch {
		case !ok:
			bad = append(bad, n)
		case !slices.Contains(keys, k):
			keys = append(keys, k)
		}
	}
	return keys, bad
}

// actionsFor lists the actions that a name may have meant: those of its context,
// or all.
func actionsFor(table []Binding, name string) string {
	where, _, _ := strings.Cut(name, ".")
	there := slices.ContainsFunc(table, func(b Binding) bool { return string(b.Context) == where })
	var names []string
	for _, b := range table {
		if (!there || string(b.Context) == where) && !slices.Contains(names, string(b.Action)) {
			names = append(names, string(b.Action))
		}
	}
	return strings.Join(names, ", ")
}

// rebind gives new keys to the bindings that a configured name means, and marks
// them.
func rebind(table []Binding, name string, keys []string, chosen map[int]bool) bool {
	where, what, qualified := strings.Cut(name, ".")
	if now, ok := formerContexts[where]; ok && qualified {
		where = string(now)
	}
	found := false
	for i := range table {
		b := &table[i]
		if qualified && (string(b.Context) != where || string(b.Action) != what) || !qualified && string(b.Action) != name {
			continue
		}
		b.Keys, found = slices.Clone(keys), true
		chosen[i] = true
	}
	return found
}

func sortedKeys(m map[string][]string) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Find looks a key up in the given contexts, in order.
func (m *Map) Find(key string, contexts ...Context) (Action, bool) {
	for _, p := range contexts {
		if a, ok := m.byContext[p][key]; ok {
			return a, true
		}
	}
	return "", false
}

// Short are the shortest keys of some actions in a context, for a hint: "h/l". Actions
// without a key are left out.
func (m *Map) Short(c Context, actions ...Action) string {
	var list []string
	for _, a := range actions {
		if b, ok := m.Binding(a, c); ok {
			list = append(list, slices.MinFunc(b.Keys, func(a, b string) int { return len(a) - len(b) }))
		}
	}
	return strings.Join(list, "/")
}

// Binding finds a binding that has keys, in the first of the contexts that has
// the action.
func (m *Map) Binding(a Action, contexts ...Context) (Binding, bool) {
	for _, p := range contexts {
		for _, b := range m.Bindings {
			if b.Context == p && b.Action == a && len(b.Keys) > 0 {
				return b, true
			}
		}
	}
	return Binding{}, false
}
