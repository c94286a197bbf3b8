package hooks

import (
	"encoding/json"
	"maps"
	"strings"
)

// Input is what a hook is told of an event.
type Input struct {
	Event Event
	// Session, Turn, Agent and Call say where; Call is empty where there is none.
	Session, Turn, Agent, Call string
	// Task is the session of the agent at work, Request the request to the model that this
	// belongs to, empty where there is none.
	Task, Request string
	// Tool and Args are those of a call.
	Tool string
	Args json.RawMessage
	as   string // the tool by the name of Claude Code, empty for that of Tool
	// Mode is the approval mode.
	Mode string
	// About is what a matcher of Claude Code looks at where there is no tool.
	About string
	// More are the fields of the event.
	More map[string]any
}

// own is what a hook of the settings reads.
type own struct {
	Event   string          `json:"hook_event_name"`
	Tool    *string         `json:"tool_name"`
	Args    json.RawMessage `json:"tool_input"`
	Session string          `json:"session_id"`
	Cwd     string          `json:"cwd"`
	Profile string          `json:"profile"`
	Extra   map[string]any  `json:"extra"`
}

// line is what a hook reads on its standard input.
func (in Input) line(h Hook, cwd, home, profile string) ([]byte, error) {
	if h.Claude {
		return json.Marshal(in.claude(h, cwd, home))
	}
	o := own{Event: in.Event.String(), Args: in.Args, Session: in.Session, Cwd: cwd, Profile: profile, Extra: map[string]any{}}
	if in.Tool != "" {
		o.Tool = &in.Tool
	}
	if o.Args == nil {
		o.Args = json.RawMessage("null")
	}
	maps.Copy(o.Extra, in.More)
	for name, value := range map[string]string{"turn_id": in.Turn, "agent_id": in.Agent, "tool_call_id": in.Call, "mode": in.Mode, "task_id": in.Task, "api_request_id": in.Request} {
		if value != "" {
			o.Extra[name] = value
		}
	}
	return json.Marshal(o)
}

// The tools by the names that Claude Code has for them.
var claudeTools = map[string]string{
	"terminal": "Bash", "read_file": "Read", "write_file": "Write", "patch": "Edit", "search_files": "Grep", "web_extract": "WebFetch",
	"web_search": "WebSearch", "delegate_task": "Agent", "todo": "TodoWrite", "clarify": "AskUserQuestion",
}

// claudeTool is the name that Claude Code has for a tool.
func claudeTool(name string) string {
	if known := claudeTools[name]; known != "" {
		return known
	}
	return name
}

// claudeArgs gives arguments with the names that Claude Code has for them, or back.
func claudeArgs(tool string, args json.RawMessage, back bool) json.RawMessage {
	from, to := "path", "file_path"
	if back {
		from, to = to, from
	}
	switch claudeTool(tool) {
	case "Read", "Write", "Edit":
	default:
		return args
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil || m[from] == nil {
		return args
	}
	m[to] = m[from]
	delete(m, from)
	out, err := json.Marshal(m)
	if err != nil {
		return args
	}
	return out
}

// full returns arguments whose file_path is absolute.
func full(args json.RawMessage, cwd, home string) json.RawMessage {
	var m map[string]json.RawMessage
	var name string
	if json.Unmarshal(args, &m) != nil || json.Unmarshal(m["file_path"], &name) != nil || name == "" {
		return args
	}
	m["file_path"], _ = json.Marshal(absolute(name, cwd, home)) // a text can be written
	out, err := json.Marshal(m)
	if err != nil {
		return args
	}
	return out
}

// claudeModes are the approval modes as Claude Code has them.
var claudeModes = map[string]string{"plan": "plan", "off": "bypassPermissions"}

// claude is what a hook reads that is written for Claude Code.
func (in Input) claude(h Hook, cwd, home string) map[string]any {
	m := map[string]any{"session_id": in.Session, "transcript_path": "", "cwd": cwd, "hook_event_name": h.claude(), "permission_mode": "default"}
	if mode := claudeModes[in.Mode]; mode != "" {
		m["permission_mode"] = mode
	}
	if in.Agent != "" {
		m["agent_id"] = in.Agent
	}
	if in.Tool != "" {
		m["tool_name"], m["tool_input"], m["tool_use_id"] = first(in.as, claudeTool(in.Tool)), full(claudeArgs(in.Tool, in.Args, false), cwd, home), in.Call
	}
	names := map[string]string{
		"user_message": "prompt", "source": "source", "reason": "reason", "trigger": "trigger", "focus": "custom_instructions", "message": "message",
		"kind": "notification_type", "stop_hook_active": "stop_hook_active", "assistant_response": "last_assistant_message", "child_status": "agent_status", "child_role": "agent_type",
	}
	for own, theirs := range names {
		if value, ok := in.More[own]; ok {
			m[theirs] = value
		}
	}
	result, ok := in.More["result"].(string)
	switch {
	case ok && h.Failed:
		m["error"], m["is_interrupt"] = result, in.More["status"] == "cancelled"
	case ok:
		m["tool_response"] = result
		if text := strings.TrimSpace(result); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
			m["tool_response"] = json.RawMessage(text)
		}
	}
	return m
}

// names are what matchers look at.
func (in Input) names() []string {
	if in.Tool == "" {
		return []string{in.About}
	}
	if other := first(in.as, claudeTool(in.Tool)); other != in.Tool {
		return []string{in.Tool, other}
	}
	return []string{in.Tool}
}
