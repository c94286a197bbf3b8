package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// claudeFiles are where Claude Code keeps the hooks of a folder.
var claudeFiles = []string{".claude/settings.json", ".claude/settings.local.json"}

// maxSettings bounds such a file, in bytes.
const maxSettings = 1 << 20

// claudeSettings is what of it is read.
type claudeSettings struct {
	Off   bool                       `json:"disableAllHooks"`
	Hooks map[string]json.RawMessage `json:"hooks"`
}

// claudeHook is a hook as it is written. What may have several forms is read by itself.
type claudeHook struct {
	Type, Command, If string
	Timeout           json.RawMessage
	Async             bool
	AsyncRewake       bool `json:"asyncRewake"`
	Outside           bool // ours: not confined
}

// The time limits of Claude Code.
const (
	claudeTimeout       = 600 * time.Second
	claudePromptTimeout = 30 * time.Second
)

// OfFolder reads the hooks that a folder has for Claude Code. problems say what of them
// cannot be read, each with its file.
func OfFolder(root string) (list []Hook, problems []string) {
	for _, name := range claudeFiles {
		file := filepath.Join(root, filepath.FromSlash(name))
		more, off, err := OfFile(file, root, root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, file+": "+err.Error())
		}
		if off {
			return nil, problems
		}
		list = append(list, more...)
	}
	return list, problems
}

// OfFile reads a file with hooks in the form of Claude Code; from says what it belongs to,
// root is the folder of its commands. off says that it switches all hooks off.
func OfFile(file, from, root string) (list []Hook, off bool, err error) {
	st, err := os.Stat(file)
	if err != nil {
		return nil, false, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxSettings {
		return nil, false, fmt.Errorf("is no file of at most %d MB", maxSettings>>20)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, false, err
	}
	list, off, err = parseClaude(data)
	for i := range list {
		list[i].File, list[i].From, list[i].Root = file, from, root
	}
	return list, off, err
}

// parseClaude reads hooks in the form of Claude Code, in the order of the events. What is
// wrong with one hook is its problem, or in err, and leaves the others.
func parseClaude(data []byte) (list []Hook, off bool, err error) {
	data = plainJSON(data)
	var s claudeSettings
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, false, fmt.Errorf("cannot be read: %s", short(err.Error(), 200))
	}
	if s.Off {
		return nil, true, nil
	}
	if s.Hooks == nil { // the events by themselves
		var all map[string]json.RawMessage
		_ = json.Unmarshal(data, &all) // it was read before
		for name, raw := range all {
			if knownToClaude(name) {
				if s.Hooks == nil {
					s.Hooks = map[string]json.RawMessage{}
				}
				s.Hooks[name] = raw
			}
		}
	}
	for e := range events {
		for _, failed := range []bool{false, true} {
			like := Hook{Event: e, Failed: failed, Claude: true}
			if raw := s.Hooks[like.claude()]; raw != nil && like.claude() != "" && (!failed || e == PostToolCall) {
				more, wrong := groups(like, raw)
				list, err = append(list, more...), errors.Join(err, wrong)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Hooks)) {
		if !knownToClaude(name) {
			err = errors.Join(err, fmt.Errorf("has hooks for the event %s, which does not exist here", short(fmt.Sprintf("%q", name), 60)))
		}
	}
	return list, false, err
}

func knownToClaude(name string) bool {
	return name == claudeFailure || name != "" && slices.ContainsFunc(table[:], func(t eventInfo) bool { return t.claude == name })
}

// claudeFailure is the event of hooks that are [Hook.Failed].
const claudeFailure = "PostToolUseFailure"

// claude is the name that Claude Code has for the event of a hook.
func (h Hook) claude() string {
	if h.Failed {
		return claudeFailure
	}
	return table[h.Event].claude
}

// several are the elements of a list, or the one value that stands in its place.
func several(raw json.RawMessage) (list []json.RawMessage) {
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	return list
}

// groups are the hooks of an event; like says which.
func groups(like Hook, raw json.RawMessage) (list []Hook, err error) {
	for _, one := range several(raw) {
		var g struct{ Matcher, Hooks json.RawMessage }
		if json.Unmarshal(one, &g) != nil {
			err = errors.Join(err, fmt.Errorf("has under %s what is no group of hooks: %s", like.claude(), short(string(one), 60)))
			continue
		}
		h := like
		if h.Matcher, h.Problem = matcherOf(g.Matcher); g.Hooks == nil { // the hook stands for its group
			g.Hooks = one
		}
		for _, text := range several(g.Hooks) {
			list = append(list, h.of(text))
		}
	}
	return list, err
}

// matcherOf is a matcher as a text, of a list or of an object that names tools, too.
func matcherOf(raw json.RawMessage) (matcher, problem string) {
	var list []string
	var named struct {
		Tools, Tool, ToolName json.RawMessage
	}
	switch {
	case len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &matcher) == nil:
		return matcher, ""
	case json.Unmarshal(raw, &list) == nil:
		return strings.Join(list, "|"), ""
	case json.Unmarshal(raw, &named) == nil:
		for _, r := range []json.RawMessage{named.Tools, named.Tool, named.ToolName} {
			if matcher, problem = matcherOf(r); matcher != "" && problem == "" {
				return matcher, ""
			}
		}
	}
	return "", "its matcher is neither a text nor a list of names"
}

// of is the hook that a text describes; h says what its group does. A text alone is the
// command.
func (h Hook) of(raw json.RawMessage) Hook {
	one := claudeHook{Type: "command"}
	if json.Unmarshal(raw, &one.Command) != nil {
		one.Type = ""
		if err := json.Unmarshal(raw, &one); err != nil && h.Problem == "" {
			h.Problem = "it cannot be read: " + short(err.Error(), 100)
		}
	}
	if one.Type == "" && one.Command != "" {
		one.Type = "command"
	}
	h.Command, h.If, h.Rewake, h.Outside = one.Command, one.If, one.AsyncRewake, one.Outside
	h.Background = one.Async || one.AsyncRewake
	h.Timeout = claudeTimeout
	if h.Event == UserPromptSubmit {
		h.Timeout = claudePromptTimeout
	}
	if t, ok := seconds(one.Timeout); ok && t > 0 {
		h.Timeout = min(t, claudeTimeout)
	} else if !ok && h.Problem == "" {
		h.Problem = "its timeout is no number of seconds: " + short(string(one.Timeout), 40)
	}
	if _, err := h.rule(); err != nil && h.Problem == "" {
		h.Problem = err.Error()
	}
	if one.Type != "command" && h.Problem == "" {
		h.Problem = fmt.Sprintf("hooks of the type %s are not supported, only those of the type command", short(fmt.Sprintf("%q", one.Type), 40))
	}
	return h
}

// seconds reads a time limit: a number, a number in quotes, or a text like 30s.
func seconds(raw json.RawMessage) (time.Duration, bool) {
	text := strings.Trim(string(raw), `" `)
	if text == "" || text == "null" {
		return 0, true
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == n {
		return time.Duration(min(max(n, 0), claudeTimeout.Seconds()) * float64(time.Second)), true
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}
