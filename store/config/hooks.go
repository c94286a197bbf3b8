package config

import (
	"iter"
	"reflect"
)

// Hook is a command that runs at an event.
type Hook struct {
	Command    string  `yaml:"command" class:"turn" doc:"What runs at the event, with the event as JSON on its standard input; plain words are started as they are, anything else by a shell. docs/hooks.md says what it may answer."`
	Matcher    string  `yaml:"matcher" class:"turn" doc:"For which tools it runs: a regular expression for the whole name; empty is all."`
	Timeout    Seconds `yaml:"timeout" default:"60" range:"1..600" class:"turn" doc:"Seconds it may take; then it is ended."`
	FailClosed bool    `yaml:"fail_closed" formerly:"failClosed" default:"false" strict:"true" class:"turn" doc:"Refuse unless it agrees: also when it does not start, is late, crashes, ends with a code other than 0, writes what cannot be read, or is not approved."`
	Outside    bool    `yaml:"outside" default:"false" class:"turn" doc:"Run it with all your rights. Otherwise it runs confined like a command of the agent, and reaches hosts under approvals.hosts only."`
}

// Hooks are commands by the event at which they run.
type Hooks struct {
	PreToolCall             []Hook `yaml:"pre_tool_call" need:"command"`
	PostToolCall            []Hook `yaml:"post_tool_call" need:"command"`
	TransformToolResult     []Hook `yaml:"transform_tool_result" need:"command"`
	TransformTerminalOutput []Hook `yaml:"transform_terminal_output" need:"command"`
	UserPromptSubmit        []Hook `yaml:"user_prompt_submit" need:"command"`
	PreLLMCall              []Hook `yaml:"pre_llm_call" need:"command"`
	PostLLMCall             []Hook `yaml:"post_llm_call" need:"command"`
	TransformLLMOutput      []Hook `yaml:"transform_llm_output" need:"command"`
	PreAPIRequest           []Hook `yaml:"pre_api_request" need:"command"`
	PostAPIRequest          []Hook `yaml:"post_api_request" need:"command"`
	APIRequestError         []Hook `yaml:"api_request_error" need:"command"`
	PreVerify               []Hook `yaml:"pre_verify" need:"command"`
	Stop                    []Hook `yaml:"stop" need:"command"`
	OnSessionStart          []Hook `yaml:"on_session_start" need:"command"`
	OnSessionEnd            []Hook `yaml:"on_session_end" need:"command"`
	OnSessionFinalize       []Hook `yaml:"on_session_finalize" need:"command"`
	OnSessionReset          []Hook `yaml:"on_session_reset" need:"command"`
	SubagentStart           []Hook `yaml:"subagent_start" need:"command"`
	SubagentStop            []Hook `yaml:"subagent_stop" need:"command"`
	PreApprovalRequest      []Hook `yaml:"pre_approval_request" need:"command"`
	PostApprovalResponse    []Hook `yaml:"post_approval_response" need:"command"`
	PreCompress             []Hook `yaml:"pre_compress" need:"command"`
	PostCompress            []Hook `yaml:"post_compress" need:"command"`
	Notification            []Hook `yaml:"notification" need:"command"`
}

// All gives the hooks with the names of their events.
func (h Hooks) All() iter.Seq2[string, Hook] {
	return func(yield func(string, Hook) bool) {
		v := reflect.ValueOf(h)
		for i := range v.NumField() {
			list, _ := v.Field(i).Interface().([]Hook)
			for _, one := range list {
				if !yield(v.Type().Field(i).Tag.Get("yaml"), one) {
					return
				}
			}
		}
	}
}

// Tools are tools of the user's own.
type Tools struct {
	Commands map[string]CommandTool `yaml:"commands"`
	Search   ToolSearch             `yaml:"tool_search"`
}

// ToolSearch says when the tools of servers are found by a search.
type ToolSearch struct {
	Enabled   string  `yaml:"enabled" default:"auto" enum:"auto|on|off" class:"session" doc:"Leave the definitions of MCP tools out of requests, and let the agent search for them: auto does when they take more than threshold_pct of the model's window (docs/mcp.md)."`
	Threshold float64 `yaml:"threshold_pct" default:"10" range:"0..100" class:"session" doc:"Percent of the window from which they are left out; where the window is not known, of 200,000 tokens."`
	Limit     int     `yaml:"search_default_limit" default:"5" range:"1..20" class:"session" doc:"Tools that a search gives when the agent does not say how many."`
}

// CommandTool is a command that is a tool. Without a command or a description it is none.
type CommandTool struct {
	Command     string  `yaml:"command" class:"session" doc:"Line for the shell; what the tool is called with is on its standard input, as a JSON object in one line. It is judged, asked about and confined like any command. More in docs/tools.md."`
	Description string  `yaml:"description" class:"session" doc:"What the model is told of the tool."`
	Parameters  string  `yaml:"parameters" check:"object" class:"session" doc:"JSON Schema of what it is called with, an object; empty is nothing."`
	Timeout     Seconds `yaml:"timeout" default:"0" range:"0..86400" class:"session" doc:"Seconds it may take; 0 is terminal.timeout."`
}
