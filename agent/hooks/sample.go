package hooks

import "encoding/json"

// sample is what an event could tell a hook.
func sample(h Hook) Input {
	in := Input{Event: h.Event, Session: "sample", Turn: "sample", Task: "sample", Mode: "manual", More: map[string]any{"sample": true}}
	switch h.Event {
	case PreToolCall, PostToolCall, TransformToolResult, TransformTerminalOutput:
		in.Tool, in.Call, in.Request, in.Args = "terminal", "sample", "sample-1", json.RawMessage(`{"command":"echo hello"}`)
		if h.Event != PreToolCall {
			in.More["result"], in.More["status"], in.More["duration_ms"] = `{"output":"hello\n","exit_code":0}`, "ok", 12
		}
		if h.Event == TransformTerminalOutput {
			in.More = map[string]any{"command": "echo hello", "output": "hello\n", "returncode": 0, "sample": true}
		}
	case UserPromptSubmit, PreLLMCall:
		in.More["user_message"] = "Say hello."
		if h.Event == PreLLMCall {
			in.More["conversation_history"] = []map[string]any{}
		}
	case PostLLMCall, TransformLLMOutput, Stop, PreVerify:
		in.More["user_message"], in.More["assistant_response"], in.More["response_text"] = "Say hello.", "Hello.", "Hello."
	case SessionStart:
		in.About = "startup"
		in.More["source"] = "startup"
	case SessionEnd:
		in.More["completed"], in.More["interrupted"] = true, false
	case PreApproval, PostApproval, Notification:
		in.About = "approval"
		in.More["kind"], in.More["message"], in.More["command"] = "approval", "May the agent run this?", "make install"
	case PreCompress, PostCompress:
		in.About = "auto"
		in.More["trigger"] = "auto"
	}
	return in
}
