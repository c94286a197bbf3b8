//go:build unix

package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools/place"
)

func TestCredentialsAreLeftOut(t *testing.T) {
	f := newFilter([]string{"OPENAI_API_KEY", "MY_KEY"}, []string{"MY_KEY", "Custom_Provider"})
	for name, keeps := range map[string]bool{
		"PATH": true, "HOME": true, "GITHUB_TOKEN": true, "AWS_SECRET_ACCESS_KEY": true, "DATABASE_PASSWORD": true,
		"KEYBOARD": true, "OPENAI_BASE_URL": true, "HERMES_HOME": true, "GOOGLE_APPLICATION_CREDENTIALS": true,
		"ANTHROPIC_API_KEY": false, "anthropic_api_key": false, "ANTHROPIC_AUTH_TOKEN": false, "HERMES_SECRET": false,
		"OPENROUTER_API_KEY": false, "TELEGRAM_BOT_TOKEN": false, "SLACK_WEBHOOK_URL": false, "SUDO_PASSWORD": false,
		"OPENAI_API_KEY": true,                            // passed on by option
		"MY_KEY":         false, "CUSTOM_PROVIDER": false, // denied, whatever else is said
		"BASH_ENV": false, "ENV": false, "SHLVL": false, "_": false, "BASH_FUNC_ls%%": false, "PROMPT_COMMAND": false,
	} {
		if f.keeps(name) != keeps {
			t.Errorf("%s: keeps %v", name, !keeps)
		}
	}
}

func TestEnvironment(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Env = append(o.Env, "ANTHROPIC_API_KEY=canary-1", "OPENAI_API_KEY=canary-2", "BASH_ENV=/tmp/x", "EDITOR=vi",
			"BASH_FUNC_ls%%=() { echo canary-3; }", "A=1", "A=2", "PAGER=less", "PATH=.:/opt/tools/bin::rel/bin:/usr/bin:/bin", "BROKEN")
	})
	a := b.run("env; cat /proc/self/environ 2>/dev/null | tr '\\0' '\\n'; ls")
	if strings.Contains(a.Output, "canary") {
		t.Errorf("a credential is in the environment:\n%s", a.Output)
	}
	for _, want := range []string{"A=2", "PAGER=cat", "TERM=dumb", "GIT_TERMINAL_PROMPT=0"} {
		if !strings.Contains("\n"+a.Output, "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, a.Output)
		}
	}
	b.want("echo $PATH", "/opt/tools/bin:/usr/bin:/bin:/usr/local/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/homebrew/bin", 0)
}

// TestNoTerminal has editors and passphrases fail at once, with a hint, unless a command
// brings an editor or the user types the command.
func TestNoTerminal(t *testing.T) {
	own := func(typed bool) func(o *Options) {
		return func(o *Options) {
			o.Env, o.Typed = append(o.Env, "EDITOR=vi", "VISUAL=vi", "GIT_SEQUENCE_EDITOR=vi", "GPG_TTY=/dev/pts/0"), typed
		}
	}
	b := newBench(t, own(false))
	for _, name := range []string{"EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR"} {
		a := b.run(`sh -c "$` + name + ` x"`)
		if a.Code == 0 || !strings.Contains(a.Output, noEditorHere) || !strings.Contains(a.Output, typeIt) {
			t.Errorf("%s: %d, %s", name, a.Code, a.Output)
		}
		b.want(name+`=true; sh -c "$`+name+` x"; echo $?`, "0", 0)
	}
	b.want("echo ${GPG_TTY-unset}", "unset", 0)
	for _, said := range []string{
		"sudo: a terminal is required to read the password", "Host key verification failed.", "git@x: Permission denied (publickey).", "Error: Cannot perform an interactive login from a non TTY device", "EOFError: EOF when reading a line",
		"error: gpg failed to sign the data", "Vim: Warning: Output is not to a terminal", "sh: cannot open /dev/tty: No such device or address",
	} {
		if a := b.run("echo '" + said + "'; false"); !strings.Contains(a.Output, typeIt) {
			t.Errorf("no hint: %s", a.Output)
		}
		if a := b.run("echo '" + said + "'"); strings.Contains(a.Output, typeIt) {
			t.Errorf("a hint: %s", a.Output)
		}
	}
	typed := newBench(t, own(true))
	typed.want(`echo "$EDITOR $VISUAL $GIT_SEQUENCE_EDITOR $GPG_TTY"; echo 'gpg failed to sign'; false`, "vi vi vi /dev/pts/0\ngpg failed to sign", 1)
}

// What makes other programs run something holds for the one command in which it
// was allowed; folders that depend on the directory do not stay in PATH.
func TestDangerousVariablesDoNotLast(t *testing.T) {
	b := newBench(t, nil)
	b.want("export LD_PRELOAD= BASH_ENV=/tmp/x GIT_SSH_COMMAND='sh -c id' PAGER=evil GIT_CONFIG_KEY_0=core.pager PATH=.:$PATH FOO=1", "", 0)
	b.want(`echo "${LD_PRELOAD-unset} ${BASH_ENV-unset} ${GIT_SSH_COMMAND-unset} $PAGER ${GIT_CONFIG_KEY_0-unset} $FOO ${PATH%%:*}"`,
		"unset unset unset cat unset 1 /usr/local/bin", 0)
	b.want("export ANTHROPIC_API_KEY=x; unset PAGER", "", 0)
	b.want(`echo "${ANTHROPIC_API_KEY-unset} $PAGER"`, "unset cat", 0)
}

func TestHugeVariablesAreDropped(t *testing.T) {
	b := newBench(t, nil)
	b.want("export BIG=$(head -c 120000 /dev/zero | tr '\\0' x) SMALL=1", "", 0)
	b.want(`echo "${#BIG} $SMALL"`, "0 1", 0)
	b.want("X=$(head -c 90000 /dev/zero | tr '\\0' x); for i in {1..30}; do export V$i=$X; done", "", 0)
	if a := b.run("echo still"); a.Output != "still" {
		t.Errorf("%+v", a)
	}
	size := 0
	for _, kv := range b.env {
		size += len(kv)
	}
	if size > maxEnviron+maxVariable {
		t.Errorf("environment of %d bytes", size)
	}
}

// startupBench has start-up files.
func startupBench(t *testing.T, files map[string]string, change func(*Options)) *bench {
	t.Helper()
	b := newBench(t, func(o *Options) {
		o.NoInit = false
		if change != nil {
			change(o)
		}
	})
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(b.home, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestStartupFiles(t *testing.T) {
	b := startupBench(t, map[string]string{
		".bash_profile": "export FROM_PROFILE=1 PAGER=less ANTHROPIC_API_KEY=canary; PATH=$HOME/bin:.:$PATH; echo noise; echo noise >&2\n",
		".bashrc":       "hello() { echo \"hello $1 it's\"; }\nalias greet='hello dear'\nplain=1\nset -e\nshopt -s extglob\n",
		".profile":      "export WRONG=1\n",
	}, nil)
	if !isBash(b.place.Info().Shell) {
		t.Skip("SKIPPED: no bash here")
	}
	b.want("greet; hello you; cat", "hello dear it's\nhello you it's", 0)
	b.want(`echo "$FROM_PROFILE $PAGER ${ANTHROPIC_API_KEY-unset} ${WRONG-unset} ${plain-unset} ${PATH%%:*}"; false; echo on`,
		"1 cat unset unset unset "+b.home+"/bin\non", 0)
	b.want("unset FROM_PROFILE; unalias greet", "", 0)
	b.want(`echo ${FROM_PROFILE-unset}; greet`, "unset\nhello dear it's", 0)
}

func TestStartupOptions(t *testing.T) {
	b := startupBench(t, map[string]string{".bashrc": "export RC=1\n", "mine": "export MINE=1\n"}, nil)
	b.o.InitFiles = []string{filepath.Join(b.home, "missing"), filepath.Join(b.home, "mine")}
	b.want(`echo "${RC-unset} ${MINE-unset}"`, "unset 1", 0)
	b = startupBench(t, map[string]string{".bashrc": "export RC=1\n"}, func(o *Options) { o.NoInit = true })
	b.want(`echo "${RC-unset}"`, "unset", 0)
}

// What was in PATH stays in its order, whatever start-up files make of it: an
// activated environment goes on being first.
func TestStartupKeepsPath(t *testing.T) {
	const had = "/opt/venv/bin:/opt/go/bin:/usr/local/bin:/usr/bin:/bin"
	profiles := map[string]struct{ text, want string }{
		"reset for root": {
			"if true; then\n  PATH=\"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"\nfi\nexport PATH\n",
			"/opt/venv/bin:/opt/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin",
		},
		"reset for others": {
			"PATH=\"/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games\"\nexport PATH\n",
			"/opt/venv/bin:/opt/go/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games",
		},
		"reset and added":  {"PATH=/usr/bin:/bin; PATH=/opt/shims:$PATH\n", "/opt/venv/bin:/opt/go/bin:/usr/local/bin:/opt/shims:/usr/bin:/bin"},
		"added in front":   {"PATH=/opt/a:.:/opt/b:$PATH\n", "/opt/a:/opt/b:" + had},
		"added at the end": {"PATH=$PATH:/opt/z\n", had + ":"},
		"added again":      {"PATH=/opt/go/bin:$PATH:/opt/venv/bin\n", had + ":"},
		"removed":          {"unset PATH\n", had + ":"},
		"emptied":          {"PATH=\n", had + ":"},
	}
	for _, shell := range []string{"/bin/bash", "/bin/sh"} {
		if _, err := os.Stat(shell); err != nil {
			t.Logf("no %s here", shell)
			continue
		}
		for name, c := range profiles {
			b := startupBench(t, map[string]string{"profile": c.text}, func(o *Options) {
				o.Env = append(o.Env, "PATH="+had)
				o.Place = shelled{o.Place, shell}
			})
			b.o.InitFiles = []string{filepath.Join(b.home, "profile")}
			b.boot.Do(b.start)
			got, _ := lookup(b.env, "PATH")
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, %s: PATH is\n%s, want\n%s", filepath.Base(shell), name, got, c.want)
			}
		}
	}
	b := startupBench(t, nil, func(o *Options) { o.Env = append(o.Env, "PATH="+had) }) // with /etc/profile of this machine
	if a := b.run("echo $PATH"); !strings.HasPrefix(a.Output, "/opt/venv/bin:/opt/go/bin:") {
		t.Errorf("PATH is %s", a.Output)
	}
}

// shelled is a place with another shell.
type shelled struct {
	place.Place
	shell string
}

func (s shelled) Info() place.Info {
	info := s.Place.Info()
	info.Shell = s.shell
	return info
}

// Start-up files that fail, end the shell, read input or hang do not keep
// commands from running.
func TestBrokenStartupFiles(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ rc, out string }{
		"exits":   {"export A=1; exit 3; export B=1", "1 unset"},
		"fails":   {"export A=1; no_such_thing; false; export B=1", "1 1"},
		"syntax":  {"export A=1\nif then", "1 unset"},
		"reads":   {"export A=1; read -r x; export B=1", "1 1"},
		"hangs":   {"export A=1; sleep 600", "unset unset"},
		"ignores": {"trap '' TERM; export A=1; while :; do sleep 0.1; done", "unset unset"},
		"execs":   {"export A=1; exec true", "unset unset"},
		"floods":  {"export A=1; yes", "unset unset"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startupBench(t, map[string]string{".bashrc": c.rc}, func(o *Options) { o.InitTimeout = time.Second })
			if !isBash(b.place.Info().Shell) {
				t.Skip("SKIPPED: no bash here")
			}
			began := time.Now()
			b.want(`echo "${A-unset} ${B-unset}"`, c.out, 0)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// Nothing that a command writes into the private folder is run by the next one.
func TestPrivateFolderIsNotObeyed(t *testing.T) {
	b := startupBench(t, map[string]string{".bashrc": "hello() { echo hello; }\n"}, nil)
	if !isBash(b.place.Info().Shell) {
		t.Skip("SKIPPED: no bash here")
	}
	b.want("hello", "hello", 0)
	for _, name := range []string{"library", "startup", "state"} {
		if err := os.WriteFile(filepath.Join(b.scratch, name), []byte("echo evil"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.want("hello", "hello", 0)
	st, err := os.Stat(b.scratch)
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

// The variables of commands are for one user while a command runs, and then on no disk.
func TestStateIsForOneUser(t *testing.T) {
	b := startupBench(t, map[string]string{".bashrc": "export FOUND=startup\n"}, nil)
	b.want("true", "", 0) // it makes the folder
	b.want("echo $FOUND; ls -l "+quote(b.stateFile())+" | cut -c1-10; export TOKEN=planted", "startup\n-rw-------", 0)
	b.want("echo $TOKEN", "planted", 0)
	left, err := os.ReadDir(b.scratch)
	if err != nil || len(left) != 0 {
		t.Errorf("there are %v, %v", left, err)
	}
}

func TestPlainShell(t *testing.T) {
	if _, err := os.Stat("/bin/dash"); err != nil {
		t.Skip("SKIPPED: no dash here")
	}
	text := wrapping{shell: "/bin/sh", functions: fromInput, state: "/tmp/it's"}.script("echo 'x'")
	if strings.Contains(text, "builtin") || !strings.Contains(text, `/tmp/it'\''s`) {
		t.Errorf("script %q", text)
	}
	if got := shellArgv("/bin/sh"); !slices.Equal(got, []string{"/bin/sh", "-c"}) {
		t.Errorf("argv %q", got)
	}
}
