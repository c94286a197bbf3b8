package shell

import (
	"slices"
	"strings"
)

// fixed are variables that keep programs from waiting for a user or from
// drawing on a terminal: pagers print, git and apt do not ask, editors that git
// opens take what is there, and Python does not hold its output back.
var fixed = []string{
	"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
	noEditor, "DEBIAN_FRONTEND=noninteractive", "PYTHONUNBUFFERED=1",
}

// noEditor lets git take the text that is there. It is left out where an editor can
// be typed into.
const noEditor = "GIT_EDITOR=true"

// noTerminal are variables that make editors fail at once, for commands that no user types.
// A command may set them for itself.
var noTerminal = []string{"GIT_SEQUENCE_EDITOR=" + noEditing, "EDITOR=" + noEditing, "VISUAL=" + noEditing}

const (
	noEditing = `sh -c 'echo "` + noEditorHere + `" >&2; exit 1'`

	noEditorHere = "No editor can be used here."
)

// internal are variables that no command gets: they belong to one shell, or make
// the next one run something.
var internal = set("_ SHLVL BASH_ENV ENV SHELLOPTS BASHOPTS PROMPT_COMMAND PS4 HERMES_PROCESS_MARK")

// lasting are variables that make programs load a library or run another
// program. A command may set them for itself; the next one has them as they were
// at first, since the consent to one command is none to all that follow.
var lasting = set(`LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH
	PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER LESSOPEN LESSCLOSE EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR BROWSER
	GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_EXEC_PATH
	GIT_TEMPLATE_DIR GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_DIR
	PERL5OPT PERL5DB RUBYOPT PYTHONSTARTUP PYTHONHOME RIPGREP_CONFIG_PATH TAR_OPTIONS RSYNC_RSH RSYNC_CONNECT_PROG ZDOTDIR`)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}

// providers are the beginnings of names under which credentials of model
// providers and of services of this program are usually kept.
var providers = []string{
	"HERMES_", "OPENAI_", "ANTHROPIC_", "OPENROUTER_", "GEMINI_", "GOOGLE_API", "GOOGLE_GENERATIVE", "MISTRAL_", "GROQ_",
	"XAI_", "DEEPSEEK_", "TOGETHER_", "FIREWORKS_", "COHERE_", "CO_API", "PERPLEXITY_", "NOUS_", "MINIMAX_", "MOONSHOT_",
	"KIMI_", "GLM_", "ZAI_", "Z_AI_", "ZHIPU", "DASHSCOPE_", "QWEN_", "CEREBRAS_", "NVIDIA_", "AZURE_OPENAI", "BEDROCK_",
	"AWS_BEARER_TOKEN_BEDROCK", "REPLICATE_", "VOYAGE_", "JINA_", "FAL_", "EXA_", "TAVILY_", "FIRECRAWL_", "PARALLEL_",
	"BRAVE_", "SERPER_", "ELEVENLABS_", "BROWSERBASE_", "TELEGRAM_", "DISCORD_", "SLACK_", "HASS_", "LANGFUSE_",
	"CLAUDE_CODE", "COPILOT_",
}

// secretWords are parts of names that say credential.
var secretWords = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "WEBHOOK", "AUTH"}

// maxVariable bounds one variable in bytes: the system refuses to start a
// program with a longer one.
const maxVariable = 100 << 10

// maxEnviron bounds all of them together.
const maxEnviron = 1 << 20

// filter decides which variables a command gets.
type filter struct {
	pass, deny map[string]bool
	typed      bool // the user types the commands
}

func newFilter(pass, deny []string) filter {
	f := filter{pass: map[string]bool{}, deny: map[string]bool{"SUDO_PASSWORD": true}}
	for _, name := range pass {
		f.pass[name] = true
	}
	for _, name := range deny {
		f.deny[strings.ToUpper(name)] = true
	}
	return f
}

// keeps reports whether a variable may be passed on.
func (f filter) keeps(name string) bool {
	upper := strings.ToUpper(name)
	switch {
	case f.deny[upper] || internal[name] || strings.HasPrefix(name, "BASH_FUNC_") || strings.HasPrefix(name, "__hermes_"):
		return false
	case name == "GPG_TTY" && !f.typed: // a passphrase would be asked for in the middle of the screen
		return false
	case f.pass[name]:
		return true
	}
	credential := func(part string) bool { return strings.Contains(upper, part) }
	provider := func(begin string) bool { return strings.HasPrefix(upper, begin) }
	return !slices.ContainsFunc(secretWords, credential) || !slices.ContainsFunc(providers, provider)
}

// clean keeps what may be passed on, the last of several assignments, in the
// order of names. Folders in PATH that depend on the working directory are
// dropped: a file lying there would run in place of a program.
func (f filter) clean(env []string) []string {
	values := map[string]string{}
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		if ok && name != "" && f.keeps(name) && len(kv) <= maxVariable && !strings.Contains(kv, "\x00") {
			values[name] = value
		}
	}
	if path, ok := values["PATH"]; ok {
		values["PATH"] = absolutePath(path)
	}
	out := make([]string, 0, len(values))
	size := 0
	for name, value := range values {
		if size += len(name) + len(value) + 2; size <= maxEnviron || name == "PATH" || name == "HOME" {
			out = append(out, name+"="+value)
		}
	}
	slices.Sort(out)
	return out
}

// base is the environment of the first command.
func (f filter) base(env []string) []string {
	env = append(slices.Clone(env), fixed...)
	if !f.typed {
		env = append(env, noTerminal...)
	}
	out := f.clean(env)
	path, _ := lookup(out, "PATH")
	return withVariable(out, "PATH", usualPath(path))
}

// startup is the environment after start-up files were read: theirs, with the
// fixed variables again. The folders that own, the environment of the user, has in
// PATH stay there in their order: /etc/profile of some systems sets PATH without
// regard to what it was.
func (f filter) startup(env, before, own []string) []string {
	if len(env) == 0 {
		return before
	}
	had, _ := lookup(own, "PATH")
	has, _ := lookup(env, "PATH")
	return f.base(withVariable(env, "PATH", mergePath(absolutePath(had), absolutePath(has))))
}

// mergePath adds to a PATH what is only in another one, each folder before those
// that it precedes there.
func mergePath(path, other string) string {
	if path == "" || other == "" {
		return path + other
	}
	merged := strings.Split(path, ":")
	before := len(merged)
	dirs := strings.Split(other, ":")
	for at, dir := range slices.Backward(dirs) {
		if slices.Index(dirs, dir) < at {
			continue // the first one counts
		}
		if i := slices.Index(merged, dir); i >= 0 {
			before = i
		} else {
			merged = slices.Insert(merged, before, dir)
		}
	}
	return strings.Join(merged, ":")
}

// next is the environment after a command.
func (f filter) next(env, before []string) []string {
	if len(env) == 0 {
		return before
	}
	changed := func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return lasting[name] || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
	}
	out := slices.DeleteFunc(slices.Clone(env), changed)
	for _, kv := range before {
		if changed(kv) {
			out = append(out, kv)
		}
	}
	return f.clean(out)
}

// usualPath adds the folders that a login would have in PATH.
func usualPath(path string) string {
	have := strings.Split(path, ":")
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"} {
		if !slices.Contains(have, dir) {
			path += ":" + dir
		}
	}
	return strings.TrimPrefix(path, ":")
}

func absolutePath(path string) string {
	dirs := slices.DeleteFunc(strings.Split(path, ":"), func(dir string) bool { return !strings.HasPrefix(dir, "/") })
	return strings.Join(dirs, ":")
}

// lookup gives the value of a variable.
func lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// withVariable gives a copy of an environment in which one variable is set.
func withVariable(env []string, name, value string) []string {
	out := append(withoutVariable(env, name), name+"="+value)
	slices.Sort(out)
	return out
}

// withoutVariable gives a copy of an environment in which one variable is not set.
func withoutVariable(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
}
