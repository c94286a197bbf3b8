package shellrisk

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"hermes-tui/tools/lazyregexp"
)

// checks looks at what the table of [provable] cannot say.
func (p *prover) checks(program string, c provedCall) bool {
	switch program {
	case "cd":
		return p.cd(c)
	case "arch", "jobs":
		return len(c.operands) == 0 // what follows may be a program to run
	case "set":
		return p.options(c)
	case "read":
		return p.read(c)
	case "command":
		return p.plainly(c)
	case "timeout":
		return p.timeout(c)
	case "printf":
		return p.printf(c)
	case "test":
		return p.bracket(c)
	case "date":
		return p.date(c)
	case "printenv":
		return p.printenv(c)
	case "ps":
		return p.ps(c)
	case "grep":
		return !c.opts.has("-r", "--recursive") || p.below(c)
	case "rg":
		return p.below(c)
	case "find":
		return p.find(c)
	case "fd":
		return p.fd(c)
	case "sed":
		return p.sed(c)
	case "awk":
		return p.awk(c)
	case "jq":
		return p.noneMatch(c, jqReaches)
	case "yq":
		return p.noneMatch(c, yqReaches)
	case "git":
		return p.git(c)
	case "diff":
		return p.diff(c)
	}
	return true
}

func (p *prover) noneMatch(c provedCall, reaches *lazyregexp.Regexp) bool {
	return !slices.ContainsFunc(c.operands, func(a arg) bool { return reaches.MatchString(a.text) })
}

// cd follows a change of the directory, which may fail.
func (p *prover) cd(c provedCall) bool {
	args := c.operands
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		home, ok := p.st.home()
		if !ok {
			return false
		}
		args = []arg{{text: home}}
	}
	to := args[0]
	if len(args) > 1 || strings.HasPrefix(to.text, "-") || !p.shows(to) || strings.Contains(to.text, numeral) {
		return false
	}
	for _, raw := range p.placed(to) {
		if dir := joinPath(raw, ""); !slices.Contains(p.dirs, dir) {
			p.dirs = append(p.dirs, dir)
		}
	}
	return len(p.dirs) <= maxDirs
}

// calmOptions are the options of the shell that change nothing but when it stops and
// what it says.
var calmOptions = words(`errexit nounset pipefail xtrace`)

// options follows set.
func (p *prover) options(c provedCall) bool {
	for i := 0; i < len(c.operands); i++ {
		text := c.operands[i].text
		if len(text) < 2 || text[0] != '-' && text[0] != '+' || strings.Trim(text[1:], "euxo") != "" {
			return false
		}
		if strings.Contains(text, "o") {
			if i++; i >= len(c.operands) || !calmOptions[c.operands[i].text] {
				return false
			}
		}
	}
	return len(c.operands) > 0
}

// read follows the variables that get what is read.
func (p *prover) read(c provedCall) bool {
	for _, a := range c.operands {
		if !a.known() || identifier(a.text) != len(a.text) || a.text == "" || !p.assignable(a.text) {
			return false
		}
		p.learn(a.text, variable{list: []string{hole}})
	}
	return true
}

// plainly is command, which calls no functions.
func (p *prover) plainly(c provedCall) bool {
	args := c.operands
	if len(args) == 0 {
		return true
	}
	if args[0].text == "-v" || args[0].text == "-V" {
		return true
	}
	return p.program(args)
}

// duration is how long a command may take.
var duration = lazyregexp.New(`^[0-9]+(\.[0-9]+)?[smhd]?$`)

// timeout takes a program, never one of the shell's own commands.
func (p *prover) timeout(c provedCall) bool {
	args := c.operands
	return len(args) > 1 && duration.MatchString(args[0].text) && !shellBuiltins[args[1].text] && p.program(args[1:])
}

func (p *prover) printf(c provedCall) bool {
	return len(c.operands) == 0 || c.operands[0].from&scattered == 0 &&
		!strings.HasPrefix(c.operands[0].text, "-") && !strings.HasPrefix(c.operands[0].text, hole) &&
		(len(c.operands) == 1 || !counts(c.operands[0].text))
}

// counting matches what in a format stores the number of characters that were
// printed so far, in the variable that an operand names.
var counting = lazyregexp.New(`%[-+ #0'*.0-9hjlLqtz]*n`)

// counts reports whether a format of printf may set a variable.
func counts(format string) bool {
	return hasHole(format) || counting.MatchString(strings.ReplaceAll(format, "%%", ""))
}

// binaryTests are the operators between two words of test.
var binaryTests = words(`= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef`)

// bracket proves test and [: -v evaluates a subscript, so it must be certain that
// no word is taken for it.
func (p *prover) bracket(c provedCall) bool {
	args := c.operands
	if n := len(args); n > 0 && args[n-1].text == "]" {
		args = args[:n-1]
	}
	for _, a := range args {
		if a.from&scattered != 0 || a.text == "-v" || a.text == "-R" {
			return false
		}
	}
	if len(args) > 0 && args[0].text == "!" {
		args = args[1:]
	}
	open := func(a arg) bool { return hasHole(a.text) }
	switch {
	case !slices.ContainsFunc(args, open):
		return true
	case len(args) == 1:
		return true
	case len(args) == 2:
		return !open(args[0])
	case len(args) == 3:
		return binaryTests[args[1].text]
	}
	return false
}

// date sets the clock with an operand that is no format.
func (p *prover) date(c provedCall) bool {
	return !slices.ContainsFunc(c.operands, func(a arg) bool { return !strings.HasPrefix(a.text, "+") })
}

// openVariables hold nothing that is secret.
var openVariables = words(`HOME PATH PWD OLDPWD USER LOGNAME SHELL TERM LANG LANGUAGE LC_ALL LC_CTYPE TZ EDITOR VISUAL PAGER TMPDIR
	GOPATH GOROOT GOFLAGS GOOS GOARCH CGO_ENABLED NODE_ENV VIRTUAL_ENV CONDA_PREFIX CI DISPLAY HOSTNAME COLUMNS LINES
	JAVA_HOME PYTHONPATH XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR`)

func (p *prover) printenv(c provedCall) bool {
	return len(c.operands) > 0 && !slices.ContainsFunc(c.operands, func(a arg) bool { return !openVariables[a.text] })
}

// ps shows the environment of processes where e stands among letters without a
// dash, or with one where the letters mean nothing otherwise.
func (p *prover) ps(c provedCall) bool {
	for _, a := range c.operands {
		if a.text == "" || strings.Trim(a.text, "auxwfjlr") != "" {
			return false
		}
	}
	for _, o := range c.opts {
		switch {
		case o.name == "-p" && strings.Trim(o.value.text, "0123456789,"+numeral) != "",
			o.name == "-o" && strings.Trim(o.value.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%_,=:+") != "",
			strings.Contains(strings.ToLower(o.value.text), "env"):
			return false
		}
	}
	return true
}

// givesPattern are the options by which the pattern is no operand.
var givesPattern = words(`-e --regexp -f --file --files --type-list`)

// below reports whether the folders that are searched may be read with all that is
// in them.
func (p *prover) below(c provedCall) bool {
	places := c.operands
	if !slices.ContainsFunc(c.opts, func(o option) bool { return givesPattern[o.name] }) {
		places = places[min(1, len(places)):]
	}
	if len(places) == 0 {
		places = []arg{here}
	}
	return !slices.ContainsFunc(places, func(a arg) bool { return !p.readsTree(a) })
}

// diff compares what is in folders with links followed.
func (p *prover) diff(c provedCall) bool {
	for _, a := range c.operands {
		for _, raw := range p.placed(a) {
			if a.text != "-" && (p.set.List == nil || len(p.set.List(joinPath(raw, ""))) > 0) {
				return false
			}
		}
	}
	return true
}

// findTests are the words of find that take nothing, and findValues those that take
// a text. None of them starts or changes anything.
var (
	findTests = words(`-true -false -empty -readable -writable -executable -nouser -nogroup -prune -print -print0 -ls -depth -mount
		-xdev -noleaf -follow -daystart -nowarn -quit -a -o -and -or -not ! ( ) , -H -L -P`)
	findValues = words(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -newer -anewer
		-cnewer -newermt -newerct -newerat -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum
		-samefile -maxdepth -mindepth -regextype -printf -fstype`)
)

func (p *prover) find(c provedCall) bool {
	roots := true
	for i := 0; i < len(c.operands); i++ {
		a := c.operands[i]
		switch {
		case a.from&scattered != 0:
			return false
		case findTests[a.text]:
			roots = roots && len(a.text) == 2 && a.text[0] == '-' // -H, -L, -P
		case findValues[a.text]:
			roots = false
			if i++; i >= len(c.operands) || c.operands[i].from&scattered != 0 {
				return false
			}
		case !roots || strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "+") || !p.shows(a):
			return false
		}
	}
	return true
}

// fd takes a pattern, then folders.
func (p *prover) fd(c provedCall) bool {
	for _, a := range c.operands[min(1, len(c.operands)):] {
		if !p.shows(a) {
			return false
		}
	}
	return true
}

// sedScripts are the scripts of sed that only print: its commands are p, d, q, = and
// the like, and s with flags that start and write nothing. Expressions with
// brackets that hold a slash or a bracket are left out, and so is whatever else may be
// read in two ways.
var sedScripts = sync.OnceValue(func() *regexp.Regexp {
	part := func(delim string) string {
		return `(?:[^\\\n\[` + delim + `]|\\[^\n]|\[\^?[^\]\^\[\\\n` + delim + `][^\]\[\\\n` + delim + `]*\]|\[\^?(?:\[:[a-z]+:\])+\])*`
	}
	address := `(?:[0-9]+(?:~[0-9]+)?|\$|/` + part("/") + `/I?)`
	var subs []string
	for _, delim := range []string{"/", "|", ",", "#", "@", ":"} {
		mark := regexp.QuoteMeta(delim)
		subs = append(subs, `s`+mark+part(delim)+mark+`(?:[^\\\n`+delim+`]|\\[^\n])*`+mark+`[gpiI0-9]*`)
	}
	selected := `[ ]*(?:` + address + `(?:,(?:\+?[0-9]+|` + address + `))?)?[ ]*!?[ ]*`
	command := `(?:` + selected + `\{)*` + selected + `(?:[pPdDqQ=nNgGhHxl]|[qQ][0-9]+|` + strings.Join(subs, "|") + `)?[ ]*(?:\}[ ]*)*`
	return regexp.MustCompile(`^(?:` + command + `[;\n])*` + command + `$`)
})

func (p *prover) sed(c provedCall) bool {
	var scripts []arg
	for _, o := range c.opts {
		if o.name == "-e" || o.name == "--expression" {
			scripts = append(scripts, o.value)
		}
	}
	files := c.operands
	if len(scripts) == 0 && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	for _, s := range scripts {
		if hasHole(s.text) || !sedScripts().MatchString(s.text) {
			return false
		}
	}
	return len(scripts) > 0 && !slices.ContainsFunc(files, func(a arg) bool { return !p.reads(a) })
}

// awkReaches are the words and signs by which a program for awk reaches anything but
// its input and output.
var awkReaches = lazyregexp.New(`system|getline|close|ENVIRON|ARG[CVI]|SYMTAB|PROCINFO|/inet|@|\\\s|(^|[^|])\|($|[^|])|\|\|\||(?s:print.*>)`)

// awkVariable is an assignment among the operands of awk.
var awkVariable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

func (p *prover) awk(c provedCall) bool {
	args := c.operands
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && args[0].from&scattered == 0 {
		text := args[0].text
		args = args[1:]
		switch {
		case text == "--":
		case text == "-F" || text == "-v":
			if len(args) == 0 || args[0].from&scattered != 0 {
				return false
			}
			args = args[1:]
			continue
		case strings.HasPrefix(text, "-F"), strings.HasPrefix(text, "-v") && awkVariable.MatchString(text[2:]):
			continue
		default:
			return false
		}
		break
	}
	if len(args) == 0 || hasHole(args[0].text) || args[0].from&scattered != 0 || awkReaches.MatchString(args[0].text) {
		return false
	}
	if prog, ok := scanAwk(args[0].text); !ok || prog.runs || prog.opens || len(prog.writes) > 0 {
		return false
	}
	for _, a := range args[1:] {
		if strings.HasPrefix(a.text, hole) || strings.HasPrefix(a.text, "-") && a.text != "-" {
			return false
		}
		if !awkVariable.MatchString(a.text) && !p.reads(a) || p.namesSecret(a) {
			return false
		}
	}
	return true
}

// jqReaches are the words by which a program for jq reads anything but its input.
var jqReaches = lazyregexp.New(`\benv\b|\$ENV|\b(import|include|modulemeta|get_search_list|input_filename)\b`)

// yqReaches are those of both programs of the name yq.
var yqReaches = lazyregexp.New(`env|ENV|load|system|eval|\b(import|include|modulemeta|input_filename|filename)\b`)

// pollutedBy are variables by which the shell or any program does something else than
// it would without them.
var pollutedBy = strings.Fields(`BASH_ENV ENV BASHOPTS SHELLOPTS PS4 CDPATH GLOBIGNORE POSIXLY_CORRECT BASH_XTRACEFD GCONV_PATH LOCPATH
	RIPGREP_CONFIG_PATH GREP_OPTIONS XML_CATALOG_FILES LD_AUDIT LD_DEBUG LD_DEBUG_OUTPUT LD_PROFILE LD_PROFILE_OUTPUT
	DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH`)

// surroundings reports whether programs are what they are usually with the
// environment that the command starts with.
func (p *prover) surroundings() bool {
	if p.set.Getenv == nil {
		return true
	}
	if slices.ContainsFunc(pollutedBy, func(name string) bool { v, _ := p.set.Getenv(name); return v != "" }) {
		return false
	}
	return p.foreign("LD_PRELOAD") && p.foreign("LD_LIBRARY_PATH")
}

// foreign reports whether a variable names nothing but what lies outside of the
// folders that are written to.
func (p *prover) foreign(name string) bool {
	if p.set.Getenv == nil {
		return true
	}
	value, _ := p.set.Getenv(name)
	for _, file := range strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ' ' }) {
		if z, _ := p.set.writeZone(file); !strings.HasPrefix(file, "/") || z == zoneFree {
			return false
		}
	}
	return true
}
