package shellrisk

import (
	"path"
	"strings"
)

// remove judges rm and the like.
func (c call) remove() {
	g := grammar{}
	if c.name == "shred" {
		g = grammar{short: "ns", long: "iterations size random-source"}
	}
	opts, targets := g.parse(c.args)
	if opts.has("--help", "--version") {
		return
	}
	shown := append([]string{c.name}, show(c.args)...)
	recursive := c.name != "rmdir" && opts.has("-r", "-R", "--recursive") || c.name == "srm" || c.name == "wipe"
	for _, t := range targets {
		c.deleteTarget(t, shown)
	}
	switch {
	case c.name == "rmdir":
	case recursive && len(targets) > 0:
		c.j.ask(CatDelete, "deletes folders with all they hold", shown...)
	case c.name == "shred" && len(targets) > 0:
		c.j.ask(CatDelete, "destroys files beyond recovery", shown...)
	}
}

// deletes judges the deletion of everything below some places.
func (c call) deletes(roots []arg, from origin, shown ...string) {
	for _, r := range roots {
		r.from |= from
		c.deleteTarget(r, append(shown, r.show()))
	}
}

// deleteTarget judges one name that is deleted, as it is written and as it is
// when the links before its last element are followed.
func (c call) deleteTarget(t arg, shown []string) {
	if cat, reason := c.st.precious(t); cat != CatNone {
		c.j.block(cat, reason, shown...)
		return
	}
	file, ok := c.st.abs(t.text)
	for _, led := range c.followed(t) {
		if cat, reason := c.st.precious(led); cat != CatNone {
			c.j.block(cat, reason, shown...)
			return
		}
		if file = led.text; ok && !c.j.set.Inside(file) {
			break
		}
	}
	if ok && history(elems(foldName(file))) {
		c.j.ask(CatGitDestructive, "deletes a repository's history", shown...)
	}
	if ok && c.name == "shred" && deviceOnDisk(file) {
		c.j.block(CatRawDisk, "writes to a disk device", shown...)
		return
	}
	switch {
	case t.from&dynamic != 0 || hasHole(t.text) && t.pat == "":
		c.j.ask(CatDelete, "deletes files that cannot be known beforehand", shown...)
	case ok && c.j.set.InScratch(file):
	case !ok:
		c.j.ask(CatDelete, "deletes in a folder that cannot be known beforehand", shown...)
	case !c.j.set.Inside(file) || file == c.j.set.root():
		c.j.ask(CatDelete, "deletes outside the workspace", shown...)
	case t.pat != "" && matchesAll(path.Base(t.pat)):
		c.j.ask(CatDelete, "deletes every file of a folder", shown...)
	}
}

// history reports whether a path is a repository's folder, or what in it keeps the
// commits.
func history(e []string) bool {
	n := len(e)
	if n > 0 && e[n-1] == ".git" {
		return true
	}
	if n < 2 || e[n-2] != ".git" {
		return false
	}
	switch e[n-1] {
	case "objects", "refs", "logs", "HEAD", "head", "packed-refs":
		return true
	}
	return false
}

// followed is a word with the links before its last element followed. The last
// one itself is what is deleted, unless it cannot be a link.
func (c call) followed(t arg) []arg {
	raw, ok := c.st.raw(t.text)
	if !ok {
		return nil
	}
	dir, last := cutLast(raw)
	if last == "" || last == "." || last == ".." {
		dir, last = raw, ""
	}
	var out []arg
	for _, real := range c.j.set.reals(dir) {
		led := arg{text: joinPath(real, last), from: t.from}
		if t.pat != "" {
			led.pat = escapePattern(real) + "/" + path.Base(t.pat)
		}
		out = append(out, led)
	}
	return out
}

func deviceOnDisk(file string) bool {
	z, _, ok := deviceZone(file)
	return strings.HasPrefix(file, "/dev/") && ok && z == zoneDevice
}

// topFolders are the top-level directories without which a system is lost.
var topFolders = strings.Fields(`home root etc usr var bin sbin boot lib Users System Library`)

// homeParents are the directories that hold home directories.
var homeParents = []string{"home", "Users"}

// precious reports whether a name stands for the root, a system folder or a home,
// or for everything right inside one of them. The name may be a pattern.
func (st *state) precious(t arg) (Category, string) {
	e, ok := st.patternElems(t)
	if !ok {
		return CatNone, ""
	}
	if n := len(e); n > 0 && t.pat != "" && matchesAll(e[n-1]) {
		e = e[:n-1]
		if cat, reason := st.preciousElems(e); cat != CatNone {
			return cat, reason
		}
		return CatNone, ""
	}
	return st.preciousElems(e)
}

func (st *state) preciousElems(e []string) (Category, string) {
	if len(e) == 0 {
		return CatDeleteRoot, "deletes the whole system"
	}
	if len(e) > 1 && e[0] == "private" {
		e = e[1:]
	}
	if st.isHome(e) {
		return CatDeleteHome, "deletes a home directory"
	}
	if len(e) == 1 && !strings.Contains(e[0], hole) {
		for _, top := range topFolders {
			if matches(e[0], top) {
				if top == "root" {
					return CatDeleteHome, "deletes a home directory"
				}
				return CatDeleteSystem, "deletes a system directory"
			}
		}
	}
	return CatNone, ""
}

// isHome reports whether the elements are a home directory, or a folder that
// holds the user's.
func (st *state) isHome(e []string) bool {
	if len(e) == 2 {
		for _, parent := range homeParents {
			if matches(e[0], parent) && !strings.Contains(e[0], hole) {
				return true
			}
		}
	}
	home := elems(st.set.Home)
	if len(home) == 0 || len(e) > len(home) || len(e) == 1 && len(home) > 1 && isTop(home[0]) {
		return false
	}
	for i := range e {
		if strings.Contains(e[i], hole) || !matches(e[i], home[i]) {
			return false
		}
	}
	return true
}

func isTop(name string) bool {
	for _, top := range topFolders {
		if top == name {
			return true
		}
	}
	return false
}

// patternElems gives the elements of the absolute path a word stands for, as
// patterns. "." and ".." are worked out.
func (st *state) patternElems(t arg) ([]string, bool) {
	pat := t.pat
	if pat == "" {
		pat = escapePattern(t.text)
	}
	if raw, ok := st.raw(pat); ok && strings.HasPrefix(pat, "/proc/") {
		pat = raw
	}
	if !strings.HasPrefix(pat, "/") {
		if st.cwd == "" || strings.HasPrefix(pat, hole) {
			return nil, false
		}
		pat = escapePattern(st.cwd) + "/" + pat
	}
	var out []string
	for _, e := range elems(pat) {
		switch {
		case e == ".":
		case e == "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, e)
		}
	}
	return out, true
}
