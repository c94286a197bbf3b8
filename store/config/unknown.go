package config

import (
	_ "embed"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-tui/tools/spelling"
)

// knownText lists the keys of others, see the head of the file.
//
//go:embed known.txt
var knownText string

// known is the tree of the keys of others. A key without entries below is known
// with whatever is in it.
type known struct {
	below map[string]*known
	// why says why the key has no effect here, where someone could rely on it.
	why string
}

func knownKeys() *known {
	root := &known{}
	for line := range strings.Lines(knownText) {
		path, why, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path == "" || path == "#" {
			continue
		}
		at := root
		for name := range strings.SplitSeq(strings.TrimSuffix(path, ".*"), ".") {
			if at.below[name] == nil {
				if at.below == nil {
					at.below = map[string]*known{}
				}
				at.below[name] = &known{}
			}
			at = at.below[name]
		}
		at.why = why
	}
	return root
}

// at finds the entries below a path, nil when the path is not known.
func (k *known) at(path []string) *known {
	for _, name := range path {
		below := k.below[name]
		if below == nil {
			below = k.below["*"]
		}
		if k = below; k == nil {
			return &known{}
		}
	}
	return k
}

// foreign passes over a setting that is not the program's own, and warns of it,
// or of what is in it, when no one knows it. siblings are the program's own
// settings beside it.
func (d *decoder) foreign(p pair, path []string, siblings []*field) {
	if d.others == nil {
		d.others = knownKeys()
	}
	key := target(p.key)
	beside := d.others.at(path)
	below := beside.below[key.Value]
	if below == nil || key.Kind != yaml.ScalarNode {
		d.warnUnknown(p.key, path, siblings, beside)
		return
	}
	if below.why != "" && len(d.warnings) < maxWarnings {
		d.warnings = append(d.warnings, Warning{File: d.file, Line: p.key.Line, Column: p.key.Column, Key: printable(join(path, key.Value)), Problem: "has no effect here: " + below.why})
	}
	value := target(p.value)
	if len(below.below) == 0 || value.Kind != yaml.MappingNode {
		return
	}
	path = append(path[:len(path):len(path)], key.Value)
	for _, child := range pairs(value) {
		d.foreign(child, path, nil)
	}
}

// maxWarnings bounds the warnings of one file.
const maxWarnings = 50

// warnUnknown says that a key is ignored.
func (d *decoder) warnUnknown(key *yaml.Node, path []string, siblings []*field, beside *known) {
	if len(d.warnings) >= maxWarnings {
		return
	}
	w := Warning{File: d.file, Line: key.Line, Column: key.Column}
	if name := target(key); name.Kind == yaml.ScalarNode {
		w.Key = printable(join(path, name.Value))
		if w.Nearest = nearest(name.Value, path, siblings, beside); w.Nearest == "" && d.theirs {
			return
		}
		w.Problem = unknownKey(w.Key, w.Nearest)
	} else {
		w.Problem = "this key is not a text, it is ignored"
	}
	d.warnings = append(d.warnings, w)
}

// unknownKey completes the sentence about a key.
func unknownKey(key, nearest string) string {
	const unknown = "is not a setting this program knows, it is ignored"
	switch nearest {
	case "":
		return unknown
	case key: // a path that was written as one key with dots
		section, _, _ := strings.Cut(key, ".")
		return "is not read in this form: write " + section + ": and the rest below it, indented"
	}
	return unknown + "; do you mean " + nearest + "?"
}

// nearest finds the key that was probably meant: the same one, when a path was
// written as one key with dots; a similar one beside it, the program's own
// first; or else a section or a setting of that name somewhere else, those that
// are in no section first.
func nearest(name string, path []string, siblings []*field, beside *known) string {
	if full := join(path, name); strings.Contains(name, ".") && leaf(schema(), full) != nil {
		return full
	}
	best, distance := "", len(name)/4+2
	for _, f := range siblings {
		if n := spelling.Distance(name, f.name, distance); n < distance {
			best, distance = f.name, n
		}
	}
	if best == "" {
		for other := range beside.below {
			n := spelling.Distance(name, other, distance+1)
			if n < distance || n == distance && best != "" && other < best {
				best, distance = other, n
			}
		}
	}
	if best != "" {
		return join(path, best)
	}
	if len(path) > 0 && find(schema(), name) != nil {
		return name
	}
	for _, k := range Keys() {
		if i := strings.LastIndexByte(k.Name, '.'); k.Name[i+1:] == name && !strings.Contains(k.Name, ".NAME.") && !strings.Contains(k.Name, ".N.") {
			return k.Name
		}
	}
	return ""
}

func join(path []string, name string) string {
	return strings.Join(append(path[:len(path):len(path)], name), ".")
}

// maxShownKey bounds a key in a message, in characters. Those of the program's
// own settings are shorter.
const maxShownKey = 100

// printable cuts a key from the file to a length and to characters that can be
// shown.
func printable(s string) string {
	q := quoteTo(s, maxShownKey)
	if s != "" && q == `"`+s+`"` {
		return s
	}
	return q
}
