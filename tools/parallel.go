package tools

import (
	"encoding/json"
	"strings"
)

// Parallel reports whether all calls of one model turn may run at the same time.
// The arguments are those the model wrote; class gives the class of a tool's
// calls, [Exclusive] for a tool that is not known. Relative paths stand below
// cwd, "~" is home; links are not followed.
//
// A batch runs in parallel when it has at least two calls, all arguments are
// JSON objects, no call is exclusive or interactive, [Delegating] calls are by
// themselves, and no two calls get into each other's way: paths that [PathScoped] and [ReadsPath] calls touch differ
// and none lies below another, and no [PathScoped] path overlaps with what a
// [ReadsTree] call reads.
func Parallel(calls []Call, class func(name string) Class, cwd, home string) bool {
	if len(calls) < 2 {
		return false
	}
	var touched []claim
	delegating := 0
	for _, call := range calls {
		kind := class(call.Name)
		if kind == Exclusive || kind == Interactive {
			return false
		}
		if kind == Delegating {
			delegating++
		}
		args, err := parseObject(call.Args)
		if err != nil {
			return false
		}
		if kind == ReadOnly || kind == Delegating {
			continue
		}
		path, ok := pathOf(args, kind == ReadsTree, cwd, home)
		if !ok {
			return false
		}
		next := claim{path: path, kind: kind}
		for _, other := range touched {
			if next.disturbs(other) {
				return false
			}
		}
		touched = append(touched, next)
	}
	return delegating == 0 || delegating == len(calls)
}

// claim is a path that a call touches.
type claim struct {
	path string
	kind Class
}

// disturbs reports whether two calls must not run at the same time.
func (c claim) disturbs(d claim) bool {
	if !Within(c.path, d.path) && !Within(d.path, c.path) {
		return false
	}
	if c.kind == ReadsTree || d.kind == ReadsTree {
		return c.kind == PathScoped || d.kind == PathScoped
	}
	return true
}

// pathOf finds the absolute path of a call's "path" argument. Only a call that
// reads a tree may do without. A key that a decoder might take for "path" makes
// the answer uncertain, and so does a path that cannot be resolved.
func pathOf(args *object, optional bool, cwd, home string) (string, bool) {
	for _, key := range args.keys {
		if key != "path" && strings.EqualFold(key, "path") {
			return "", false
		}
	}
	var arg *string
	if raw, there := args.values["path"]; there {
		if err := json.Unmarshal(raw, &arg); err != nil {
			return "", false
		}
	}
	if arg == nil || strings.TrimSpace(*arg) == "" {
		if !optional {
			return "", false
		}
		here := "."
		arg = &here
	}
	path, err := AbsPath(*arg, cwd, home)
	return path, err == nil
}
