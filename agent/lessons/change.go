package lessons

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hermes-tui/store/learnings"
)

// change says what made a call work that did not before, empty where that cannot be
// told: the calls are the same, or they do different things.
func change(failed, worked Call) string {
	if failed.Command != "" {
		if failed.Command == worked.Command || !covers(worked.Command, failed.Command) {
			return ""
		}
		return worked.Command
	}
	return members(failed.Args, worked.Args)
}

// covers reports whether a command line has all that another one works on: each of
// its words that is no flag, if only at the end of a path.
func covers(line, other string) bool {
	var have []string
	for _, call := range learnings.Commands(line) {
		have = append(have, call...)
	}
	want := learnings.Commands(other)
	for _, call := range want {
		if call[0] == "cd" {
			continue
		}
		for _, word := range call[1:] {
			if strings.HasPrefix(word, "-") {
				continue
			}
			if !slices.ContainsFunc(have, func(w string) bool { return w == word || strings.HasSuffix(w, "/"+strings.TrimPrefix(word, "./")) }) {
				return false
			}
		}
	}
	return len(want) > 0
}

// maxValue bounds a value that is quoted, in bytes.
const maxValue = 80

// members says which arguments differ where all texts that the first call had are
// still there: one more, one less, another number or switch.
func members(failed, worked []byte) string {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(failed, &before) != nil || json.Unmarshal(worked, &after) != nil {
		return ""
	}
	var with []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		old, had := before[name]
		switch now := after[name]; {
		case had && string(old) == string(now):
		case had && (isText(old) || isText(now)), len(now) > maxValue: // it does something else
			return ""
		default:
			with = append(with, fmt.Sprintf("%s: %s", name, now))
		}
	}
	var without []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, has := after[name]; !has {
			without = append(without, name)
		}
	}
	switch {
	case len(with) > 0 && len(without) > 0:
		return "with " + strings.Join(with, ", ") + ", without " + strings.Join(without, ", ")
	case len(with) > 0:
		return "with " + strings.Join(with, ", ")
	case len(without) > 0:
		return "without " + strings.Join(without, ", ")
	}
	return ""
}

// brief lists arguments, without the values that are long.
func brief(args []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return ""
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(all[name]) <= maxValue {
			name += ": " + string(all[name])
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// isText reports whether a value is no number and no switch.
func isText(raw json.RawMessage) bool {
	return len(raw) > 0 && strings.ContainsRune(`"[{`, rune(raw[0]))
}
