package shellrisk

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// subjectKind says what the pattern of a rule is about.
type subjectKind int

const (
	subjectTool    subjectKind = iota // no pattern: the tool itself
	subjectCommand                    // commands of a shell
	subjectFile                       // files to be written
	subjectScript                     // scripts; there is only the pattern *
	subjectSite                       // sites that pages are read from
)

// patternTools are the tools whose rules may have a pattern.
var patternTools = []struct {
	name string
	kind subjectKind
}{
	{"terminal", subjectCommand}, {"write_file", subjectFile}, {"patch", subjectFile}, {"execute_code", subjectScript}, {"web_extract", subjectSite},
}

// renamedTools are names that rules may still have for tools, and those that count.
var renamedTools = map[string]string{"web_fetch": "web_extract"}

// hasPatterns reports whether rules for a tool may have a pattern.
func hasPatterns(tool string) bool {
	for _, t := range patternTools {
		if t.name == tool {
			return true
		}
	}
	return false
}

// read takes the text of a rule apart; problem completes "the rule …".
func (p *Policy) read(at RulePlace) (problem string) {
	name, pattern, has := strings.Cut(p.Text, "(")
	if has {
		var ok bool
		if pattern, ok = strings.CutSuffix(pattern, ")"); !ok {
			return `has a "(" without a ")" at its end`
		}
		pattern = strings.TrimSpace(pattern)
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !toolRune(r) }) {
		return "does not begin with the name of a tool: letters, digits, - _ . : and * are possible"
	}
	if now := renamedTools[name]; now != "" {
		name = now
	}
	p.tool = newStarText(name, func(string) bool { return false })
	if !has {
		p.any = true
		return ""
	}
	kinds := map[subjectKind]bool{}
	var possible []string
	for _, t := range patternTools {
		possible = append(possible, t.name)
		if p.tool.is(t.name) {
			kinds[t.kind] = true
			p.kind = t.kind
		}
	}
	switch {
	case len(kinds) == 0:
		return fmt.Sprintf("has a pattern, which only rules for %s can have: leave the brackets away", oneOf(possible))
	case len(kinds) > 1:
		return "has a pattern, but is about tools of several kinds: name one of them"
	case pattern == "":
		return "has nothing in its brackets: write * there, or leave them away"
	}
	return p.readPattern(pattern, at)
}

func (p *Policy) readPattern(pattern string, at RulePlace) (problem string) {
	p.any = pattern == "*"
	switch {
	case p.any:
	case p.kind == subjectScript:
		return "has a pattern for scripts, of which only * is possible"
	case p.kind == subjectCommand:
		p.words, problem = newWordPattern(pattern)
	case p.kind == subjectSite:
		p.site, problem = newSitePattern(pattern)
	default:
		p.path, problem = newPathPattern(pattern, at)
	}
	return problem
}

func toolRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:*", r)
}

func oneOf(list []string) string {
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// about gives the kind of subject of examples: a rule without a pattern for a
// single kind is tried with the names of tools.
func (p *Policy) about() subjectKind {
	if p.words != nil || p.path != nil || p.site != "" {
		return p.kind
	}
	return subjectTool
}

// tryExamples tries what the rule must match and what not.
func (p *Policy) tryExamples(s RuleSpec, at RulePlace) (problem string) {
	for _, text := range s.Examples {
		if !p.matchesText(text, at) {
			return fmt.Sprintf("does not match its example %q", text)
		}
	}
	for _, text := range s.Not {
		if p.mayMatchText(text, at) {
			return fmt.Sprintf("matches %q, which stands in its list of what it must not match", text)
		}
	}
	return ""
}

func (p *Policy) matchesText(text string, at RulePlace) bool {
	answer, covered := p.tryText(text, at)
	if p.effect == effectAllow {
		return covered
	}
	return answer == Yes
}

func (p *Policy) mayMatchText(text string, at RulePlace) bool {
	answer, covered := p.tryText(text, at)
	if p.effect == effectAllow {
		return covered
	}
	return answer != No
}

// tryText matches a subject as an action would be matched, without looking at
// any file.
func (p *Policy) tryText(text string, at RulePlace) (a Answer, covered bool) {
	switch p.about() {
	case subjectCommand:
		_, s := Inspect(text, Setting{
			Cwd: at.Workspace, Home: at.Home, HermesHome: at.HermesHome, Workspace: at.Workspace, FoldsCase: at.FoldsCase,
		})
		a, _ = firstMatch([]*Policy{p}, s, at.FoldsCase)
		return a, coveredBy([]*Policy{p}, s, func(string) bool { return true }) != nil
	case subjectFile:
		file := at.expand(text)
		covered = p.path.allows(file, file, at.FoldsCase)
		if p.path.meets(file) {
			return Yes, covered
		}
		return No, covered
	}
	if p.about() == subjectSite && p.isSite(SiteName(text)) || p.about() == subjectTool && p.isAbout(text) {
		return Yes, true
	}
	return No, false
}

// newSitePattern reads "domain:NAME" or "domain:*.NAME", the second for all that is below
// the name.
func newSitePattern(pattern string) (site, problem string) {
	name, ok := strings.CutPrefix(pattern, "domain:")
	bare := strings.TrimPrefix(name, "*.")
	switch site = SiteName(bare); {
	case !ok:
		return "", "has a pattern for sites, which is domain:NAME, or domain:*.NAME for all below that name"
	case site == "" || strings.ContainsAny(site, "*/:?#@ "):
		return "", "names no site behind domain:"
	case bare != name:
		return "*." + site, ""
	}
	return site, ""
}

// toSite is what is done with a name before it is looked up.
var toSite = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.CheckHyphens(false), idna.StrictDomainName(false))

// SiteName is the name of a host as rules compare it: in small letters of ASCII and without
// a dot at its end. What is no name stays as it is.
func SiteName(host string) string {
	if ascii, err := toSite.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// isSite reports whether a rule is about a site.
func (p *Policy) isSite(host string) bool {
	below, all := strings.CutPrefix(p.site, "*")
	return p.site == "" || p.site == host || all && strings.HasSuffix(host, below)
}

// starText is a text with stars, each of which stands for any text.
type starText []string

// newStarText cuts a text at its stars. escaped tells of the rest behind a star
// whether that star means itself.
func newStarText(text string, escaped func(rest string) bool) starText {
	var parts starText
	begin := 0
	for i := range len(text) {
		if text[i] == '*' && !escaped(text[i:]) {
			parts = append(parts, text[begin:i])
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

// is reports whether the whole of s matches.
func (t starText) is(s string) bool {
	if len(t) == 1 {
		return s == t[0]
	}
	last := t[len(t)-1]
	s, ok := strings.CutPrefix(s, t[0])
	if !ok || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[:len(s)-len(last)]
	for _, part := range t[1 : len(t)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// isAbout reports whether a rule is about a tool. One of an MCP server is meant by its former
// name as well, mcp_SERVER_TOOL, and with a _ for each -. That name does not tell where the
// server's own ends, so a rule that allows has to spell the server out.
func (p *Policy) isAbout(tool string) bool {
	if p.tool.is(tool) {
		return true
	}
	rest, ok := strings.CutPrefix(tool, "mcp__")
	server, name, two := strings.Cut(rest, "__")
	if !ok || !two {
		return false
	}
	plain := strings.NewReplacer("-", "_")
	for _, form := range [][2]string{{"mcp_" + server + "_", name}, {"mcp_" + plain.Replace(server) + "_", plain.Replace(name)}, {"mcp__" + plain.Replace(server) + "__", plain.Replace(name)}} {
		if p.tool.is(form[0]+form[1]) && (p.effect != effectAllow || strings.HasPrefix(p.tool[0], form[0])) {
			return true
		}
	}
	return false
}

// mayBe reports whether a text with holes may match.
func (t starText) mayBe(s string) bool {
	holes := strings.Split(s, hole)
	switch {
	case len(holes) == 1:
		return t.is(s)
	case len(t) == 1:
		return starText(holes).is(t[0])
	}
	a, b := t[0], holes[0]
	y, z := t[len(t)-1], holes[len(holes)-1]
	return (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && (strings.HasSuffix(y, z) || strings.HasSuffix(z, y))
}

// literal reports whether there is no star.
func (t starText) literal() bool { return len(t) == 1 }

// lone reports whether it is a star and nothing else.
func (t starText) lone() bool { return slices.Equal(t, starText{"", ""}) }
