package config

// Memory governs what the agent remembers over sessions.
type Memory struct {
	Enabled       bool `yaml:"memory_enabled" default:"true" class:"session" doc:"Let the agent keep notes in memories/MEMORY.md, and show them to it."`
	User          bool `yaml:"user_profile_enabled" default:"true" class:"session" doc:"Let the agent keep what it knows of you in memories/USER.md, and show it to it."`
	WriteApproval bool `yaml:"write_approval" default:"false" strict:"true" class:"session" doc:"Ask before the agent changes what it remembers, with what changes. Where no one is there to be asked, a change waits under /memory."`
	Chars         int  `yaml:"memory_char_limit" default:"2200" range:"100..100000" class:"start" doc:"Characters of MEMORY.md. Where that is too little, the oldest entries go to memories/ARCHIVE.jsonl."`
	PrefetchChars int  `yaml:"prefetch_chars" default:"1500" range:"0..20000" class:"session" doc:"Characters of learnings, archived memory and earlier sessions that go with a message which they fit; 0 adds nothing. They are found by meaning with a model for vectors (auxiliary.embedding), otherwise by their words, which exec does not; a memory provider shares the characters with the former and takes the place of the latter."`
	// Provider is one of another program where it is neither empty, builtin, command nor mcp.
	Provider string   `yaml:"provider" class:"session" doc:"What remembers: builtin, or nothing, is the notes of this program; command is those and the program in provider_command, mcp those and the server in provider_server. With any other name a line says that it is not known, and it is builtin."`
	Command  []string `yaml:"provider_command" class:"session" doc:"Program that remembers, with its arguments; a leading ~/ is the home directory. It is started when it is first asked, see [memory providers](memory-providers.md)."`
	// Server and Tools are for the provider mcp.
	Server string       `yaml:"provider_server" class:"session" doc:"MCP server that remembers, by its name in mcp_servers, with the tools in provider_tools."`
	Tools  MemoryServer `yaml:"provider_tools"`
	// Review says what becomes of what an agent keeps when it looks back by itself.
	Review string `yaml:"review" default:"off" enum:"off|staged|on" class:"session" doc:"Let the agent look back at a session from time to time, beside it, and keep what later sessions should know. staged leaves every decision to you, under /memory and /skills; on writes to memory and learnings at once, while changes of skills wait. With a model of this machine or network it waits until no agent of this program needs one, and ends when one does. It is not done by itself in plan mode, by subagents or where no one is there; /refine does it by hand (with off as with staged)."`
	Nudge  int    `yaml:"nudge_interval" default:"10" range:"0..1000" class:"session" doc:"Turns of yours after which the agent looks back, where review lets it; 0 is never."`
	// ReviewTokens bounds what one look back may cost.
	ReviewTokens int `yaml:"review_max_tokens" default:"400000" range:"10000..100000000" class:"session" doc:"Tokens that one look back may use in all its calls, sent and received, those of a cache included. A session of more than a quarter of that is looked back at by its end, shortened."`
	UserChars    int `yaml:"user_char_limit" default:"1375" range:"100..100000" class:"start" doc:"Characters of USER.md; as with memory_char_limit."`
}

// MemoryServer names the tools of an MCP server that remembers. A tool gets those of the
// members of the request in docs/memory-providers.md that its schema has.
type MemoryServer struct {
	Available  string `yaml:"is_available" class:"session" doc:"Tool of provider_server that fails when it cannot be used."`
	Initialize string `yaml:"initialize" class:"session" doc:"Tool of provider_server that is told of the beginning of a session: it gets session, project and agent_context."`
	Queue      string `yaml:"queue_prefetch" class:"session" doc:"Tool of provider_server that is told, after a turn, of the message for which it may look something up for the next: it gets query."`
	Turn       string `yaml:"turn_start" class:"session" doc:"Tool of provider_server that is told of each message of yours: it gets query and turn, its number."`
	Switch     string `yaml:"session_switch" class:"session" doc:"Tool of provider_server that is told that you go from one session to another: it gets session and from."`
	Compress   string `yaml:"pre_compress" class:"session" doc:"Tool of provider_server whose text the summary keeps when a session is shortened: it gets the messages that are left out."`
	Delegation string `yaml:"delegation" class:"session" doc:"Tool of provider_server that is told what a subagent was to do and has said: it gets task and result."`

	Block    string `yaml:"system_prompt_block" class:"session" doc:"Tool of provider_server whose text stands in the system prompt of a new session."`
	Prefetch string `yaml:"prefetch" class:"session" doc:"Tool of provider_server that finds what fits a message: it gets the message as query, as far as its schema has that."`
	Sync     string `yaml:"sync_turn" class:"session" doc:"Tool of provider_server that is told of each turn: it gets user and answer."`
	Write    string `yaml:"memory_write" class:"session" doc:"Tool of provider_server that is told of each change of the notes: it gets target and diff."`
	End      string `yaml:"session_end" class:"session" doc:"Tool of provider_server that is told of the end of a session."`
}

// What becomes of what an agent keeps when it looks back.
const (
	ReviewMemoryOff = "off"
	ReviewMemoryOn  = "on"
)

// Skills governs the texts that say how kinds of work are done.
type Skills struct {
	ExternalDirs []string `yaml:"external_dirs" class:"start" doc:"Further folders with skills; a leading ~/ is the home directory."`
	Disabled     []string `yaml:"disabled" class:"live" doc:"Names of skills that are not used."`
	Indexes      []string `yaml:"indexes" class:"live" doc:"Where /skills find looks for skills to install: sources as /skills install takes them, such as OWNER/NAME#FOLDER and web sites that list their skills. What they list is kept for an hour."`
	// WriteApproval has changes staged where no one can be asked.
	WriteApproval bool `yaml:"write_approval" default:"false" strict:"true" class:"session" doc:"Ask before the agent changes skills, with what changes. Where no one is there to be asked, a change waits under /skills. Installed skills are always asked about."`

	Projects     bool    `yaml:"project_discovery" default:"true" class:"session" doc:"Look for skills in .hermes/skills, .agents/skills and .claude/skills of the project. They count in a trusted folder only, and each once you have allowed it."`
	Nudge        int     `yaml:"creation_nudge_interval" default:"10" range:"0..1000" class:"session" doc:"Calls of tools after which the agent looks back at a session, where memory.review lets it; 0 is never."`
	IndexPercent float64 `yaml:"index_percent" default:"1" range:"0.1..20" class:"session" doc:"Share of the context window, in percent, that the list of skills in the system prompt may take. Where that is too little, descriptions are shortened; names stay."`
}

// Curator governs what becomes of skills that agents made and no one uses.
type Curator struct {
	Enabled  bool `yaml:"enabled" default:"true" class:"start" doc:"Look at a start, when that is due, for skills that agents made and no one uses, and move them to skills/.archive. Pinned and installed ones and those of the user stay; /curator brings one back."`
	Interval int  `yaml:"interval_hours" default:"168" range:"1..8760" class:"start" doc:"Hours after a run until the next one is due."`
	Idle     int  `yaml:"min_idle_hours" default:"2" range:"0..720" class:"start" doc:"Hours without work in any session before a run; a start that comes sooner leaves it for the next."`
	Stale    int  `yaml:"stale_after_days" default:"14" range:"1..3650" class:"start" doc:"Days without use after which a skill is marked as stale."`
	Archive  int  `yaml:"archive_after_days" default:"30" range:"1..3650" class:"start" doc:"Days without use after which a skill is archived."`
}

// Learnings governs what is learnt from calls that fail.
type Learnings struct {
	Capture    bool `yaml:"capture" default:"true" class:"session" doc:"Keep what worked instead when a call has failed because of how it was made, in learnings.jsonl."`
	Apply      bool `yaml:"apply" default:"true" class:"session" doc:"Put what was learnt behind the result of a call that fails in the same way, or runs with all your rights."`
	MaxEntries int  `yaml:"max_entries" default:"500" range:"1..10000" class:"start" doc:"Learnings that are kept; beyond that, what was used least goes."`
}
