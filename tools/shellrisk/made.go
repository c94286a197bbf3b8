package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// links are the links that the command itself makes, by absolute path. A path may
// be made to lead to several places, one after the other or at once in the
// background. An empty target is not known.
type links map[string][]string

// maxLinks bounds the paths that one path may lead to.
const maxLinks = 16

// follow gives the paths to which a path may lead, itself first.
func (l links) follow(raw string) []string {
	out := []string{raw}
	if len(l) == 0 {
		return out
	}
	for k := 0; k < len(out) && len(out) < maxLinks; k++ {
		at := out[k]
		for i := 1; i <= len(at); i++ {
			if i < len(at) && at[i] != '/' {
				continue
			}
			for _, target := range l[realPrivate(path.Clean(at[:i]))] {
				if target == "" {
					target = "/" + hole
				}
				if led := target + at[i:]; !slices.Contains(out, led) && len(led) < maxText {
					out = append(out, led)
				}
			}
		}
	}
	return out[:min(len(out), maxLinks)]
}

// link notes that name leads to target.
func (l links) link(name, target string) {
	if !slices.Contains(l[name], target) && len(l[name]) < maxLinks {
		l[name] = append(l[name], target)
	}
}

// linked notes what ln, cp and mv make of a name: a link to the source, or where a
// link is copied or moved, another one to the same place.
func (c call) linked(opts options, source, name arg) {
	file, ok := c.st.abs(name.text)
	if !ok || hasHole(file) {
		return
	}
	from, known := c.st.abs(source.text)
	if !known || !source.known() {
		from = ""
	}
	c.j.made[file] |= c.j.made[from] & (fromDownload | written | executable)
	if text, ok := c.j.texts[from]; ok {
		c.j.texts[file] = text
	}
	symbolic := opts.has("-s", "--symbolic", "--symbolic-link")
	switch {
	case symbolic && from != "" && !strings.HasPrefix(source.text, "/") && !opts.has("-r", "--relative"):
		c.j.set.links.link(file, path.Join(path.Dir(file), source.text))
	case symbolic || c.name == "ln" || c.name == "gln" || opts.has("-l", "--link"):
		c.j.set.links.link(file, from)
	}
	for old, targets := range c.j.set.links {
		if rest, ok := strings.CutPrefix(old, from); from != "" && from != file && ok && (rest == "" || rest[0] == '/') {
			for _, target := range targets {
				c.j.set.links.link(file+rest, target)
			}
		}
	}
}
