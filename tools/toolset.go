package tools

import (
	"maps"
	"slices"
)

// toolset is a named selection of tools: its own and those of the sets it
// includes.
type toolset struct {
	tools    []string
	includes []string
}

// Resolve gives the tools that a list of toolset names selects, sorted and
// without doubles. "all" and "*" select everything; names such as "web_tools"
// stand for their toolset. A tool of the registry joins the toolset it is tagged
// with. What the disabled toolsets hold is taken away last, whatever enabled it.
// Names that no toolset has select nothing and are returned in the order given,
// the enabled ones first.
//
// A toolset lists what it exposes when it is there: the result may hold tools
// that no registry has.
func Resolve(names, disabled []string, registryToolsets map[string][]string) (tools, unknown []string) {
	r := resolver{static: staticToolsets(), tagged: registryToolsets}
	on := r.collect(names)
	off := r.collect(disabled)
	for name := range off {
		delete(on, name)
	}
	return slices.Sorted(maps.Keys(on)), r.unknown
}

// resolver walks toolsets.
type resolver struct {
	static  map[string]toolset
	tagged  map[string][]string
	unknown []string
}

// collect gives the tools of several toolsets.
func (r *resolver) collect(names []string) map[string]bool {
	into := map[string]bool{}
	seen := map[string]bool{}
	for _, name := range names {
		if name == "all" || name == "*" {
			r.all(into, seen)
			continue
		}
		if !r.add(name, into, seen) && !slices.Contains(r.unknown, name) {
			r.unknown = append(r.unknown, name)
		}
	}
	return into
}

// all adds every toolset there is.
func (r *resolver) all(into, seen map[string]bool) {
	for name := range r.static {
		r.add(name, into, seen)
	}
	for name := range r.tagged {
		r.add(name, into, seen)
	}
}

// add puts the tools of a toolset and of all it includes into a set. Toolsets
// seen before are passed over, which ends cycles. It reports whether the name is
// known.
func (r *resolver) add(name string, into, seen map[string]bool) bool {
	set, static := r.static[name]
	tagged, registered := r.tagged[name]
	if !static && !registered {
		canonical := legacyToolset(name)
		return canonical != "" && r.add(canonical, into, seen)
	}
	if seen[name] {
		return true
	}
	seen[name] = true
	for _, tool := range set.tools {
		into[tool] = true
	}
	for _, tool := range tagged {
		into[tool] = true
	}
	for _, included := range set.includes {
		r.add(included, into, seen)
	}
	return true
}
