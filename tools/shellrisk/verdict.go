package shellrisk

import (
	"cmp"
	"slices"
)

// Decision says what happens with an action.
type Decision string

// The decisions, from the mildest to the strictest.
const (
	Allow   Decision = "allow"   // runs without a question
	Ask     Decision = "ask"     // a user must agree
	Blocked Decision = "blocked" // never runs, in any mode
)

// Category groups reasons in one word.
type Category string

// CatNone is the category of what is allowed.
const CatNone Category = "none"

// The categories of what is blocked.
const (
	CatDeleteRoot   Category = "delete_root"
	CatDeleteSystem Category = "delete_system"
	CatDeleteHome   Category = "delete_home"
	CatFormatDisk   Category = "format_disk"
	CatRawDisk      Category = "raw_disk"
	CatForkBomb     Category = "fork_bomb"
	CatKillAll      Category = "kill_all"
	CatPower        Category = "power"
	CatSudoStdin    Category = "sudo_stdin"
	CatProtected    Category = "protected_file"
)

// The categories of what is asked about.
const (
	CatDelete         Category = "delete"
	CatPermissions    Category = "permissions"
	CatOwnership      Category = "ownership"
	CatDatabase       Category = "database"
	CatSystemConfig   Category = "system_config"
	CatSensitiveFile  Category = "sensitive_file"
	CatProjectConfig  Category = "project_config"
	CatAgentConfig    Category = "agent_config"
	CatService        Category = "service"
	CatProcessKill    Category = "process_kill"
	CatContainer      Category = "container"
	CatIndirectExec   Category = "indirect_exec"
	CatRemoteExec     Category = "remote_exec"
	CatGitDestructive Category = "git_destructive"
	CatPrivilege      Category = "privilege"
	CatEnvInjection   Category = "env_injection"
	CatExfiltration   Category = "exfiltration"
	CatPublish        Category = "publish"
	CatServer         Category = "server"
	CatOutside        Category = "outside_workspace"
	CatObfuscated     Category = "obfuscated"
	CatUnparsable     Category = "unparsable"
	CatTooComplex     Category = "too_complex"
	CatUntrusted      Category = "untrusted_folder"
	CatNetwork        Category = "network" // a host that was not allowed yet
	CatUnknown        Category = "unknown" // not proved to only read
	CatRule           Category = "rule"    // a rule of the user asks
)

// Verdict is the outcome of judging one action.
type Verdict struct {
	Decision Decision
	// Category, Reason and Words are those of the worst finding. Category is
	// [CatNone] and Reason empty when the decision is Allow.
	Category Category
	Reason   string
	Words    []string
	// Findings are the reasons of the decision, the worst first. There is at least
	// one of each category that was found.
	Findings []Finding
	// Categories are all that was found, the deciding one first.
	Categories []Category
	// Runs are the absolute paths of the scripts and programs that the command
	// names as files and would execute, at most sixteen.
	Runs []string
	// Proved says that the command is known to only read what it may, and to change
	// and start nothing else: every program, option and word of it is understood. It
	// implies Allow. A command that is not proved may be harmless all the same.
	Proved bool
	// Sockets says of a command that is proved that it shows the sockets of the machine,
	// and reads nothing that has a name in the file system.
	Sockets bool
}

// Has reports whether a category is among the reasons.
func (v Verdict) Has(cat Category) bool { return slices.Contains(v.Categories, cat) }

// Asking is the verdict turned into a question, or with one more reason for it.
func (v Verdict) Asking(cat Category, reason string, words ...string) Verdict {
	return decide(append(slices.Clone(v.Findings), Finding{cat, reason, words, weightAsk}), v.Runs)
}

// Relieved is the verdict when none of its reasons count.
func (v Verdict) Relieved() Verdict { return decide(nil, v.Runs) }

// Joined is the verdict on all that several ones are about.
func Joined(list ...Verdict) Verdict {
	var f findings
	for _, v := range list {
		for _, n := range v.Findings {
			f.add(n.weight, n.Category, n.Reason, n.Words)
		}
	}
	return f.result()
}

// Finding is one reason for a decision.
type Finding struct {
	Category Category
	// Reason completes "it …": "deletes a directory with all it holds".
	Reason string
	// Words are the words of the command that caused it, at most eight. What is
	// not known before the command runs is shown as "…".
	Words []string

	weight weight
}

// decide is a verdict about what was found.
func decide(found []Finding, runs []string) Verdict {
	v := Verdict{Decision: Allow, Category: CatNone, Runs: runs}
	if len(found) == 0 {
		return v
	}
	v.Findings = slices.Clone(found)
	slices.SortStableFunc(v.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(slices.Index(severity, a.Category), slices.Index(severity, b.Category)))
	})
	worst := v.Findings[0]
	v.Category, v.Reason, v.Words = worst.Category, worst.Reason, worst.Words
	if v.Decision = Ask; worst.weight == weightBlock {
		v.Decision = Blocked
	}
	for _, f := range v.Findings {
		v.Categories = With(v.Categories, f.Category)
	}
	return v
}

// Without is the verdict as it gives its reasons when some categories do not
// count; at least one must be left.
func (v Verdict) Without(relieved func(Category) bool) Verdict {
	left := slices.DeleteFunc(slices.Clone(v.Findings), func(f Finding) bool { return relieved(f.Category) })
	if len(left) == 0 {
		return v
	}
	all := v.Categories
	v = decide(left, v.Runs)
	for _, cat := range all {
		v.Categories = With(v.Categories, cat)
	}
	return v
}

// With is a list of categories with one more.
func With(list []Category, cat Category) []Category {
	for _, c := range list {
		if c == cat {
			return list
		}
	}
	return append(list[:len(list):len(list)], cat)
}

// severity orders the categories by what they can cost at worst, the worst first:
// what runs or leaves unread, what cannot be read, what is lost for good, what is
// obeyed later, and what can be put right.
var severity = []Category{
	CatDeleteRoot, CatDeleteSystem, CatDeleteHome, CatFormatDisk, CatRawDisk, CatForkBomb, CatKillAll, CatPower, CatSudoStdin, CatProtected,
	CatRemoteExec, CatExfiltration, CatNetwork, CatObfuscated, CatUnparsable, CatTooComplex,
	CatSensitiveFile, CatSystemConfig, CatDatabase, CatGitDestructive, CatDelete, CatPublish, CatServer, CatPrivilege, CatContainer,
	CatAgentConfig, CatProjectConfig, CatEnvInjection, CatOwnership, CatPermissions, CatOutside, CatIndirectExec,
	CatService, CatProcessKill, CatRule, CatUntrusted, CatUnknown,
}

// BySeverity are all categories but [CatNone], the worst first.
func BySeverity() []Category { return slices.Clone(severity) }

// Worst is the category that can cost most, [CatNone] of none.
func Worst(list []Category) Category {
	for _, cat := range severity {
		if slices.Contains(list, cat) {
			return cat
		}
	}
	return CatNone
}

const (
	maxWords    = 8
	maxFindings = 8 // beyond the first of each category
	maxRuns     = 64
)

// weight orders findings. A weak question gives way to any other: the reason
// behind a sudo says more than the sudo.
type weight int

const (
	weightWeak weight = iota
	weightAsk
	weightBlock
)

// findings collects what was found, each thing once.
type findings struct {
	list []Finding
	runs []string
}

func (f *findings) add(w weight, cat Category, reason string, words []string) {
	n := Finding{Category: cat, Reason: reason, Words: words[:min(len(words), maxWords)], weight: w}
	i := slices.IndexFunc(f.list, func(o Finding) bool { return o.Category == cat && o.weight == w })
	if i >= 0 && (len(f.list) >= maxFindings || slices.ContainsFunc(f.list, n.same)) {
		return
	}
	f.list = append(f.list, n)
}

// same reports whether two findings read the same.
func (n Finding) same(o Finding) bool {
	return n.Category == o.Category && n.Reason == o.Reason && slices.Equal(n.Words, o.Words)
}

func (f *findings) result() Verdict { return decide(f.list, f.runs) }
