package shellrisk

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// FuzzRules wants no panic from any rule, and of those that are taken that they
// say again what they said, match what they spell out, and never allow what they
// would not also forbid.
func FuzzRules(f *testing.F) {
	for _, s := range []string{
		"terminal(git push *)", "write_file(/etc/**)", "mcp_*", "terminal(npm run 'a b' x*)", `terminal(\* "x")`, "write_file({a,b}/[x-z]?.go)",
		"execute_code(*)", "terminal()", "*(x)", "write_file($HERMES_HOME/x)", "terminal(* * *)", "write_file(\u00e9/**)", "patch(~/**/x)", "web_extract(domain:*.go.dev)",
	} {
		f.Add(s, "git push x", "/srv/app/a/b")
	}
	f.Fuzz(func(t *testing.T, rule, command, file string) {
		allow, err := NewRules([]RuleSpec{{Allow: rule}}, testPlace())
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q: %q", rule, err)
			}
			return
		}
		p := allow.list[0]
		if got := allow.Texts()[0]; got != "allow "+rule {
			t.Errorf("%q is shown as %q", rule, got)
		}
		if p.words != nil && utf8.RuneCountInString(command) < MaxCommand {
			_, s := Inspect(command, testSetting())
			a, _ := firstMatch([]*Policy{p}, s, false)
			if a == No && coveredBy([]*Policy{p}, s, func(string) bool { return true }) != nil {
				t.Errorf("%q allows %q, and would not forbid it", rule, command)
			}
		}
		if p.path != nil && strings.HasPrefix(file, "/") {
			if p.path.allows(file, file, false) && !p.path.meets(file) {
				t.Errorf("%q allows %q, and would not forbid it", rule, file)
			}
			if p.path.meets(file) && !p.path.meets(file+"/below") {
				t.Errorf("%q forbids %q, and nothing in it", rule, file)
			}
		}
	})
}

// FuzzPathPatterns compares patterns of plain characters with the library's own
// reading of them.
func FuzzPathPatterns(f *testing.F) {
	for _, s := range []string{"/a/**/b", "a/*.go", "**", "x/{a,b}", "[a-c]/?", "/a/b/", "a//b", "./a"} {
		f.Add(s, "/srv/app/a/b")
	}
	f.Fuzz(func(t *testing.T, pattern, file string) {
		p, problem := newPathPattern(pattern, testPlace())
		if problem != "" || !strings.HasPrefix(file, "/") || filepath.Clean(file) != file || strings.HasPrefix(file, "/private") {
			return
		}
		want, err := doublestar.Match(p.plain, file)
		if err != nil {
			t.Fatalf("%q was taken: %v", pattern, err)
		}
		if got := p.allows(file, file, false); got != want {
			t.Errorf("%q and %q: %v, want %v", pattern, file, got, want)
		}
	})
}

// FuzzFoldPath wants that both spellings of a text are one, and nothing is lost but what
// is not seen.
func FuzzFoldPath(f *testing.F) {
	f.Add("\u00e9\u1e69\ud55c\uae00 e\u0301\u0323 \u212b")
	f.Add("\u2001\ufa10 \u1f8a \u0f73")
	f.Fuzz(func(t *testing.T, s string) {
		folded := foldPath(s)
		for _, other := range []string{norm.NFC.String(s), norm.NFD.String(s)} {
			if got := foldPath(other); got != folded {
				t.Errorf("%+q is %+q, but %+q is %+q", s, folded, other, got)
			}
		}
		seen := strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, s)
		if utf8.ValidString(s) && utf8.RuneCountInString(folded) < utf8.RuneCountInString(seen) {
			t.Errorf("%+q became %+q", s, folded)
		}
	})
}

// pieces are what [FuzzCalls] puts commands together from. None of the programs
// does anything but say how it was called.
var pieces = []string{
	"t ", "a ", "'b c' ", `"d" `, "; ", "&& ", "|| ", "| ", "\n", "( ", ") ", "{ ", "; } ", "$(", ")", "`", "env ", "sh -c '", "' ", "x=t ", "$x ",
	`\t `, "t''", "& ", "! ", "if t", "; then ", "; fi ", "for i in t u; do ", "; done ", "$i ", "eval ", " <<E\n", "\nE\n", "timeout 5 ", "nohup ",
	"xargs ", "echo ", `"$(`, `)" `, "<<<", "\\\n", "#", "{t,a} ", "${x:-t} ", "x+=t ", "case a in a) ", ";; esac ", "f() { ", "f ", "bash -c \"", `" `,
	"exec ", "command ", "y=(t a) ", `"${y[@]}" `, "trap 't e' EXIT; ", "read z <<< t; ", "$z ", "-i ", "-x ", "'t' ", "coproc ", "time ", "[[ a ]] ",
}

// FuzzCalls runs commands in a real bash and wants that every program they call
// is one that rules see, or may see.
func FuzzCalls(f *testing.F) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Skip("SKIPPED: no bash here")
	}
	bin := f.TempDir()
	script := "#!" + bash + "\ns=; for a; do s=\"$s$a\x1f\"; done; printf '%s\x1e' \"$s\" >> \"$LOG\"\n"
	if err := os.WriteFile(filepath.Join(bin, "t"), []byte(script), 0o755); err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"env", "sh", "bash", "timeout", "nohup", "xargs", "cat"} {
		if at, err := exec.LookPath(name); err == nil {
			if name == "sh" { // followed as bash, see the package's limits
				at = bash
			}
			if err := os.Symlink(at, filepath.Join(bin, name)); err != nil {
				f.Fatal(err)
			}
		}
	}
	index := func(list ...string) (out []byte) {
		for _, s := range list {
			for i, p := range pieces {
				if p == s {
					out = append(out, byte(i))
				}
			}
		}
		return out
	}
	f.Add(index("t ", "a ", "; ", "t ", "'b c' "))
	f.Add(index("echo ", "$(", "t ", "a ", ")", "&& ", "env ", "t ", "a "))
	f.Add(index("sh -c '", "t ", "a ", "' ", "| ", "xargs ", "t "))
	f.Add(index("x=t ", "; ", "$x ", "a ", "; ", "${x:-t} "))
	f.Add(index("for i in t u; do ", "$i ", "a ", "; done "))
	f.Add(index("if t", "; then ", "t ", "a ", "; fi "))
	f.Add(index("f() { ", "t ", "a ", "; } ", "\n", "f "))
	f.Add(index("{t,a} ", "; ", "y=(t a) ", "; ", `"${y[@]}" `))
	f.Add(index("trap 't e' EXIT; ", "read z <<< t; ", "$z ", "a "))
	f.Add(index("sh -c '", "t ", "a ", "' ", " <<E\n", "$(", "t ", ")", "\nE\n"))
	f.Add(index("echo ", "t ", "a ", "| ", "sh ", "bash -c \"", "t ", `" `))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 40 {
			return
		}
		var b strings.Builder
		for _, i := range data {
			b.WriteString(pieces[int(i)%len(pieces)])
		}
		command := b.String()
		dir := t.TempDir()
		log := filepath.Join(dir, "log")
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-c", command)
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, []string{"PATH=" + bin, "LOG=" + log, "HOME=" + dir}, 5*time.Second
		cmd.Stderr = io.Discard // a pipe, which is waited for until those in the background have closed it
		_ = cmd.Run()           // what fails has still called something
		called, err := os.ReadFile(log)
		if err != nil || ctx.Err() != nil || !bytes.HasSuffix(called, []byte("\x1e")) {
			return // nothing was called, or it was stopped before it could say what
		}
		set := Setting{Cwd: dir, Home: dir, Workspace: dir, Getenv: func(name string) (string, bool) {
			v, ok := map[string]string{"PATH": bin, "LOG": log, "HOME": dir}[name]
			return v, ok
		}}
		_, s := Inspect(command, set)
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(called), "\x1e"), "\x1e") {
			words := []starText{{"t"}}
			for arg := range strings.SplitSeq(strings.TrimSuffix(entry, "\x1f"), "\x1f") {
				if entry != "" {
					words = append(words, starText{arg})
				}
			}
			rule := &Policy{effect: effectDeny, kind: subjectCommand, words: &wordPattern{words: words}}
			if a, _ := firstMatch([]*Policy{rule}, s, false); a == No {
				t.Errorf("%q calls %q, which no rule sees", command, words)
			}
		}
	})
}
