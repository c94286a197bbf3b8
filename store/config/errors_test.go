package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// badFile is a text that is no settings, and the error it gives.
type badFile struct {
	text      string
	line, col int
	kind      Kind
	says      string
}

// check reads the text from a file and gives the file's name.
func (c badFile) check(t *testing.T) (name string) {
	t.Helper()
	name = file(t, c.text)
	e := refused(t, Options{File: name})
	if e.Kind != c.kind || e.Line != c.line || e.Column != c.col || !strings.Contains(e.Error(), c.says) || !strings.HasPrefix(e.Error(), name) {
		t.Errorf("%.80q\n got %s %d:%d %v\nwant %s %d:%d %s", c.text, e.Kind, e.Line, e.Column, e, c.kind, c.line, c.col, c.says)
	}
	return name
}

// refused is what is wrong with a file: its error, or the first value that is passed over.
func refused(t *testing.T, o Options) *Error {
	t.Helper()
	c := Config{sources: map[string]string{}}
	v := reflect.ValueOf(&c).Elem()
	if err := setDefaults(schema(), v); err != nil {
		t.Fatal(err)
	}
	warnings, passed, err := loadFile(o, schema(), v, c.sources)
	_, shown, again := Load(o)
	if (err == nil) != (again == nil) || err == nil && len(passed) > 0 && len(shown) == 0 {
		t.Fatalf("%v, %v, %v, %v", warnings, shown, err, again)
	}
	if err == nil && len(passed) > 0 {
		return passed[0]
	}
	return asError(t, err)
}

// Each broken file gives one sentence with its place.
func TestFileErrors(t *testing.T) {
	for _, c := range []badFile{
		// Not YAML.
		{"display:\n  theme: a: b\n", 2, 11, KindSyntax, `a ":" is not allowed here`},
		{"display:\n\ttheme: dark\n", 2, 1, KindSyntax, "spaces, not with tabs"},
		{"x: 1\nmodel: \"abc\nagent:\n  max_turns: 3\n", 2, 8, KindSyntax, "quote that begins here is not closed"},
		{"toolsets: [a, b\nmodel: x\n", 1, 11, KindSyntax, `add the missing "]"`},
		{"agent: {max_turns: 3\nmodel: x\n", 1, 8, KindSyntax, `add the missing "}"`},
		{"agent:\n    max_turns: 1\n  x: 2\n", 3, 3, KindSyntax, "correct the indentation"},
		{"a: b\nc\nd: e\n", 2, 1, KindSyntax, `add the missing ":"`},
		{"é: ü: x\n", 1, 5, KindSyntax, `a ":" is not allowed here`},
		{"a: *b\n", 1, 4, KindSyntax, "no anchor"},
		{"a: @b\n", 1, 4, KindSyntax, "nothing can begin with this character"},
		{"a: 1\n\x01\n", 2, 1, KindSyntax, "control character"},
		{"a: \"\\q\"\n", 1, 4, KindSyntax, "backslash"},
		{"a: 1\r\nb: c: d\r\n", 2, 5, KindSyntax, `a ":" is not allowed here`},
		{"a: !<b\n", 1, 5, KindSyntax, "not YAML"},
		// YAML, but not settings.
		{"- a\n", 1, 1, KindType, "the file must hold settings"},
		{"text\n", 1, 1, KindType, "the file must hold settings"},
		{"a: 1\n---\nb: 2\n", 2, 1, KindDocuments, "second document"},
		{"a: 1\nb: \xff\n", 2, 4, KindEncoding, "UTF-8"},
		{"model: x\nagent: {}\nmodel: y\n", 3, 1, KindDuplicate, `"model" appears a second time, it is in line 1`},
		{"unknown:\n  deep:\n    - {a: 1, a: 2}\n", 3, 14, KindDuplicate, `"a" appears a second time`},
		// Wrong values.
		{"display: dark\n", 1, 10, KindType, "display must be a section with settings in it, not a single text"},
		{"display: [theme]\n", 1, 10, KindType, "display must be a section with settings in it, not a list"},
		{"display:\n  busy_input_mode: shout\n", 2, 20, KindEnum, `display.busy_input_mode must be queue, steer or interrupt, not "shout"`},
		{"display:\n  busy_input_mode: true\n", 2, 20, KindType, "display.busy_input_mode must be queue, steer or interrupt, not true"},
		{"display:\n  busy_input_mode: [steer]\n", 2, 20, KindType, "display.busy_input_mode must be queue, steer or interrupt, not a list"},
		{"display:\n  mouse: maybe\n", 2, 10, KindType, `display.mouse must be true or false, not "maybe"`},
		{"display:\n  mouse: 1\n", 2, 10, KindType, `display.mouse must be true or false, not "1"`},
		{"display:\n  mouse: {}\n", 2, 10, KindType, "display.mouse must be true or false, not a section"},
		{"agent: {max_turns: 0}\n", 1, 20, KindRange, `agent.max_turns must be between 1 and 100000, not "0"`},
		{"agent: {max_turns: -3}\n", 1, 20, KindRange, "between"},
		{"agent: {max_turns: 1.5}\n", 1, 20, KindType, `agent.max_turns must be a whole number, not "1.5"`},
		{"agent: {max_turns: 99999999999999999999}\n", 1, 20, KindRange, "between"},
		{"agent: {max_turns: .inf}\n", 1, 20, KindType, "whole number"},
		{"agent: {max_turns: 1e300}\n", 1, 20, KindRange, "between"},
		{"agent: {max_turns: .nan}\n", 1, 20, KindType, "whole number"},
		{"agent: {max_turns: soon}\n", 1, 20, KindType, "whole number"},
		{"agent: {max_turns: true}\n", 1, 20, KindType, "must be a whole number, not true"},
		{"agent: {max_turns: !!python/object x}\n", 1, 20, KindType, "tag"},
		{"agent: {reasoning_effort: extreme}\n", 1, 27, KindEnum, "must be empty, none, minimal, low, medium, high, xhigh, max or ultra"},
		{"approvals: {mode: yolo}\n", 1, 19, KindEnum, "must be guarded, manual, plan, smart or off"},
		{"toolsets: [a, {b: c}]\n", 1, 15, KindType, "toolsets must be a text, not a section"},
		{"toolsets: [a, ]\nagent: {disabled_toolsets: [~]}\n", 2, 29, KindType, "agent.disabled_toolsets has an empty entry"},
		{"toolsets: ['']\n", 1, 12, KindValue, "toolsets has an empty entry"},
		{"toolsets: [a b]\n", 1, 12, KindValue, "must not contain spaces"},
		{"terminal: {env_passthrough: [A=B]}\n", 1, 30, KindValue, "name of an environment variable"},
		{"model: {default: true}\n", 1, 18, KindType, "model.default must be a text, not true"},
		{"model: [a]\n", 1, 8, KindType, "model must be a section"},
		{"model: yes\nx: &a b\nmodel2: *a\ndisplay: {busy_input_mode: *a}\n", 2, 4, KindEnum, "display.busy_input_mode"},
		{"model: {default: \"a\\nb\"}\n", 1, 18, KindValue, "line break"},
		{"model: {base_url: host/v1}\n", 1, 19, KindValue, `must be an address like https://host/path, not "host/v1"`},
		{"model: {base_url: 'ftp://host'}\n", 1, 19, KindValue, "must be an address"},
		{"model: {base_url: 'http://'}\n", 1, 19, KindValue, "must be an address"},
		{"model: {default_headers: {'A:b': c}}\n", 1, 27, KindValue, "header name"},
		{"model: {default_headers: {A: \"b\\r\\nC: d\"}}\n", 1, 30, KindValue, "model.default_headers.A contains a control character"},
		{"model: {default_headers: [a]}\n", 1, 26, KindType, "section with a text for each name, not a list"},
		{"model: {default_headers: {[a]: b}}\n", 1, 27, KindType, "not a text"},
		{"providers: [a]\n", 1, 12, KindType, "section with a section for each name"},
		{"providers: {a: b}\n", 1, 16, KindType, "providers.a must be a section"},
		{"providers: {'a b': {}}\n", 1, 13, KindValue, "cannot be used"},
		{"providers: {a: {protocol: soap}}\n", 1, 27, KindEnum, "providers.a.protocol must be empty, chat, responses, anthropic or bedrock, not \"soap\""},
		{"model: {extra_body: top_k}\n", 1, 21, KindValue, "must be a JSON object in quotes"},
		{"providers: {? [a] : {}}\n", 1, 15, KindType, "not a text"},
		{"keys: ctrl+c\n", 1, 7, KindType, "keys must be a section with a list for each name, not a single text"},
		{"keys: [a]\n", 1, 7, KindType, "keys must be a section with a list for each name, not a list"},
		{"keys:\n  send: {a: b}\n", 2, 9, KindType, "keys.send must be a list like [one, two] or one text, not a section"},
		{"keys:\n  send: [a, [b]]\n", 2, 13, KindType, "keys.send must be a text, not a list"},
		{"keys:\n  send: [a, {b: c}]\n", 2, 13, KindType, "keys.send must be a text, not a section"},
		{"keys:\n  send: true\n", 2, 9, KindType, "keys.send must be a text, not true"},
		{"keys:\n  send: [a, ~]\n", 2, 13, KindType, "keys.send has an empty entry"},
		{"keys:\n  send: ''\n", 2, 9, KindValue, "keys.send has an empty entry"},
		{"keys:\n  transcript.copy:\n    - y\n    - \"\"\n", 4, 7, KindValue, "keys.transcript.copy has an empty entry"},
		{"keys:\n  send: [a, b, a]\n", 2, 16, KindDuplicate, `keys.send has "a" a second time`},
		{"keys:\n  send: [a]\n  quit: []\n  send: [b]\n", 4, 3, KindDuplicate, `"send" appears a second time, it is in line 2`},
		{"keys: {send: \"a\\e[2J\"}\n", 1, 14, KindValue, "keys.send contains a control character"},
		{"keys: {'': a}\n", 1, 8, KindValue, "keys has an action whose name cannot be used"},
		{"keys:\n  " + strings.Repeat("ä", 65) + ": a\n", 2, 3, KindValue, "names have 1 to 64 characters"},
		{"keys: {\"a\\tb\": a}\n", 1, 8, KindValue, `cannot be used: "a\tb"`},
		{"keys: {[a]: b}\n", 1, 8, KindType, "keys has a name that is not a text"},
		{"model: {default: " + strings.Repeat("x", 20_000) + "}\n", 1, 18, KindValue, "longer than"},
	} {
		name := c.check(t)
		if got := readText(t, name); got != c.text {
			t.Errorf("the file was changed to %q", got)
		}
	}
}

// Messages show no secret, even when it stands in the wrong place.
func TestErrorsHideSecrets(t *testing.T) {
	const key = "sk-secret-1234567890"
	for _, text := range []string{
		"model: {api_key: [" + key + "]}\n",
		"model: {api_key: \"" + key + "\\n\"}\n",
		"model: {default_headers: \"Authorization: " + key + "\"}\n",
		"model: {default_headers: {A: {B: " + key + "}}}\n",
		"agent: {max_turns: '${KEY}'}\n",
		"display: {busy_input_mode: '${KEY}'}\n",
		"display: {mouse: '${KEY}'}\n",
		"model: {base_url: 'ann:" + key + "@host'}\n",
		"model: {base_url: 'ftp://ann:" + key + "@host'}\n",
		"model: {key_env: 'a ${KEY}'}\n",
		"model: {provider: '${KEY} b'}\n",
	} {
		e := refused(t, Options{File: file(t, text), Env: env("KEY", key)})
		if strings.Contains(e.Error(), key) {
			t.Errorf("%q gives %v", text, e)
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	big := file(t, "# "+strings.Repeat("x", maxFile)+"\n")
	if _, _, err := Load(Options{File: big}); asError(t, err).Kind != KindTooBig {
		t.Errorf("big file: %v", err)
	}
	just := file(t, "#"+strings.Repeat("x", maxFile-2)+"\n")
	if _, _, err := Load(Options{File: just}); err != nil {
		t.Errorf("file of 1 MB: %v", err)
	}
	if _, _, err := Load(Options{File: dir}); asError(t, err).Kind != KindRead {
		t.Errorf("directory: %v", err)
	}
	if _, _, err := Load(Options{File: filepath.Join(just, "below")}); asError(t, err).Kind != KindRead {
		t.Errorf("below a file: %v", err)
	}
	if os.Geteuid() != 0 {
		if err := os.Chmod(just, 0); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(Options{File: just}); asError(t, err).Kind != KindRead {
			t.Errorf("unreadable: %v", err)
		}
	}
}

func TestBombs(t *testing.T) {
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		n := string(rune('0' + i))
		next := string(rune('1' + i))
		laughs += "a" + next + ": &a" + next + " [" + strings.Repeat("*a"+n+", ", 9) + "*a" + n + "]\n"
	}
	for name, c := range map[string]struct {
		text string
		kind Kind
		says string
	}{
		"laughs":     {laughs, KindNesting, "aliases of this file add up"},
		"self":       {"a: &a [1, *a]\n", KindNesting, "stands inside what it means"},
		"self map":   {"a: &a\n  b: {c: *a}\n", KindNesting, "stands inside what it means"},
		"deep":       {strings.Repeat("[", 101) + strings.Repeat("]", 101), KindNesting, "deeper than 100"},
		"very deep":  {strings.Repeat("[", maxFile), KindSyntax, "not YAML"},
		"deep block": {strings.Repeat("- ", maxFile/2), KindSyntax, "not YAML"},
		"expansion":  {"toolsets: [" + strings.Repeat("'${BIG}', ", 2000) + "a]\n", KindTooBig, "expand to more than 1 MB"},
		"long value": {"toolsets: ['${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}${BIG}']\n", KindValue, "longer than"},
		"unclosed":   {"x: [\n" + strings.Repeat("a,\n", 50_000), KindSyntax, "not YAML"},
		"quote":      {"a: \"" + strings.Repeat("x\n", 50_000), KindSyntax, "quote"},
	} {
		e := refused(t, Options{File: file(t, c.text), Env: env("BIG", strings.Repeat("x", 1000))})
		if e.Kind != c.kind || !strings.Contains(e.Error(), c.says) {
			t.Errorf("%s: %s %v", name, e.Kind, e)
		}
	}
}
