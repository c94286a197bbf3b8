package app

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

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/charset"
	"hermes-tui/tools/mcp"
)

// projectServers reads the servers that a project names, in the forms that editors and
// other agents write. bad are sentences about the file and about entries that cannot be
// used, which hide no other.
func projectServers(file string) (list []mcp.Config, bad []string) {
	data, _, err := atomicfile.Read(file, maxMCPFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	entries := map[string]json.RawMessage{}
	if err == nil {
		entries, err = serverEntries(charset.Text(data))
	}
	if err != nil {
		return nil, []string{file + ": " + err.Error()}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		c, off, err := projectServer(file, name, entries[name])
		if err != nil {
			bad = append(bad, fmt.Sprintf("%s: the server %s cannot be used: %v.", file, name, err))
		} else if !off {
			list = append(list, c)
		}
	}
	return list, bad
}

// serverEntries are the entries of a file by their names: below mcpServers, below servers,
// or on their own.
func serverEntries(text string) (map[string]json.RawMessage, error) {
	plain := strictJSON(text)
	var top map[string]json.RawMessage
	if err := json.Unmarshal(plain, &top); err != nil {
		at := len(plain)
		if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = int(bad.Offset)
		} else if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at = int(bad.Offset)
		}
		return nil, fmt.Errorf("line %d is not what an object in JSON has there: an editor shows what is missing", 1+strings.Count(string(plain[:min(at, len(plain))]), "\n"))
	}
	for _, key := range []string{"mcpServers", "servers"} {
		if raw, ok := top[key]; ok {
			var entries map[string]json.RawMessage
			if json.Unmarshal(raw, &entries) != nil {
				return nil, fmt.Errorf("%s is no object with a server for each name", key)
			}
			return entries, nil
		}
	}
	maps.DeleteFunc(top, func(_ string, raw json.RawMessage) bool { // a schema, and what editors ask for
		var e map[string]any
		return json.Unmarshal(raw, &e) != nil || e["command"] == nil && address(e) == nil
	})
	return top, nil
}

// strictJSON takes comments and commas behind the last of a list out of a text, which stays
// as long as it was.
func strictJSON(text string) []byte {
	out := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	comma := -1
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			comma = -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := "\n"
			if out[i+1] == '*' {
				end = "*/"
			}
			n := strings.Index(string(out[i+2:]), end)
			to := len(out)
			if n >= 0 {
				to = i + 2 + n + len(end)
			}
			blank(i, to)
			i = to - 1
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

// address is where a server is, by the key that one of the forms has for it.
func address(e map[string]any) any {
	for _, key := range []string{"url", "httpUrl", "serverUrl"} {
		if e[key] != nil {
			return e[key]
		}
	}
	return nil
}

// projectServer reads one entry. off says that its author has switched it off.
func projectServer(file, name string, raw json.RawMessage) (c mcp.Config, off bool, err error) {
	var e map[string]any
	if json.Unmarshal(raw, &e) != nil || e == nil {
		return c, false, errors.New("it is no object")
	}
	if e["disabled"] == true || e["enabled"] == false {
		return c, true, nil
	}
	c = mcp.Config{Name: name, Origin: file, Keepalive: mcp.DefaultKeepalive}
	dir, kind := "", ""
	for _, f := range []struct {
		key  string
		from any
		to   *string
	}{{"type", first2(e["type"], e["transport"]), &kind}, {"url", address(e), &c.URL}, {"cwd", e["cwd"], &dir}} {
		if *f.to, err = plainText(f.from); err != nil {
			return c, false, fmt.Errorf("its %s is %w", f.key, err)
		}
	}
	command, err := textList(e["command"])
	if err == nil {
		c.Args, err = textList(e["args"])
	}
	if err != nil {
		return c, false, fmt.Errorf("its command or its args are %w", err)
	}
	if len(command) > 0 {
		c.Command, c.Args = command[0], append(command[1:], c.Args...)
	}
	if c.Env, err = textMap(e["env"]); err != nil {
		return c, false, fmt.Errorf("its env is %w", err)
	}
	if c.Headers, err = textMap(e["headers"]); err != nil {
		return c, false, fmt.Errorf("its headers are %w", err)
	}
	c.SSE = strings.EqualFold(kind, "sse")
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	c.Dir = first(dir, filepath.Dir(file))
	return c, false, nil
}

func first2(a, b any) any {
	if a != nil {
		return a
	}
	return b
}

// plainText is a text, or a number or a switch as one; nothing is empty.
func plainText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", errors.New("no text")
}

// textList is a list of texts. One text is cut into words, unless it names a file.
func textList(v any) ([]string, error) {
	if list, ok := v.([]any); ok {
		var texts []string
		for _, one := range list {
			s, err := plainText(one)
			if err != nil {
				return nil, errors.New("no list of texts")
			}
			texts = append(texts, s)
		}
		return texts, nil
	}
	s, err := plainText(v)
	if err != nil || s == "" {
		return nil, err
	}
	if _, err := os.Stat(s); err == nil {
		return []string{s}, nil
	}
	return splitWords(s), nil
}

// splitWords cuts a line at its blanks; what stands in quotes stays together.
func splitWords(line string) (words []string) {
	var quote rune
	var b strings.Builder
	inside := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inside = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if inside {
				words = append(words, b.String())
			}
			b.Reset()
			inside = false
		default:
			b.WriteRune(r)
			inside = true
		}
	}
	if inside {
		words = append(words, b.String())
	}
	return words
}

// textMap is texts by name.
func textMap(v any) (map[string]string, error) {
	if v == nil {
		return nil, nil
	}
	all, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("no object with a text for each name")
	}
	texts := map[string]string{}
	for name, one := range all {
		s, err := plainText(one)
		if err != nil {
			return nil, fmt.Errorf("no text at %s", name)
		}
		texts[name] = s
	}
	return texts, nil
}
