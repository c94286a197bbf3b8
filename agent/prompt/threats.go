package prompt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hermes-tui/tools/unseen"
)

// Scope says how widely a text is scanned. Each scope contains the one before.
type Scope int

// The scopes.
const (
	// ScopeAll looks for attempts to take over the agent and to steal secrets.
	ScopeAll Scope = iota
	// ScopeContext adds role play and remote control, for what instructs.
	ScopeContext
	// ScopeStrict adds persistence, for what will be remembered.
	ScopeStrict
)

// threat is one phrase that is looked for.
type threat struct {
	id    string
	scope Scope
	re    *regexp.Regexp
	need  need
	but   *regexp.Regexp // of the sentences that it is in, those that are harmless; nil for none
}

// threats are compiled at first use: most runs never scan anything.
var threats = sync.OnceValue(compileThreats)

func compileThreats() []threat {
	table := []struct {
		id    string
		scope Scope
		re    string
	}{
		{"prompt_injection", ScopeAll, `ignore … (?:previous|all|above|prior) … instructions`},
		{"sys_prompt_override", ScopeAll, `system prompt override`},
		{"disregard_rules", ScopeAll, `disregard … (?:your|all|any) … (?:instructions|rules|guidelines)`},
		{"bypass_restrictions", ScopeAll, `act as (?:if|though) … you … (?:have no|don['’]t have) … (?:restrictions|limits|rules)`},
		{"html_comment_injection", ScopeAll, `<!--(?:(?:[^>]|[^-]>|[^-]->)*[^\w:.-])?(?:` + addressed + `)(?:[^>]|[^-]>|[^-]->)*-->`},
		{"hidden_div", ScopeAll, `<\s*div\b[^>]*style\s*=[^>]*display\s*:\s*none`},
		{"translate_execute", ScopeAll, `translate … into … and (?:execute|run|eval)\b`},
		{"deception_hide", ScopeAll, `do not … tell … the user`},
		{"exfil_curl", ScopeAll, `\bcurl\b[^\n]*` + sent},
		{"exfil_wget", ScopeAll, `\bwget\b[^\n]*` + sent},
		{"read_secrets", ScopeAll, `\bcat\b[^\n]*(?:\.env\b|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc)`},

		{"role_hijack", ScopeContext, `you are … now (?:a|an|the)\b`},
		{"role_pretend", ScopeContext, `pretend … (?:you are|to be)\b`},
		{"leak_system_prompt", ScopeContext, `output … (?:system|initial) prompt`},
		{"remove_filters", ScopeContext, `(?:respond|answer|reply) without … (?:restrictions|limitations|filters|safety)`},
		{"fake_update", ScopeContext, `you have been … (?:updated|upgraded|patched) to\b`},
		{"identity_override", ScopeContext, `name yourself \w`},
		{"c2_node_registration", ScopeContext, `register as a node`},
		{"c2_heartbeat", ScopeContext, `(?:heartbeat|beacon|check in) (?:to|with)\b`},
		{"c2_task_pull", ScopeContext, `pull … (?:task|tasks|tasking)\b`},
		{"c2_network_connect", ScopeContext, `connect to the network`},
		{"forced_action", ScopeContext, `you must (?:[^\s.,;:!?]+\s+){0,3}(?:register|connect|report|beacon)\b`},
		{"anti_forensic_oneliner", ScopeContext, `only use one[\s-]liners`},
		{"anti_forensic_disk", ScopeContext, `never … (?:create|write) … (?:script|file)s? … disk`},
		{"env_var_unset_agent", ScopeContext, `\bunset\s+(?:[\w-]+\s+)*\w*(?:CLAUDE|CODEX|HERMES|AGENT|OPENAI|ANTHROPIC)`},
		{"known_c2_framework", ScopeContext, `\b(?:cobalt strike|metasploit|(?:sliver|mythic) … (?:c2|agent|beacon|callback|implant|listener|payload|server|session)|(?:c2|implant|beacon|connect|deploy|install|payload) … (?:sliver|mythic))\b`},
		{"c2_explicit", ScopeContext, `\bc2 (?:server|channel|infrastructure|beacon)`},
		{"c2_explicit_long", ScopeContext, `command and control (?:\(c2\) )?(?:server|channel|infrastructure|beacon|host|node|endpoint|operator|listener|framework|panel)s?\b`},

		{"send_to_url", ScopeStrict, `(?:send|post|upload|transmit) … (?:to|at) https?://`},
		{"context_exfil", ScopeStrict, `(?:include|output|print|share) … (?:conversation|chat history|previous messages|full context|entire context)`},
		{"ssh_backdoor", ScopeStrict, `authorized_keys`},
		{"ssh_access", ScopeStrict, `(?:~|\$HOME|\$\{HOME\})/\.ssh\b`},
		{"hermes_env", ScopeStrict, `(?:~|\$HOME|\$\{HOME\})/\.hermes/\.env\b`},
		{"agent_config_mod", ScopeStrict, `(?:update|modify|edit|write|change|append|add) … \S*(?:AGENTS\.md|CLAUDE\.md|\.cursorrules)`},
		{"hermes_config_mod", ScopeStrict, `(?:update|modify|edit|write|change|append|add) … \S*\.hermes/(?:config\.yaml|SOUL\.md)`},
		{"hardcoded_secret", ScopeStrict, `(?:api[\s_-]?key|token|secret|password)["']?\s*[=:]\s*["'][A-Za-z0-9+/=_-]{20,}["']`},
	}
	out := make([]threat, len(table))
	for i, t := range table {
		re := expression(t.re)
		out[i] = threat{id: t.id, scope: t.scope, re: regexp.MustCompile(re), need: needOf(re)}
		if but := harmless[t.id]; but != "" {
			out[i].but = regexp.MustCompile(expression(but))
		}
	}
	return out
}

// addressed is what a comment says that is meant for an agent and not for who keeps the file.
const addressed = `(?:ignore|disregard) … (?:all|any|every|everything|previous|prior|above|earlier|your|my|the|these|those|other|what)\b|override … (?:your|all|any|every|previous|prior|safety|rules|instructions|guidelines|policy|policies)\b|` +
	`system(?::|[ _-](?:prompt|message|instruction|override|note|directive|command|notice|update|say|want|require)s?\b)|secretly\b|(?:secret|hidden)(?::| (?:instruction|message|command|directive|order|task|prompt|note)s?\b)`

// expression reads the notation of the tables: a blank stands for white space, and … for up
// to six words of the same sentence on the way, which may go on in the next line.
func expression(re string) string {
	const blank = `(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*)`
	spread := strings.ReplaceAll(re, " … ", blank+`(?:(?:\*+[^\s.,;:!?*]|[^\s.,;:!?#|>*-])[^\s.,;:!?]*`+blank+`){0,6}`)
	if c := re[0]; c >= 'a' && c <= 'z' {
		spread = `\b` + spread
	}
	return `(?i)` + strings.ReplaceAll(spread, " ", `\s+`)
}

// Scan looks for phrases by which a text tries to take over an agent, and for
// characters that hide text. It returns the sorted names of what it found.
func Scan(text string, scope Scope) []string { return scan(text, scope, false) }

// ScanInstructions is Scan for a text that is to instruct: a phrase that stands in it as
// an example, in quotes, is none.
func ScanInstructions(text string, scope Scope) []string { return scan(text, scope, true) }

func scan(text string, scope Scope, examples bool) []string {
	found, folded := hiddenCharacters(text), fold(text)
	for _, t := range threats() {
		if t.scope <= scope && !t.need.missing(folded) && t.in(text, examples) {
			found = append(found, t.id)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Hidden begins the names of characters that hide something.
const Hidden = "invisible_unicode_"

// hiddenCharacters names the characters that hide something.
func hiddenCharacters(text string) []string {
	var found []string
	for i, r := range unseen.All(text) {
		if name := fmt.Sprintf("%sU+%04X", Hidden, r); !slices.Contains(found, name) && !breaksCell(text, i, r) {
			if found = append(found, name); len(found) == maxHidden {
				break
			}
		}
	}
	return found
}

// maxHidden is how many different hidden characters are named: a text in tags has dozens.
const maxHidden = 8
