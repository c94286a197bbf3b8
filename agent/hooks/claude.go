package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// claudeFiles are where Claude Code keeps the hooks of a folder.
var claudeFiles = []string{".claude/settings.json", ".claude/settings.local.json"}

// maxSettings bounds such a file, in bytes.
const maxSettings = 1 << 20

// claudeSettings is what of it is read.
type claudeSettings struct {
	Off   bool                     `json:"disableAllHooks"`
	Hooks map[string][]claudeGroup `json:"hooks"`
}

type claudeGroup struct {
	Matcher string `json:"matcher"`
	Hooks   []struct {
		Type    string  `json:"type"`
		Command string  `json:"command"`
		Timeout float64 `json:"timeout"` // seconds
		Async   bool    `json:"async"`
		Outside bool    `json:"outside"` // ours: not confined
	} `json:"hooks"`
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

// parseClaude reads hooks in the form of Claude Code, in the order of the events.
func parseClaude(data []byte) (list []Hook, off bool, err error) {
	var s claudeSettings
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, false, fmt.Errorf("cannot be read: %s", short(err.Error(), 200))
	}
	if s.Off {
		return nil, true, nil
	}
	for e := range events {
		if table[e].claude != "" {
			list = append(list, s.of(Hook{Event: e})...)
		}
		if e == PostToolCall {
			list = append(list, s.of(Hook{Event: e, Failed: true})...)
		}
	}
	for name := range s.Hooks {
		if name != claudeFailure && !slices.ContainsFunc(table[:], func(t eventInfo) bool { return t.claude == name }) {
			err = errors.Join(err, fmt.Errorf("has hooks for the event %s, which does not exist here", short(fmt.Sprintf("%q", name), 60)))
		}
	}
	return list, false, err
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

// of are the hooks of an event; like says which.
func (s *claudeSettings) of(like Hook) (list []Hook) {
	for _, g := range s.Hooks[like.claude()] {
		for _, one := range g.Hooks {
			h := like
			h.Matcher, h.Command, h.Claude, h.Background, h.Timeout, h.Outside = g.Matcher, one.Command, true, one.Async, claudeTimeout, one.Outside
			if h.Event == UserPromptSubmit {
				h.Timeout = claudePromptTimeout
			}
			if one.Timeout > 0 {
				h.Timeout = time.Duration(min(one.Timeout, claudeTimeout.Seconds()) * float64(time.Second))
			}
			if one.Type != "command" {
				h.Problem = fmt.Sprintf("hooks of the type %s are not supported, only those of the type command", short(fmt.Sprintf("%q", one.Type), 40))
			}
			list = append(list, h)
		}
	}
	return list
}
