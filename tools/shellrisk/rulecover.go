package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// transparent are wrappers that need no permission of their own: they run the
// command in their arguments with the rights and the surroundings it would have
// anyway.
var transparent = words(`nohup nice ionice setsid timeout gtimeout time gtime stdbuf command env xargs chronic caffeinate`)

// coveredBy gives the rule by which rules that allow cover a whole command, nil
// when they do not. Every call must be covered, those in substitutions and behind
// wrappers too, and every reason to ask must belong to a call whose rule covers
// that reason. trusted reports whether a bare name is the program that the user
// means by it.
func coveredBy(rules []*Policy, s *Survey, trusted func(name string) bool) *Policy {
	if s.loose || s.dark || len(s.calls) == 0 || len(rules) == 0 {
		return nil
	}
	by := make([]*Policy, len(s.calls))
	var first *Policy
	for i, c := range s.calls {
		by[i] = s.coveredBy(c, rules, trusted)
		if by[i] == nil && c.parent != noCall {
			by[i] = s.spelledBy(c, by[c.parent], s.calls[c.parent])
		}
		if first == nil {
			first = by[i]
		}
	}
	for i, c := range s.calls {
		if by[i] == nil && !(c.transparentFor(s.calls, i) && trusted(c.words[0].text)) {
			return nil
		}
	}
	for _, f := range s.found {
		if f.call == noCall || by[f.call] == nil || !by[f.call].excuses(f.cat, s.calls[f.call]) {
			return nil
		}
	}
	return first
}

// checked are the programs of [provable] that take their arguments as they are and look at
// each, as far as they only show what is in files.
var checked = words(`find gfind awk gawk mawk nawk original-awk`)

// exceeds reports whether a call of a program that shows what is in files does more, where
// the words of the rule for it spell nothing by which it would: a star makes no writer of a
// reader.
func (s *Survey) exceeds(c seen, rule []starText) bool {
	name := path.Base(c.words[0].text)
	prog := provable()[name]
	if prog == nil || prog.operands == unparsed && !checked[name] || s.reads(c.words) {
		return false
	}
	var spelled []arg
	for _, w := range rule {
		if w.literal() {
			spelled = append(spelled, literalArg(w[0]))
		}
	}
	return len(spelled) < 2 || s.reads(spelled)
}

// reads reports whether a call is proved to only read.
func (s *Survey) reads(words []arg) bool {
	p := &prover{set: s.set, st: &state{set: s.set, cwd: s.set.Cwd}, dirs: []string{s.set.Cwd}, vars: map[string][]variable{}}
	return p.program(words)
}

// coveredBy finds the rule that covers one call, one that leaves nothing open
// before others.
func (s *Survey) coveredBy(c seen, rules []*Policy, trusted func(string) bool) *Policy {
	word := c.words[0]
	if !word.known() || !strings.Contains(word.text, "/") && !trusted(word.text) {
		return nil
	}
	var found *Policy
	for _, p := range rules {
		if p.words != nil && !p.words.covers(c) || p.words == nil && !c.literal() {
			continue
		}
		if p.exact() {
			return p
		}
		if found == nil && !(p.words != nil && s.exceeds(c, p.words.words)) {
			found = p
		}
	}
	return found
}

func (c seen) literal() bool {
	return !slices.ContainsFunc(c.words, func(w arg) bool { return !w.known() })
}

// spelledBy gives the rule of a wrapper when it names the inner program too: the
// rule "sudo apt update" needs none for "apt update" besides.
func (s *Survey) spelledBy(c seen, p *Policy, outer seen) *Policy {
	before := len(outer.words) - len(c.words)
	if p == nil || p.words == nil || before <= 0 || !c.endOf(outer) {
		return nil
	}
	if before >= len(p.words.words) || !p.words.words[before].literal() || !p.exact() && s.exceeds(c, p.words.words[before:]) {
		return nil
	}
	return p
}

// endOf reports whether the words of a call are the last ones of another.
func (c seen) endOf(outer seen) bool {
	before := len(outer.words) - len(c.words)
	return before > 0 && slices.EqualFunc(outer.words[before:], c.words, func(a, b arg) bool { return a.text == b.text })
}

// transparentFor reports whether a call does nothing but run another one.
func (c seen) transparentFor(calls []seen, i int) bool {
	if !transparent[c.words[0].text] {
		return false
	}
	for _, inner := range calls[i+1:] {
		if inner.parent != i || !inner.endOf(c) {
			continue
		}
		return !slices.ContainsFunc(c.words[1:len(c.words)-len(inner.words)], func(w arg) bool {
			return !w.known() || strings.Contains(w.text, "=") // a variable for the command
		})
	}
	return false
}

// exact reports whether a rule leaves nothing open.
func (p *Policy) exact() bool { return p.words != nil && p.words.exact() }

// excuses reports whether a rule that covers a call covers a reason to ask about
// it.
//
//   - What hides what runs, or changes what other programs are, is covered by no
//     rule: the user could not know what they allow.
//   - What is bad for data, services or publishing is what a rule with a star is
//     written for.
//   - Writing outside is covered, too, but for programs that only show things: by an option
//     of theirs that a star stands for.
//   - Everything else runs code, sends data, or changes what programs and agents
//     obey. A star must not reach that: only a rule that spells the call out covers
//     it, and only if nothing is fed to the call.
func (p *Policy) excuses(cat Category, c seen) bool {
	if c.fed {
		return false
	}
	switch cat {
	case CatObfuscated, CatUnparsable, CatTooComplex, CatEnvInjection, CatUntrusted:
		return false
	case CatDelete, CatPermissions, CatOwnership, CatDatabase, CatService, CatProcessKill, CatGitDestructive,
		CatPrivilege, CatPublish:
		return true
	case CatOutside:
		return p.exact() || !c.onlyShows()
	case CatContainer:
		return p.exact() || c.wide() == CatContainer
	}
	return p.exact()
}

// gitShows are subcommands of git that only show things.
var gitShows = words(`diff log show shortlog blame whatchanged reflog rev-list diff-tree diff-index diff-files`)

// onlyShows reports whether a call is one of a program, or of a subcommand of git, that
// writes no file unless an option says so.
func (c seen) onlyShows() bool {
	if name := path.Base(c.words[0].text); name != "git" {
		return inert[name] || name == "curl" || name == "wget"
	}
	_, rest := gitGlobal.parse(c.words[1:])
	return len(rest) > 0 && gitShows[rest[0].text]
}

// wide gives the category of a call that begins like one of [wideCommands] and
// has no options after that.
func (c seen) wide() Category {
	texts := make([]string, 0, len(c.words))
	for _, w := range c.words {
		texts = append(texts, w.text)
	}
	_, cat := wideBegin(texts)
	return cat
}

// excusesFile is [policy.excuses] for a file to be written.
func (p *Policy) excusesFile(cat Category) bool {
	switch cat {
	case CatOutside:
		return true
	case CatObfuscated, CatUnparsable, CatTooComplex, CatUntrusted:
		return false
	}
	return p.path != nil && p.path.exact
}
