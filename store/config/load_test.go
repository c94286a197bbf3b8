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

func TestEveryKey(t *testing.T) {
	c := load1(t, `
model:
  provider: custom
  default: qwen3-coder:30b
  base_url: http://127.0.0.1:8080/v1
  api_key: key-1
  key_env: MY_KEY
  context_length: 32_768
  max_tokens: 4096
  default_headers: {X-Team: blue, X-Number: 5}
providers:
  local.box:
    base_url: https://box.example/v1
    api_key: key-2
    key_env: BOX_KEY
    default: m
    headers:
      Authorization: Bearer abc
    protocol: chat
  empty:
fallback_providers:
  - {provider: local.box, model: m2, key_env: F_KEY}
  - base_url: http://127.0.0.1:1/v1
    model: 4.5
    api_key: key-3
credential_pool_strategies: {openrouter: Round_Robin, "my.own": least_used, a: random, b: fill_first, c: , d: ""}
toolsets: [a, "b"]
agent: {max_turns: 7, api_max_retries: 20, reasoning_effort: HIGH, disabled_toolsets: [c], auto_title: no, awareness: no, todo_checkpoint: 0, coding_context: off, clarify_timeout: 600}
terminal:
  backend: docker
  cwd: /src
  sandbox_network: true
  sandbox_writable: [~/go]
  docker_image: golang:1.26
  docker_engine: podman
  docker_mount_cwd_to_workspace: true
  docker_volumes: [a:/a]
  docker_network: none
  container_cpu: 2.5
  container_memory: 1024
  container_disk: 2048
  container_persistent: false
  ssh_host: box
  ssh_user: anna
  ssh_port: 2222
  ssh_key: ~/.ssh/id
  singularity_image: a.sif
  timeout: 60.0
  env_passthrough: [A_B]
  shell_init_files: ["~/.profile"]
  auto_source_bashrc: no
delegation:
  model: small
  provider: local.box
  base_url: http://127.0.0.1:2/v1
  api_key: key-4
  reasoning_effort: off
  max_iterations: 8
  max_concurrent_children: 60
  max_async_children: 0
  max_spawn_depth: 3
  orchestrator_enabled: no
  child_timeout_seconds: 45
  max_tree_iterations: 500
  max_tree_cost: 2.5
  approvals: Deny
code_execution: {mode: strict, timeout: 20, max_tool_calls: 5}
checkpoints: {enabled: false}
approvals:
  mode: plan
  edits: ask
  timeout: 30
  allow: ["terminal(ls *)"]
  ask: ["mcp_*", "terminal(make, x)"]
  deny: [write_file(/etc/**)]
  hosts: ["a.example:443", "*.b.example"]
  ask_after_untrusted: false
  rules:
    - {deny: terminal(a), examples: [a], not: [b, "c, d"], reason: No.}
    - allow: terminal(b)
tool_output: {max_bytes: 1000, max_lines: 10, max_line_length: 20}
file_read_max_chars: 1000
context_file_max_chars: 100
paste_collapse_threshold: 0
paste_collapse_char_threshold: 1
keys:
  send: [ctrl+enter, f5]
  transcript.copy: [y]
  quit: []
  find: /
  fold: 1
  help:
display:
  theme: dark
  bell_on_complete: off
  busy_input_mode: steer
  show_reasoning: "false"
  reduced_motion: yes
  file_mutation_verifier: false
  turn_completion_explainer: off
  mouse: False
  timestamps: on
  tool_output_lines: 50
  copy_on_select: yes
probe: {local_servers: false, timeout_ms: 50}
database: {journal_mode: DELETE}
network: {connect_timeout_s: 1, request_timeout_s: 2, stream_read_timeout_s: 3, stream_stale_timeout_s: 86400}
tool_loop_guardrails:
  warnings_enabled: false
  hard_stop_enabled: on
  warn_after: {exact_failure: 1, same_tool_failure: 1000, idempotent_no_progress: 4}
  hard_stop_after: {exact_failure: 6, same_tool_failure: 7, idempotent_no_progress: 8}
auxiliary:
  title_generation: {provider: local.box, model: t, timeout: 5, key_env: T_KEY, extra_body: {top_k: 20, stop: [a]}}
  approval:
    provider: custom
    base_url: http://127.0.0.1:3/v1
    api_key: key-5
    fallback_chain:
      - {provider: local.box, model: a, extra_body: "{}"}
      - {base_url: "http://127.0.0.1:4/v1", model: b, api_key: key-6}
  embedding: {provider: local.box, model: e, timeout: 9}
  compression: {provider: local.box, model: c, timeout: 1}
  background_review: {provider: local.box, model: r, timeout: 8}
  vision: {model: v, extra_body: {x: 1}, download_timeout: 30}
  web_extract: {timeout: 86400}
  mcp: {provider: local.box}
  tts_audio_tags: {provider: auto, timeout: 30}
prompt_caching: {cache_ttl: 1h}
login: {openai: {issuer: "http://127.0.0.1:5/", client_id: us, redirect_urls: ["http://localhost:0/back"]}}
openrouter: {response_cache: no, response_cache_ttl: 60, min_coding_score: 1}
provider_routing: {only: [a], ignore: [b, c], order: [d], sort: price, require_parameters: yes, data_collection: deny}
bedrock:
  region: eu-west-1
  profile: work
  guardrail: {guardrail_identifier: g1, guardrail_version: DRAFT, stream_processing_mode: sync, trace: enabled}
skills: {external_dirs: [~/s], disabled: [a, b], project_discovery: off, write_approval: on, creation_nudge_interval: 6, index_percent: 2.5}
tools: {commands: {deploy: {command: ./deploy.sh, description: Deploys., parameters: {type: object}, timeout: 9}, none: }, tool_search: {enabled: on, threshold_pct: 2.5, search_default_limit: 7}}
web: {enabled: off, extract_char_limit: 3000, extract_timeout: 5, backend: exa, search_backend: searxng, search_url: "http://127.0.0.1:8/s"}
mcp_servers:
  files: {command: npx, args: [a, b], cwd: ~/w, env: {A_B: c}, connect_timeout: 3, timeout: 4, trust: full, supports_parallel_tool_calls: on, tools: {include: [x*], exclude: [y], resources: off, prompts: off}, elicitation: {enabled: off, timeout: 7}, sampling: {enabled: off, max_rpm: 3, timeout: 9, model: m, max_tokens_cap: 8, allowed_models: [m, n]}, keepalive_interval: 0, protocol: legacy, idle_timeout_seconds: 5, max_lifetime_seconds: 6}
  far: {url: "https://mcp.example/x", transport: streamable-http, headers: {X-Key: k}, enabled: no, ssl_verify: false, client_cert: a.pem, client_key: b.pem, auth: none, oauth: {client_id: i, client_secret: s, scope: a b, redirect_port: 7, timeout: 19, client_name: n, flow: device, redirect_host: localhost, redirect_uri: "http://localhost:1/x", token_endpoint_auth_method: client_secret_post, client_metadata_url: "https://c.test/d", cimd: off, user_agent: u}, identity_header: {name: X-Who, value_from: profile, value: v}}
hooks: {pre_tool_call: [{command: a.sh b, matcher: x|y, timeout: 5, fail_closed: on}, {command: c, failClosed: on}], stop: [{command: d}]}
hooks_auto_accept: on
curator: {enabled: off, interval_hours: 1, min_idle_hours: 0, stale_after_days: 3, archive_after_days: 4}
sessions: {auto_prune: yes, retention_days: 7, min_interval_hours: 2}
logging: {level: DEBUG, max_size_mb: 7, backup_count: 0}
compression: {enabled: no, review: ask, threshold: 0.95, target_ratio: "1e-1", protect_last_n: 0, protect_first_n: 100}
context: {instructions_percent: 3.5, references_percent: 20}
memory: {memory_enabled: false, user_profile_enabled: false, write_approval: true, prefetch_chars: 9, review: staged, nudge_interval: 4, review_max_tokens: 20000, memory_char_limit: 100, user_char_limit: 200, provider: command, provider_command: [a, b c], provider_server: s, provider_tools: {system_prompt_block: b, prefetch: p, sync_turn: t, memory_write: w, session_end: e}}
learnings: {capture: no, apply: no, max_entries: 7}
pricing:
  - {provider: local.box, model: m2, input: 3, output: 15.50, cache_read: "0.3", cache_write: .75}
  - model: "*"
    input: 0
    output: "${NOTHING}"
security: {redact_secrets: false, fake_ip_ranges: [198.18.0.0/15]}
`)
	c.sources, c.layers = nil, [3]Model{}
	want := Config{
		Model: Model{
			Provider: "custom", Default: "qwen3-coder:30b", BaseURL: "http://127.0.0.1:8080/v1", APIKey: NewSecret("key-1"), KeyEnv: "MY_KEY",
			ContextLength: 32768, MaxTokens: 4096, DefaultHeaders: map[string]Secret{"X-Team": NewSecret("blue"), "X-Number": NewSecret("5")},
		},
		Providers: map[string]Provider{
			"local.box": {
				BaseURL: "https://box.example/v1", APIKey: NewSecret("key-2"), KeyEnv: "BOX_KEY", Default: "m",
				Headers: map[string]Secret{"Authorization": NewSecret("Bearer abc")}, Protocol: ProtocolChat,
			},
			"empty": {},
		},
		Fallbacks: []Fallback{
			{Provider: "local.box", Model: "m2", KeyEnv: "F_KEY"}, {BaseURL: "http://127.0.0.1:1/v1", Model: "4.5", APIKey: NewSecret("key-3")},
		},
		PoolStrategies: PoolStrategies{
			"openrouter": PoolRoundRobin, "my.own": PoolLeastUsed, "a": PoolRandom, "b": PoolFillFirst,
		},
		Toolsets: []string{"a", "b"},
		Agent:    Agent{MaxTurns: 7, APIMaxRetries: 20, ReasoningEffort: "high", DisabledToolsets: []string{"c"}, CodingContext: "off", ClarifyTimeout: 600},
		Terminal: Terminal{
			Backend: BackendDocker, Cwd: "/src", SandboxNetwork: true, SandboxWritable: []string{"~/go"},
			DockerImage: "golang:1.26", DockerEngine: "podman", DockerMountCwd: true, DockerVolumes: []string{"a:/a"}, DockerNetwork: "none",
			ContainerCPU: 2.5, ContainerMemory: 1024, ContainerDisk: 2048, SSHHost: "box", SSHUser: "anna", SSHPort: 2222, SSHKey: "~/.ssh/id",
			SingularityImage: "a.sif",
			Timeout:          60, EnvPassthrough: []string{"A_B"}, ShellInitFiles: []string{"~/.profile"},
		},
		Delegation: Delegation{
			Model: "small", Provider: "local.box", BaseURL: "http://127.0.0.1:2/v1", APIKey: NewSecret("key-4"), ReasoningEffort: "none",
			MaxIterations: 8, MaxConcurrent: 60, MaxDepth: 3, Timeout: 45, TreeIterations: 500, TreeCost: 2.5, Approvals: DelegatedDeny,
		},
		Tools: Tools{Commands: map[string]CommandTool{"deploy": {Command: "./deploy.sh", Description: "Deploys.", Parameters: `{"type":"object"}`, Timeout: 9}, "none": {}}, Search: ToolSearch{Enabled: "on", Threshold: 2.5, Limit: 7}},
		Web:   Web{ExtractChars: 3000, ExtractTimeout: 5, SearchBackend: "searxng", SearchURL: "http://127.0.0.1:8/s"},
		MCPServers: map[string]MCPServer{
			"files": {
				Enabled: true, Command: "npx", Args: []string{"a", "b"}, Cwd: "~/w", Env: map[string]Secret{"A_B": NewSecret("c")}, ConnectTimeout: 3, Timeout: 4, Trust: "full", Parallel: true,
				Verify: "true", Auth: "oauth", Protocol: "legacy", IdleTimeout: 5, MaxLifetime: 6, Identity: MCPIdentity{From: "static"}, Tools: MCPTools{Include: []string{"x*"}, Exclude: []string{"y"}}, Sampling: MCPSampling{MaxRPM: 3, Model: "m", MaxTokens: 8, Timeout: 9, Models: []string{"m", "n"}},
				Elicitation: MCPElicitation{Timeout: 7}, OAuth: MCPOAuth{ClientName: "hermes-tui", AuthMethod: "auto", Flow: "auto", Timeout: 300, RedirectHost: "127.0.0.1", Documented: true},
			},
			"far": {
				URL: "https://mcp.example/x", Transport: "http", Headers: map[string]Secret{"X-Key": NewSecret("k")}, ConnectTimeout: 30, Timeout: 300, Trust: "untrusted",
				Verify: "false", Auth: "none", OAuth: MCPOAuth{"i", NewSecret("s"), "a b", 7, "n", "client_secret_post", "device", 19, "localhost", "http://localhost:1/x", "https://c.test/d", false, "u"}, Keepalive: 180, Protocol: "auto", Identity: MCPIdentity{"X-Who", "profile", "v"}, ClientCert: []string{"a.pem"}, ClientKey: "b.pem", Tools: MCPTools{Resources: true, Prompts: true}, Elicitation: MCPElicitation{Enabled: true}, Sampling: MCPSampling{Enabled: true, MaxRPM: 10, MaxTokens: 4096},
			},
		},
		Hooks: Hooks{
			PreToolCall: []Hook{{Command: "a.sh b", Matcher: "x|y", Timeout: 5, FailClosed: true}, {Command: "c", Timeout: 60, FailClosed: true}},
			Stop:        []Hook{{Command: "d", Timeout: 60}},
		},
		AcceptHooks:   true,
		CodeExecution: CodeExecution{Mode: "strict", Timeout: 20, MaxToolCalls: 5},
		Approvals: Approvals{
			Mode: ApprovalPlan, Edits: ApprovalEditsAsk, Timeout: 30, Allow: []string{"terminal(ls *)"}, Ask: []string{"mcp_*", "terminal(make, x)"}, Deny: []string{"write_file(/etc/**)"}, Hosts: []string{"a.example:443", "*.b.example"},
			Rules: []ApprovalRule{{Deny: "terminal(a)", Examples: []string{"a"}, Not: []string{"b", "c, d"}, Reason: "No."}, {Allow: "terminal(b)"}},
		},
		ToolOutput:          ToolOutput{MaxBytes: 1000, MaxLines: 10, MaxLineLength: 20},
		FileReadMaxChars:    1000,
		ContextFileMaxChars: 100, PasteCollapseCharThreshold: 1,
		Keys: map[string][]string{
			"send": {"ctrl+enter", "f5"}, "transcript.copy": {"y"}, "quit": {}, "find": {"/"}, "fold": {"1"},
		},
		Display:  Display{Theme: "dark", BusyInputMode: BusySteer, ReducedMotion: true, Timestamps: true, ToolOutputLines: 50, CopyOnSelect: true},
		Probe:    Probe{Timeout: 50},
		Database: Database{Journal: "delete"},
		Network:  Network{ConnectTimeout: 1, RequestTimeout: 2, StreamReadTimeout: 3, StreamStaleTimeout: 86400},
		Security: Security{FakeIPs: []string{"198.18.0.0/15"}},

		LoopGuard:     LoopGuard{HardStopEnabled: true, WarnAfter: LoopCounts{1, 1000, 4}, HardStopAfter: LoopStops{6, 7, 8}},
		Memory:        Memory{WriteApproval: true, PrefetchChars: 9, Review: "staged", Nudge: 4, ReviewTokens: 20000, Chars: 100, UserChars: 200, Provider: "command", Command: []string{"a", "b c"}, Server: "s", Tools: MemoryServer{Block: "b", Prefetch: "p", Sync: "t", Write: "w", End: "e"}},
		Skills:        Skills{ExternalDirs: []string{"~/s"}, Disabled: []string{"a", "b"}, WriteApproval: true, Nudge: 6, IndexPercent: 2.5},
		Curator:       Curator{Interval: 1, Idle: 0, Stale: 3, Archive: 4},
		Sessions:      Sessions{AutoPrune: true, Retention: 7, Interval: 2},
		Logging:       Logging{LogDebug, 7, 0},
		Compression:   Compression{Review: ReviewAsk, Threshold: 0.95, TargetRatio: 0.1, ProtectFirstN: 100},
		Context:       Context{InstructionsPercent: 3.5, ReferencesPercent: 20},
		Learnings:     Learnings{MaxEntries: 7},
		PromptCaching: PromptCaching{TTL: CacheHour},
		Login:         Login{OpenAI: OpenAILogin{Issuer: "http://127.0.0.1:5/", ClientID: "us", Redirects: []string{"http://localhost:0/back"}}},
		OpenRouter:    OpenRouter{ResponseCacheTTL: 60, MinCodingScore: 1},
		Routing:       Routing{Only: []string{"a"}, Ignore: []string{"b", "c"}, Order: []string{"d"}, Sort: "price", RequireParameters: true, DataCollection: "deny"},
		Bedrock:       Bedrock{Region: "eu-west-1", Profile: "work", Guardrail: Guardrail{ID: "g1", Version: "DRAFT", Mode: "sync", Trace: "enabled"}},
		Auxiliary: Auxiliary{
			Title:       AuxiliaryTask{Provider: "local.box", Model: "t", Timeout: 5, KeyEnv: "T_KEY", ExtraBody: `{"stop":["a"],"top_k":20}`},
			Embedding:   AuxiliaryTask{Provider: "local.box", Model: "e", Timeout: 9},
			Compression: AuxiliaryTask{Provider: "local.box", Model: "c", Timeout: 1}, Review: AuxiliaryTask{Provider: "local.box", Model: "r", Timeout: 8},
			Vision: AuxiliaryTask{Provider: "auto", Model: "v", Timeout: 120, ExtraBody: `{"x":1}`},
			MCP:    AuxiliaryTask{Provider: "local.box", Timeout: 60},
			Approval: AuxiliaryTask{Provider: "custom", BaseURL: "http://127.0.0.1:3/v1", APIKey: NewSecret("key-5"), Timeout: 30, Fallbacks: []Fallback{
				{Provider: "local.box", Model: "a", ExtraBody: "{}"}, {BaseURL: "http://127.0.0.1:4/v1", Model: "b", APIKey: NewSecret("key-6")},
			}},
		},
		Pricing: []ModelPrice{
			{Provider: "local.box", Model: "m2", Input: "3", Output: "15.50", CacheRead: "0.3", CacheWrite: ".75"},
			{Model: "*", Input: "0", Output: "${NOTHING}"},
		},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
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
