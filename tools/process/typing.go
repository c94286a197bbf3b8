package process

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hermes-tui/tools/lazyregexp"
)

// Typing into a program may do whatever the program can do, and the gate has seen
// only how it was started. So what is typed is judged like a command, and since
// no one knows in which state a shell or an interpreter is by then, and in which
// language it takes what comes, it is asked about even if it looks harmless.

// receiver says what becomes of what is typed into a job.
type receiver int

const (
	// strict carries out what is typed: a shell, an interpreter, a client.
	strict receiver = iota
	// unknown may do so, and may as well ask plain questions.
	unknown
	// harmless does nothing but read.
	harmless
)

// readers are programs that do no more with their input than print it, or a part
// of it.
var readers = names(`cat grep egrep fgrep rg sort uniq wc tr cut head tail rev nl tac fold fmt column jq sha256sum md5sum
	cksum base64 xxd od hexdump sleep true`)

// executors are programs that carry out what they read, and those by which one
// gets to such a program. Versions in names are left out.
var executors = names(`sh bash zsh dash ksh ash mksh rbash yash fish csh tcsh pwsh powershell nu xonsh elvish busybox
	python ipython pypy bpython ptpython node nodejs bun deno tsx ts-node perl ruby irb pry rails php lua luajit Rscript R julia osascript
	groovy groovysh scala elixir iex erl ghci runghc raku tclsh wish expect racket guile sbcl clojure clj octave swift
	jshell kotlin kotlinc dart ocaml utop stack cabal bc dc gdb lldb pdb delve dlv awk gawk sed ed ex vi vim nvim emacs nano
	psql mysql mariadb sqlite3 sqlite duckdb mongo mongosh redis-cli cqlsh clickhouse-client sqlcmd usql pgcli mycli
	ssh mosh telnet nc ncat netcat socat sftp ftp lftp rsh docker podman nerdctl kubectl oc lxc vagrant multipass
	docker-compose podman-compose nsenter chroot unshare machinectl su sudo doas runuser screen tmux script xargs parallel
	eval source . exec at batch ssh-agent nix nix-shell devbox poetry pipenv pipx uv conda mamba adb gh aws gcloud az make
	just hermes claude codex gemini aider opencode`)

func names(list string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(list) {
		m[name] = true
	}
	return m
}

// maxReceiver is the longest command, in bytes, that is looked at.
const maxReceiver = 20_000

// receiverOf judges the command of a job.
func receiverOf(command string) receiver {
	if len(command) > maxReceiver {
		return strict
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return strict
	}
	found := harmless
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for i, w := range n.Args {
				name, ok := plainWord(w)
				switch {
				case ok && executes(name), !ok && i == 0:
					found = strict
				case !ok, i == 0 && !readers[path.Base(name)]:
					found = min(found, unknown)
				}
			}
			if len(n.Args) == 0 {
				found = min(found, unknown)
			}
		case *syntax.Stmt, *syntax.File, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.BinaryCmd,
			*syntax.Redirect, *syntax.Assign, *syntax.Comment, nil:
		default: // loops, functions, substitutions
			found = min(found, unknown)
		}
		return true
	})
	return found
}

// executes reports whether a word names an executor.
func executes(word string) bool {
	if word == "." {
		return true
	}
	name := path.Base(word)
	return name != "." && (executors[name] || executors[strings.TrimRight(name, "0123456789.")])
}

// plainWord gives a word without quotes; not ok when the shell would expand
// something in it.
func plainWord(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
			if p.Dollar {
				return "", false
			}
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// plainAnswer is what answers a question of a program and can hardly be an order.
var plainAnswer = lazyregexp.New(`^[A-Za-z0-9_-]{1,40}$`)

// stopKeys are keys that end a program or its input.
var stopKeys = []string{"\x03", "\x04"}

// nothing is judged in place of input that cannot do anything.
const nothing = ":"

// judged is what the gate judges of input: nothing for harmless input, the plain
// answer itself, or the whole of what has been typed since the last full command.
// The last line, which no shell can read whatever comes before it, makes the gate
// ask; and it tells the user what this is.
func (j *job) judged(data string) string {
	r := receiverOf(j.command)
	j.mu.Lock()
	pending := j.pending
	j.mu.Unlock()
	answer := strings.TrimSpace(strings.ReplaceAll(data, "\r", "\n"))
	if r == harmless || pending == "" && (answer == "" || slices.Contains(stopKeys, data)) {
		return nothing
	}
	if r == unknown && pending == "" && plainAnswer.MatchString(answer) {
		return answer
	}
	return strings.ReplaceAll(pending+data, "\r", "\n") + j.mark()
}

// mark is the last line of judged input.
func (j *job) mark() string { return "\n\n&& typed into " + j.id }

// typed notes what was typed into a job: what is not a whole command yet is judged
// again with what follows. Beyond a bound nothing more is kept, since something of
// that length is asked about anyway.
func (j *job) typed(data string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := strings.ReplaceAll(j.pending+data, "\r", "\n")
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(all), "")
	if err == nil && strings.HasSuffix(all, "\n") && !strings.HasSuffix(all, "\\\n") || slices.Contains(stopKeys, data) {
		all = ""
	}
	j.pending = all[:min(len(all), maxPending)]
}

// maxPending is more than the gate analyses.
const maxPending = 64 << 10
