package place

import (
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/tools/lazyregexp"
)

// Bounds are what a confined process may do, for [ReadRefusals]. Paths are absolute.
type Bounds struct {
	Dir, Home string
	// Writable are the directories that it may write: a refusal in there is not the
	// confinement's, unless the path is protected.
	Writable []string
	// Hidden reports whether a path is kept from confined processes; nil: none is.
	Hidden func(name string) bool
	// MayWrite reports whether the user may write a path, so that it was the confinement
	// that refused it; nil: every path.
	MayWrite func(name string) bool
	// Exists reports whether there is such a path outside; nil: there is.
	Exists func(name string) bool
}

// maxRead bounds the refusals that are read of one output.
const maxRead = 8

// ReadRefusals returns what a confined process that failed was not let do, as far as
// its output says so in the English words of the usual programs, each thing once.
// It knows paths and hosts only where they stand beside these words. All of them are
// [Refusal.Said].
func ReadRefusals(output string, b Bounds) []Refusal {
	r := refusalReader{b: b}
	for line := range strings.Lines(output) {
		if r.line(strings.TrimSpace(line[:min(len(line), maxRefusalLine)])); len(r.found) >= maxRead {
			break
		}
	}
	return r.found
}

const (
	maxRefusalLine = 2000
	// refusalContext is how many lines before one that only says that something was
	// denied may say what.
	refusalContext = 3
)

// The words of refusals, in lower case.
var (
	deniedWords   = []string{"permission denied", "operation not permitted", "eacces", "eperm", "unable to open database file"}
	readOnlyWords = []string{"read-only file system", "erofs"}
	busyWords     = []string{"device or resource busy", "ebusy"}
	absentWords   = []string{"no such file or directory", "enoent"}
	networkWords  = []string{
		"could not resolve", "temporary failure in name resolution", "name or service not known", "nodename nor servname",
		"getaddrinfo", "eai_again", "enotfound", "no such host", "network is unreachable", "enetunreach", "no route to host",
		"failed to establish a new connection", "couldn't connect to server", "dial tcp", "dial udp", "dns error",
		"failed to lookup address", "unknownhostexception", "socket: operation not permitted",
	}
)

// otherRefusals are refusals that name neither path nor host: words of which all
// stand in the line, a path that must be there for it to work outside, and what it is.
var otherRefusals = []struct {
	words []string
	needs string
	what  string
}{
	{[]string{"cannot connect to the docker daemon"}, "/var/run/docker.sock", "talk to Docker"},
	{[]string{"docker.sock", "permission denied"}, "/var/run/docker.sock", "talk to Docker"},
	{[]string{"failed to connect to bus"}, "/run/dbus/system_bus_socket", "talk to system services"},
	{[]string{"kill", "operation not permitted"}, "", "signal another process"},
	{[]string{"ptrace", "operation not permitted"}, "", "trace another process"},
}

// refusalReader reads the output of one process.
type refusalReader struct {
	b      Bounds
	before []string // the lines just before, without empty ones
	found  []Refusal
}

func (r *refusalReader) line(line string) {
	if line == "" {
		return
	}
	lower := strings.ToLower(line)
	switch {
	case r.other(lower):
	case says(lower, networkWords):
		r.host(line)
	default:
		r.paths(line, lower)
	}
	if r.before = append(r.before, line); len(r.before) > refusalContext {
		r.before = r.before[1:]
	}
}

// says reports whether one of the words stands in a text, and not only as a part of
// another word or name: ENOTFOUND is in ModuleNotFoundError.
func says(lower string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		for from := 0; ; {
			at := strings.Index(lower[from:], w)
			if at < 0 {
				return false
			}
			at += from
			before, _ := utf8.DecodeLastRuneInString(lower[:at])
			after, _ := utf8.DecodeRuneInString(lower[at+len(w):])
			if !inWord(before) && !inWord(after) {
				return true
			}
			from = at + 1
		}
	})
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (r *refusalReader) add(kind RefusalKind, what string) {
	if n := (Refusal{kind, what, true}); len(r.found) < maxRead && !slices.Contains(r.found, n) {
		r.found = append(r.found, n)
	}
}

func (r *refusalReader) other(lower string) bool {
	for _, o := range otherRefusals {
		if slices.ContainsFunc(o.words, func(w string) bool { return !says(lower, []string{w}) }) {
			continue
		}
		if o.needs == "" || r.b.Exists == nil || r.b.Exists(o.needs) {
			r.add(RefusedOther, o.what)
		}
		return true
	}
	return false
}

// paths notes the paths beside words of denial.
func (r *refusalReader) paths(line, lower string) {
	denied, readOnly := says(lower, deniedWords), says(lower, readOnlyWords)
	busy, absent := says(lower, busyWords), says(lower, absentWords)
	if !denied && !readOnly && !busy && !absent {
		return
	}
	names := pathsIn(line)
	if len(names) == 0 && (denied || readOnly) { // the reason alone: what stands above
		for _, above := range slices.Backward(r.before) {
			if names = pathsIn(above); len(names) > 0 {
				break
			}
		}
	}
	for _, name := range names {
		name, ok := r.absolute(name)
		if !ok {
			continue
		}
		inside := slices.ContainsFunc(r.b.Writable, func(dir string) bool { return within(name, dir) })
		switch {
		case r.b.Hidden != nil && r.b.Hidden(name):
			r.add(RefusedRead, name)
		case inside && (readOnly || busy), !inside && (denied || readOnly) && (r.b.MayWrite == nil || r.b.MayWrite(name)):
			r.add(RefusedWrite, name)
		}
	}
}

// absolute makes a path whole. What names no file is none.
func (r *refusalReader) absolute(name string) (string, bool) {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		name = r.b.Home + name[1:]
	case !filepath.IsAbs(name):
		name = r.b.Dir + "/" + name
	}
	if name = filepath.Clean(name); name == "/" || strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/") {
		return "", false
	}
	return name, filepath.IsAbs(name)
}

var (
	// quotedPath is a text in quotes of some kind.
	quotedPath = lazyregexp.New("'([^']+)'|\"([^\"]+)\"|`([^`']+)[`']|‘([^’]+)’|“([^”]+)”")
	// plainPath is an absolute path without blanks that stands for itself.
	plainPath = lazyregexp.New(`(?:^|[\s(=:])(~?/[^\s:;,'"()‘’“”` + "`" + `]+)`)
)

// pathsIn gives the paths that a line which speaks of a refusal names.
func pathsIn(line string) []string {
	var names []string
	add := func(name string) {
		if name = strings.TrimRight(name, "."); name != "" && !slices.Contains(names, name) && !strings.Contains(name, "://") {
			names = append(names, name)
		}
	}
	for _, m := range quotedPath.FindAllStringSubmatch(line, -1) {
		if text := strings.Join(m[1:], ""); filepath.IsAbs(text) || !strings.ContainsAny(text, " \t") {
			add(text)
		}
	}
	segments := strings.Split(line, ": ")
	rest := line
	if len(segments) > 2 && strings.HasPrefix(segments[0], "/") && !strings.ContainsAny(segments[0], " \t") {
		rest = line[len(segments[0]):] // the program that speaks
	}
	for _, m := range plainPath.FindAllStringSubmatch(rest, -1) {
		add(m[1])
	}
	if len(names) == 0 {
		add(namedBefore(segments))
	}
	return names
}

// namedBefore gives the relative path that stands in the part of a message before
// the reason: "tee: x: Permission denied".
func namedBefore(segments []string) string {
	at := slices.IndexFunc(segments, func(s string) bool {
		lower := strings.ToLower(s)
		return says(lower, deniedWords) || says(lower, readOnlyWords) || says(lower, busyWords) || says(lower, absentWords)
	})
	for i := at - 1; i >= max(1, at-2); i-- {
		words := strings.Fields(segments[i])
		if len(words) == 0 {
			return ""
		}
		if last := words[len(words)-1]; len(words) == 1 || strings.Contains(last, "/") {
			return last
		}
	}
	return ""
}

// beforeHost are patterns after which a host stands, the surest first.
var beforeHost = []*lazyregexp.Regexp{
	lazyregexp.New(`lookup ([\w.-]+)`),
	lazyregexp.New(`(?i)could not resolve (?:proxy|host(?:name)?): ([\w.-]+)`),
	lazyregexp.New(`(?i)could not resolve hostname ([\w.-]+)`),
	lazyregexp.New(`getaddrinfo \w+ ([\w.-]+)`),
	lazyregexp.New(`(?i)host(?:name)?[:=] ?['"]?([\w.-]+\.[\w-]+)`),
	lazyregexp.New(`connect to ([\w.-]+) port (\d+)`),
	lazyregexp.New(`dial (?:tcp|udp) ([\d.]+):(\d+)`),
	lazyregexp.New(`\b[a-z+]+://(?:[^/@\s]*@)?([\w.-]+)(?::(\d+))?`),
	lazyregexp.New(`connect \w+ ([\w.-]+):(\d+)`),
}

// host notes the host of a line that says that the network failed; one that is not
// named is known at best by another line.
func (r *refusalReader) host(line string) {
	for _, p := range beforeHost {
		m := p.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		what := strings.TrimRight(m[1], ".")
		if len(m) > 2 && m[2] != "" {
			what += ":" + m[2]
		}
		if loopback(what) {
			return // nothing of the confinement: the server is not there
		}
		r.found = slices.DeleteFunc(r.found, func(o Refusal) bool { return o == Refusal{RefusedNetwork, "", true} })
		r.add(RefusedNetwork, what)
		return
	}
	if !slices.ContainsFunc(r.found, func(o Refusal) bool { return o.Kind == RefusedNetwork }) {
		r.add(RefusedNetwork, "")
	}
}

func loopback(what string) bool {
	host, _, _ := strings.Cut(what, ":")
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// MergeRefusals adds what an output says to what the system knows. A host that is
// known with its port is the same without, and so is a network that is not named
// beside a host that is.
func MergeRefusals(known, read []Refusal) []Refusal {
	out := slices.Clone(known)
	network := slices.ContainsFunc(known, func(o Refusal) bool { return o.Kind == RefusedNetwork })
	for _, n := range read {
		same := func(o Refusal) bool {
			return o.Kind == n.Kind && (o.What == n.What || n.Kind == RefusedNetwork && strings.HasPrefix(o.What, n.What+":"))
		}
		if !slices.ContainsFunc(out, same) && !(network && n.Kind == RefusedNetwork && n.What == "") {
			out = append(out, n)
		}
	}
	return out
}
