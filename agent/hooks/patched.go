package hooks

import (
	"encoding/json"
	"strings"
)

// files are the calls that hooks for Claude Code hear of in the place of one that patches
// several files: one for each, with its path. It is nil for any other call.
func (in Input) files() (list []Input) {
	var args struct{ Patch string }
	if in.Tool != "patch" || json.Unmarshal(in.Args, &args) != nil || args.Patch == "" {
		return nil
	}
	var old, new strings.Builder
	var one map[string]string
	end := func() {
		if one == nil {
			return
		}
		call := in
		if call.as = one["tool"]; call.as == "Write" {
			one["content"] = new.String()
		} else {
			one["old_string"], one["new_string"] = old.String(), new.String()
		}
		delete(one, "tool")
		call.Args, _ = json.Marshal(one) // texts can be written
		list, one = append(list, call), nil
	}
	for line := range strings.Lines(args.Patch) {
		text := strings.TrimRight(line, "\r\n")
		for mark, tool := range map[string]string{"*** Add File:": "Write", "*** Update File:": "Edit", "*** Delete File:": "Edit", "*** Move to:": "Edit"} {
			if name, is := strings.CutPrefix(text, mark); is {
				end()
				old.Reset()
				new.Reset()
				one = map[string]string{"tool": tool, "path": strings.TrimSpace(name)}
			}
		}
		switch {
		case one == nil || strings.HasPrefix(text, "***") || strings.HasPrefix(text, "@@"):
		case strings.HasPrefix(text, "+"):
			new.WriteString(text[1:] + "\n")
		case strings.HasPrefix(text, "-"):
			old.WriteString(text[1:] + "\n")
		default:
			old.WriteString(strings.TrimPrefix(text, " ") + "\n")
			new.WriteString(strings.TrimPrefix(text, " ") + "\n")
		}
	}
	end()
	return list
}
