package hooks

import (
	"encoding/json"
	"maps"
)

// sample is what an event could tell a hook: all the fields that it has.
func sample(h Hook) Input {
	in := Input{Event: h.Event, Session: "sample", Turn: "sample", Task: "sample", Mode: "manual", More: map[string]any{"sample": true}}
	with := func(list ...map[string]any) {
		for _, m := range list {
			maps.Copy(in.More, m)
		}
	}
	sent := map[string]any{"user_message": "Say hello.", "is_first_turn": true, "model": "sample", "platform": "cli"}
	history := map[string]any{"conversation_history": []map[string]any{{"role": "user", "content": "Say hello."}}}
	ended := map[string]any{
		"user_message": "Say hello.", "assistant_response": "Hello.", "model": "sample", "platform": "cli", "completed": true, "interrupted": false, "outcome": "completed", "explain": "",
	}
	request := map[string]any{"request": 1, "model": "sample", "provider": "custom", "base_url": "http://localhost:8000/v1", "messages": 2, "tokens": 2000}
	child := map[string]any{
		"child_role": "leaf", "child_goal": "Count the files.", "child_session_id": "sample-2", "child_subagent_id": "sample-2", "parent_session_id": "sample", "parent_subagent_id": "sample", "parent_turn_id": "sample",
	}
	asked := map[string]any{"kind": "approval", "message": "May the agent run this? make install", "command": "make install", "action": "run", "description": "changes files outside the workspace", "surface": "cli"}
	switch h.Event {
	case PreToolCall, PostToolCall, TransformToolResult, TransformTerminalOutput:
		in.Tool, in.Call, in.Request, in.Args = "terminal", "sample", "sample-1", json.RawMessage(`{"command":"ls missing"}`)
		switch h.Event {
		case PostToolCall, TransformToolResult:
			with(map[string]any{"result": `{"output":"ls: missing: No such file\n","exit_code":2}`, "status": "error", "duration_ms": 12, "error_type": "error", "error_message": "exit 2"})
			if h.Claude && !h.Failed {
				in.Args = json.RawMessage(`{"command":"ls"}`)
				with(map[string]any{"result": `{"output":"main.go\n","exit_code":0}`, "status": "ok"})
			}
		case TransformTerminalOutput:
			with(map[string]any{"command": "ls missing", "output": "ls: missing: No such file\n", "returncode": 2, "env_type": "local"})
		}
	case UserPromptSubmit, SessionReset:
		with(sent)
	case PreLLMCall:
		with(sent, history)
	case SessionStart:
		in.About = "startup"
		with(sent, map[string]any{"source": in.About})
	case PostLLMCall:
		with(ended, history)
	case SessionEnd:
		with(ended)
	case TransformLLMOutput:
		with(map[string]any{"response_text": "Hello.", "model": "sample", "platform": "cli"})
	case PreAPIRequest:
		in.Request = "sample-1"
		with(request)
	case PostAPIRequest:
		in.Request = "sample-1"
		with(request, map[string]any{"usage": map[string]int64{"input": 2000, "output": 5, "cache_read": 0, "cache_write": 0}, "finish_reason": "stop", "tool_calls": 0})
	case APIRequestError:
		in.Request = "sample-1"
		with(request, map[string]any{"error_message": "429 slow down", "duration_ms": 120})
	case Stop, PreVerify:
		with(map[string]any{"assistant_response": "Hello.", "stop_hook_active": false})
		if h.Event == PreVerify {
			with(map[string]any{"changed_files": []string{"hello.txt"}})
		}
	case SessionFinalize:
		in.About = "other"
		with(map[string]any{"reason": in.About})
	case SubagentStart, SubagentStop:
		in.About = "leaf"
		with(child)
		if h.Event == SubagentStop {
			with(map[string]any{"child_summary": "There are three.", "child_status": "completed", "duration_ms": 1200})
		}
	case PreApproval, PostApproval, Notification:
		in.About = "approval"
		with(asked)
		if h.Event == PostApproval {
			with(map[string]any{"choice": "once"})
		}
	case PreCompress:
		in.About = "auto"
		with(map[string]any{"trigger": in.About, "focus": "", "tokens": 90000, "messages": 120})
	case PostCompress:
		with(map[string]any{"before": 90000, "after": 20000, "summary": "Hello was said."})
	}
	return in
}
