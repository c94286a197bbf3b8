package shellrisk

import (
	"path"
	"slices"
	"strings"

	"hermes-tui/tools"
)

// secretFiles tells by name which files hold keys or passwords.
type secretFiles = *tools.Secrets

// holds reports whether a file holds keys or passwords.
func (p *prover) holds(file string) bool {
	if p.secrets == nil {
		p.secrets = p.set.secrets()
	}
	return p.secrets.Holds(file) != ""
}

// placed gives the paths that a word names in each folder where the command may be.
func (p *prover) placed(a arg) []string {
	if strings.HasPrefix(a.text, "/") {
		return []string{a.text}
	}
	var out []string
	for _, dir := range p.dirs {
		out = append(out, dir+"/"+a.text)
	}
	return out
}

// everywhere reports whether a path, as it is named and where its links lead, is
// all right in each folder where the command may be.
func (p *prover) everywhere(a arg, right func(file string) bool) bool {
	p.files = true
	if hasHole(a.text) || a.pat != "" || len(a.text) > maxText {
		return false
	}
	return !slices.ContainsFunc(p.placed(a), func(raw string) bool {
		named := realPrivate(path.Clean(raw))
		if special(named) {
			return !p.openSpecial(named)
		}
		if strings.Contains(raw, numeral) || !right(named) {
			return true
		}
		if p.set.Resolve == nil {
			return false
		}
		real, ok := p.set.Resolve(raw)
		real = realPrivate(path.Clean(real))
		return !ok || special(real) || !right(real)
	})
}

// reads reports whether a word names a file that may be read, or the input.
func (p *prover) reads(a arg) bool { return a.text == "-" || p.everywhere(a, p.open) }

// readsTree reports whether a word names a file or folder that may be read with
// all that is below.
func (p *prover) readsTree(a arg) bool {
	return a.text == "-" || p.everywhere(a, func(file string) bool { return p.open(file) && p.openTree(file) })
}

// shows reports whether a word names something of which the name, size and the
// like may be read.
func (p *prover) shows(a arg) bool {
	return p.everywhere(a, func(file string) bool { return !p.ofAgent(file) })
}

// special reports whether a path is among what the kernel makes up.
func special(file string) bool {
	switch firstElem(file) {
	case "dev", "proc", "sys":
		return true
	}
	return false
}

// openNames are what may be read of devices and of what the kernel tells.
var openNames = words(`/dev/null /dev/zero /dev/random /dev/urandom /dev/stdin /proc/cpuinfo /proc/meminfo /proc/loadavg /proc/uptime
	/proc/version /proc/mounts /proc/stat /proc/filesystems /proc/partitions /proc/swaps /proc/self/status /proc/self/mounts
	/proc/self/mountinfo /proc/self/cgroup /proc/self/limits /proc/sys/kernel/osrelease /proc/sys/kernel/hostname
	/proc/sys/fs/file-max /proc/sys/vm/swappiness /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max`)

func (p *prover) openSpecial(file string) bool {
	fd, ok := strings.CutPrefix(file, "/dev/fd/")
	return openNames[file] || ok && fd != "" && strings.Trim(fd, "0123456789"+numeral) == ""
}

// ofAgent reports whether a path is in the agent's own home.
func (p *prover) ofAgent(file string) bool {
	return slices.ContainsFunc(p.set.agentHomes(), func(home string) bool { return Within(file, home, true) })
}

// closedTop are top-level folders in which only parts are for anyone to read.
var closedTop = words(`var run root home users boot lost+found private library network cores inet`)

// openBelowHome are folders of programs in a home directory that begin with a dot.
var openBelowHome = strings.Fields(`.cargo/registry .rustup/toolchains .pyenv/versions .nvm/versions .local/lib .m2/repository`)

// open reports whether a file may be read: one of the workspace, of the system or
// an ordinary one elsewhere, that is not known to hold keys.
func (p *prover) open(file string) bool {
	if p.holds(file) || p.ofAgent(file) || likelySecret(file) {
		return false
	}
	if p.ownTree(file) {
		return true
	}
	if rest, ok := p.set.homeOf(file); ok {
		return Within(file, p.set.Home, p.set.FoldsCase) && openAtHome(rest)
	}
	e := elems(foldName(file))
	switch {
	case len(e) == 0:
		return true
	case e[0] == "var":
		return len(e) > 1 && (e[1] == "tmp" || e[1] == "folders")
	}
	return !closedTop[e[0]]
}

// ownTree reports whether a file is in the workspace or in scratch space. A
// workspace that holds a home directory is not for reading at will.
func (p *prover) ownTree(file string) bool {
	root := p.set.root()
	if root == "/" || Within(p.set.Home, root, p.set.FoldsCase) {
		return p.set.InScratch(file)
	}
	return p.set.Inside(file)
}

// openAtHome reports whether a path below the home directory is an ordinary one:
// no part of it is hidden.
func openAtHome(rest string) bool {
	for _, dir := range openBelowHome {
		if Within("/"+rest, "/"+dir, false) {
			return true
		}
	}
	first, _, _ := strings.Cut(rest, "/")
	return first != "Library" && first != "snap" && !strings.Contains("/"+rest, "/.")
}

// openTree reports whether what is below a folder may be read as well.
func (p *prover) openTree(dir string) bool {
	if Within(p.set.Home, dir, p.set.FoldsCase) || slices.ContainsFunc(p.set.agentHomes(), func(home string) bool { return Within(home, dir, true) }) {
		return false
	}
	if p.ownTree(dir) {
		return true
	}
	if _, ok := p.set.homeOf(dir); ok {
		return true
	}
	e := elems(foldName(dir))
	return len(e) > 0 && (e[0] == "usr" || e[0] == "opt" || len(e) > 1 && e[0] != "etc" && e[0] != "tmp" && e[0] != "var")
}

// secretNames are names of files, in whatever folder, that may well hold keys.
var secretNames = words(`.npmrc .yarnrc.yml .pypirc .netrc _netrc .pgpass .my.cnf .git-credentials .htpasswd .dockercfg
	.s3cfg .boto id_rsa id_dsa id_ecdsa id_ed25519 credentials credentials.json secrets.json secrets.yaml secrets.yml
	secrets.toml kubeconfig terraform.tfstate`)

// likelySecret reports whether a file is named like one with keys. One that is read
// in passing, with its folder, is not looked at.
func likelySecret(file string) bool {
	name := foldName(path.Base(file))
	switch path.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ovpn", ".ppk", ".asc":
		return true
	}
	return secretNames[name] || strings.HasSuffix(foldName(file), "/.git/config")
}

// globbed gives the names that a word with pattern signs stands for; not ok when
// they cannot be known.
func (p *prover) globbed(a arg) ([]arg, bool) {
	if a.pat == "" {
		return []arg{a}, true
	}
	if p.set.List == nil || strings.HasPrefix(a.pat, "-") {
		return nil, false
	}
	if hasHole(a.text) || strings.Contains(a.text, numeral) {
		return []arg{{text: hole, from: scattered}}, true
	}
	var out []arg
	for _, dir := range p.dirs {
		names, ok := p.set.matching(dir, a.pat, p.step)
		if !ok {
			return nil, false
		}
		if len(names) == 0 {
			out = append(out, arg{text: a.text})
		}
		for _, name := range names {
			out = append(out, arg{text: name})
		}
	}
	return out, true
}

// maxMatches bounds what a pattern stands for.
const maxMatches = 1000

// matching gives the names that match a pattern from a folder, element by element,
// as long as more steps are allowed. They may not be all that there are where it is
// not sure.
func (s Setting) matching(dir, pat string, step func() bool) (found []string, sure bool) {
	found, sure = []string{""}, true
	if strings.HasPrefix(pat, "/") {
		found[0], pat = "/", strings.TrimLeft(pat, "/")
	}
	for pat != "" {
		elem, rest, _ := strings.Cut(pat, "/")
		pat = strings.TrimLeft(rest, "/")
		if strings.HasPrefix(elem, ".") && hasPattern(elem) && matches(elem, "..") {
			sure = false // also the folder above, in some versions of bash
		}
		var next []string
		for _, base := range found {
			if !step() {
				return nil, false
			}
			if !hasPattern(elem) {
				next = append(next, base+unescape(elem, `*?[]\`)+slash(pat))
				continue
			}
			at := base
			if !strings.HasPrefix(base, "/") {
				at = dir + "/" + base
			}
			for _, name := range s.List(path.Clean(at)) {
				if strings.HasPrefix(name, ".") == strings.HasPrefix(elem, ".") && matches(elem, name) {
					next = append(next, base+name+slash(pat))
				}
			}
		}
		if found = next; len(found) > maxMatches {
			return nil, false
		}
	}
	return found, sure
}

func slash(rest string) string {
	if rest == "" {
		return ""
	}
	return "/"
}
