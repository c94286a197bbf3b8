package config

import (
	"slices"
	"strings"
	"testing"
)

// One odd value hides nothing of what stands beside it: the rest counts, and a warning
// names the place.
func TestOddValues(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		says string // of the only warning, empty for none
		ok   func(Config) bool
	}{
		"names among fallbacks": {"fallback_providers: [openrouter, {provider: p, model: m}, zai]\n", "fallback_providers.1 must be a section", func(c Config) bool {
			return len(c.Fallbacks) == 1 && c.Fallbacks[0].Model == "m"
		}},
		"one fallback":       {"fallback_providers: {provider: p, model: m}\n", "", func(c Config) bool { return len(c.Fallbacks) == 1 }},
		"text as fallback":   {"fallback_model: some/model\n", "fallback_model must be", func(c Config) bool { return c.Fallbacks == nil }},
		"providers by name":  {"custom_providers:\n  a b: {base_url: 'http://h/v1'}\n  c: {base_url: 'http://i/v1'}\n", "", func(c Config) bool { return c.Providers["a-b"].BaseURL == "http://h/v1" && len(c.Providers) == 2 }},
		"one provider":       {"custom_providers: {name: a, base_url: 'http://h/v1'}\n", "", func(c Config) bool { return c.Providers["a"].BaseURL == "http://h/v1" }},
		"a place elsewhere":  {"terminal: {backend: modal, timeout: 180}\n", "terminal.backend", func(c Config) bool { return c.Terminal.Backend == "local" && c.Approvals.Mode == ApprovalManual }},
		"text as list":       {"toolsets: hermes-cli\n", "", func(c Config) bool { return len(c.Toolsets) == 1 }},
		"numbers in a list":  {"mcp_servers: {a: {command: x, args: [1, true, -v]}}\n", "", func(c Config) bool { return strings.Join(c.MCPServers["a"].Args, " ") == "1 true -v" }},
		"a list for servers": {"mcp_servers: []\nmodel: m\n", "", func(c Config) bool { return c.Model.Default == "m" }},
		"text as args":       {"mcp_servers: {a: {command: x, args: srv.py}}\n", "", func(c Config) bool { return len(c.MCPServers["a"].Args) == 1 }},
		"switches in env": {"mcp_servers: {a: {command: x, env: {DEBUG: true, PORT: 80, N: {}}}, b: 3, c: {command: y}}\n", "mcp_servers.a.env.N", func(c Config) bool {
			return c.MCPServers["a"].Env["DEBUG"].Reveal() == "true" && c.MCPServers["c"].Command == "y"
		}},
		"a list for hooks":   {"hooks: []\n", "", func(c Config) bool { return true }},
		"one hook":           {"hooks: {pre_tool_call: {command: x}}\n", "", func(c Config) bool { return len(c.Hooks.PreToolCall) == 1 }},
		"a level of others":  {"logging: {level: TRACE}\nmodel: m\n", "logging.level", func(c Config) bool { return c.Model.Default == "m" }},
		"a number too large": {"agent: {max_turns: 0, awareness: false}\n", "agent.max_turns", func(c Config) bool { return c.Agent.MaxTurns > 0 && !c.Agent.Awareness }},
		"text for a section": {"compression: off\nmodel: m\n", "compression must be", func(c Config) bool { return c.Model.Default == "m" && c.Compression.Enabled }},
		"twice":              {"model: a\nagent: {}\nmodel: b\n", "appears a second time", func(c Config) bool { return c.Model.Default == "b" }},
		"no settings":        {"- a\n", "the file must hold settings", func(c Config) bool { return true }},
		"keys of others":     {"model_context_length: 0\nauxiliary: {session_search: {timeout: 3}}\n_config_version: 23\ncron: {max_parallel_jobs: null}\nsomething_new: {a: 1}\n", "", func(c Config) bool { return true }},
		"a mode":             {"approvals: {mode: yolo, allow: [x]}\n", "everything is asked about", func(c Config) bool { return c.Approvals.Mode == ApprovalManual && len(c.Approvals.Allow) == 1 }},
		"a rule that forbids": {"approvals: {mode: 'off', allow: [x], deny: [y, [z]], rules: [{allow: w}, {deny: v}]}\n", "approvals.deny", func(c Config) bool {
			return c.Approvals.Mode == ApprovalManual && c.Approvals.Allow == nil && len(c.Approvals.Rules) == 1 && len(c.Approvals.Deny) == 1
		}},
		"a rule without sense": {"approvals: {allow: [x], rules: [{reason: r}, {deny: v}]}\n", "approvals.rules.1", func(c Config) bool {
			return c.Approvals.Mode == ApprovalManual && c.Approvals.Allow == nil && len(c.Approvals.Rules) == 1
		}},
		"a hook that guards": {"hooks: {pre_tool_call: [{command: x, fail_closed: perhaps}]}\n", "fail_closed", func(c Config) bool { return c.Hooks.PreToolCall[0].FailClosed }},
		"a server":           {"mcp_servers: {a: {command: x, enabled: perhaps}}\n", "enabled", func(c Config) bool { return !c.MCPServers["a"].Enabled }},
		"the network":        {"terminal: {docker_network: [a]}\n", "docker_network", func(c Config) bool { return c.Terminal.DockerNetwork == "none" }},
		"memory":             {"memory: {write_approval: perhaps}\n", "write_approval", func(c Config) bool { return c.Memory.WriteApproval }},
	} {
		t.Run(name, func(t *testing.T) {
			got, warnings, err := Load(Options{File: file(t, c.text)})
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			for _, w := range warnings {
				said += w.String() + "\n"
			}
			if !strings.Contains(said, c.says) || (c.says == "") != (said == "") || !c.ok(got) {
				t.Errorf("warnings %q, settings %+v %+v", said, got.Approvals, got.Fallbacks)
			}
			if c.says != "" && !strings.Contains(warnings[0].String(), ", line ") {
				t.Errorf("no line: %s", said)
			}
		})
	}
}

// The command line decides what the file says badly, but loosens nothing where rules are
// missing that might have forbidden something.
func TestOddValuesAndFlags(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		key  string
		flag string
		mode ApprovalMode
	}{
		"a mode":            {"approvals: {mode: yolo}\n", "approvals.mode", "off", ApprovalOff},
		"another mode":      {"approvals: {mode: yolo}\n", "model.default", "m", ApprovalManual},
		"a place":           {"terminal: {backend: modal}\napprovals: {mode: guarded}\n", "terminal.backend", "local", ApprovalGuarded},
		"a rule":            {"approvals: {deny: [[z]]}\n", "approvals.mode", "off", ApprovalManual},
		"a rule in words":   {"approvals: {deny: [odd]}\n", "approvals.mode", "off", ApprovalManual},
		"a rule, and plan":  {"approvals: {deny: [[z]]}\n", "approvals.mode", "plan", ApprovalPlan},
		"all of the rules":  {"approvals: [x]\n", "approvals.mode", "off", ApprovalManual},
		"a rule and a mode": {"approvals: {mode: yolo, deny: [[z]]}\n", "approvals.mode", "off", ApprovalManual},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(c Config) (string, string) {
				if slices.Contains(c.Approvals.Deny, "odd") {
					return "approvals.deny.1", "is odd"
				}
				return "", ""
			}
			got, warnings, err := Load(Options{File: file(t, c.text), Flags: map[string]string{c.key: c.flag}, Check: check})
			if err != nil || len(warnings) == 0 || !warnings[0].Wrong || got.Approvals.Mode != c.mode || (got.Doubt() != "") != (c.mode == ApprovalManual || c.mode == ApprovalPlan) {
				t.Errorf("mode %s, doubt %q, warnings %+v, error %v", got.Approvals.Mode, got.Doubt(), warnings, err)
			}
		})
	}
}
