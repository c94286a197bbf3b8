package shellrisk

import (
	"path"
	"strings"
)

// tee judges the files that get a copy of the input.
func (c call) tee() {
	opts, targets := grammar{}.parse(c.args)
	for _, t := range targets {
		c.writesFile(t)
		if file, ok := c.st.abs(t.text); ok && !hasHole(file) {
			c.j.wrote(output{file, opts.has("-a", "--append")}, c.in.text, c.in.known)
		}
	}
}

// writesFile judges a file that the command writes, and remembers it.
func (c call) writesFile(t arg) {
	if t.from&fromProcess != 0 {
		return
	}
	c.j.writes(c.st, t)
	what := written
	if c.in.download {
		what |= fromDownload
	}
	c.j.note(c.st, t, what)
}

// copy judges cp, mv, install, ln and the copying programs of the network.
func (c call) copy() {
	if c.name == "scp" || c.name == "rsync" {
		c.transfer()
		return
	}
	g := grammar{short: "tSgom", long: "target-directory suffix group owner mode strip-program"}
	opts, operands := g.parse(c.args)
	var (
		sources []arg
		target  arg
		folder  bool
	)
	if o, ok := opts.get("-t", "--target-directory"); ok {
		sources, target, folder = operands, o.value, true
	} else if c.name == "install" && opts.has("-d", "--directory") {
		for _, t := range operands {
			c.j.writes(c.st, t)
		}
		return
	} else if len(operands) > 1 {
		sources, target = operands[:len(operands)-1], operands[len(operands)-1]
		folder = len(sources) > 1
	} else if c.name == "ln" && len(operands) == 1 {
		sources, target, folder = operands, literalArg("."), true
	} else {
		return
	}
	c.writesInto(sources, target, folder)
	for _, s := range sources {
		c.linked(opts, s, arg{text: path.Join(target.text, path.Base(s.text)), from: target.from})
		if !folder {
			c.linked(opts, s, target)
		}
	}
	if c.name == "mv" || c.name == "gmv" {
		c.movesAway(sources)
	}
	if o, ok := opts.get("--strip-program"); ok {
		c.j.ask(CatIndirectExec, "runs another program", c.name, o.name)
	}
}

// writesInto judges a target, which may be a file or a folder that gets files
// with the names of the sources.
func (c call) writesInto(sources []arg, target arg, folder bool) {
	if !folder {
		c.j.writes(c.st, target)
	}
	if target.pat != "" || !folder && path.Ext(target.text) != "" && !strings.HasSuffix(target.text, ".") {
		return // a name with an ending is a file
	}
	for _, s := range sources {
		name := path.Base(s.text)
		if strings.HasPrefix(name, hole) {
			continue // a name like any other, most of the time
		}
		c.j.writes(c.st, arg{text: path.Join(target.text+"/", name), from: target.from})
	}
}

// movesAway judges the sources of mv, which are gone afterwards.
func (c call) movesAway(sources []arg) {
	for _, s := range sources {
		if cat, reason := c.st.precious(s); cat != CatNone {
			c.j.block(cat, reason, c.name, s.show())
			continue
		}
		if file, ok := c.st.abs(s.text); ok {
			switch z, _ := c.j.set.writeZone(file); z {
			case zoneSystem, zoneSecret, zoneAgent:
				c.j.ask(z.category(), "moves a protected file away", c.name, s.show())
			}
		}
	}
}

// transfer judges scp and rsync: what is sent elsewhere, deleted or replaced.
func (c call) transfer() {
	g := grammar{
		short: "cDFiJloPSXefBTM",
		long: "rsh rsync-path exclude include exclude-from include-from files-from filter backup-dir suffix temp-dir " +
			"compare-dest copy-dest link-dest write-batch only-write-batch read-batch log-file password-file port bwlimit max-size min-size out-format chmod chown",
	}
	opts, operands := g.parse(c.args)
	for _, o := range opts {
		switch {
		case o.name == "-e" && c.name == "rsync" || o.is("--rsh"):
			if !strings.HasPrefix(o.value.text, "ssh") || strings.Contains(o.value.text, "ommand") {
				c.j.ask(CatIndirectExec, "runs another program", c.name, o.value.show())
			}
		case c.name == "rsync" && o.given && o.is("--log-file", "--write-batch", "--only-write-batch", "--backup-dir"):
			c.writesFile(o.value)
		case o.name == "--rsync-path", o.name == "-S" && c.name == "scp", o.name == "-o" && sshRuns(o.value.text):
			c.j.ask(CatIndirectExec, "runs another program", c.name, o.name)
		case strings.HasPrefix(o.name, "--del") || o.is("--remove-source-files"):
			if !opts.rehearses("-n", "--dry-run") {
				c.j.ask(CatDelete, "deletes files that are missing in the other place", c.name, o.name)
			}
		}
	}
	if len(operands) < 2 {
		return
	}
	target := operands[len(operands)-1]
	if remotePath(target.text) {
		c.j.ask(CatExfiltration, "sends files to another machine", append([]string{c.name}, show(operands)...)...)
		return
	}
	for _, a := range operands[:len(operands)-1] {
		if remotePath(a.text) {
			c.netArgs([]arg{a})
			c.j.note(c.st, target, written|fromDownload)
			_, name, _ := strings.Cut(a.text, ":")
			c.j.note(c.st, arg{text: path.Join(target.text, path.Base(name))}, written|fromDownload)
		}
	}
	c.writesInto(operands[:len(operands)-1], target, false)
}

// remotePath tells host:path and rsync:// from local names.
func remotePath(s string) bool {
	before, _, ok := strings.Cut(s, ":")
	return ok && before != "" && !strings.Contains(before, "/")
}

// writer judges programs that write files named in other ways.
func (c call) writer() {
	switch c.name {
	case "dd":
		for _, a := range c.args {
			if file, ok := strings.CutPrefix(a.text, "of="); ok {
				a.text, a.pat = file, ""
				c.writesFile(a)
			}
		}
		return
	case "uniq":
		if _, operands := (grammar{short: "fsw"}).parse(c.args); len(operands) > 1 {
			c.writesFile(operands[1])
		}
		return
	case "patch":
		opts, operands := grammar{short: "BbdDgFiopVYz", long: "directory input output strip"}.parse(c.args)
		for _, name := range []string{"-o", "--output"} {
			if o, ok := opts.get(name); ok {
				c.writesFile(o.value)
			}
		}
		if len(operands) > 0 {
			c.j.writes(c.st, operands[0])
		}
		return
	}
	g := grammar{short: "smrdtblnaCZ", long: "size reference date mode bytes lines number"}
	if c.name == "split" || c.name == "csplit" {
		if opts, _ := g.parse(c.args); opts.has("--filter") {
			c.j.ask(CatIndirectExec, "runs another program", c.name, "--filter")
		}
		return
	}
	_, operands := g.parse(c.args)
	for _, t := range operands {
		if c.name == "truncate" || c.name == "fallocate" {
			c.writesFile(t)
			continue
		}
		c.makes(t)
		if c.name != "touch" {
			c.j.note(c.st, t, written)
		}
	}
}

// makes judges touch, mkdir and the like: only where the mere presence of a file
// matters.
func (c call) makes(t arg) {
	file, ok := c.st.abs(t.text)
	if !ok {
		return
	}
	z, reason := c.j.set.writeZone(file)
	switch {
	case z == zoneSystem || z == zoneSecret:
		c.j.ask(z.category(), reason, c.name, t.show())
	case file == "/":
		c.j.ask(CatSystemConfig, "writes to the system's files", c.name, t.show())
	}
}

// unpack judges the folder that an archive is unpacked to, and what is deleted once
// it is in one.
func (c call) unpack() {
	opts, operands := grammar{short: "CdfTXbgHIFKLNV", long: "directory file exclude files-from one-top-level use-compress-program"}.parse(c.args)
	if strings.HasSuffix(c.name, "tar") && opts.has("--remove-files") {
		c.deletes(operands, 0, c.name, "--remove-files")
	}
	for _, o := range opts {
		if o.given && (o.name == "-C" || o.name == "-d" || o.is("--directory", "--one-top-level")) {
			c.makes(arg{text: o.value.text + "/.", from: o.value.from})
		}
		if (o.name == "-P" || o.is("--absolute-names")) && strings.HasSuffix(c.name, "tar") {
			c.j.ask(CatOutside, "may write anywhere", c.name, o.name)
		}
	}
}

// zip judges the files that zip moves into an archive: they are gone afterwards.
func (c call) zip() {
	opts, operands := grammar{short: "bnPstxiOZ", long: "out temp-path suffixes password split-size"}.parse(c.args)
	if len(operands) > 1 && opts.has("-m", "--move") {
		c.deletes(operands[1:], 0, c.name, "-m")
	}
}

// cmakeTools are the commands of cmake -E that do what other programs do.
var cmakeTools = map[string]string{
	"rm": "rm", "remove": "rm", "remove_directory": "rm -r", "copy": "cp", "copy_directory": "cp -r", "copy_if_different": "cp",
	"rename": "mv", "create_symlink": "ln -s", "create_hardlink": "ln", "env": "env", "time": "time", "touch": "touch", "make_directory": "mkdir",
}

// cmake judges the tools in it.
func (c call) cmake() {
	if len(c.args) < 2 || c.args[0].text != "-E" {
		return
	}
	tool, rest := c.args[1].text, c.args[2:]
	if tool == "chdir" && len(rest) > 0 {
		tool, rest = "env", append([]arg{literalArg("-C")}, rest...)
	} else if tool = cmakeTools[tool]; tool == "" {
		return
	}
	var words []arg
	for w := range strings.FieldsSeq(tool) {
		words = append(words, literalArg(w))
	}
	c.j.command(c.st, append(words, rest...), c.in)
}
