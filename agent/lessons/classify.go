package lessons

import (
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// classes are failures of how something was called, the more telling first.
var classes = []struct {
	name string
	says *lazyregexp.Regexp
}{
	{"command not found", lazyregexp.New(`(?i)command not found|not recognized as an internal|executable file not found|: not found$`)},
	{"managed environment", lazyregexp.New(`(?i)externally-managed-environment`)},
	{"missing module", lazyregexp.New(`(?i)no module named|cannot find (module|package)|module not found|could not find (a )?(package|module|crate)|no required module`)},
	{"not a repository", lazyregexp.New(`(?i)not a (git|hg|svn) repository|go\.mod file not found|could not find .?(cargo\.toml|package\.json|pyproject\.toml)`)},
	{"usage", lazyregexp.New(`(?i)(unknown|unrecogni[sz]ed|invalid|unexpected|bad|illegal|missing|ambiguous) (shorthand )?(flag|option|command|subcommand|argument|parameter|script|target|operand|task)|flag provided but not defined|missing script|no rule to make target|^usage:|requires (an |at least )|(is|are) required|must (be (run|set|specified)|specify)|mutually exclusive`)},
	{"permission denied", lazyregexp.New(`(?i)permission denied|operation not permitted|read-only file system|eacces`)},
	{"address in use", lazyregexp.New(`(?i)address already in use|eaddrinuse`)},
	{"no such file", lazyregexp.New(`(?i)no such file|enoent|cannot (stat|access|find|open)|does not exist|file not found`)},
	{"connection", lazyregexp.New(`(?i)connection refused|could not (resolve|connect)|network is unreachable|name resolution`)},
	{"timeout", lazyregexp.New(`(?i)command timed out after`)},
	{"syntax", lazyregexp.New(`(?i)syntax error|unterminated|unexpected (token|end of file|eof)`)},
	{"version", lazyregexp.New(`(?i)(unsupported|incompatible|wrong) version|version mismatch|requires .{1,40} version`)},
}

// maxLooked bounds what of an output is looked at, in bytes: its end.
const maxLooked = 16 << 10

// Classify gives the class of a failure and the line that says so. A command that
// fails of anything else, as a test does, has no class.
func Classify(c Call) (class, line string) {
	out := c.Output[max(0, len(c.Output)-maxLooked):]
	for _, k := range classes {
		for l := range strings.Lines(out) {
			if l = strings.TrimSpace(l); k.says.MatchString(l) {
				return k.name, l
			}
		}
	}
	if c.Command == "" { // a tool that refuses says why
		line, _, _ = strings.Cut(strings.TrimSpace(out), "\n")
		return "refused", line
	}
	return "", lastLine(out)
}

func lastLine(out string) string {
	out = strings.TrimSpace(out)
	return out[strings.LastIndexByte(out, '\n')+1:]
}
