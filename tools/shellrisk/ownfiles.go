package shellrisk

import "strings"

// showing are programs that write no file, whatever their arguments.
var showing = words(`ls cat head tail wc pwd echo printf stat du df basename dirname realpath readlink cd true false test [ cmp diff
	comm cut tr nl tac rev od hexdump strings md5sum sha1sum sha256sum sha512sum cksum grep egrep fgrep rg pushd popd sleep :`)

// ownFiles notes that the program works in the agent's own folder, or that a word or
// the input that it is given names a file there.
func (c call) ownFiles() {
	home := c.j.set.hermesHome()
	if c.j.seen == nil || showing[c.name] || home == "/" {
		return
	}
	own := func(file string) bool {
		real, ok := c.j.set.real(file)
		return Within(file, home, c.j.set.FoldsCase) || ok && Within(real, home, c.j.set.FoldsCase)
	}
	if c.st.cwd != "" && own(c.st.cwd) {
		c.j.isOwn(c.name)
		return
	}
	for _, a := range append([]arg{{text: c.in.text}}, c.args...) {
		a.text = strings.ReplaceAll(a.text, "~/", c.j.set.Home+"/") // as programs follow it themselves
		for _, file := range c.j.named(c.st, a) {
			if own(file) {
				c.j.isOwn(c.name, a.show())
				return
			}
		}
	}
}

// isOwn notes words by which the agent's own files may be changed.
func (j *judge) isOwn(words ...string) {
	j.noted(CatAgentConfig)
	j.seen.own = append(j.seen.own, words...)
}
