package shellrisk

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// changeDir follows cd, pushd and popd.
func (c call) changeDir() {
	switch c.name {
	case "pushd":
		c.pushd()
	case "popd":
		c.popd()
	default:
		c.cd()
	}
}

func (c call) cd() {
	physical := c.st.physical
	args := c.args
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' {
		text := args[0].text
		args = args[1:]
		if text == "--" {
			break
		}
		if p, l := strings.LastIndexByte(text, 'P'), strings.LastIndexByte(text, 'L'); p != l {
			physical = p > l
		}
	}
	switch {
	case len(args) == 0:
		home, _ := c.st.home()
		c.enters(home, physical)
	case args[0].text == "-":
		c.enters(c.st.previous(), physical)
	case args[0].text == "":
		c.st.status = statusOK
	case !args[0].known():
		c.enters("", physical)
	default:
		c.enters(args[0].text, physical)
	}
}

// previous is where cd - leads.
func (st *state) previous() string {
	v, ok := st.lookup("OLDPWD")
	if !ok || len(v.list) != 1 || hasHole(v.list[0]) {
		return ""
	}
	return v.list[0]
}

// enters changes the folder, in all ways in which that may go: to a folder in
// CDPATH, or not at all when it may be missing. An empty name makes it unknown.
func (c call) enters(name string, physical bool) {
	stays := c.st.clone()
	var more []*state
	for _, dir := range c.searched(name) {
		other := c.st.clone()
		other.enter(c.place(other, joinPath(dir, name), physical))
		other.status = statusOK
		more = append(more, other)
	}
	dir := c.place(c.st, name, physical)
	sure := name != "" && dir != "" && len(more) == 0 && c.present(dir)
	c.st.enter(dir)
	c.st.status = statusOK
	if !sure {
		stays.status = statusFailed
		more = append(more, stays)
	}
	c.st.join(more...)
}

// searched are the folders in which cd looks for a name first.
func (c call) searched(name string) []string {
	first, _, _ := strings.Cut(name, "/")
	if name == "" || first == "" || first == "." || first == ".." {
		return nil
	}
	v, ok := c.st.lookup("CDPATH")
	if !ok || len(v.list) != 1 || v.list[0] == "" {
		return nil
	}
	var dirs []string
	for dir := range strings.SplitSeq(v.list[0], ":") {
		if dir != "" && dir != "." && len(dirs) < maxWorlds {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// place is the folder that a name leads to, empty when it is not known.
func (c call) place(st *state, name string, physical bool) string {
	raw, ok := st.raw(name)
	if !ok || name == "" || hasHole(name) {
		return ""
	}
	if physical {
		if real, followed := c.j.set.real(raw); followed {
			return real
		}
	}
	dir, _ := st.abs(name)
	return dir
}

// present reports whether a folder is taken to be there: it is, the command has
// made it, or nothing is known about folders.
func (c call) present(dir string) bool {
	for _, known := range []string{c.st.cwd, c.j.set.Home, c.j.set.root()} {
		if Within(known, dir, c.j.set.FoldsCase) {
			return true
		}
	}
	for made := range c.j.made {
		if Within(made, dir, c.j.set.FoldsCase) {
			return true
		}
	}
	return c.j.set.List == nil || slices.Contains(c.j.set.List(path.Dir(dir)), path.Base(dir))
}

// stackIndex reads +N and -N of a list with n entries.
func stackIndex(text string, n int) (int, bool) {
	if len(text) < 2 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	i, err := strconv.Atoi(text[1:])
	if err != nil {
		return 0, false
	}
	if text[0] == '-' {
		i = n - 1 - i
	}
	return i, true
}

// stackArgs takes -n off the arguments of pushd and popd.
func (c call) stackArgs() (args []arg, moves bool) {
	moves = true
	for _, a := range c.args {
		switch a.text {
		case "-n":
			moves = false
		case "--":
		default:
			args = append(args, a)
		}
	}
	return args, moves
}

// pushd puts a folder on the stack, or turns the stack round.
func (c call) pushd() {
	args, moves := c.stackArgs()
	st := c.st
	all := append([]string{st.cwd}, st.stack...)
	i, turns := 1, len(args) == 0
	if !turns {
		i, turns = stackIndex(args[0].text, len(all))
	}
	switch {
	case turns && (i < 0 || i >= len(all)):
		st.status = statusFailed
	case turns && moves:
		st.stack = nil
		if len(args) == 0 {
			all[0], all[1] = all[1], all[0]
			i = 0
		}
		st.enter(all[i])
		st.stack = slices.Concat(all[i+1:], all[:i])
	case turns:
		st.stack = slices.Concat(all[i+1:], all[:i])
	case !moves:
		dir, ok := st.abs(args[0].text)
		if !ok || !args[0].known() {
			dir = ""
		}
		st.stack = append([]string{dir}, st.stack...)
	default:
		before := st.cwd
		inner := c
		inner.args = args
		inner.cd()
		for _, w := range append([]*state{st}, st.forks...) {
			if w.status != statusFailed {
				w.stack = append([]string{before}, w.stack...)
			}
		}
	}
}

// popd takes a folder off the stack.
func (c call) popd() {
	args, moves := c.stackArgs()
	st := c.st
	i := 0
	if len(args) > 0 {
		var ok bool
		if i, ok = stackIndex(args[0].text, len(st.stack)+1); !ok {
			st.enter("")
			return
		}
	}
	switch {
	case len(st.stack) == 0 || i < 0 || i > len(st.stack):
		st.status = statusFailed
	case i > 0:
		st.stack = slices.Concat(st.stack[:i-1], st.stack[i:])
	default:
		if moves {
			st.enter(st.stack[0])
		}
		st.stack = slices.Clone(st.stack[1:])
	}
}
