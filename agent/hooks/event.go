package hooks

// Event is a point of a conversation at which hooks run.
type Event uint8

// The events, in the order in which they are shown.
const (
	PreToolCall Event = iota
	PostToolCall
	TransformToolResult
	TransformTerminalOutput
	UserPromptSubmit
	PreLLMCall
	PostLLMCall
	TransformLLMOutput
	PreAPIRequest
	PostAPIRequest
	APIRequestError
	PreVerify
	Stop
	SessionStart
	SessionEnd
	SessionFinalize
	SessionReset
	SubagentStart
	SubagentStop
	PreApproval
	PostApproval
	PreCompress
	PostCompress
	Notification
	events
)

// power is what a hook of an event can do besides hearing of it.
type power uint8

const (
	refuses  power = 1 << iota // with exit code 2, or by saying so
	changes                    // the arguments of a call
	adds                       // a text for the model
	replaces                   // the text that the event is about
	goesOn                     // with a turn that would end
)

type eventInfo struct {
	name   string // in the settings
	claude string // in the files of Claude Code, empty for none
	can    power
	does   string // for people
}

var table = [events]eventInfo{
	PreToolCall:             {"pre_tool_call", "PreToolUse", refuses | changes | adds, "before a call of a tool; may refuse it, change it, or have you asked"},
	PostToolCall:            {"post_tool_call", "PostToolUse", adds, "after a call of a tool; may add to its result"},
	TransformToolResult:     {"transform_tool_result", "", replaces, "after a call; may replace its result"},
	TransformTerminalOutput: {"transform_terminal_output", "", replaces, "after a command; may replace its output"},
	UserPromptSubmit:        {"user_prompt_submit", "UserPromptSubmit", refuses | adds, "when you send a message; may refuse it or add to it"},
	PreLLMCall:              {"pre_llm_call", "", adds, "when a turn begins; may add to its message"},
	PostLLMCall:             {"post_llm_call", "", 0, "when a turn has been answered"},
	TransformLLMOutput:      {"transform_llm_output", "", replaces, "when a turn has been answered; may replace the answer"},
	PreAPIRequest:           {"pre_api_request", "", 0, "before each request to the model"},
	PostAPIRequest:          {"post_api_request", "", 0, "after each request to the model"},
	APIRequestError:         {"api_request_error", "", 0, "after a request that failed"},
	PreVerify:               {"pre_verify", "", goesOn, "before a turn ends that has changed files; may let it go on"},
	Stop:                    {"stop", "Stop", goesOn, "before a turn ends with an answer; may let it go on"},
	SessionStart:            {"on_session_start", "SessionStart", adds, "with the first message of a session; may add to it"},
	SessionEnd:              {"on_session_end", "", 0, "when a turn has ended, however it did"},
	SessionFinalize:         {"on_session_finalize", "SessionEnd", 0, "when a session is closed"},
	SessionReset:            {"on_session_reset", "", 0, "when a new session takes the place of another one"},
	SubagentStart:           {"subagent_start", "SubagentStart", 0, "when a subagent starts"},
	SubagentStop:            {"subagent_stop", "SubagentStop", 0, "when a subagent has ended"},
	PreApproval:             {"pre_approval_request", "", 0, "when you are asked whether something may run"},
	PostApproval:            {"post_approval_response", "", 0, "when that was answered"},
	PreCompress:             {"pre_compress", "PreCompact", 0, "before a session is compressed, which waits for it"},
	PostCompress:            {"post_compress", "", 0, "after a session was compressed"},
	Notification:            {"notification", "Notification", 0, "when the agent needs your answer"},
}

// String is the name of an event in the settings.
func (e Event) String() string { return table[e].name }

// About says in a few words when an event is, and what its hooks can do.
func (e Event) About() string { return table[e].does }

func (e Event) can(p power) bool { return table[e].can&p != 0 }

// Named finds an event by its name in the settings.
func Named(name string) (Event, bool) {
	for e := range events {
		if table[e].name == name {
			return e, true
		}
	}
	return 0, false
}

// Events lists all events.
func Events() []Event {
	list := make([]Event, events)
	for e := range events {
		list[e] = e
	}
	return list
}
