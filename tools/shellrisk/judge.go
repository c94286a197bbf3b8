package shellrisk

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"hermes-tui/tools"
)

// MaxCommand is the longest command, in characters, that is analysed.
const MaxCommand = 10_000

// Bounds of the analysis. A command beyond them is asked about.
const (
	maxSteps = 20_000 // statements and words looked at
	maxDepth = 100    // nesting
)

// Setting is the surroundings in which a command would run. Paths are absolute
// and clean. Judge calls the functions, where they are given, and nothing else.
type Setting struct {
	Cwd        string
	Home       string
	HermesHome string // empty: .hermes in Home
	// Workspace is the folder in which writing and deleting files needs no
	// question; empty: Cwd, and writing ordinary files elsewhere is not asked
	// about.
	Workspace string
	// Scratch are folders made for the agent's temporary files.
	Scratch []string
	// FoldsCase says that file names differing in case are the same file.
	FoldsCase bool
	// Getenv gives the variables the command will start with; nil: unknown.
	Getenv func(name string) (value string, ok bool)
	// List gives the names in a directory, to tell whether a pattern may turn
	// into an option; nil: it does not.
	List func(dir string) []string
	// Read gives what a file holds; not ok when that is not known. nil: of none is it.
	Read func(file string) (text string, ok bool)
	// Resolve follows the links in an absolute path; not ok when it cannot. nil:
	// links are not followed.
	Resolve func(file string) (real string, ok bool)
	// Linked reports whether a file, with links followed, is a regular one that has
	// another name somewhere; nil: it has not.
	Linked func(file string) bool
	// Program is the process id of this program where the command would run; 0:
	// unknown.
	Program int
	// Repo gives the root of the git repository that dir belongs to, empty for
	// none; nil: unknown.
	Repo func(dir string) string
	// Quiet reports whether git, reading in the repository with this root, starts no
	// program because of its settings, and does not go into other repositories; nil: it
	// may.
	Quiet func(repo string) bool
	// Shadowed reports whether a program of a plain name, unless it is the shell's
	// own, would come from a folder that the agent writes to, or from none; nil: none
	// would.
	Shadowed func(name string) bool
	// Distrusted says that the user has not said that they trust the workspace.
	Distrusted bool
	// NoProof says that it does not matter whether a command is proved to only read.
	NoProof bool

	links links // those that the command makes
}

func (s Setting) hermesHome() string {
	if s.HermesHome != "" {
		return s.HermesHome
	}
	return joinPath(s.Home, ".hermes")
}

// root is the folder in which files may be written and deleted.
func (s Setting) root() string {
	if s.Workspace != "" {
		return s.Workspace
	}
	return s.Cwd
}

// Judge decides about one shell command. It never panics and takes a bounded
// time; the same input always gives the same verdict.
func Judge(command string, set Setting) Verdict {
	return follow(command, set, nil)
}

// Inspect is [Judge] that also tells what it has seen.
func Inspect(command string, set Setting) (Verdict, *Survey) {
	s := &Survey{set: set}
	v := follow(command, set, s)
	if len(s.own) > 0 && !v.Proved && v.Decision != Blocked && !v.Has(CatAgentConfig) {
		v = v.Asking(CatAgentConfig, "may change the agent's own files", s.own...)
	}
	return v, s
}

// follow is [Judge] that notes what it sees, unless s is nil.
func follow(command string, set Setting, s *Survey) Verdict {
	own := set
	own.links = links{}
	j := &judge{set: own, made: map[string]origin{}, texts: map[string]string{}, running: map[string]*frame{}, active: map[*syntax.Stmt]*frame{}, seen: s, at: noCall}
	file := j.whole(command)
	v := j.found.result()
	if v.Decision == Allow && !set.NoProof {
		v.Proved, v.Sockets = prove(command, file, set, j.secrets)
	}
	return v
}

// whole judges the command, and gives it as parsed; nil where it cannot be.
func (j *judge) whole(command string) *syntax.File {
	if utf8.RuneCountInString(command) > MaxCommand {
		j.ask(CatTooComplex, "is too long to be judged")
		return nil
	}
	if strings.IndexByte(command, 0) >= 0 { // would pass for a hole
		j.ask(CatObfuscated, "holds characters that cannot be seen", SpellRune(0))
		return nil
	}
	return j.text(command, newState(j.set), input{})
}

// judge follows one command. It belongs to one goroutine.
type judge struct {
	set     Setting
	secrets *tools.Secrets // made when first needed
	found   findings
	steps   int
	depth   int
	// contained counts the containers and machines around the present command:
	// what it destroys is not this machine.
	contained int
	// concurrent counts the pipes and background jobs around the command.
	concurrent int
	// jobs are those of them that go on by themselves.
	jobs int
	// downloads counts commands so far that fetch something from the network.
	downloads int
	// temporary counts the temporary files that the command makes.
	temporary int
	// made holds files that the command itself writes, fetches or makes
	// executable, by absolute path.
	made map[string]origin
	// texts are those of them whose text is known, running those on their way.
	texts   map[string]string
	running map[string]*frame
	// active holds the functions whose bodies are being followed.
	active map[*syntax.Stmt]*frame
	// sites are the calls of functions on their way, site the present command.
	sites []*syntax.CallExpr
	site  *syntax.CallExpr
	// trapping says that code of a trap is on its way.
	trapping bool
	// last is the simple command judged last.
	last call
	// seen gets what rules need, unless it is nil; at is the present call in it.
	seen *Survey
	at   int
}

// frame is a function on its way.
type frame struct {
	concurrent int // pipes and jobs around it
	jobs       int // background jobs around it
	loops      int // loops around it
	depth      int // calls around it
	// calls are the ways, by the first and the last call on them, in which it starts
	// itself, forks those of them beside itself; detached says that one goes on alone.
	calls, forks map[[2]*syntax.CallExpr]bool
	detached     bool
}

func (j *judge) ask(cat Category, reason string, words ...string) {
	j.noted(cat)
	j.found.add(weightAsk, cat, reason, words)
}

func (j *judge) askWeakly(cat Category, reason string, words ...string) {
	j.noted(cat)
	j.found.add(weightWeak, cat, reason, words)
}

func (j *judge) block(cat Category, reason string, words ...string) {
	if j.contained > 0 {
		j.ask(cat, reason, words...)
		return
	}
	j.noted(cat)
	j.found.add(weightBlock, cat, reason, words)
}

// step counts work and reports whether there may be more of it.
func (j *judge) step() bool {
	j.steps++
	if j.steps <= maxSteps && j.depth <= maxDepth {
		return true
	}
	j.ask(CatTooComplex, "is too deeply nested to be judged")
	return false
}

// runs notes a file that would be executed.
func (j *judge) runs(file string) {
	list := &j.found.runs
	switch {
	case slices.Contains(*list, file):
	case len(*list) < maxRuns:
		*list = append(*list, file)
	default:
		j.unbind()
	}
}

// text judges shell code: the command itself, or the code given to eval, to a
// shell's -c and the like, and gives it as parsed, nil where it cannot be. State
// changes stay in st.
func (j *judge) text(code string, st *state, in input) *syntax.File {
	if !j.step() {
		return nil
	}
	if len(code) > maxText {
		j.ask(CatTooComplex, "is too long to be judged")
		return nil
	}
	if char, hidden := hiddenCharacter(code); hidden {
		j.ask(CatObfuscated, "holds characters that cannot be seen", char)
	}
	for _, reading := range []func(string) (string, bool){joinedLines, endedComments} {
		if other, ok := reading(code); ok {
			j.parsed(other, st.clone(), in)
		}
	}
	return j.parsed(code, st, in)
}

// parsed judges code as the parser reads it, and gives that, nil after an error.
func (j *judge) parsed(code string, st *state, in input) *syntax.File {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader(code), "")
	if err != nil {
		j.ask(CatUnparsable, "cannot be read as a shell command")
	}
	if file == nil {
		return nil
	}
	// What was read before an error would run: bash goes line by line.
	j.depth++
	j.stmts(file.Stmts, st, in)
	j.depth--
	if err != nil {
		return nil
	}
	return file
}

// JudgeScript asks about every script: what it does is not looked at.
func JudgeScript(script string) Verdict {
	var f findings
	f.add(weightAsk, CatIndirectExec, "runs a script that was not looked at", nil)
	if char, hidden := hiddenCharacter(script); hidden {
		f.add(weightAsk, CatObfuscated, "holds characters that cannot be seen", []string{char})
	}
	return f.result()
}

// JudgeCall asks about every call of a tool of another program.
func JudgeCall(server string) Verdict {
	var f findings
	f.add(weightAsk, CatServer, "is done by the MCP server "+server+", with its own rights", nil)
	return f.result()
}

// JudgeFetch asks about fetching pages from sites, those that are allowed left out, and
// about data in their addresses.
func JudgeFetch(sites []string, data bool) Verdict {
	var f findings
	for _, s := range sites {
		f.add(weightAsk, CatNetwork, "fetches from a site that is not allowed yet", []string{s})
	}
	if data {
		f.add(weightAsk, CatExfiltration, "sends an address that the agent has put together itself, and that can carry data away", nil)
	}
	return f.result()
}

// JudgeSearch asks about a search at services, if not all of them are allowed.
func JudgeSearch(ask bool) Verdict {
	var f findings
	if ask {
		f.add(weightAsk, CatNetwork, "sends these words to services that are not allowed yet", nil)
	}
	return f.result()
}

// JudgeRead asks about reading a file, which holds keys.
func JudgeRead(file string) Verdict {
	var f findings
	f.add(weightAsk, CatSensitiveFile, readsKeysReason, []string{file})
	return f.result()
}
