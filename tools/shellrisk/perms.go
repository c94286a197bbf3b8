package shellrisk

import (
	"strconv"
	"strings"
)

// chmod judges modes that let everybody write, or run with the owner's rights,
// and remembers what becomes executable.
func (c call) chmod() {
	mode, files, recursive := c.modeAndFiles()
	if mode.text == "" {
		return
	}
	shown := append([]string{c.name}, show(c.args)...)
	switch {
	case hasHole(mode.text):
		c.j.ask(CatPermissions, "sets permissions that cannot be known beforehand", shown...)
	case everybodyWrites(mode.text):
		c.j.ask(CatPermissions, "lets everybody write", shown...)
	case takesOwnersRights(mode.text):
		c.j.ask(CatPermissions, "makes a program run with its owner's rights", shown...)
	}
	for _, f := range files {
		if cat, _ := c.st.precious(f); recursive || cat != CatNone {
			c.recursiveChange(f, CatPermissions, shown)
		}
		if addsExecution(mode.text) {
			if f.pat != "" {
				f.text = openPattern(f.pat)
			}
			c.j.note(c.st, f, executable)
		}
	}
}

// modeAndFiles finds the mode, which may look like an option ("-x").
func (c call) modeAndFiles() (mode arg, files []arg, recursive bool) {
	for i, a := range c.args {
		switch {
		case a.text == "--":
		case strings.HasPrefix(a.text, "--"):
			recursive = recursive || strings.HasPrefix("--recursive", a.text)
			if strings.HasPrefix(a.text, "--reference") {
				return arg{}, nil, recursive
			}
		case len(a.text) > 1 && a.text[0] == '-' && strings.Trim(a.text[1:], "RcfvHLPh") == "":
			recursive = recursive || strings.Contains(a.text, "R")
		default:
			for _, f := range c.args[i+1:] {
				if f.text == "-R" || f.text == "--recursive" {
					recursive = true
				} else {
					files = append(files, f)
				}
			}
			return a, files, recursive
		}
	}
	return arg{}, nil, recursive
}

// recursiveChange asks about changing a whole tree of the system or a home.
func (c call) recursiveChange(f arg, cat Category, shown []string) {
	if precious, _ := c.st.precious(f); precious != CatNone {
		c.j.ask(cat, "changes a whole system or home directory", shown...)
		return
	}
	if file, ok := c.st.abs(f.text); ok {
		if z, _ := c.j.set.writeZone(file); z == zoneSystem || z == zoneSecret {
			c.j.ask(cat, "changes a tree of protected files", shown...)
		}
	}
}

// everybodyWrites reads a numeric or symbolic mode.
func everybodyWrites(mode string) bool {
	if n, err := strconv.ParseUint(mode, 8, 32); err == nil {
		return n&0o002 != 0
	}
	return symbolic(mode, "oa", "w")
}

// takesOwnersRights reports whether a mode sets the user or group id on running.
func takesOwnersRights(mode string) bool {
	if n, err := strconv.ParseUint(mode, 8, 32); err == nil {
		return n&0o6000 != 0
	}
	return symbolic(mode, "uga", "s") || strings.HasPrefix(mode, "+") && strings.Contains(mode, "s")
}

func addsExecution(mode string) bool {
	if n, err := strconv.ParseUint(mode, 8, 32); err == nil {
		return n&0o111 != 0
	}
	return symbolic(mode, "ugoa", "xX") || strings.HasPrefix(mode, "+") && strings.Contains(mode, "x")
}

// symbolic reports whether a mode like "u=rwx,o+w" gives one of the rights to one
// of the classes.
func symbolic(mode, classes, rights string) bool {
	for clause := range strings.SplitSeq(mode, ",") {
		i := strings.IndexAny(clause, "+-=")
		if i < 0 || !strings.ContainsAny(clause[:i], classes) {
			continue
		}
		op := byte(0)
		for k := i; k < len(clause); k++ {
			switch ch := clause[k]; {
			case strings.IndexByte("+-=", ch) >= 0:
				op = ch
			case op != '-' && strings.IndexByte(rights, ch) >= 0:
				return true
			}
		}
	}
	return false
}

// chown judges trees that are given to root, and those of the system.
func (c call) chown() {
	opts, operands := grammar{long: "from reference"}.parse(c.args)
	if !opts.has("-R", "--recursive") {
		return
	}
	shown := append([]string{c.name}, show(c.args)...)
	if len(operands) > 0 && c.name != "chgrp" && !opts.has("--reference") {
		owner, _, _ := strings.Cut(operands[0].text, ":")
		owner, _, _ = strings.Cut(owner, ".")
		if owner == "root" || owner == "0" || strings.HasPrefix(owner, hole) && operands[0].from&opaque != 0 {
			c.j.ask(CatOwnership, "gives a whole tree to another user", shown...)
		}
		operands = operands[1:]
	}
	for _, f := range operands {
		c.recursiveChange(f, CatOwnership, shown)
	}
}
