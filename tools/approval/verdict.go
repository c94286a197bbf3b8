package approval

import "slices"

// Decision says what happens with an action.
type Decision string

// The decisions, from the mildest to the strictest.
const (
	Allow   Decision = "allow"   // runs without a question
	Ask     Decision = "ask"     // a person must agree
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
	CatOutside        Category = "outside_workspace"
	CatObfuscated     Category = "obfuscated"
	CatUnparsable     Category = "unparsable"
	CatTooComplex     Category = "too_complex"
	CatUntrusted      Category = "untrusted_folder"
	CatRule           Category = "rule" // a rule of the person asks
)

// Verdict is the outcome of judging one action.
type Verdict struct {
	Decision Decision
	Category Category
	// Reason completes "it …": "deletes a directory with all it holds". It is
	// empty when the decision is Allow.
	Reason string
	// Words are the words of the command that caused the decision, at most
	// eight. What is not known before the command runs is shown as "…".
	Words []string
	// Categories are all that was found, the deciding one first.
	Categories []Category
	// Runs are the absolute paths of the scripts and programs that the command
	// names as files and would execute, at most sixteen.
	Runs []string
	// why has the first finding of each category, in the order of Categories as they
	// were found.
	why []reasoned
}

// reasoned is what was found first of a category.
type reasoned struct {
	cat    Category
	reason string
	words  []string
}

// without is the verdict as it would give its reason if some categories did not
// count; at least one must be left.
func (v Verdict) without(relieved func(Category) bool) Verdict {
	if !relieved(v.Category) {
		return v
	}
	i := slices.IndexFunc(v.why, func(f reasoned) bool { return !relieved(f.cat) })
	if i < 0 {
		return v
	}
	f := v.why[i]
	v.Category, v.Reason, v.Words = f.cat, f.reason, f.words
	return v
}

const (
	maxWords = 8
	maxRuns  = 16
)

// weight orders findings. A weak question gives way to any other: the reason
// behind a sudo says more than the sudo.
type weight int

const (
	weightNone weight = iota
	weightWeak
	weightAsk
	weightBlock
)

// findings keeps the strictest of what was found, the first one among equals.
type findings struct {
	heaviest weight
	verdict  Verdict
}

func (f *findings) add(w weight, cat Category, reason string, words []string) {
	if !slices.Contains(f.verdict.Categories, cat) {
		f.verdict.Categories = append(f.verdict.Categories, cat)
		f.verdict.why = append(f.verdict.why, reasoned{cat, reason, words[:min(len(words), maxWords)]})
	}
	if w <= f.heaviest {
		return
	}
	f.heaviest = w
	f.verdict.Decision = Ask
	if w == weightBlock {
		f.verdict.Decision = Blocked
	}
	f.verdict.Category, f.verdict.Reason = cat, reason
	f.verdict.Words = words[:min(len(words), maxWords)]
}

// result gives the verdict, with the deciding category first.
func (f *findings) result() Verdict {
	v := f.verdict
	if f.heaviest == weightNone {
		return Verdict{Decision: Allow, Category: CatNone, Runs: v.Runs}
	}
	if i := slices.Index(v.Categories, v.Category); i > 0 {
		v.Categories = slices.Insert(slices.Delete(v.Categories, i, i+1), 0, v.Category)
	}
	return v
}
