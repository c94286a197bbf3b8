package cli

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-tui/providers/script"
)

// drive is text that would drive a terminal, in 7 and in 8 bits, and reorder what
// is shown.
const drive = "SAFE \x1b]52;c;T1dORUQ=\a\x1b]0;OWNED\a\x1b[6n\x1b[2J\x1b[?1049l\x1bc\x1bP$qm\x1b\\\x1b_Ga=T\x1b\\\u009b31m\u009d0;OWNED\u009c\u202egnp\u202c\u200b\r\x07\x0e END"

// driving lists what of an output would drive a terminal or reorder text.
func driving(out string) []string {
	var bad []string
	for i, r := range out {
		_, n := utf8.DecodeRuneInString(out[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			bad = append(bad, fmt.Sprintf("byte %#x", out[i]))
		case r < ' ' && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200b:
			bad = append(bad, fmt.Sprintf("%U", r))
		}
	}
	return bad
}

// TestHeadlessIsInert lets text that drives terminals in, from every side, and
// looks at every place it comes out at (E1 to E7, E9): the answer, the sentences
// beside it, the events, the log.
func TestHeadlessIsInert(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		rules []script.Rule
		args  []string
	}{
		"model":    {[]script.Rule{on("", script.Reasoning{Text: drive}, say(drive))}, nil},
		"command":  {[]script.Rule{on("", command("cat evil")), after("", 1, say("{{last_tool}}"))}, nil},
		"denied":   {[]script.Rule{on("", command("rm -rf '"+drive+"'")), after("", 1, say("ok"))}, nil},
		"question": {[]script.Rule{on("", use("clarify", map[string]any{"question": drive, "choices": []string{drive, "b"}})), after("", 1, say("ok"))}, nil},
		"provider": {[]script.Rule{on("", script.Failure{Status: 400, Message: drive, Code: drive})}, nil},
		"page":     {[]script.Rule{on("", script.Failure{Status: 403, HTML: "<title>" + drive + "</title>"})}, nil},
		"tool":     {[]script.Rule{on("", script.Call{Name: "no" + drive, Args: `{"a": 1}`}), after("", 1, say("ok"))}, nil},
		"write":    {[]script.Rule{on("", use("write_file", map[string]any{"path": "new", "content": drive})), after("", 1, say("{{last_tool}}"))}, nil},
	} {
		for _, flags := range [][]string{nil, {"--json"}} {
			t.Run(name+strings.Join(flags, ""), func(t *testing.T) {
				b, _ := with(t, row.rules...)
				if err := os.WriteFile(filepath.Join(b.dir, "evil"), []byte(drive+"\x9b31m\xff\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				o := b.run(append(append([]string{"exec"}, flags...), "go")...)
				if bad := driving(o.out); len(bad) > 0 {
					t.Errorf("on the output: %v\n%q", bad, o.out)
				}
				if bad := driving(o.err); len(bad) > 0 {
					t.Errorf("beside it: %v\n%q", bad, o.err)
				}
				log, err := os.ReadFile(filepath.Join(b.home, "logs", "hermes-tui.log"))
				if bad := driving(string(log)); err == nil && len(bad) > 0 {
					t.Errorf("in the log: %v\n%q", bad, log)
				}
				if flags == nil && row.rules[0].Steps != nil && o.code == exitOK && o.out == "" {
					t.Error("there is no answer at all")
				}
			})
		}
	}
}

// TestHeadlessKeepsSecrets prints secrets from commands and from errors of the
// provider (K1, K3): they come out nowhere and are stored nowhere.
func TestHeadlessKeepsSecrets(t *testing.T) {
	t.Parallel()
	const key, token = "sk-proj-Zq7Yw3Xv9Ut5Sr1Po8Nm4Lk2Ji6Hg0Fe", "wholly.ordinary-looking+value/7Q2"
	echo := "wrong key " + key + " in Authorization: Bearer " + key
	for name, rules := range map[string][]script.Rule{
		"env":      {on("", command("env; cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'")), after("", 1, say("{{last_tool}}"))},
		"base64":   {on("", command(`printf %s "$DEPLOY_TOKEN" | base64 -w0; printf %s "$DEPLOY_TOKEN"`)), after("", 1, say("{{last_tool}}"))},
		"provider": {on("", script.Failure{Status: 401, Message: echo})},
		"stream":   {on("", say("half"), script.Failure{Message: echo})},
	} {
		for _, flags := range [][]string{nil, {"--json"}} {
			t.Run(name+strings.Join(flags, ""), func(t *testing.T) {
				b, server := with(t, rules...)
				b.env["OPENAI_API_KEY"], b.env["DEPLOY_TOKEN"] = key, token
				b.settings("model:\n  api_key: " + "${OPENAI_API_KEY}" + "\nterminal:\n  env_passthrough: [DEPLOY_TOKEN, OPENAI_API_KEY]\n")
				o := b.run(append(append([]string{"exec", "--yolo"}, flags...), "go")...)
				places := map[string]string{"the output": o.out, "standard error": o.err}
				for i, r := range server.Requests() {
					places[fmt.Sprint("request ", i)] = string(r.Body)
				}
				err := filepath.WalkDir(b.home, func(path string, e fs.DirEntry, err error) error {
					if err != nil || !e.Type().IsRegular() {
						return err
					}
					raw, err := os.ReadFile(path)
					places[path] = string(raw)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, secret := range []string{key, token} {
					coded := base64.RawStdEncoding.EncodeToString([]byte(secret))
					for where, text := range places {
						if strings.Contains(text, secret) || strings.Contains(text, coded[:len(coded)-2]) {
							t.Errorf("%.8s… is in %s", secret, where)
						}
					}
				}
			})
		}
	}
}

// TestHeadlessFailsClosed is in a folder no one vouched for, with a project that
// allows everything (T4): what needs consent is denied. Consent for everything
// still leaves out what the user's own list denies, and what never runs.
func TestHeadlessFailsClosed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		flags   []string
		command string
		runs    bool
	}{
		"asked":           {nil, "rm -rf old", false},
		"all allowed":     {[]string{"--yolo"}, "rm -rf old", true}, // the control
		"denied":          {[]string{"--yolo"}, "rm -rf old; touch x", false},
		"denied in a sub": {[]string{"--yolo"}, `bash -c 'rm -rf old; env touch x'`, false},
		"never":           {[]string{"--yolo"}, "rm -rf old / ", false},
		"plan":            {[]string{"--plan"}, "rm -rf old", false},
		"harmless":        {nil, "test -d old && ls old", false},
	} {
		t.Run(name, func(t *testing.T) {
			b, server := with(t, on("", command(row.command)), after("", 1, say("ok")))
			b.settings("approvals:\n  deny: [\"terminal(touch *)\"]\n")
			old := filepath.Join(b.dir, "old")
			rules := filepath.Join(b.dir, ".hermes")
			for _, dir := range []string{old, rules} {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(rules, "rules.yaml"), []byte("allow: [\"*\"]\nmode: \"off\"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			b.exec(append(row.flags, "go")...)
			if _, err := os.Stat(old); os.IsNotExist(err) != row.runs {
				t.Errorf("ran: %v", !row.runs)
			}
			got := sent(t, server, 2)
			if denied := !strings.Contains(got[len(got)-1], `"exit_code":0`); denied != (!row.runs && name != "harmless") {
				t.Errorf("the model is told %q", got[len(got)-1])
			}
		})
	}
}

// TestHeadlessStaysReadable is the control (E11): words of all languages, colours
// and bars that a command draws come out as text.
func TestHeadlessStaysReadable(t *testing.T) {
	b, _ := with(t, on("", say("Grüße, 日本語, שלום, 👩‍👩‍👧 – «ok»\n\tindented\n")))
	if o := b.exec("x"); o.out != "Grüße, 日本語, שלום, 👩‍👩‍👧 – «ok»\n\tindented\n" {
		t.Errorf("printed %q", o.out)
	}
	b, server := with(t, on("", command(`printf '\033[32mPASS\033[0m a\n10%%\r100%%\n'; printf '\t日本語\n'`)), after("", 1, say("ok")))
	b.exec("x")
	got := sent(t, server, 2)
	for _, want := range []string{"PASS", "100%", "日本語"} {
		if !strings.Contains(got[len(got)-1], want) {
			t.Errorf("%q did not come through: %q", want, got[len(got)-1])
		}
	}
}
