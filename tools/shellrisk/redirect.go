package shellrisk

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects judges the redirects of a statement and gives what it reads.
func (j *judge) redirects(list []*syntax.Redirect, st *state, in input) input {
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			a := j.document(st, r.Hdoc)
			in = input{doc: true, text: a.text, known: !hasHole(a.text), download: a.from&fromDownload != 0}
		case syntax.WordHdoc:
			a := j.value(st, r.Word)
			in = input{doc: true, text: a.text + "\n", known: !hasHole(a.text), download: a.from&fromDownload != 0}
		case syntax.RdrIn:
			in = j.readFrom(st, r, in)
		case syntax.DplIn, syntax.DplOut:
			if a := j.value(st, r.Word); r.Op == syntax.DplOut && !descriptor(a.text) {
				j.redirectTo(st, a)
			}
		default:
			for _, a := range j.expand(st, r.Word) {
				j.redirectTo(st, a)
			}
		}
	}
	return in
}

// descriptor reports whether the word after >& is a number or a dash, not a file.
func descriptor(s string) bool {
	return s != "" && strings.Trim(s, "0123456789-") == ""
}

// readFrom judges "< file".
func (j *judge) readFrom(st *state, r *syntax.Redirect, in input) input {
	for _, a := range j.expand(st, r.Word) {
		j.network(a)
		j.readsKeys(st, a)
		in = input{file: a.text, download: a.from&fromDownload != 0}
		if a.from&fromProcess != 0 {
			in.piped = true
		}
	}
	return in
}

// network asks about the files by which bash opens connections.
func (j *judge) network(a arg) bool {
	if strings.HasPrefix(a.text, "/dev/tcp/") || strings.HasPrefix(a.text, "/dev/udp/") {
		j.ask(CatRemoteExec, "connects the shell to the network", a.show())
		return true
	}
	return false
}

// redirectTo judges a redirect that writes.
func (j *judge) redirectTo(st *state, a arg) {
	if !a.known() {
		j.loosen()
	}
	if j.network(a) || a.from&fromProcess != 0 {
		return
	}
	j.writes(st, a)
	j.note(st, a, written)
}

// note remembers that the command itself makes a file.
func (j *judge) note(st *state, a arg, what origin) {
	if file, ok := st.abs(a.text); ok {
		j.made[file] |= what
	}
}

// writes asks about a file that a command would write, when where it is makes
// it dangerous.
func (j *judge) writes(st *state, a arg) {
	if a.opens() {
		j.ask(CatObfuscated, "writes to a file that cannot be known beforehand", a.show())
		return
	}
	raw, ok := st.raw(a.opened())
	if !ok {
		j.writesSomewhere(a)
		return
	}
	named, _ := st.abs(a.opened())
	leads := j.set.reals(raw)
	if len(leads) == 0 || strings.HasPrefix(named, "/dev/") {
		leads = append(leads, named)
	}
	for _, led := range leads {
		if strings.HasPrefix(led, "/"+hole) {
			j.ask(CatObfuscated, "writes to a file that cannot be known beforehand", a.show())
			continue
		}
		z, reason := j.set.writeZone(led)
		j.writesTo(z, reason, a)
		if !hasHole(led) && j.set.otherName(led) {
			j.ask(CatSensitiveFile, otherNameReason, a.show())
		}
		if z, reason, fixed := j.set.fixedZone(named); fixed && led != named {
			j.writesTo(z, reason, a)
		}
	}
}

// writesSomewhere judges a file in a folder that is not known: by its elements,
// and as if the folder were a home.
func (j *judge) writesSomewhere(a arg) {
	if z, reason := j.set.writeZone(a.text); z != zoneFree {
		j.writesTo(z, reason, a)
		return
	}
	if z, reason, ok := homeZone(foldName(path.Clean(a.text))); ok && !hasHole(a.text) {
		j.writesTo(z, reason, a)
		return
	}
	if j.set.Workspace != "" {
		j.ask(CatOutside, "writes in a folder that cannot be known beforehand", a.show())
	}
}

// writesTo asks about writing in a zone.
func (j *judge) writesTo(z zone, reason string, a arg) {
	switch z {
	case zoneDevice:
		j.block(CatRawDisk, "writes to a disk device", a.show())
	case zonePower:
		j.block(CatPower, "makes the kernel stop the machine", a.show())
	case zoneFree:
	case zoneOutside:
		if j.set.Workspace != "" {
			j.ask(CatOutside, "writes outside the workspace", a.show())
		}
	default:
		j.ask(z.category(), reason, a.show())
	}
}

// otherNameReason says what is dangerous about a file with several names.
const otherNameReason = "changes a file that has another name, which may be one of the protected ones"

// otherName reports whether a file outside the scratch space has another name.
func (s Setting) otherName(file string) bool {
	return s.Linked != nil && !s.InScratch(file) && s.Linked(file)
}
