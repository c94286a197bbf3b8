package shellrisk

import (
	"path/filepath"
	"slices"

	"hermes-tui/tools"
)

// Policies are rules of one effect.
type Policies []*Policy

// Denying are the rules that deny and are about what a tool does; of a tool that does
// nothing that is judged, kind is empty.
func (r *Rules) Denying(tool string, kind tools.ActionKind) Policies {
	return r.about(effectDeny, tool, kind)
}

// Asking are those that ask, see [Rules.Denying].
func (r *Rules) Asking(tool string, kind tools.ActionKind) Policies {
	return r.about(effectAsk, tool, kind)
}

// Allowing are those that allow, see [Rules.Denying].
func (r *Rules) Allowing(tool string, kind tools.ActionKind) Policies {
	return r.about(effectAllow, tool, kind)
}

func (r *Rules) about(e effect, tool string, kind tools.ActionKind) Policies {
	switch kind {
	case tools.ActExec:
		list := r.of(e, tool, subjectCommand)
		if e != effectAllow && !hasPatterns(tool) { // a tool that is a command is one of the shell
			list = append(list, r.of(e, patternTools[0].name, subjectCommand)...)
		}
		return list
	case tools.ActWrite:
		return r.of(e, tool, subjectFile)
	case tools.ActCode:
		return r.of(e, tool, subjectScript)
	case tools.ActFetch:
		return r.of(e, tool, subjectSite)
	}
	return r.of(e, tool, subjectTool)
}

// of gives the rules with an effect that are about a tool and a kind of subject.
func (r *Rules) of(e effect, tool string, kind subjectKind) Policies {
	if r == nil {
		return nil
	}
	var list Policies
	for _, p := range r.list {
		if p.effect == e && (p.any || p.kind == kind) && p.isAbout(tool) {
			list = append(list, p)
		}
	}
	return list
}

// First is the first of the rules, nil of none.
func (list Policies) First() *Policy {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// Match says whether any of the rules is about a command, and which.
func (list Policies) Match(s *Survey, foldsCase bool) (Answer, *Policy) {
	return firstMatch(list, s, foldsCase)
}

// Covering is the rule by which the rules allow a whole command, nil when they do not.
// trusted reports whether a bare name is the program that the user means by it.
func (list Policies) Covering(s *Survey, trusted func(name string) bool) *Policy {
	return coveredBy(list, s, trusted)
}

// Meeting finds a rule that is about any of the files, by the name that was given or by
// the one behind links.
func (list Policies) Meeting(named, real []string) *Policy {
	for _, p := range list {
		if p.path == nil {
			return p
		}
		for i := range named {
			if p.path.meets(filepath.ToSlash(named[i])) || p.path.meets(filepath.ToSlash(real[i])) {
				return p
			}
		}
	}
	return nil
}

// Site finds a rule that is about any of the sites, as [SiteName] has them.
func (list Policies) Site(hosts []string) *Policy {
	for _, p := range list {
		if p.site == "" || slices.ContainsFunc(hosts, p.isSite) {
			return p
		}
	}
	return nil
}

// CoveringSites finds a rule that allows the first site, if each is allowed by one. Where
// data may leave in an address, a rule for a site does not allow it: only one for the tool.
func (list Policies) CoveringSites(hosts []string, data bool) *Policy {
	var by *Policy
	for _, host := range hosts {
		i := slices.IndexFunc(list, func(p *Policy) bool { return p.isSite(host) && (p.site == "" || !data) })
		if i < 0 {
			return nil
		}
		if by == nil {
			by = list[i]
		}
	}
	return by
}

// CoveringFile finds a rule that allows a file by both names, for all the reasons to ask
// about it.
func (list Policies) CoveringFile(named, real string, reasons []Category, foldsCase bool) *Policy {
	for _, p := range list {
		if p.path != nil && !p.path.allows(named, real, foldsCase) {
			continue
		}
		excused := true
		for _, cat := range reasons {
			excused = excused && p.excusesFile(cat)
		}
		if excused {
			return p
		}
	}
	return nil
}
