package shell

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/lazyregexp"
)

// What a confined command leaves is data. The variables that it exports reach other
// confined commands as they are. A command that runs with all rights gets those that
// its own text names, so that nothing comes with it that cannot be seen there; but none
// that steers what programs load or run. All others it has as a command with all rights
// left them last.

// keyWords are parts of names of variables that hold what a confined command must
// not have, keyNames whole names, keyBegins beginnings.
var (
	keyWords = []string{
		"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "AUTH", "COOKIE", "SESSION", "WEBHOOK", "PRIVATE",
	}
	keyNames  = set("SSH_AGENT_PID GPG_AGENT_INFO DBUS_SYSTEM_BUS_ADDRESS DOCKER_HOST DOCKER_CONTEXT KUBECONFIG PGPASSFILE NETRC")
	keyBegins = []string{"AWS_", "GPG_AGENT"}
)

// credential reports whether a variable is named like one that holds a credential,
// or leads to a program that has some.
func credential(name string) bool {
	upper := strings.ToUpper(name)
	if strings.HasPrefix(upper, "GIT_CONFIG_KEY_") { // names a setting
		return false
	}
	return keyNames[upper] || slices.ContainsFunc(keyWords, func(w string) bool { return strings.Contains(upper, w) }) ||
		slices.ContainsFunc(keyBegins, func(b string) bool { return strings.HasPrefix(upper, b) })
}

// confined is the part of an environment that a confined command gets: without what
// is named like a credential, unless it is to be passed on or a command has set it.
// origin is the environment of the user.
func (f filter) confined(env, origin []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, value, _ := strings.Cut(kv, "=")
		own, given := lookup(origin, name)
		return credential(name) && !f.pass[name] && given && own == value
	})
}

// steering variables choose programs and libraries, or files that say which; beside
// those in lasting, and whole families of them.
var (
	steers       = set("HOME PATH CDPATH TMPDIR SHELL GCONV_PATH LOCPATH NLSPATH MALLOC_TRACE GLIBC_TUNABLES HOSTALIASES CLASSPATH TERMCAP MAKEFILES OPENSSL_CONF SSL_CERT_FILE SSL_CERT_DIR CURL_HOME WGETRC VIMINIT EXINIT GNUPGHOME")
	steersBegin  = []string{"LD_", "DYLD_", "GIT_", "XDG_", "PYTHON", "PERL", "RUBY", "NODE_", "npm_", "NPM_", "CARGO", "RUST", "GO", "JAVA_", "JDK_", "LESS", "TERMINFO", "LUA_", "DOTNET_", "OPENSSL_", "SSH_"}
	steersInside = []string{"OPTIONS", "OPTS", "FLAGS", "CONFIG", "PAGER", "EDITOR", "WRAPPER", "PRELOAD", "LIBRARY_PATH", "PROXY"}
)

func steering(name string) bool {
	in := func(part string) bool { return strings.Contains(strings.ToUpper(name), part) }
	return lasting[name] || steers[name] || slices.ContainsFunc(steersInside, in) ||
		slices.ContainsFunc(steersBegin, func(b string) bool { return strings.HasPrefix(name, b) })
}

// carry applies to an environment what has changed from one to another.
func carry(to, before, after []string) []string {
	out := slices.Clone(to)
	for _, kv := range before {
		name, _, _ := strings.Cut(kv, "=")
		if _, still := lookup(after, name); !still {
			out = withoutVariable(out, name)
		}
	}
	for _, kv := range after {
		name, value, _ := strings.Cut(kv, "=")
		if was, had := lookup(before, name); !had || was != value {
			out = withVariable(out, name, value)
		}
	}
	return out
}

// plainPath is the PATH of a command that runs with all rights: the folders that
// confined commands can write to come last, and so do those that only they have added.
func plainPath(own, all string, writable func(dir string) bool) string {
	var first, last []string
	for _, dir := range strings.Split(own+":"+all, ":") {
		switch {
		case dir == "" || slices.Contains(first, dir) || slices.Contains(last, dir):
		case writable(dir) || !slices.Contains(strings.Split(own, ":"), dir):
			last = append(last, dir)
		default:
			first = append(first, dir)
		}
	}
	return strings.Join(append(first, last...), ":")
}

// confines reports whether commands can be confined one by one here.
func (s *Shell) confines() bool { return s.o.Place.Info().Confines }

// writable reports whether confined commands can write to a folder.
func (s *Shell) writable(dir string) bool {
	if real, err := s.o.Place.FS().Resolve(dir); err == nil {
		dir = real
	}
	info := s.o.Place.Info()
	return slices.ContainsFunc(append(slices.Clone(info.Roots), info.Temp, s.shared()), func(root string) bool { return root != "" && tools.Within(dir, root) })
}

// shared is the folder of the place that confined commands may write as well, empty
// for none.
func (s *Shell) shared() string {
	if at, ok := s.o.Place.(interface{ Shared() string }); ok {
		return at.Shared()
	}
	return ""
}

// sharedState is where a confined command leaves its state, empty where none runs.
func (s *Shell) sharedState() string {
	if dir := s.shared(); dir != "" {
		return filepath.Join(dir, filepath.Base(s.scratch)+".state")
	}
	return ""
}

// sharedFunctions is where a confined command whose input is its own finds the functions of
// the user. Others may have changed them there, which are confined like it.
func (s *Shell) sharedFunctions() string {
	return filepath.Join(s.shared(), filepath.Base(s.scratch)+".functions")
}

// environment is the part of what was permitted that a command gets, confined or
// with all rights.
func (s *Shell) environment(ready issued, run approval.Run) []string {
	env := run.Env
	switch {
	case run.Confined:
		env = s.filter.confined(env, s.origin())
		if s.shared() != "" && ready.order.mode != foreground {
			env = append(env, functionsVariable+"="+s.sharedFunctions())
		}
	case s.confines():
		env = ready.plain
	}
	if s.distrusts() {
		env = approval.QuietGit(env, s.o.GitSettings())
	}
	return env
}

// distrusts reports whether git runs nothing that a repository names.
func (s *Shell) distrusts() bool { return s.o.Trusted != nil && !s.o.Trusted() }

// named matches the names of variables in a command, and what is before one where its
// value is wanted.
var named = lazyregexp.New(`(\$\{?[!#]?)?[A-Za-z_][A-Za-z0-9_]*`)

// plainEnv is the environment that a command with all rights starts from, and the
// variables that it wants and does not get as a confined command has left them: it would
// do something else than what was judged.
func (s *Shell) plainEnv(command string) (env, withheld []string) {
	own, _ := lookup(s.plain, "PATH")
	all, _ := lookup(s.env, "PATH")
	env = withVariable(s.plain, "PATH", plainPath(own, all, s.writable))
	words := append(named.FindAllString(command, -1), "OLDPWD")
	if strings.Contains(command, "~") {
		words = append(words, "$HOME")
	}
	if slices.Contains(words, "cd") || slices.Contains(words, "pushd") {
		words = append(words, "$CDPATH")
	}
	for _, word := range words {
		name := strings.TrimLeft(word, "${!#")
		value, set := lookup(s.env, name)
		had, was := lookup(env, name)
		switch {
		case set == was && value == had || name == "PATH":
		case !steering(name) && set:
			env = withVariable(env, name, value)
		case !steering(name):
			env = withoutVariable(env, name)
		case name != word && !slices.Contains(withheld, name):
			withheld = append(withheld, name)
		}
	}
	return env, withheld
}

// refuse is why a command cannot run with all rights, nil when it can.
func (i issued) refuse(run approval.Run) error {
	if run.Confined || len(i.withheld) == 0 {
		return nil
	}
	return fmt.Errorf("this was not run: it uses $%s as a confined command has set it, which commands outside do not get. "+
		"Write the value into the command", strings.Join(i.withheld, ", $"))
}

// keep takes over the variables that a command has changed.
func (s *Shell) keep(before, after []string, confined bool) {
	s.env = carry(s.env, before, after)
	if !confined {
		s.plain = carry(s.plain, before, after)
	}
}

// origin is the environment of the user, start-up files included.
func (s *Shell) origin() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own
}
