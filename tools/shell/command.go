package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"hermes-tui/tools"
)

// Command is a command of the user that is a tool of its own: what the tool is called with
// is on its standard input, as a JSON object in one line.
type Command struct {
	Name, Description string
	// Command is a line for the shell.
	Command string
	// Parameters is the JSON Schema of what it is called with.
	Parameters json.RawMessage
	// Timeout is how long it may take; 0 is that of the shell.
	Timeout time.Duration
}

// CommandToolset is the toolset of all of them.
const CommandToolset = "commands"

// inputEnd ends the input within the text of a call. The input is one line that begins with
// a brace, so it holds no such line.
const inputEnd = "HERMES_TOOL_INPUT"

// Command makes a tool of a command. A call of it is one of the shell, in a shell below
// it: it is judged, asked about, confined, bounded and masked like any command, with its
// input as part of the text.
func (s *Shell) Command(c Command) tools.Tool {
	input := func(args json.RawMessage) string {
		var line bytes.Buffer
		if json.Compact(&line, args) != nil {
			return "{}"
		}
		return line.String()
	}
	asCall := func(args json.RawMessage) json.RawMessage {
		text := fmt.Sprintf("(\n%s\n) <<'%s'\n%s\n%s", c.Command, inputEnd, input(args), inputEnd)
		return json.RawMessage(tools.JSON(arguments{Command: text, Timeout: int(min(c.Timeout, s.o.MaxTimeout).Seconds())}))
	}
	parameters := c.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return tools.Tool{
		Name: c.Name, Toolset: CommandToolset, Description: c.Description, Parameters: parameters, Class: tools.Exclusive,
		Preview: func(args json.RawMessage) tools.View {
			v := s.preview(asCall(args))
			v.Subject = input(args)
			return v
		},
		Action:  func(args json.RawMessage) (tools.Action, error) { return s.action(asCall(args)) },
		Scripts: &tools.Scripts{},
		Run: func(ctx context.Context, call tools.Call, h tools.Host, out tools.Sink) (tools.Result, error) {
			shown := input(call.Args)
			call.Args = asCall(call.Args)
			r, err := s.run(ctx, call, h, out)
			r.View.Subject = shown
			return r, err
		},
	}
}
