package shell

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// hint explains an exit code.
type hint struct {
	meaning string
	fine    bool // it is an answer rather than a failure
}

// programHints explain codes of programs.
var programHints = map[string]map[int]hint{
	"grep": {1: {"no matches", true}},
	"diff": {1: {"the files differ", true}},
	"find": {1: {"some places could not be searched", true}},
	"test": {1: {"the condition is false", true}},
	"curl": {
		6:  {"the host name is not known", false},
		7:  {"no connection to the host", false},
		22: {"the server answered with an error", false},
		28: {"the transfer took too long", false},
	},
	"git diff":         {1: {"there are differences", true}},
	"git grep":         {1: {"no matches", true}},
	"git config":       {1: {"it is not set", true}},
	"git check-ignore": {1: {"none is ignored", true}},
	"git merge-base":   {1: {"no such commit, or not an ancestor", true}},
	"git show-ref":     {1: {"no such reference", true}},
}

// atConflict explains the code of a git that could not join changes, which says so in
// lines that begin with conflictMark.
var atConflict = hint{"it stopped at a conflict: git status shows what is unmerged", false}

const conflictMark = "CONFLICT ("

// sameHints are programs with the codes of another one.
var sameHints = map[string]string{
	"egrep": "grep", "fgrep": "grep", "rg": "grep", "ag": "grep", "ack": "grep", "ugrep": "grep",
	"colordiff": "diff", "cmp": "diff", "[": "test", "[[": "test",
}

// typeIt stands below the output of a command that wanted what only the user has.
const typeIt = "[This wanted a terminal, an editor or a passphrase, which commands of the agent do not have. The user can run it with ! before it.]"

// wantsTerminal finds what programs say then.
var wantsTerminal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + regexp.QuoteMeta(noEditorHere) + `|inappropriate ioctl for device|/dev/tty\b.*(?:no such device|cannot|not )|cannot open ['‘]?/dev/tty` +
		`|gpg failed to sign|gpg: signing failed|no pinentry|input is not (?:from )?a (?:tty|terminal)|output is not to a terminal|standard input is not a (?:tty|terminal)|stdin is not a (?:tty|terminal)` +
		`|the input device is not a tty|must be run (?:from|in) a terminal|error opening terminal|incorrect passphrase supplied|could not read (?:username|password) for` +
		`|sudo: .*(?:password|terminal) is required|host key verification failed|permission denied \(publickey|cannot perform an interactive login|eof when reading a line|authentication token manipulation error|to get started with github cli`)
})

// generalHints explain codes that shells and systems give.
var generalHints = map[int]hint{
	126: {"found, but it cannot be run", false},
	127: {"command not found", false},
	134: {"it aborted itself", false},
	137: {"it was killed, perhaps for want of memory", false},
	139: {"it crashed with a memory error", false},
	143: {"it was asked to end", false},
}

// hintFor explains the exit code of a command, which is that of its last
// program, with what the command wrote.
func hintFor(command string, code int, output string) hint {
	name := lastProgram(command)
	if same, ok := sameHints[name]; ok {
		name = same
	}
	if strings.HasPrefix(name, "git ") && strings.Contains(output, conflictMark) {
		return atConflict
	}
	if h, ok := programHints[name][code]; ok {
		return h
	}
	return generalHints[code]
}

// lastProgram names the program whose exit code a command has, that of git with
// what it is to do; empty when it is not plain.
func lastProgram(command string) string {
	file, err := parse(command)
	if err != nil || len(file.Stmts) == 0 {
		return ""
	}
	s := file.Stmts[len(file.Stmts)-1]
	for !s.Negated && !s.Background { // else the code is another one
		switch c := s.Cmd.(type) {
		case *syntax.BinaryCmd:
			s = c.Y
		case *syntax.TestClause:
			return "[["
		case *syntax.CallExpr:
			if len(c.Args) == 0 {
				return ""
			}
			name := path.Base(literal(c.Args[0]))
			if name == "git" {
				name = strings.TrimSpace(name + " " + gitVerb(c.Args[1:]))
			}
			return name
		default:
			return ""
		}
	}
	return ""
}

// gitVerb is what git is told to do.
func gitVerb(args []*syntax.Word) string {
	for i := 0; i < len(args); i++ {
		switch word := literal(args[i]); {
		case word == "-C" || word == "-c":
			i++
		case !strings.HasPrefix(word, "-"):
			return word
		}
	}
	return ""
}

func parse(command string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
}

// literal is a word without quotes and backslashes; empty when the shell would
// expand something in it.
func literal(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return ""
				}
				b.WriteString(lit.Value)
			}
		default:
			return ""
		}
	}
	return b.String()
}
