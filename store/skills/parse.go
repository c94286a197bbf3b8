package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"hermes-tui/tools/charset"
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/tools/shorten"
)

// maxHead bounds the front matter, in bytes.
const maxHead = 64 << 10

// Text is a SKILL.md taken apart.
type Text struct {
	Name, Description string // as given
	Head              Head
	// Body is the text behind the front matter.
	Body string
	// Problems are about what is wrong, Notes about what has no effect here.
	Problems, Notes []string
}

// Parse reads a SKILL.md. It never fails; what is wrong is said.
func Parse(data []byte) Text {
	t := Text{}
	text, enc, intact := charset.Decode(data)
	switch {
	case !intact:
		t.complain("It is not UTF-8 text throughout; what is not was replaced.")
	case enc != charset.UTF8 && enc != charset.UTF8BOM:
		t.complain("It is not UTF-8; it was read as " + string(enc) + ".")
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	head, body, found := split(text)
	t.Body = strings.TrimSpace(body)
	switch {
	case !found && strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "---"):
		t.complain("Its front matter does not end: a line --- is missing.")
	case !found:
		t.complain("It has no front matter with a name and a description.")
	case len(head) > maxHead:
		t.complain(fmt.Sprintf("Its front matter is longer than %d KB and was not read.", maxHead>>10))
	default:
		t.read(head)
	}
	if t.Description == "" {
		if t.Description = paragraph(t.Body); t.Description != "" {
			t.complain("It has no description; its first paragraph stands for one.")
		}
	}
	if n := utf8.RuneCountInString(t.Description); n > MaxDescription {
		t.complain(fmt.Sprintf("Its description has %d characters; %d are allowed, and the rest was left out.", n, MaxDescription))
		t.Description = string([]rune(t.Description)[:MaxDescription-1]) + "…"
	}
	if t.Body == "" {
		t.complain("It says nothing besides its front matter.")
	}
	if n := len(shellLine.FindAllString(t.Body, -1)); n > 0 {
		t.Notes = append(t.Notes, "It has commands that other programs run while they read it (!`…`); here the agent runs them.")
	}
	if strings.Contains(t.Body, "CLAUDE_PLUGIN_ROOT") || strings.Contains(t.Body, "${PLUGIN_ROOT}") {
		t.Notes = append(t.Notes, outsidePlugin)
	}
	return t
}

// outsidePlugin is the note of a skill that needs its plugin.
const outsidePlugin = "It refers to files of its plugin (${CLAUDE_PLUGIN_ROOT}), which are here only when the plugin is installed."

// shellLine is a command in a text that other programs replace by its output.
var shellLine = lazyregexp.New("(?m)(?:^|[ \t])!`[^`\n]+`")

// without are the fields that other programs obey and this one does not.
var without = []string{"allowed-tools", "disallowed-tools", "tools", "model", "effort", "context", "agent", "hooks", "paths", "shell"}

func (t *Text) complain(sentence string) { t.Problems = append(t.Problems, sentence) }

// split takes the front matter off.
func split(text string) (head, body string, found bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\n"), "---")
	line, rest, more := strings.Cut(rest, "\n")
	if !ok || !more || strings.Trim(line, "- \t") != "" {
		return "", text, false
	}
	var lines []string
	for more {
		line, rest, more = strings.Cut(rest, "\n")
		if t := strings.TrimRight(line, " \t"); t == "---" || t == "..." {
			return strings.Join(lines, "\n"), rest, true
		}
		lines = append(lines, line)
	}
	return "", text, false
}

// read takes over the front matter: as YAML, with values quoted that hold colons, or
// line by line.
func (t *Text) read(head string) {
	fields := map[string]any{}
	err := decode(head, &fields)
	if err != nil {
		t.complain("Its front matter is not valid YAML (" + firstLine(err.Error()) + "); it was read as far as it goes.")
		if fields = map[string]any{}; decode(quoted(head), &fields) != nil {
			fields = byLine(head)
		}
	}
	lower := map[string]any{}
	for k, v := range fields {
		lower[strings.ReplaceAll(strings.ToLower(k), "_", "-")] = v
	}
	get := func(key string) any { return lower[key] }
	t.Name, t.Description = oneLine(word(get("name"))), oneLine(word(get("description")))
	if when := oneLine(word(get("when-to-use"))); when != "" {
		t.Description = strings.TrimSpace(t.Description + " " + when)
	}
	t.Head = headOf(get)
	if t.Head.Compatibility != "" {
		t.Notes = append(t.Notes, "Made for: "+t.Head.Compatibility)
	}
	var idle []string
	for _, key := range without {
		if get(key) != nil {
			idle = append(idle, key)
		}
	}
	if len(idle) > 0 {
		t.Notes = append(t.Notes, "It sets "+strings.Join(idle, ", ")+", which have no effect here: the agent's tools, model and approvals stay as they are.")
	}
}

func decode(text string, into *map[string]any) (err error) {
	defer func() { // a parser's panic is a text that cannot be read
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return yaml.Unmarshal([]byte(text), into)
}

// headOf reads the further fields.
func headOf(get func(string) any) Head {
	meta, _ := get("metadata").(map[string]any)
	hermes, _ := meta["hermes"].(map[string]any)
	needs, _ := get("prerequisites").(map[string]any)
	either := func(key string) any {
		if v := get(key); v != nil {
			return v
		}
		if v := hermes[strings.ReplaceAll(key, "-", "_")]; v != nil {
			return v
		}
		return meta[key]
	}
	h := Head{
		License: word(get("license")), Version: word(either("version")), Author: word(either("author")),
		Compatibility: word(get("compatibility")), Tags: words(either("tags")), Related: words(either("related-skills")),
		Platforms: words(get("platforms")), Environments: words(get("environments")),
		Commands:  append(words(get("required-commands")), words(needs["commands"])...),
		Variables: append(variables(get("required-environment-variables")), variables(needs["env_vars"])...),
		Arguments: word(get("argument-hint")), NoModel: yes(get("disable-model-invocation")),
		Needs:    append(words(hermes["requires_tools"]), words(hermes["requires_toolsets"])...),
		Replaces: append(words(hermes["fallback_for_tools"]), words(hermes["fallback_for_toolsets"])...),
	}
	if list, ok := get("argument-hint").([]any); ok { // [file] is a list to YAML
		h.Arguments = "[" + strings.Join(words(list), "] [") + "]"
	}
	h.Names = words(get("arguments"))
	if h.Arguments == "" {
		for _, a := range h.Names {
			h.Arguments = strings.TrimSpace(h.Arguments + " [" + a + "]")
		}
	}
	if v := get("user-invocable"); v != nil {
		h.NoUser = !yes(v)
	}
	return h
}

// topLevel is a line "key: value" of the front matter.
var topLevel = lazyregexp.New(`^([A-Za-z][\w-]*)[ \t]*:[ \t]+(\S.*)$`)

// quoted puts values in quotes that YAML would stumble over.
func quoted(head string) string {
	lines := strings.Split(strings.ReplaceAll(head, "\t", "  "), "\n")
	for i, line := range lines {
		m := topLevel.FindStringSubmatch(line)
		if m == nil || strings.ContainsRune(`"'[{|>&*`, rune(m[2][0])) && decode(line, &map[string]any{}) == nil ||
			m[2][0] == '|' || m[2][0] == '>' {
			continue
		}
		lines[i] = m[1] + ": '" + strings.ReplaceAll(strings.Trim(m[2], `"' `), "'", "''") + "'"
	}
	return strings.Join(lines, "\n")
}

// byLine takes "key: value" lines as they are.
func byLine(head string) map[string]any {
	fields := map[string]any{}
	for line := range strings.SplitSeq(head, "\n") {
		if m := topLevel.FindStringSubmatch(line); m != nil && fields[m[1]] == nil {
			fields[m[1]] = strings.Trim(m[2], `"' `)
		}
	}
	return fields
}

// word is a value as text.
func word(v any) string {
	switch v := v.(type) {
	case nil, map[string]any, map[any]any:
		return ""
	case []any:
		return strings.Join(words(v), ", ")
	case string:
		return strings.TrimSpace(v)
	}
	return fmt.Sprint(v)
}

// words is a value as a list: a list, or a text with commas or blanks.
func words(v any) []string {
	var list []string
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if w := oneLine(word(e)); w != "" {
				list = append(list, w)
			}
		}
	case string:
		list = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	}
	return list
}

// variables reads names of environment variables: texts, or maps with name and help.
func variables(v any) []Variable {
	list, ok := v.([]any)
	if !ok {
		for _, w := range words(v) {
			list = append(list, w)
		}
	}
	var all []Variable
	for _, e := range list {
		x := Variable{Name: oneLine(word(e))}
		if m, ok := e.(map[string]any); ok {
			x.Name = oneLine(word(m["name"]))
			for _, key := range []string{"help", "prompt", "required_for"} {
				if x.Help == "" {
					x.Help = oneLine(word(m[key]))
				}
			}
		}
		if x.Name != "" && !slices.ContainsFunc(all, func(o Variable) bool { return o.Name == x.Name }) {
			all = append(all, x)
		}
	}
	return all
}

func yes(v any) bool {
	switch strings.ToLower(word(v)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// paragraph is the first paragraph of Markdown that is no heading, on one line.
func paragraph(body string) string {
	for p := range strings.SplitSeq(body, "\n\n") {
		var lines []string
		for line := range strings.SplitSeq(p, "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), "#") {
				lines = append(lines, line)
			}
		}
		if text := oneLine(strings.Join(lines, " ")); text != "" {
			return text
		}
	}
	return ""
}

// oneLine makes text of one line without control characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}

// ValidName reports whether a new skill may have a name.
func ValidName(name string) bool {
	return len(name) <= MaxName && validName.MatchString(name) && !strings.Contains(name, "..")
}

var (
	validName = lazyregexp.New(`^[a-z0-9][a-z0-9._-]*$`)
	specName  = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	noSlug    = lazyregexp.New(`[^a-z0-9]+`)
)

// nameFor gives the name by which a skill is called, and what is wrong with the one
// that it has.
func nameFor(given, folder string) (name string, problems []string) {
	if given == "" {
		problems = append(problems, "It has no name; that of its folder is taken.")
	}
	name = given
	switch {
	case specName.MatchString(given) && len(given) <= MaxName:
	case ValidName(given):
		problems = append(problems, fmt.Sprintf("Its name %q is not of the form that the specification asks for: words of small letters and digits with single hyphens between them.", given))
	default:
		name = slug(given)
		if name == "" {
			name = slug(folder)
		}
		if name == "" {
			sum := sha256.Sum256([]byte(given + folder))
			name = "skill-" + hex.EncodeToString(sum[:4])
		}
		if given != "" {
			problems = append(problems, fmt.Sprintf("Its name %q is not of the form that the specification asks for; it is called %s here.", shorten.After(given, 80), name))
		}
	}
	if given != "" && folder != given && folder != name {
		problems = append(problems, fmt.Sprintf("Its folder is called %q, not %q.", shorten.After(folder, 80), shorten.After(given, 80)))
	}
	return name, problems
}

func slug(s string) string {
	s = strings.Trim(noSlug.ReplaceAllString(strings.ToLower(s), "-"), "-")
	return strings.Trim(s[:min(len(s), MaxName)], "-")
}

// system is the word of platforms for this machine.
func system() string {
	if runtime.GOOS == "darwin" {
		return "macos"
	}
	return runtime.GOOS
}

// supported reports whether a skill is made for this machine.
func (h Head) supported() bool {
	if len(h.Platforms) == 0 {
		return true
	}
	return slices.ContainsFunc(h.Platforms, func(p string) bool {
		p = strings.ToLower(p)
		return p == system() || p == runtime.GOOS || p == "all" || p == "any"
	})
}
