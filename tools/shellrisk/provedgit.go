package shellrisk

import (
	"slices"
	"strings"
	"sync"
)

// Options that several commands of git have.
const (
	gitDiffOptions = ` patch no-patch unified= raw patch-with-raw patch-with-stat stat? numstat shortstat dirstat? summary name-only name-status
		color? no-color color-moved? word-diff? word-diff-regex= color-words? no-renames find-renames? find-copies? find-copies-harder
		diff-filter= text ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines ignore-cr-at-eol inter-hunk-context=
		function-context exit-code quiet no-ext-diff no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix abbrev? no-abbrev
		full-index binary minimal patience histogram diff-algorithm= anchored= indent-heuristic relative? pickaxe-all pickaxe-regex check
		cached staged merge-base compact-summary stat-width= stat-count= find-object= null line-prefix=`
	gitLogOptions = ` oneline graph all branches? tags? remotes? decorate? no-decorate decorate-refs= format= pretty? abbrev-commit
		no-abbrev-commit max-count= skip= since= after= until= before= author= committer= grep= all-match invert-grep regexp-ignore-case
		extended-regexp fixed-strings perl-regexp merges no-merges min-parents= max-parents= first-parent reverse follow topo-order
		date-order author-date-order date= relative-date parents children left-right cherry-pick cherry-mark left-only right-only
		walk-reflogs boundary simplify-by-decoration simplify-merges full-history ancestry-path? source no-walk? reflog notes? no-notes
		mailmap use-mailmap no-mailmap show-pulls clear-decorations exclude= glob= root count objects`
)

// provableGit are the commands of git that can be proved to only read. The lines are
// as in [provable].
var provableGit = sync.OnceValue(func() map[string]*provedProgram {
	return provableTable(strings.NewReplacer("DIFF", joinedFields(gitDiffOptions), "LOG", joinedFields(gitLogOptions)).Replace(`
status texts sbvu?z short branch porcelain? long ignored? untracked-files? ignore-submodules? column? no-column ahead-behind no-ahead-behind renames no-renames find-renames? show-stash null verbose
diff,diff-index,diff-files,diff-tree texts puU:swbaRzM?C?D?l:S:G:rt DIFF
log,show,whatchanged,reflog texts puU:swbaRzM?C?D?l:S:G:n:iEFPgL:mct0123456789 DIFF LOG
rev-list,cherry texts n:v0123456789 LOG
shortlog texts snecw? summary numbered email committer group= LOG
blame,annotate texts L:lrtspfnewMCb show-name show-number show-email porcelain line-porcelain incremental root show-stats date= abbrev= ignore-rev= color-by-age color-lines
branch texts arvil all remotes verbose list show-current merged? no-merged? contains? no-contains? sort= points-at= format= color? no-color column? no-column abbrev? no-abbrev ignore-case
tag texts ln?i list sort= points-at= format= color? column? no-column ignore-case contains? no-contains? merged? no-merged?
ls-files texts cdmostuvzkx: cached deleted modified others ignored stage unmerged killed directory no-empty-directory exclude= exclude-standard error-unmatch full-name abbrev? format= deduplicate eol
ls-tree texts dtrlz name-only name-status full-name full-tree abbrev? object-only long format=
describe texts - tags always dirty? abbrev= long exact-match match= exclude= all contains candidates= first-parent
remote texts v verbose
stash texts puU: DIFF LOG
cat-file texts ptse
grep texts e!inIwvlLchHqEGFPpWzoA:B:C:m:0123456789 cached untracked no-exclude-standard exclude-standard text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp fixed-strings perl-regexp line-number column files-with-matches name-only files-without-match null only-matching count color? no-color break heading show-function function-context after-context= before-context= context= max-count= max-depth= threads= and or not all-match quiet
config texts z get get-all null show-origin show-scope local global system default= type=
worktree texts vz porcelain verbose
show-ref texts ds? heads tags branches head hash? verify abbrev? dereference quiet
for-each-ref texts - format= sort= count= points-at= merged? no-merged? contains? no-contains? color? exclude= ignore-case
merge-base texts a all octopus independent is-ancestor fork-point
name-rev texts - tags refs= exclude= all name-only always no-undefined
count-objects texts vH verbose human-readable
check-ignore texts qvn quiet verbose non-matching no-index
check-attr texts az all cached
symbolic-ref texts:1 q quiet short recurse
version texts -
rev-parse unparsed -
`))
})

func joinedFields(s string) string { return strings.Join(strings.Fields(s), " ") }

// gitPolluted are variables by which git does more, or other, than it would without.
var gitPolluted = strings.Fields(`GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR
	GIT_NAMESPACE GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_EXEC_PATH GIT_EXTERNAL_DIFF
	GIT_TRACE GIT_TRACE_SETUP GIT_TRACE_PACK_ACCESS GIT_TRACE_PACKET GIT_TRACE_PACKFILE GIT_TRACE_PERFORMANCE GIT_TRACE_REFS
	GIT_TRACE_SHALLOW GIT_TRACE_CURL GIT_TRACE_FSMONITOR GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_ATTR_SOURCE
	GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_DIFF_OPTS XDG_CONFIG_HOME`)

// git proves the commands that read, in the repository of the workspace and where
// nothing in its settings starts a program.
func (p *prover) git(c provedCall) bool {
	args := c.operands
	dirs := p.dirs
	defer func() { p.dirs = dirs }()
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		switch args[0].text {
		case "--version":
			return len(args) == 1
		case "--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs":
			args = args[1:]
		case "-C":
			if len(args) < 2 || args[1].from&scattered != 0 || !p.shows(args[1]) {
				return false
			}
			p.dirs, args = p.placed(args[1]), args[2:]
		case "-c":
			if len(args) < 2 || !strings.HasPrefix(args[1].text, "color.") && args[1].text != "core.quotepath=false" {
				return false
			}
			args = args[2:]
		default:
			return false
		}
	}
	if len(args) == 0 || p.set.Distrusted {
		return false
	}
	prog := provableGit()[args[0].text]
	if prog == nil || !p.quietRepo() {
		return false
	}
	if prog.operands == unparsed {
		return true
	}
	g, ok := prog.parse(p, args[1:])
	return ok && (prog.most == 0 || len(g.operands) <= prog.most) && p.gitReads(args[0].text, g)
}

// quietRepo reports whether the command runs in the workspace's repository, whose
// settings start nothing, with variables that change nothing.
func (p *prover) quietRepo() bool {
	if p.set.Repo == nil || p.set.Quiet == nil {
		return false
	}
	if home, ok := p.st.home(); !ok || home != p.set.Home {
		return false
	}
	if p.set.Getenv != nil {
		if slices.ContainsFunc(gitPolluted, func(name string) bool { v, _ := p.set.Getenv(name); return v != "" }) {
			return false
		}
		if pager, _ := p.set.Getenv("GIT_PAGER"); pager != "" && pager != "cat" {
			return false
		}
	}
	own := p.set.Repo(p.set.root())
	if own == "" || !Within(p.set.root(), own, false) || !p.set.Quiet(own) {
		return false
	}
	return !slices.ContainsFunc(p.dirs, func(dir string) bool { return p.set.Repo(joinPath(dir, "")) != own })
}

// gitReads looks at what the options do not tell.
func (p *prover) gitReads(verb string, g provedCall) bool {
	for _, o := range g.opts {
		if strings.Contains(o.value.text, "%G") || strings.Contains(o.value.text, "signature") {
			return false // starts a program that checks signatures
		}
	}
	word := ""
	if len(g.operands) > 0 {
		word = g.operands[0].text
	}
	none := len(g.operands) == 0
	switch verb {
	case "branch", "tag":
		return none || g.opts.has("--list", "-l")
	case "remote":
		return none || word == "get-url" && len(g.operands) == 2
	case "stash":
		return word == "list" || word == "show"
	case "reflog":
		return none || word == "show" || word == "list" || word == "HEAD"
	case "worktree":
		return word == "list" && len(g.operands) == 1
	case "config":
		return p.gitSettingRead(g, word)
	case "diff":
		// What lies outside of the repository would be compared as any file.
		own := p.set.Repo(p.set.root())
		return !slices.ContainsFunc(g.operands, func(a arg) bool {
			return !p.everywhere(a, func(file string) bool { return Within(file, own, false) })
		})
	}
	return true
}

// gitSettingRead reports whether one setting is read that holds no secret.
func (p *prover) gitSettingRead(g provedCall, word string) bool {
	keys := g.operands
	if word == "get" && len(keys) == 2 {
		keys = keys[1:]
	}
	if len(keys) != 1 {
		return false
	}
	key := strings.ToLower(keys[0].text)
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "user", "branch", "core", "init", "remote", "pull", "push", "color", "diff", "merge", "commit", "format", "submodule":
		return !hasHole(key) && strings.Contains(key, ".")
	}
	return false
}
