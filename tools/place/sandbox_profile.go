package place

import (
	"path/filepath"
	"strconv"
	"strings"
)

// seatbelt is a profile in the language of the sandbox of macOS. The last rule
// that fits counts. Paths stand in parameters, so nothing in them is read as part
// of the language.
type seatbelt struct {
	rules  strings.Builder
	params []string // NAME=path
}

// subpaths names directories, or files, with all they hold as filters.
func (b *seatbelt) subpaths(paths []string) string { return b.filters("subpath", paths) }

func (b *seatbelt) filters(kind string, paths []string) string {
	var out []string
	for _, p := range paths {
		name := "P" + strconv.Itoa(len(b.params))
		b.params = append(b.params, name+"="+p)
		out = append(out, `(`+kind+` (param "`+name+`"))`)
	}
	return strings.Join(out, " ")
}

// rule adds a rule; one whose filters are empty would hold for everything and is
// left out.
func (b *seatbelt) rule(what, filters string) {
	if filters != "" {
		b.rules.WriteString("(" + what + " " + filters + ")\n")
	}
}

// profile says what the processes of the sandbox may do. Paths are real ones.
func (s *Sandbox) profile() *seatbelt {
	b := &seatbelt{}
	b.rules.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	var inside, outside []string
	for _, h := range s.o.Hidden {
		if real := realPath(h); s.root(real) != "" {
			inside = append(inside, real)
		} else {
			outside = append(outside, real)
		}
	}
	b.rule("deny file-read*", b.subpaths(outside))
	b.rule("allow file-read* file-write*", b.subpaths(s.writable))
	b.rule("allow file-write*", `(literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") `+
		`(literal "/dev/dtracehelper") (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd")`)
	var kept, ways []string
	for _, name := range s.o.ReadOnly {
		if real := realPath(name); s.root(real) != "" {
			kept, ways = append(kept, real), append(ways, s.way(real)...)
		}
	}
	for _, name := range inside {
		ways = append(ways, s.way(name)...)
	}
	b.rule("deny file-write*", b.subpaths(kept))
	b.rule("deny file-read* file-write*", b.subpaths(inside))
	b.rule("deny file-write-unlink", b.filters("literal", ways)) // nor moved away with what they hold
	s.network(b)
	b.rules.WriteString("(deny appleevent-send)\n(deny lsopen)\n(deny job-creation)\n(deny signal)\n(allow signal (target same-sandbox))\n")
	return b
}

// way are the directories between a writable one and name.
func (s *Sandbox) way(name string) []string {
	root := s.root(name)
	var dirs []string
	for dir := filepath.Dir(name); dir != root && within(dir, root); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// network closes the network, or only the sockets in the file system by which
// services of this machine are asked for things.
func (s *Sandbox) network(b *seatbelt) {
	sockets := s.o.Sockets
	if s.o.Network {
		b.rules.WriteString("(deny network-outbound (remote unix-socket))\n")
		sockets = append([]string{"/private/var/run/mDNSResponder"}, sockets...) // names of hosts
	} else {
		b.rules.WriteString("(deny network*)\n")
		for _, dir := range s.writable {
			b.rule("allow network-bind", `(local unix-socket `+b.subpaths([]string{dir})+`)`)
		}
	}
	for _, name := range append(append([]string{}, s.writable...), sockets...) {
		b.rule("allow network-outbound", `(remote unix-socket `+b.subpaths([]string{realPath(name)})+`)`)
	}
}

// seatbeltProgram applies a profile and becomes a program.
const seatbeltProgram = "/usr/bin/sandbox-exec"

// seatbeltArgv is the command line that runs argv under the profile.
func (s *Sandbox) seatbeltArgv(argv []string) []string {
	b := s.profile()
	out := []string{seatbeltProgram, "-p", b.rules.String()}
	for _, p := range b.params {
		out = append(out, "-D", p)
	}
	return append(out, argv...)
}
