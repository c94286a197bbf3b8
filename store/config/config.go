package config

import "time"

// Config is all settings. It is read by [Load] and must not be changed: its
// lists and maps are shared by all copies.
//
// The tags of a field are its only description: yaml is the key, default its
// value as text, range or enum the values allowed, alias other spellings,
// defaults (of a section) other values of settings in it, check a further test of
// text or of names, need what an entry of a list must have ("a,b|c": a, and b
// or c), formerly another key that is read when this one has nothing in it (a list of
// sections with names in them, for sections by name: also when it has),
// class when a change takes effect (see [Class]), env the environment variable
// that overrides it (NAME=value: when NAME is on, the setting is value), doc
// its meaning.
type Config struct {
	Model     Model               `yaml:"model" scalar:"default"`
	Providers map[string]Provider `yaml:"providers" formerly:"custom_providers"`
	Fallbacks []Fallback          `yaml:"fallback_providers" formerly:"fallback_model" need:"model,provider|base_url"`
	// PoolStrategies names few providers or none: ask [PoolStrategies.For].
	PoolStrategies PoolStrategies `yaml:"credential_pool_strategies" enum:"fill_first|round_robin|random|least_used" class:"session" doc:"Which of a provider's several keys is used, by the name of the provider: the first that works (fill_first, also for providers not named here), each in turn (round_robin), any (random), or the one used least (least_used)."`

	Toolsets  []string  `yaml:"toolsets" default:"hermes-cli" check:"word" class:"session" env:"HERMES_TUI_TOOLSETS" doc:"Toolsets the agent is given."`
	Agent     Agent     `yaml:"agent"`
	Terminal  Terminal  `yaml:"terminal"`
	Approvals Approvals `yaml:"approvals"`
	LoopGuard LoopGuard `yaml:"tool_loop_guardrails"`

	Delegation    Delegation    `yaml:"delegation"`
	CodeExecution CodeExecution `yaml:"code_execution"`
	Checkpoints   Checkpoints   `yaml:"checkpoints"`

	Compression Compression `yaml:"compression"`
	Context     Context     `yaml:"context"`
	Learnings   Learnings   `yaml:"learnings"`

	Memory Memory `yaml:"memory"`
	Skills Skills `yaml:"skills"`

	Curator Curator `yaml:"curator"`

	Tools Tools `yaml:"tools"`

	Web Web `yaml:"web"`

	MCPServers map[string]MCPServer `yaml:"mcp_servers"`

	Hooks       Hooks `yaml:"hooks"`
	AcceptHooks bool  `yaml:"hooks_auto_accept" default:"false" class:"turn" env:"HERMES_ACCEPT_HOOKS" doc:"Run the hooks of these settings without asking whether they are as you approved them. Those of folders and plugins are asked about all the same."`

	Sessions Sessions `yaml:"sessions"`
	Logging  Logging  `yaml:"logging"`

	PromptCaching PromptCaching `yaml:"prompt_caching"`
	OpenRouter    OpenRouter    `yaml:"openrouter"`
	Routing       Routing       `yaml:"provider_routing"`
	Bedrock       Bedrock       `yaml:"bedrock"`
	Login         Login         `yaml:"login"`

	Auxiliary Auxiliary `yaml:"auxiliary"`

	Pricing []ModelPrice `yaml:"pricing" need:"model,input,output"`

	ToolOutput          ToolOutput `yaml:"tool_output"`
	FileReadMaxChars    int        `yaml:"file_read_max_chars" default:"100000" range:"1000..10000000" class:"session" doc:"Characters of a file that one read may return; more is an error that asks for a smaller range."`
	ContextFileMaxChars int        `yaml:"context_file_max_chars" default:"20000" range:"100..10000000" class:"session" doc:"Characters of a project's instruction file that go into the system prompt; the middle of a longer one is left out."`

	PasteCollapseThreshold     int `yaml:"paste_collapse_threshold" default:"5" range:"0..1000000" class:"live" doc:"A paste of more lines becomes one chip in the input; 0 means however many."`
	PasteCollapseCharThreshold int `yaml:"paste_collapse_char_threshold" default:"2000" range:"0..10000000" class:"live" doc:"A paste of more characters becomes one chip in the input; 0 means however many."`

	Keys map[string][]string `yaml:"keys" check:"action" class:"live" doc:"Keys that call an action instead of its usual ones: one key or a list; [] is no key. The name is the action's, or PLACE.ACTION for one place of the screen only."`

	Display  Display  `yaml:"display"`
	Probe    Probe    `yaml:"probe"`
	Database Database `yaml:"database"`
	Network  Network  `yaml:"network"`
	Security Security `yaml:"security"`

	// doubt is what is wrong with a setting that says what may run, empty for nothing.
	doubt string
	// layers are the parts of Model by where they come from; see [Config.ModelLayers].
	layers [3]Model
	// sources says for each key that is not at its default where it comes from.
	sources map[string]string
}

// Seconds is a time in whole seconds.
type Seconds int

// Duration converts to a time.Duration.
func (s Seconds) Duration() time.Duration { return time.Duration(s) * time.Second }

// Millis is a time in whole milliseconds.
type Millis int

// Duration converts to a time.Duration.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

// Model says which model answers. In the file it may be one text, the model's
// name.
type Model struct {
	Provider       string            `yaml:"provider" check:"word" class:"session" env:"HERMES_PROVIDER" doc:"Provider of the model: a known one, one of providers, or custom with a base_url; empty chooses by the keys that are there."`
	Default        string            `yaml:"default" formerly:"model" class:"session" env:"HERMES_MODEL" doc:"Name of the model, as the provider calls it; empty takes the provider's usual one."`
	BaseURL        string            `yaml:"base_url" check:"url" class:"session" doc:"Address of the endpoint, for provider custom or to override a known one."`
	APIKey         Secret            `yaml:"api_key" class:"session" doc:"Key for the endpoint; better written as ${NAME} or left to key_env."`
	KeyEnv         string            `yaml:"key_env" check:"envname" class:"session" doc:"Environment variable that holds the key."`
	Protocol       Protocol          `yaml:"protocol" formerly:"api_mode" enum:"|chat|responses|anthropic|bedrock" alias:"chat_completions:chat,codex_responses:responses,anthropic_messages:anthropic,bedrock_converse:bedrock" class:"session" doc:"Protocol of the endpoint: chat completions (chat), Responses (responses), Messages (anthropic) or Converse (bedrock); empty goes by the service, its address and the model."`
	ContextLength  int               `yaml:"context_length" default:"0" range:"0..100000000" class:"session" doc:"Context window in tokens; 0 finds it out."`
	OllamaNumCtx   int               `yaml:"ollama_num_ctx" default:"0" range:"0..100000000" class:"session" doc:"Context window to ask a server for that loads models on demand, such as Ollama, in tokens; 0 leaves it to the server."`
	ExtraBody      string            `yaml:"extra_body" check:"object" class:"session" doc:"Fields of every chat completions request besides those of the protocol, as a JSON object in quotes; they win, and null takes a field away."`
	MaxTokens      int               `yaml:"max_tokens" default:"0" range:"0..100000000" class:"session" doc:"Longest answer in tokens; 0 leaves it to the provider. A login to ChatGPT takes no limit."`
	DefaultHeaders map[string]Secret `yaml:"default_headers" formerly:"extra_headers" check:"header" class:"session" doc:"HTTP headers sent with every model call."`
}

// Provider is an endpoint under a name of the user's choice.
type Provider struct {
	BaseURL   string            `yaml:"base_url" check:"url" class:"session" doc:"Address of the endpoint."`
	APIKey    Secret            `yaml:"api_key" class:"session" doc:"Key for the endpoint; better written as ${NAME} or left to key_env."`
	KeyEnv    string            `yaml:"key_env" check:"envname" class:"session" doc:"Environment variable that holds the key."`
	Default   string            `yaml:"default" formerly:"model" class:"session" doc:"Model to use when none is named."`
	ExtraBody string            `yaml:"extra_body" check:"object" class:"session" doc:"Fields of every chat completions request besides those of the protocol, as a JSON object in quotes; they win, and null takes a field away."`
	Headers   map[string]Secret `yaml:"headers" formerly:"extra_headers" check:"header" class:"session" doc:"HTTP headers sent with every model call."`
	Protocol  Protocol          `yaml:"protocol" formerly:"api_mode" enum:"|chat|responses|anthropic|bedrock" alias:"chat_completions:chat,codex_responses:responses,anthropic_messages:anthropic,bedrock_converse:bedrock" class:"session" doc:"Protocol of the endpoint: chat completions (chat), Responses (responses), Messages (anthropic) or Converse (bedrock); empty goes by the service, its address and the model."`
}

// Fallback is a model that answers when the ones before it cannot. It has a
// model, and a provider or a base URL.
type Fallback struct {
	Provider string `yaml:"provider" check:"word" class:"session" doc:"Provider of the model: a known one, one of providers, or custom with a base_url."`
	Model    string `yaml:"model" class:"session" doc:"Name of the model, as the provider calls it; every entry needs one."`
	BaseURL  string `yaml:"base_url" check:"url" class:"session" doc:"Address of the endpoint, for provider custom or to override a known one; without a provider it is needed."`
	APIKey   Secret `yaml:"api_key" class:"session" doc:"Key for the endpoint; better written as ${NAME} or left to key_env."`
	KeyEnv   string `yaml:"key_env" check:"envname" class:"session" doc:"Environment variable that holds the key."`
	// ExtraBody is as in [Model].
	ExtraBody string `yaml:"extra_body" check:"object" class:"session" doc:"Fields of every chat completions request to it besides those of the protocol, as an object; they win, and null takes a field away."`
}

// PoolStrategy is which of a provider's several keys is used.
type PoolStrategy string

// The strategies.
const (
	PoolFillFirst  PoolStrategy = "fill_first"  // the first that works
	PoolRoundRobin PoolStrategy = "round_robin" // each in turn
	PoolRandom     PoolStrategy = "random"
	PoolLeastUsed  PoolStrategy = "least_used"
)

// PoolStrategies are strategies by the name of the provider.
type PoolStrategies map[string]PoolStrategy

// For gives the strategy of a provider, [PoolFillFirst] when none is set.
func (s PoolStrategies) For(provider string) PoolStrategy {
	if strategy, ok := s[provider]; ok {
		return strategy
	}
	return PoolFillFirst
}

// Agent limits a turn.
type Agent struct {
	MaxTurns         int      `yaml:"max_turns" default:"90" range:"1..100000" class:"turn" env:"HERMES_TUI_MAX_TURNS" doc:"Model calls that one turn of the main agent may make."`
	APIMaxRetries    int      `yaml:"api_max_retries" default:"3" range:"1..20" class:"turn" doc:"Attempts at one model call, the first included, before another model is tried or the turn ends."`
	ReasoningEffort  string   `yaml:"reasoning_effort" enum:"|none|minimal|low|medium|high|xhigh|max|ultra" alias:"false:none,off:none" class:"session" doc:"How much the model should reason; empty leaves it to the provider. A model that does not take a level is asked for the nearest it takes, which is said."`
	DisabledToolsets []string `yaml:"disabled_toolsets" check:"word" class:"session" doc:"Toolsets taken away again, whatever toolsets says."`
	AutoTitle        bool     `yaml:"auto_title" default:"true" class:"session" env:"HERMES_TUI_AUTO_TITLE" doc:"Let a model name a session after its first turn; auxiliary.title_generation says which."`
	Awareness        bool     `yaml:"awareness" default:"true" class:"session" doc:"Tell the agent, at the end of what is sent next, which files others have changed since it read or wrote them, and which of its background jobs have ended. Files in containers and on other hosts are not looked at."`
	TodoCheckpoint   int      `yaml:"todo_checkpoint" default:"10" range:"0..1000" class:"session" doc:"Tool calls after which the agent is told again what is open on a task list that it has not touched meanwhile; it is told so once when a call fails, too. 0 is never."`
	CodingContext    string   `yaml:"coding_context" default:"auto" enum:"auto|off" alias:"on:auto,true:auto,focus:auto,false:off" class:"session" doc:"auto tells the agent, at the beginning of a turn, when branch, changes or what is in progress in its git repository are not what it was told last; off does not. What its prompt says of the repository does not depend on this."`
	ClarifyTimeout   Seconds  `yaml:"clarify_timeout" default:"0" range:"0..86400" class:"session" doc:"Seconds a question of the model waits for an answer before it counts as not answered; 0 waits for ever. Unlike here, it is 600 in Hermes Agent."`
}

// Delegation governs subagents.
type Delegation struct {
	Model           string  `yaml:"model" class:"session" doc:"Model of subagents, as the provider calls it; empty takes that of their parent."`
	Provider        string  `yaml:"provider" check:"word" class:"session" doc:"Provider of that model: a known one, one of providers, or custom with a base_url; empty takes the parent's."`
	BaseURL         string  `yaml:"base_url" check:"url" class:"session" doc:"Address of the endpoint of subagents, for provider custom."`
	APIKey          Secret  `yaml:"api_key" class:"session" doc:"Key for that endpoint; better written as ${NAME}."`
	ReasoningEffort string  `yaml:"reasoning_effort" enum:"|none|minimal|low|medium|high|xhigh|max|ultra" alias:"false:none,off:none" class:"session" doc:"How much subagents should reason; empty takes what holds for their parent."`
	MaxIterations   int     `yaml:"max_iterations" default:"50" range:"1..100000" class:"session" doc:"Model calls that one subagent may make."`
	MaxConcurrent   int     `yaml:"max_concurrent_children" default:"3" range:"1..1000" class:"session" doc:"Subagents of one agent that work at the same time, and tasks of one call."`
	MaxAsync        int     `yaml:"max_async_children" default:"3" range:"0..1000" class:"session" doc:"Subagents that work in the background at the same time; 0 allows none."`
	MaxDepth        int     `yaml:"max_spawn_depth" default:"1" range:"1..100" class:"session" doc:"How deep subagents may nest: at 1 they have none of their own."`
	Orchestrators   bool    `yaml:"orchestrator_enabled" default:"true" class:"session" doc:"Let subagents above that depth have subagents of their own."`
	Timeout         Seconds `yaml:"child_timeout_seconds" default:"0" range:"0..604800" class:"session" doc:"Seconds a subagent may work; 0 is no bound, less than 30 counts as 30. Time in which it waits for you or is paused does not count."`
	TreeIterations  int     `yaml:"max_tree_iterations" default:"0" range:"0..10000000" class:"session" doc:"Model calls that one turn and all of its subagents may make together; 0 is no bound."`
	TreeCost        float64 `yaml:"max_tree_cost" default:"0" range:"0..1000000" class:"session" doc:"US dollars that one turn and all of its subagents may cost together, as far as prices are known; 0 is no bound. A model without a known price counts for nothing."`

	Approvals DelegatedApprovals `yaml:"approvals" default:"ask" enum:"ask|deny|allow" class:"session" doc:"What becomes of a question whether a subagent may do something: ask puts it to you, and denies when no one is there; deny and allow decide without you. What is always blocked stays blocked."`
}

// DelegatedApprovals says what becomes of the questions of subagents.
type DelegatedApprovals string

// The ways to decide.
const (
	DelegatedAsk   DelegatedApprovals = "ask"
	DelegatedDeny  DelegatedApprovals = "deny"
	DelegatedAllow DelegatedApprovals = "allow"
)

// ModelPrice is what the tokens of a model cost, in place of what the program
// knows about it.
type ModelPrice struct {
	Provider   string `yaml:"provider" check:"word" class:"session" doc:"Provider that the prices are for, a known one or one of providers; empty means every one."`
	Model      string `yaml:"model" class:"session" doc:"Name of the model, as the provider calls it; with a date behind it the same prices hold. * is every model of the provider. Every entry needs one."`
	Input      Price  `yaml:"input" check:"price" class:"session" doc:"US dollars for a million tokens sent; every entry needs one. With 0 here and for output the model counts as paid for already."`
	Output     Price  `yaml:"output" check:"price" class:"session" doc:"US dollars for a million tokens of the answer, reasoning included; every entry needs one."`
	CacheRead  Price  `yaml:"cache_read" check:"price" class:"session" doc:"US dollars for a million tokens sent that a cache had; empty is as input."`
	CacheWrite Price  `yaml:"cache_write" check:"price" class:"session" doc:"US dollars for a million tokens sent that a cache took up; empty is as input."`
}

// Price is an amount of US dollars as it was written: digits with at most six
// behind the point, so that nothing is rounded. Empty is none, which is not the
// same as 0.
type Price string

// CodeExecution governs the scripts of execute_code.
type CodeExecution struct {
	Mode         CodeMode `yaml:"mode" default:"project" enum:"project|strict" class:"session" doc:"Where scripts run: project is the working directory with its own Python, strict a private folder with the system's."`
	Timeout      Seconds  `yaml:"timeout" default:"300" range:"1..86400" class:"session" doc:"Seconds a script may work; waiting for its tools and for you does not count."`
	MaxToolCalls int      `yaml:"max_tool_calls" default:"50" range:"0..1000" class:"session" doc:"Tools a script may call."`
}

// CodeMode says where scripts run.
type CodeMode string

// Checkpoints governs what is kept of files that agents change.
type Checkpoints struct {
	Enabled bool `yaml:"enabled" default:"true" class:"session" doc:"Keep what files held before agents change them, for /diff and /rewind."`
}

// Backend is where commands run and files are.
type Backend string

// The backends.
const (
	BackendLocal       Backend = "local"
	BackendSandbox     Backend = "sandbox"
	BackendDocker      Backend = "docker"
	BackendSSH         Backend = "ssh"
	BackendSingularity Backend = "singularity"
)

// Terminal governs where commands run, and how.
type Terminal struct {
	Backend Backend `yaml:"backend" default:"local" enum:"local|sandbox|docker|ssh|singularity" alias:"apptainer:singularity" class:"session" env:"TERMINAL_ENV" doc:"Where commands run and files are: this machine (local), this machine with writes confined to the workspace and no network (sandbox), a container (docker, singularity), another host (ssh)."`
	Cwd     string  `yaml:"cwd" default:"." class:"session" doc:"Folder in which work begins in a container or on a host; . leaves it to the place. On this machine it is the folder the program was started in."`

	SandboxNetwork  bool     `yaml:"sandbox_network" default:"false" class:"session" doc:"Let commands in the sandbox reach the network."`
	SandboxWritable []string `yaml:"sandbox_writable" class:"session" doc:"Folders besides the workspace that commands in the sandbox may write to; a leading ~/ is the home directory."`

	DockerImage    string   `yaml:"docker_image" class:"session" doc:"Image of the container; it is not pulled for you."`
	DockerEngine   string   `yaml:"docker_engine" default:"docker" class:"session" doc:"Program that runs containers: docker, podman, nerdctl or an absolute path."`
	DockerMountCwd bool     `yaml:"docker_mount_cwd_to_workspace" default:"false" class:"session" doc:"Mount the working directory into the container under the same path. What is done there then reaches your machine."`
	DockerVolumes  []string `yaml:"docker_volumes" class:"session" doc:"Further mounts, as SOURCE:TARGET."`
	DockerNetwork  string   `yaml:"docker_network" strict:"none" class:"session" doc:"Network of the container; none cuts it off, empty leaves it to the engine."`

	ContainerCPU        float64 `yaml:"container_cpu" default:"1" range:"0..1024" class:"session" doc:"Processors a container may use; 0 is no bound."`
	ContainerMemory     int     `yaml:"container_memory" default:"5120" range:"0..100000000" class:"session" doc:"Memory of a container in MB; 0 is no bound."`
	ContainerDisk       int     `yaml:"container_disk" default:"51200" range:"0..1000000000" class:"session" doc:"Disk of a container in MB, where the engine can bound it; 0 is no bound."`
	ContainerPersistent bool    `yaml:"container_persistent" default:"true" class:"session" doc:"Keep the container for the next time instead of removing it at the end."`

	SSHHost string `yaml:"ssh_host" class:"session" env:"TERMINAL_SSH_HOST" doc:"Host for backend ssh: a name, an address, or an alias of your ssh_config."`
	SSHUser string `yaml:"ssh_user" class:"session" env:"TERMINAL_SSH_USER" doc:"User there; empty leaves it to ssh_config."`
	SSHPort int    `yaml:"ssh_port" default:"0" range:"0..65535" class:"session" env:"TERMINAL_SSH_PORT" doc:"Port there; 0 leaves it to ssh_config."`
	SSHKey  string `yaml:"ssh_key" class:"session" env:"TERMINAL_SSH_KEY" doc:"File of the private key; empty leaves it to ssh_config and the agent."`

	SingularityImage string `yaml:"singularity_image" class:"session" doc:"Image for backend singularity: a file, a folder, or an address such as docker://debian."`

	Timeout          Seconds  `yaml:"timeout" default:"180" range:"1..86400" class:"session" doc:"Seconds a command may run when the call does not say."`
	EnvPassthrough   []string `yaml:"env_passthrough" check:"envname" class:"session" doc:"Environment variables that commands may see although they look like secrets."`
	ShellInitFiles   []string `yaml:"shell_init_files" class:"session" doc:"Files the shell reads before the first command; a leading ~/ is the home directory."`
	AutoSourceBashrc bool     `yaml:"auto_source_bashrc" default:"true" class:"session" doc:"Read ~/.bashrc before the first command when shell_init_files is empty."`
}

// Database says how the databases of the home are written.
type Database struct {
	Journal string `yaml:"journal_mode" default:"auto" enum:"auto|wal|delete" class:"start" doc:"How changes are written: wal keeps them in a file beside the database, delete does not, which is for folders that are shared over a network or with another machine. auto is wal where the file system is one of this machine, and leaves a database as Hermes Agent has made it."`
}

// Approvals governs what is asked before a command runs.
type Approvals struct {
	Mode  ApprovalMode  `yaml:"mode" default:"guarded" enum:"guarded|manual|plan|smart|off" alias:"false:off,no:off,true:guarded,yes:guarded,on:guarded" class:"session" env:"HERMES_YOLO_MODE=off" doc:"guarded confines commands to the workspace where the machine can, and asks about what needs more (docs/approvals.md), elsewhere it is manual; manual asks before every command that is not known to only read and before every change of a file; plan allows reading only; smart is guarded with a model that looks first (auxiliary.approval), which may refuse anything and may allow once what is of low risk; off asks and confines nothing (what is always blocked stays blocked)."`
	Edits ApprovalEdits `yaml:"edits" default:"mode" strict:"ask" enum:"mode|ask" class:"live" doc:"Whether the agent's edits of files are shown to you before they are made, to accept, reject, change or comment each hunk: mode asks as the mode says, ask asks about every edit in every mode but off, unless a rule or a permission of yours lets it pass."`
	// Timeout is 0 unless it is set: a question waits.
	Timeout Seconds `yaml:"timeout" default:"0" range:"0..86400" class:"session" doc:"Seconds a question waits for an answer before it counts as no; 0 waits for ever."`

	// Allow, Ask and Deny are rules in their short form, Rules in the long one; see
	// tools/approval for what they mean. They are checked by [Options].Check.
	Allow []string       `yaml:"allow" class:"live" doc:"Rules for what runs without a question, where nothing else asks or forbids."`
	Ask   []string       `yaml:"ask" class:"live" doc:"Rules for what is always asked about; they win over allow and over the mode."`
	Deny  []string       `yaml:"deny" class:"live" doc:"Rules for what never runs; they win over everything."`
	Rules []ApprovalRule `yaml:"rules" need:"allow|ask|deny"`

	AskAfterUntrusted bool `yaml:"ask_after_untrusted" default:"true" class:"turn" doc:"After the agent has read in a turn what strangers may have written (pages, answers of MCP servers, other sessions, files outside the workspace), ask about what sends data out even where a permission or a rule allows it."`

	// Hosts are patterns, see tools/network. They are checked by [Options].Check.
	Hosts []string `yaml:"hosts" class:"live" doc:"Hosts that confined commands connect to without a question: a name, *.DOMAIN for all below one, or an address, each with :PORT for one port only. Only a host that is named itself may be this machine or lie in a private network."`
}

// ApprovalRule is a rule with what it must match and what not. Exactly one of
// Allow, Ask and Deny is set.
type ApprovalRule struct {
	Allow    string   `yaml:"allow" class:"live" doc:"What runs without a question."`
	Ask      string   `yaml:"ask" class:"live" doc:"What is always asked about."`
	Deny     string   `yaml:"deny" class:"live" doc:"What never runs."`
	Examples []string `yaml:"examples" class:"live" doc:"Commands or paths that the rule must match; it is an error when it does not."`
	Not      []string `yaml:"not" class:"live" doc:"Commands or paths that the rule must not match; it is an error when it does."`
	Reason   string   `yaml:"reason" class:"live" doc:"Why, for the user and for the model."`
}

// ApprovalEdits says which edits are asked about.
type ApprovalEdits string

// The values.
const (
	ApprovalEditsMode ApprovalEdits = "mode"
	ApprovalEditsAsk  ApprovalEdits = "ask"
)

// ApprovalMode governs what is asked before a command runs.
type ApprovalMode string

// The modes.
const (
	ApprovalGuarded ApprovalMode = "guarded"
	ApprovalManual  ApprovalMode = "manual"
	ApprovalPlan    ApprovalMode = "plan"
	ApprovalSmart   ApprovalMode = "smart"
	ApprovalOff     ApprovalMode = "off"
)

// LoopGuard governs what happens when the agent repeats calls without getting
// anywhere. Counts are within one turn.
type LoopGuard struct {
	WarningsEnabled bool       `yaml:"warnings_enabled" default:"true" class:"turn" doc:"Tell the model when it repeats calls without getting anywhere."`
	HardStopEnabled bool       `yaml:"hard_stop_enabled" default:"false" class:"turn" doc:"Stop such calls when they go on; hard_stop_after says when."`
	WarnAfter       LoopCounts `yaml:"warn_after"`
	HardStopAfter   LoopStops  `yaml:"hard_stop_after"`
}

// LoopCounts are the counts from which repetition brings a warning.
type LoopCounts struct {
	ExactFailure         int `yaml:"exact_failure" default:"2" range:"1..1000" class:"turn" doc:"Failures of the very same call after which the model is warned."`
	SameToolFailure      int `yaml:"same_tool_failure" default:"3" range:"1..1000" class:"turn" doc:"Failures of one tool, whatever its arguments, after which the model is warned."`
	IdempotentNoProgress int `yaml:"idempotent_no_progress" default:"2" range:"1..1000" class:"turn" doc:"Times that the same reading call has given the same result after which the model is warned."`
}

// LoopStops are the counts from which repetition is stopped. It converts to
// [LoopCounts]; only the defaults are others.
type LoopStops struct {
	ExactFailure         int `yaml:"exact_failure" default:"5" range:"1..1000" class:"turn" doc:"Failures of the very same call after which it is not run again in the turn."`
	SameToolFailure      int `yaml:"same_tool_failure" default:"8" range:"1..1000" class:"turn" doc:"Failures of one tool, whatever its arguments, after which the turn ends."`
	IdempotentNoProgress int `yaml:"idempotent_no_progress" default:"5" range:"1..1000" class:"turn" doc:"Times that the same reading call has given the same result after which it is not run again in the turn."`
}

// Sessions says which sessions are deleted by themselves (none, unless that is switched on),
// and whether turns are kept for training.
type Sessions struct {
	AutoPrune    bool `yaml:"auto_prune" default:"false" class:"start" doc:"Delete at a start the sessions that were not used for sessions.retention_days. What is archived or open stays, and how many went is said. hermes-tui sessions prune does it by hand."`
	Retention    int  `yaml:"retention_days" default:"90" range:"1..36500" class:"start" doc:"Days without use after which sessions.auto_prune deletes a session."`
	Interval     int  `yaml:"min_interval_hours" default:"24" range:"1..8760" class:"start" doc:"Hours after sessions.auto_prune has looked until it looks again."`
	Trajectories bool `yaml:"save_trajectories" default:"false" class:"live" doc:"Add each turn of yours, when it has ended, as a line of ShareGPT turns to trajectories/trajectory_samples.jsonl in HERMES_HOME, or to failed_trajectories.jsonl there when it was not completed. A line holds what the model got of the session by then, with secrets masked; subagents have none."`
}

// LogLevel is the least weight of what is logged.
type LogLevel string

// The levels.
const (
	LogDebug   LogLevel = "debug"
	LogInfo    LogLevel = "info"
	LogWarning LogLevel = "warning"
	LogError   LogLevel = "error"
)

// Logging is the log of the program.
type Logging struct {
	Level   LogLevel `yaml:"level" default:"info" enum:"debug|info|warning|error" alias:"DEBUG:debug,INFO:info,WARNING:warning,ERROR:error" class:"live" doc:"What is written into the log: debug is also each event of a session by its name, error only what failed. --log-level says it for one run."`
	MaxSize int      `yaml:"max_size_mb" default:"5" range:"1..1000" class:"start" doc:"Size in MB at which a log is put aside and a new one begun."`
	Backups int      `yaml:"backup_count" default:"3" range:"0..100" class:"start" doc:"How many logs that were put aside are kept."`
}

// Review says how the summary of a compression is shown.
type Review string

// The ways to show one.
const (
	ReviewAsk  Review = "ask"
	ReviewShow Review = "show"
	ReviewOff  Review = "off"
)

// Compression governs how a conversation that fills the context window is
// shortened.
type Compression struct {
	Enabled       bool    `yaml:"enabled" default:"true" class:"turn" doc:"Shorten old tool results, and leave out the oldest turns where that is not enough, when the context window fills up. The transcript and the store keep everything."`
	Threshold     float64 `yaml:"threshold" default:"0.5" range:"0.1..0.95" class:"turn" doc:"Share of the context window that is in use when this happens."`
	TargetRatio   float64 `yaml:"target_ratio" default:"0.2" range:"0.1..0.8" class:"turn" doc:"Size of the newest part of the session that is kept word for word, as a share of what the threshold allows."`
	ProtectLastN  int     `yaml:"protect_last_n" default:"20" range:"0..1000" class:"turn" doc:"Newest messages that are kept word for word."`
	Review        Review  `yaml:"review" default:"show" enum:"ask|show|off" class:"session" doc:"The summary of what is left out: show it while it is written, ask before it takes effect as well, where you can type what it should say otherwise, or off to show only that it was made."`
	ProtectFirstN int     `yaml:"protect_first_n" default:"3" range:"0..100" class:"turn" doc:"Oldest messages that are kept word for word, besides the system prompt."`
}

// Context bounds layers of what a model gets that no other setting bounds.
type Context struct {
	InstructionsPercent float64 `yaml:"instructions_percent" default:"10" range:"0.5..50" class:"session" doc:"Share of the context window, in percent, that a project's instruction files may take together in the system prompt. Where that is too little, the middle of the longer ones is left out."`
	ReferencesPercent   int     `yaml:"references_percent" default:"50" range:"1..90" class:"turn" doc:"Share of the context window, in percent, that what a message names with an @ may take together. What goes beyond it does not go with the message, and from half of it on you are told."`
}

// ToolOutput bounds what a tool returns.
type ToolOutput struct {
	MaxBytes      int `yaml:"max_bytes" default:"50000" range:"1000..10000000" class:"session" doc:"Bytes of a command's output that the model gets; the middle of more is left out."`
	MaxLines      int `yaml:"max_lines" default:"2000" range:"10..1000000" class:"session" doc:"Lines of a file that one read may return."`
	MaxLineLength int `yaml:"max_line_length" default:"2000" range:"20..1000000" class:"session" doc:"Characters of a line of a file after which it is cut."`
}

// Display is the look of the screen.
type Display struct {
	Theme                   string  `yaml:"theme" default:"auto" class:"live" env:"HERMES_TUI_THEME" doc:"Colours: the name of a built-in theme or of a skin, see docs/themes.md; auto is dark or light, as the terminal's background is."`
	MarkdownStyle           string  `yaml:"markdown_style" class:"start" doc:"Style file of glamour (JSON) whose colours Markdown has on the screen and where exec prints it on a terminal; empty takes those of the theme."`
	BellOnComplete          bool    `yaml:"bell_on_complete" default:"true" class:"live" doc:"Ring the bell when a turn ends while the terminal is not in front. Unlike here, it is off in Hermes Agent."`
	BusyInputMode           Busy    `yaml:"busy_input_mode" default:"queue" enum:"queue|steer|interrupt" class:"live" doc:"What Enter does with text while the agent works: queue it for the next turn, steer the running one, or interrupt it. Unlike here, Hermes Agent interrupts."`
	ShowReasoning           bool    `yaml:"show_reasoning" default:"true" class:"live" doc:"Show the model's reasoning. Unlike here, it is off in Hermes Agent."`
	Linear                  bool    `yaml:"linear" default:"false" class:"start" env:"HERMES_TUI_LINEAR" doc:"Show a session as plain lines, for screen readers, in place of the full screen; see docs/accessibility.md."`
	ReducedMotion           bool    `yaml:"reduced_motion" default:"false" class:"live" doc:"No animation."`
	FileMutationVerifier    bool    `yaml:"file_mutation_verifier" default:"true" class:"turn" doc:"At the end of a turn, list the files that could not be changed although the agent tried."`
	TurnCompletionExplainer bool    `yaml:"turn_completion_explainer" default:"true" class:"turn" doc:"Say in one sentence why a turn ended without a proper answer."`
	Mouse                   bool    `yaml:"mouse" default:"true" class:"live" env:"HERMES_TUI_DISABLE_MOUSE=false" doc:"Use the mouse; off leaves selecting text to the terminal."`
	Timestamps              bool    `yaml:"timestamps" default:"false" class:"live" doc:"Show when each message and call came, at its left."`
	ToolOutputLines         int     `yaml:"tool_output_lines" default:"4" range:"0..50" class:"live" doc:"Lines of its output that a folded call shows: the last ones of a command, those that say why where it failed, the first ones of anything else."`
	StatusCommand           string  `yaml:"status_command" class:"live" doc:"Command whose first line of output stands in the status row. It runs when a turn begins or ends and when model, mode or title change, once a second at most, for two seconds at most; it reads a line of JSON about the session, see docs/status-line.md."`
	StatusInterval          Seconds `yaml:"status_interval_s" default:"0" range:"0..3600" class:"live" doc:"Seconds after which the status command runs again while the terminal is in front; 0 runs it only when something happens."`
	VimMode                 bool    `yaml:"vim_mode" default:"false" class:"live" doc:"Edit the draft with the keys of vim: esc leaves inserting, i comes back to it."`
	CopyOnSelect            bool    `yaml:"copy_on_select" default:"false" class:"live" doc:"Copy text that is selected with the mouse as soon as the button is released."`
}

// Busy is what Enter does while the agent works.
type Busy string

// The busy modes.
const (
	BusyQueue     Busy = "queue"
	BusySteer     Busy = "steer"
	BusyInterrupt Busy = "interrupt"
)

// Probe governs the search for model servers on this machine.
type Probe struct {
	LocalServers bool   `yaml:"local_servers" default:"true" class:"session" doc:"Look for model servers on this machine when no provider is configured."`
	Timeout      Millis `yaml:"timeout_ms" default:"300" range:"10..10000" class:"session" doc:"Milliseconds the search may take."`
}

// Network holds the time limits of model calls.
type Network struct {
	ConnectTimeout     Seconds `yaml:"connect_timeout_s" default:"30" range:"1..3600" class:"start" doc:"Seconds to reach an endpoint."`
	RequestTimeout     Seconds `yaml:"request_timeout_s" default:"1800" range:"1..86400" class:"session" env:"HERMES_API_TIMEOUT" doc:"Seconds a whole model call may take."`
	StreamReadTimeout  Seconds `yaml:"stream_read_timeout_s" default:"120" range:"1..86400" class:"start" env:"HERMES_STREAM_READ_TIMEOUT" doc:"Seconds an answer may stand still before the call is given up; no limit for local servers unless it is set."`
	StreamStaleTimeout Seconds `yaml:"stream_stale_timeout_s" default:"180" range:"1..86400" class:"session" env:"HERMES_STREAM_STALE_TIMEOUT" doc:"Seconds without any news (text, reasoning or a call) after which a streamed answer counts as stuck, even if the connection shows life; no limit for local servers unless it is set."`
}

// Security governs what leaves the machine.
type Security struct {
	RedactSecrets bool `yaml:"redact_secrets" default:"true" class:"start" doc:"Mask what looks like a secret in tool output, before it is stored or sent."`
	// FakeIPs are checked by [Options].Check.
	FakeIPs []string `yaml:"fake_ip_ranges" class:"live" doc:"Ranges of addresses, like 198.18.0.0/15, that a VPN makes up for names and looks up itself. A name that leads there counts as one of the public network; ranges of private networks are not taken."`
}
