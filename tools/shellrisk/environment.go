package shellrisk

import "strings"

// programVariables name a program or library that other programs run or load.
var programVariables = words(`LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG_OUTPUT PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER
	BAT_PAGER AWS_PAGER PSQL_PAGER GH_PAGER LESSOPEN LESSCLOSE EDITOR VISUAL FCEDIT GIT_EDITOR GIT_SEQUENCE_EDITOR
	SUDO_EDITOR KUBE_EDITOR GH_EDITOR GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_EXTERNAL_DIFF
	GIT_PROXY_COMMAND GIT_DIR GIT_COMMON_DIR GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS
	GIT_CONFIG_COUNT BASH_ENV ENV PROMPT_COMMAND PS4 PROMPT_DIRTRIM ZDOTDIR PYTHONHOME PYTHONSTARTUP PYTHONBREAKPOINT
	PERL5OPT PERL5DB RUBYOPT BROWSER OPENER CVS_RSH RSYNC_RSH RSYNC_CONNECT_PROG TAR_OPTIONS RIPGREP_CONFIG_PATH
	SHELLOPTS BASHOPTS GCONV_PATH LOCPATH NODE_EXTRA_CA_CERTS SSL_CERT_FILE OPENSSL_CONF OPENSSL_ENGINES
	DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST`)

// optionVariables hold options for a program; only those that load code matter.
var optionVariables = map[string][]string{
	"NODE_OPTIONS":          {"--require", "-r ", "--import", "--loader", "--experimental-loader", "--inspect"},
	"JAVA_TOOL_OPTIONS":     {"-javaagent", "-agentlib", "-agentpath", "-XX:OnError", "-XX:OnOutOfMemoryError"},
	"_JAVA_OPTIONS":         {"-javaagent", "-agentlib", "-agentpath", "-XX:OnError", "-XX:OnOutOfMemoryError"},
	"JDK_JAVA_OPTIONS":      {"-javaagent", "-agentlib", "-agentpath", "-XX:OnError", "-XX:OnOutOfMemoryError"},
	"MAVEN_OPTS":            {"-javaagent", "-agentlib", "-agentpath"},
	"GRADLE_OPTS":           {"-javaagent", "-agentlib", "-agentpath"},
	"GOFLAGS":               {"-toolexec", "-exec", "-overlay", "-modfile"},
	"RUSTFLAGS":             {"linker="},
	"PYTHONWARNINGS":        {"::"},
	"CARGO_BUILD_RUSTFLAGS": {"linker="},
	"MAKEFLAGS":             {"SHELL=", "--eval"},
	"LESS":                  {"+"},
	"FZF_DEFAULT_OPTS":      {"--preview", "execute"},
}

// toolVariables name a tool of a build. A bare name of a program is usual.
var toolVariables = words(`CC CXX LD AR CPP RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTDOC CARGO GOTOOLCHAIN MAKE SHELL
	MAKESHELL CONFIG_SHELL HOSTCC NVCC PYTHON NODE JAVA_HOME TERMINAL`)

// setsVariable judges giving a variable a value, for one command or for good.
func (j *judge) setsVariable(name string, value arg) {
	switch {
	case name == "PATH":
		j.setsPath(value)
	case name == "DOCKER_HOST" || name == "DOCKER_CONTEXT" || name == "CONTAINER_HOST":
		j.ask(CatContainer, "talks to another container host", name, value.show())
	case programVariables[name] || strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "GIT_CONFIG_KEY_") ||
		strings.HasPrefix(name, "GIT_CONFIG_VALUE_") || strings.HasPrefix(name, "BASH_FUNC_"):
		if !harmlessProgram(value) {
			j.ask(CatEnvInjection, "names a program or library that other programs run", name, value.show())
		}
	case toolVariables[name]:
		if hasHole(value.text) && value.from&opaque != 0 && value.from&fromCommand != 0 || strings.HasPrefix(value.text, ".") ||
			strings.ContainsAny(value.text, ";|&$`") {
			j.ask(CatEnvInjection, "names a program or library that other programs run", name, value.show())
		}
	default:
		for _, option := range optionVariables[name] {
			if strings.Contains(value.text+" ", option) {
				j.ask(CatEnvInjection, "names a program or library that other programs run", name, value.show())
			}
		}
	}
}

// setsUnknown judges giving a variable a value that is not known.
func (j *judge) setsUnknown(name string) {
	if name == "PATH" {
		j.ask(CatEnvInjection, "makes programs be looked up in folders that cannot be known beforehand", name)
		return
	}
	j.setsVariable(name, holeArg(fromInput))
}

// setsPath asks about folders in PATH that depend on the working directory: a
// file that happens to lie there would run in place of a program.
func (j *judge) setsPath(value arg) {
	for dir := range strings.SplitSeq(value.text, ":") {
		if !strings.HasPrefix(dir, "/") && !strings.HasPrefix(dir, hole) && !strings.HasPrefix(dir, "~") {
			j.ask(CatEnvInjection, "makes programs be looked up in the working directory", "PATH", value.show())
			return
		}
	}
}

// harmlessPrograms do no more than print what they read.
var harmlessPrograms = words(`cat more less true false : never 0 1 2`)

// harmlessProgram reports whether a value names a plain pager, or nothing.
func harmlessProgram(value arg) bool {
	if hasHole(value.text) {
		return false
	}
	fields := strings.Fields(value.text)
	if len(fields) == 0 {
		return true
	}
	name := fields[0]
	if dir, base := cutLast(name); dir == "/bin/" || dir == "/usr/bin/" {
		name = base
	}
	if !harmlessPrograms[name] {
		return false
	}
	for _, f := range fields[1:] {
		if !strings.HasPrefix(f, "-") || strings.ContainsAny(f, "oOkKt+;|&$`<>") {
			return false
		}
	}
	return true
}

// secretWords are the parts of a variable's name that say it is a credential.
var secretWords = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY"}

// secretName reports whether a variable is named like a credential.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, w := range secretWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	return strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_PAT") || strings.HasSuffix(name, "_PASS")
}
