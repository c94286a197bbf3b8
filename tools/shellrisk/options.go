package shellrisk

import (
	"slices"
	"strings"
)

// option is an option of a command: "-x" or "--name", with its value if it has
// one.
type option struct {
	name  string
	value arg
	given bool // a value was given
}

// is reports whether the option is one of the names. Long names may be cut short,
// as programs accept it.
func (o option) is(names ...string) bool {
	for _, n := range names {
		if o.name == n || len(o.name) > 2 && strings.HasPrefix(o.name, "--") && strings.HasPrefix(n, o.name) {
			return true
		}
	}
	return false
}

// options of a call.
type options []option

func (list options) has(names ...string) bool {
	_, ok := list.get(names...)
	return ok
}

// spelled reports whether one of the names was given in full. It is for options
// that make a command harmless.
func (list options) spelled(names ...string) bool {
	for _, o := range list {
		for _, n := range names {
			if o.name == n {
				return true
			}
		}
	}
	return false
}

// rehearses reports whether the last word on it says that nothing is done for real:
// one of the names, given in full, and not taken back later.
func (list options) rehearses(names ...string) bool {
	real := true
	for _, o := range list {
		switch {
		case o.is("--no-dry-run", "--no-n"):
			real = true
		case slices.Contains(names, o.name):
			real = o.given && (o.value.text == "false" || o.value.text == "no" || o.value.text == "none" || o.value.text == "0" || hasHole(o.value.text))
		}
	}
	return !real
}

// get gives the last of the named options.
func (list options) get(names ...string) (option, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].is(names...) {
			return list[i], true
		}
	}
	return option{}, false
}

// grammar says which options take a value: letters for short ones, names
// without dashes for long ones.
type grammar struct {
	short string
	long  string // separated by blanks
	// first ends the options at the first word that is none, as wrappers do.
	first bool
	// single says that long options have one dash, as in Go and X programs.
	single bool
}

// parse splits words into options and operands.
func (g grammar) parse(args []arg) (opts options, operands []arg) {
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case text == "--":
			return opts, append(operands, args[i+1:]...)
		case len(text) < 2 || text[0] != '-':
			if g.first {
				return opts, args[i:]
			}
			operands = append(operands, args[i])
		case g.single || strings.HasPrefix(text, "--"):
			o, used := g.longOption(args, i)
			opts = append(opts, o)
			i += used
		default:
			list, used := g.cluster(args, i)
			opts = append(opts, list...)
			i += used
		}
	}
	return opts, operands
}

// longOption reads a long option and tells how many further words it took.
func (g grammar) longOption(args []arg, i int) (option, int) {
	name, value, has := strings.Cut(args[i].text, "=")
	o := option{name: name}
	if has {
		o.value, o.given = arg{text: value, from: args[i].from}, true
		return o, 0
	}
	bare := strings.TrimLeft(name, "-")
	takes := g.takes(bare)
	if takes && i+1 < len(args) {
		o.value, o.given = args[i+1], true
		return o, 1
	}
	return o, 0
}

// takes reports whether a long option, which may be cut short, takes a value.
func (g grammar) takes(bare string) bool {
	if g.single {
		return slices.Contains(strings.Fields(g.long), bare) || len(bare) == 1 && strings.Contains(g.short, bare)
	}
	return bare != "" && slices.ContainsFunc(strings.Fields(g.long), func(name string) bool { return strings.HasPrefix(name, bare) })
}

// cluster reads short options that stand together behind one dash.
func (g grammar) cluster(args []arg, i int) (options, int) {
	var out options
	text := args[i].text[1:]
	for k, r := range text {
		o := option{name: "-" + string(r)}
		if !strings.ContainsRune(g.short, r) || r == 0 {
			out = append(out, o)
			continue
		}
		rest := text[k+len(string(r)):]
		o.given = true
		if rest != "" {
			o.value = arg{text: rest, from: args[i].from}
			return append(out, o), 0
		}
		if i+1 < len(args) {
			o.value = args[i+1]
			return append(out, o), 1
		}
		o.given = false
		return append(out, o), 0
	}
	return out, 0
}

// opens reports whether nothing is known of the beginning of a word.
func (a arg) opens() bool {
	return a.from&opaque != 0 && strings.HasPrefix(a.text, hole)
}

// mayBeOption reports whether a word could turn out to be an option. Variables
// that were there before the command are not suspected of it.
func (a arg) mayBeOption() bool { return a.opens() && a.from&fromOutside == 0 }
