package bind

import (
	"slices"
	"strings"

	"hermes-tui/agent/prompt"
	"hermes-tui/store/skillguard"
	"hermes-tui/tools/shellrisk"
)

// SkillGuard looks through skills: their texts as those of instructions, their shell scripts
// as commands.
func SkillGuard() skillguard.Guard { return skillguard.Guard{Scan: scanSkill, Judge: judgeScript} }

// scanSkill says what in a text is an attempt to take over an agent, whatever it is in, and
// what may be one in instructions.
func scanSkill(text string) (list []skillguard.Finding) {
	certain, hidden := prompt.ScanInstructions(text, prompt.ScopeAll), ""
	for _, name := range prompt.ScanInstructions(text, prompt.ScopeContext) {
		if char, hides := strings.CutPrefix(name, prompt.Hidden); hides {
			hidden += " " + char
			continue
		}
		f := skillguard.Finding{Category: skillguard.Injection, Severity: skillguard.High, ID: name, Why: "reads like an attempt to take over the agent: " + name}
		if slices.Contains(certain, name) {
			f.Severity = skillguard.Critical
		}
		list = append(list, f)
	}
	if hidden != "" {
		list = append(list, skillguard.Finding{
			Category: skillguard.Obfuscation, Severity: skillguard.Critical, ID: "hidden_text", Why: "has text in characters that no one sees:" + hidden,
		})
	}
	return list
}

// judged says what the judge of commands finds in scripts: of what it asks about, that which
// no skill needs to do unseen. What it blocks is critical whatever it is.
var judged = map[shellrisk.Category]struct {
	category skillguard.Category
	severity skillguard.Severity
}{
	shellrisk.CatDeleteRoot: {skillguard.Destructive, skillguard.Critical}, shellrisk.CatDeleteSystem: {skillguard.Destructive, skillguard.Critical},
	shellrisk.CatDeleteHome: {skillguard.Destructive, skillguard.Critical}, shellrisk.CatFormatDisk: {skillguard.Destructive, skillguard.Critical},
	shellrisk.CatRawDisk: {skillguard.Destructive, skillguard.Critical}, shellrisk.CatForkBomb: {skillguard.Destructive, skillguard.Critical},
	shellrisk.CatKillAll: {skillguard.Destructive, skillguard.Critical}, shellrisk.CatPower: {skillguard.Destructive, skillguard.Critical},
	shellrisk.CatSudoStdin: {skillguard.Privilege, skillguard.Critical}, shellrisk.CatProtected: {skillguard.Persistence, skillguard.Critical},

	shellrisk.CatRemoteExec: {skillguard.SupplyChain, skillguard.High}, shellrisk.CatExfiltration: {skillguard.Exfiltration, skillguard.High},
	shellrisk.CatObfuscated: {skillguard.Obfuscation, skillguard.High}, shellrisk.CatSensitiveFile: {skillguard.Credential, skillguard.High},
	shellrisk.CatSystemConfig: {skillguard.Persistence, skillguard.High}, shellrisk.CatAgentConfig: {skillguard.Persistence, skillguard.High},
	shellrisk.CatPrivilege: {skillguard.Privilege, skillguard.Medium}, shellrisk.CatService: {skillguard.Persistence, skillguard.Medium},
	shellrisk.CatEnvInjection: {skillguard.Execution, skillguard.Medium}, shellrisk.CatPublish: {skillguard.SupplyChain, skillguard.Medium},
}

// judgeScript has the judge of commands read a script, as one that runs in a workspace.
func judgeScript(script string) []skillguard.Finding {
	v := shellrisk.Judge(script, shellrisk.Setting{Cwd: "/home/user/work", Home: "/home/user", Workspace: "/home/user/work", NoProof: true})
	var list []skillguard.Finding
	for _, f := range v.Findings {
		if as, counts := judged[f.Category]; counts {
			list = append(list, skillguard.Finding{Category: as.category, Severity: as.severity, ID: string(f.Category), Why: f.Reason})
		}
	}
	return list
}
