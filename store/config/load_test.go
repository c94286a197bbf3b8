package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestDefaults(t *testing.T) {
	want := Config{
		Toolsets: []string{"hermes-cli"},
		Agent:    Agent{MaxTurns: 90, APIMaxRetries: 3, AutoTitle: true, Awareness: true, TodoCheckpoint: 10, CodingContext: "auto"},
		Terminal: Terminal{
			Backend: BackendLocal, Cwd: ".", DockerEngine: "docker", ContainerCPU: 1, ContainerMemory: 5120, ContainerDisk: 51200,
			ContainerPersistent: true, Timeout: 180, AutoSourceBashrc: true,
		},
		Tools:         Tools{Search: ToolSearch{Enabled: "auto", Threshold: 10, Limit: 5}},
		Web:           Web{Enabled: true, ExtractChars: 15000, ExtractTimeout: 120},
		CodeExecution: CodeExecution{Mode: "project", Timeout: 300, MaxToolCalls: 50},
		Checkpoints:   Checkpoints{Enabled: true},
		Approvals:     Approvals{Mode: ApprovalGuarded, Edits: ApprovalEditsMode, AskAfterUntrusted: true},
		Delegation:    Delegation{MaxIterations: 50, MaxConcurrent: 3, MaxAsync: 3, MaxDepth: 1, Orchestrators: true, Approvals: DelegatedAsk},
		LoopGuard:     LoopGuard{WarningsEnabled: true, WarnAfter: LoopCounts{2, 3, 2}, HardStopAfter: LoopStops{5, 8, 5}},
		Skills:        Skills{Projects: true, Nudge: 10, IndexPercent: 1},
		Curator:       Curator{Enabled: true, Interval: 168, Idle: 2, Stale: 14, Archive: 30},
		Sessions:      Sessions{Retention: 90, Interval: 24},
		Logging:       Logging{LogInfo, 5, 3},
		Memory:        Memory{Enabled: true, User: true, Review: "off", Nudge: 10, ReviewTokens: 400000, PrefetchChars: 1500, Chars: 2200, UserChars: 1375},
		Compression:   Compression{Review: ReviewShow, Enabled: true, Threshold: 0.5, TargetRatio: 0.2, ProtectLastN: 20, ProtectFirstN: 3},
		Context:       Context{InstructionsPercent: 10, ReferencesPercent: 50},
		Learnings:     Learnings{Capture: true, Apply: true, MaxEntries: 500},
		PromptCaching: PromptCaching{TTL: CacheMinutes},
		Login:         Login{OpenAI: OpenAILogin{Issuer: "https://auth.openai.com", Redirects: []string{"http://localhost:1455/auth/callback", "http://localhost:1457/auth/callback"}}},
		OpenRouter:    OpenRouter{ResponseCache: true, ResponseCacheTTL: 300, MinCodingScore: 0.65},
		Bedrock:       Bedrock{Guardrail: Guardrail{Mode: "async", Trace: "disabled"}},
		Auxiliary: Auxiliary{
			Title: AuxiliaryTask{Provider: "auto", Timeout: 30}, Approval: AuxiliaryTask{Provider: "auto", Timeout: 30}, Embedding: AuxiliaryTask{Provider: "auto", Timeout: 30},
			Compression: AuxiliaryTask{Provider: "auto", Timeout: 120}, Review: AuxiliaryTask{Provider: "auto", Timeout: 300}, Vision: AuxiliaryTask{Provider: "auto", Timeout: 120}, MCP: AuxiliaryTask{Provider: "auto", Timeout: 60},
		},
		ToolOutput:                 ToolOutput{MaxBytes: 50000, MaxLines: 2000, MaxLineLength: 2000},
		FileReadMaxChars:           100000,
		ContextFileMaxChars:        20000,
		PasteCollapseThreshold:     5,
		PasteCollapseCharThreshold: 2000,
		Display:                    Display{Theme: "auto", BellOnComplete: true, BusyInputMode: BusyQueue, ShowReasoning: true, FileMutationVerifier: true, TurnCompletionExplainer: true, Mouse: true, ToolOutputLines: 4},
		Probe:                      Probe{LocalServers: true, Timeout: 300},
		Database:                   Database{Journal: "auto"},
		Network:                    Network{ConnectTimeout: 30, RequestTimeout: 1800, StreamReadTimeout: 120, StreamStaleTimeout: 180},
		Security:                   Security{RedactSecrets: true},
		sources:                    map[string]string{},
	}
	missing := filepath.Join(t.TempDir(), "config.yaml")
	for name, o := range map[string]Options{
		"no file":       {},
		"missing":       {File: missing},
		"empty":         {File: file(t, "")},
		"comments":      {File: file(t, "# nothing\n\n")},
		"byte order":    {File: file(t, "\ufeff# nothing\n")},
		"null":          {File: file(t, "null\n")},
		"empty mapping": {File: file(t, "{}\n")},
		"only heads": {File: file(t, "display:\n  theme:\nmodel:\nproviders:\nkeys:\ntoolsets:\nagent: ~\napprovals: {mode: null}\n"+
			"fallback_providers:\nfallback_model:\npricing:\ncredential_pool_strategies:\ntool_loop_guardrails: {warn_after: }\ncompression:\n  threshold:\nauxiliary: {vision: , mcp: {timeout: , fallback_chain: []}}\n")},
	} {
		c, warnings, err := Load(o)
		if err != nil || len(warnings) > 0 || !reflect.DeepEqual(c, want) {
			t.Errorf("%s: %+v, %v, %v", name, c, warnings, err)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("reading made the file")
	}
}

// TestForms reads values in the forms that people and Hermes Agent write them in. That each
// setting counts is shown by what it does, in agent/app.
func TestForms(t *testing.T) {
	c := load1(t, `
model: {context_length: 32_768, default_headers: {X-Number: 5}}
providers: {empty: }
fallback_providers: [{base_url: "http://127.0.0.1:1/v1", model: 4.5}]
credential_pool_strategies: {openrouter: Round_Robin, c: , d: ""}
agent: {reasoning_effort: HIGH, auto_title: no}
delegation: {reasoning_effort: off, approvals: Deny}
terminal: {timeout: 60.0}
keys: {quit: [], find: /, fold: 1, help: }
display: {show_reasoning: "false", mouse: False}
database: {journal_mode: DELETE}
logging: {level: DEBUG}
auxiliary: {vision: {extra_body: {top_k: 20, stop: [a]}}}
login: {openai: {issuer: "http://127.0.0.1:5/"}}
hooks: {pre_tool_call: [{command: c, failClosed: on}]}
mcp_servers: {far: {url: "https://mcp.example/x", transport: streamable-http, ssl_verify: false, client_cert: a.pem}}
tools: {commands: {deploy: {parameters: {type: object}}}}
compression: {target_ratio: "1e-1"}
pricing: [{model: m2, input: 3, output: 15.50, cache_read: "0.3", cache_write: .75}]
`)
	far := c.MCPServers["far"]
	for name, got := range map[string][2]any{
		"window":   {c.Model.ContextLength, 32768},
		"header":   {c.Model.DefaultHeaders["X-Number"].Reveal(), "5"},
		"provider": {c.Providers, map[string]Provider{"empty": {}}},
		"fallback": {c.Fallbacks[0].Model, "4.5"},
		"pools":    {c.PoolStrategies, PoolStrategies{"openrouter": PoolRoundRobin}},
		"effort":   {[2]string{c.Agent.ReasoningEffort, c.Delegation.ReasoningEffort}, [2]string{"high", "none"}},
		"switches": {[3]bool{c.Agent.AutoTitle, c.Display.ShowReasoning, c.Display.Mouse}, [3]bool{}},
		"words":    {[3]string{string(c.Delegation.Approvals), c.Database.Journal, string(c.Logging.Level)}, [3]string{"deny", "delete", "debug"}},
		"timeout":  {c.Terminal.Timeout, Seconds(60)},
		"keys":     {c.Keys, map[string][]string{"quit": {}, "find": {"/"}, "fold": {"1"}}},
		"object":   {c.Auxiliary.Vision.ExtraBody, `{"stop":["a"],"top_k":20}`},
		"issuer":   {c.Login.OpenAI.Issuer, "http://127.0.0.1:5/"},
		"hook":     {c.Hooks.PreToolCall, []Hook{{Command: "c", Timeout: 60, FailClosed: true}}},
		"server":   {[]any{far.Transport, far.Verify, far.ClientCert}, []any{"http", "false", []string{"a.pem"}}},
		"schema":   {c.Tools.Commands["deploy"].Parameters, `{"type":"object"}`},
		"share":    {c.Compression.TargetRatio, 0.1},
		"decimals": {c.Pricing[0], ModelPrice{Model: "m2", Input: "3", Output: "15.50", CacheRead: "0.3", CacheWrite: ".75"}},
	} {
		if !reflect.DeepEqual(got[0], got[1]) {
			t.Errorf("%s is %#v, want %#v", name, got[0], got[1])
		}
	}
}

func TestModelAsText(t *testing.T) {
	for text, want := range map[string]string{
		"model: gpt-5":    "gpt-5",
		"model: 'gpt: 5'": "gpt: 5",
		"model: 1.10":     "1.10",
		"model: ''":       "",
		"model: ${M}":     "from-env",
	} {
		c := load1(t, text, "M", "from-env")
		if c.Model.Default != want || c.Model.Provider != "" {
			t.Errorf("%s gives %+v", text, c.Model)
		}
	}
}

func TestApprovalMode(t *testing.T) {
	for text, want := range map[string]ApprovalMode{
		"false": ApprovalOff, "off": ApprovalOff, "no": ApprovalOff, "OFF": ApprovalOff, "'off'": ApprovalOff, "False": ApprovalOff,
		"true": ApprovalGuarded, "": ApprovalGuarded, "''": ApprovalGuarded, "null": ApprovalGuarded, "manual": ApprovalManual, "on": ApprovalGuarded,
		"guarded": ApprovalGuarded,
		"plan":    ApprovalPlan, "Plan": ApprovalPlan, "smart": ApprovalSmart, "SMART": ApprovalSmart,
	} {
		if c := load1(t, "approvals:\n  mode: "+text+"\n"); c.Approvals.Mode != want {
			t.Errorf("mode %q gives %q", text, c.Approvals.Mode)
		}
	}
}

// TestCheck holds that a value of the file which a later check refuses is taken out, with a
// warning that names the line. A value of the environment or of a flag is an error.
func TestCheck(t *testing.T) {
	name := file(t, "display: {theme: dark}\napprovals:\n  allow: [z]\n  deny: [x, bad]\n  rules:\n    - deny: y\n    - allow: w\n")
	for key, want := range map[string]string{
		"approvals.deny.2":       name + ", line 4: approvals.deny.2 is bad; it is ignored, and everything is asked about",
		"approvals.rules.1.deny": name + ", line 6: approvals.rules.1.deny is bad; it is ignored, and everything is asked about",
		"approvals.allow.1":      name + ", line 3: approvals.allow.1 is bad; it is ignored, and everything is asked about",
		"display.theme":          name + ", line 1: display.theme is bad; it is ignored",
		"agent.max_turns":        "flag for agent.max_turns: agent.max_turns is bad",
		"approvals.hosts":        "settings: approvals.hosts is bad",
	} {
		said := false
		o := Options{File: name, Flags: map[string]string{"agent.max_turns": "5"}}
		o.Check = func(c Config) (string, string) {
			if said {
				return "", ""
			}
			said = true
			return key, "is bad"
		}
		c, warnings, err := Load(o)
		if !strings.HasPrefix(want, name) {
			if err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			continue
		}
		if err != nil || len(warnings) != 1 || warnings[0].String() != want {
			t.Errorf("%v, %q, want %q", err, warnings, want)
		}
		if strict := c.Approvals.Mode == ApprovalManual; strict != strings.HasPrefix(key, "approvals.") {
			t.Errorf("%s: %+v", key, c.Approvals)
		}
		if forbids := key == "approvals.deny.2" || key == "approvals.rules.1.deny"; forbids && len(c.Approvals.Allow) > 0 ||
			key == "approvals.deny.2" && !slices.Equal(c.Approvals.Deny, []string{"x"}) || key == "display.theme" && c.Display.Theme == "dark" {
			t.Errorf("%s: %+v", key, c.Approvals)
		}
	}
}

func TestReferences(t *testing.T) {
	c := load1(t, `
model:
  default: ${A}-${B}-${A}
  provider: $A
  base_url: ${URL}/v1
  api_key: ${KEY}
  default_headers: {Authorization: "Bearer ${KEY}", X: "${NO}"}
terminal: {timeout: "${SECS}", shell_init_files: ["${A}", "${}", "${1}", "${a b}", "${A", "$${A}"]}
`, "A", "${B}", "B", "b", "URL", "http://h", "KEY", "sk-1", "SECS", "7")
	if c.Model.Default != "${B}-b-${B}" || c.Model.Provider != "$A" || c.Model.BaseURL != "http://h/v1" || c.Model.APIKey.Reveal() != "sk-1" || c.Terminal.Timeout != 7 {
		t.Errorf("%+v", c)
	}
	if got := c.Model.DefaultHeaders["Authorization"].Reveal(); got != "Bearer sk-1" {
		t.Errorf("header %q", got)
	}
	if want := []string{"${B}", "${}", "${1}", "${a b}", "${A", "$${B}"}; !slices.Equal(c.Terminal.ShellInitFiles, want) {
		t.Errorf("files %q", c.Terminal.ShellInitFiles)
	}
	kept := load1(t, "model: {base_url: '${URL}', api_key: 'a${NO}', key_env: '${X}'}")
	if kept.Model.BaseURL != "${URL}" || kept.Model.APIKey.Reveal() != "a${NO}" {
		t.Errorf("%+v", kept.Model)
	}
	if name, ok := Unresolved(kept.Model.BaseURL); !ok || name != "URL" {
		t.Errorf("unresolved %q, %v", name, ok)
	}
	if name, ok := Unresolved("${ ${} $x"); ok {
		t.Errorf("unresolved %q", name)
	}
}

func TestAliasesAndMerges(t *testing.T) {
	c := load1(t, `
providers:
  a: &base {base_url: "https://a", default: m, headers: {X: y}}
  b: {<<: *base, default: n}
  c: {<<: [{default: first}, *base]}
  d: *base
`)
	for name, want := range map[string]string{"a": "m", "b": "n", "c": "first", "d": "m"} {
		if p := c.Providers[name]; p.Default != want || p.BaseURL != "https://a" || p.Headers["X"].Reveal() != "y" {
			t.Errorf("%s is %+v", name, p)
		}
	}
}

// An empty list is not the same as no entry, and both are told from a change.
func TestActionKeys(t *testing.T) {
	c := load1(t, `
keys:
  &copy transcript.copy: &y [y, Y]
  "no such action": ["`+"${KEY}"+`"]
  on: *y
  `+strings.Repeat("ä", 64)+`: n
  quit: []
  <<: {quit: [q], send: " "}
`, "KEY", "f1")
	want := map[string][]string{
		"transcript.copy": {"y", "Y"}, "no such action": {"f1"}, "on": {"y", "Y"}, strings.Repeat("ä", 64): {"n"}, "quit": {}, "send": {" "},
	}
	if !reflect.DeepEqual(c.Keys, want) {
		t.Errorf("got  %q\nwant %q", c.Keys, want)
	}
	name := file(t, "# c\nkeys: {send: [ctrl+enter, f5], quit: []}\n")
	o := Options{File: name}
	first, _, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	all := first.Settings()
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Name == "keys" })
	if s := all[i]; s.Value != "quit: [], send: [ctrl+enter, f5]" || s.Source != name+":2" || s.Class != Live || s.Secret || s.Type != "lists of texts by name" {
		t.Errorf("%+v", s)
	}
}

func TestDurations(t *testing.T) {
	if Seconds(2).Duration().Milliseconds() != 2000 || Millis(2).Duration().Microseconds() != 2000 {
		t.Error("units are wrong")
	}
}
