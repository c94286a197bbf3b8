package hooks

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"mvdan.cc/sh/v3/syntax"

	"hermes-tui/tools/lazyregexp"
)

// rule is the condition of a hook: a tool, and what a call of it has to be about.
type rule struct {
	tool, about string
	bare        bool // nothing stands behind the tool
}

// ruleForm is a tool with what the call is about in brackets.
var ruleForm = lazyregexp.New(`^([\w*-]+)(?:\((.*)\))?$`)

// rule reads the condition of a hook.
func (h Hook) rule() (r rule, err error) {
	if h.If == "" {
		return rule{}, nil
	}
	m := ruleForm.FindStringSubmatch(strings.TrimSpace(h.If))
	switch {
	case m == nil:
		return r, fmt.Errorf("its condition (if) is no rule like Bash(git push:*): %s", short(h.If, 60))
	case h.Event != PreToolCall && h.Event != PostToolCall:
		return r, fmt.Errorf("its condition (if) is about calls of tools, so it never runs at this event: %s", short(h.If, 60))
	}
	return rule{m[1], m[2], m[2] == "" || m[2] == "*"}, nil
}

// holds reports whether a call is one that the condition of a hook is about. Where that
// cannot be told it holds, since such a hook may be one that refuses.
func (h Hook) holds(in Input, dir, home string) bool {
	r, err := h.rule()
	if h.If == "" || err != nil {
		return true
	}
	names := in.names()
	if r.tool == "Edit" && slices.Contains(names, "Write") { // a rule about edits is about all of them
		names = append(names, "Edit")
	}
	if !slices.ContainsFunc(names, func(n string) bool { return globbed(r.tool, n) || strings.HasPrefix(n, r.tool+"__") }) {
		return false
	}
	if r.bare {
		return true
	}
	var args map[string]any
	if json.Unmarshal(in.Args, &args) != nil {
		return true
	}
	text := func(keys ...string) string {
		for _, k := range keys {
			if s, ok := args[k].(string); ok {
				return s
			}
		}
		return ""
	}
	switch r.tool {
	case "Bash":
		return slices.ContainsFunc(commands(text("command")), func(c string) bool { return commanded(r.about, c) })
	case "Read", "Edit", "Write", "MultiEdit", "Grep", "Glob":
		return under(r.about, text("file_path", "path"), dir, home)
	case "WebFetch":
		u, err := url.Parse(text("url"))
		domain, is := strings.CutPrefix(r.about, "domain:")
		return err != nil || !is || u.Hostname() == domain || globbed(domain, u.Hostname())
	}
	return slices.ContainsFunc(values(args), func(s string) bool { return globbed(r.about, s) })
}

func values(args map[string]any) (list []string) {
	for _, v := range args {
		list = append(list, fmt.Sprint(v))
	}
	return list
}

// globbed reports whether a text fits a pattern in which * is anything.
func globbed(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	ok, err := regexp.MatchString(`(?s)^`+strings.Join(parts, ".*")+`$`, text)
	return ok && err == nil
}

// commanded reports whether a command fits: PREFIX:* is one that begins so, PREFIX * as well,
// and anything else is the command itself, with * for anything.
func commanded(pattern, command string) bool {
	for _, end := range []string{":*", " *"} {
		if prefix, is := strings.CutSuffix(pattern, end); is && !strings.Contains(prefix, "*") {
			return command == prefix || strings.HasPrefix(command, prefix+" ")
		}
	}
	return globbed(pattern, command)
}

// commands are the simple commands of a line for a shell, each without what is assigned
// before it, and the line itself.
func commands(line string) []string {
	list := []string{strings.TrimSpace(line)}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return list
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			var words []string
			for _, w := range c.Args {
				words = append(words, strings.Trim(line[w.Pos().Offset():w.End().Offset()], `"'`))
			}
			list = append(list, strings.Join(words, " "))
		}
		return true
	})
	return list
}

// under reports whether a file is one that a pattern means: from the folder of the project
// on, from the home (~/) or from the top (//).
func under(pattern, name, dir, home string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	full := absolute(name, dir, home)
	switch {
	case strings.HasPrefix(pattern, "//"):
		pattern = pattern[1:]
	case strings.HasPrefix(pattern, "~/"):
		pattern = filepath.ToSlash(home) + pattern[1:]
	case strings.HasPrefix(pattern, "/"), strings.Contains(strings.TrimSuffix(pattern, "/"), "/"):
		pattern = filepath.ToSlash(dir) + "/" + strings.TrimPrefix(pattern, "/")
	default: // at any depth
		pattern = "/**/" + pattern
	}
	slashed := filepath.ToSlash(full)
	whole, _ := doublestar.Match(pattern, slashed) // a bad pattern fits nothing
	below, _ := doublestar.Match(strings.TrimSuffix(pattern, "/")+"/**", slashed)
	return whole || below
}

// absolute is a path as the file tools take it.
func absolute(name, dir, home string) string {
	switch {
	case name == "":
		return dir
	case strings.HasPrefix(name, "~/") && home != "":
		name = filepath.Join(home, name[2:])
	case !filepath.IsAbs(name):
		name = filepath.Join(dir, name)
	}
	return filepath.Clean(name)
}
