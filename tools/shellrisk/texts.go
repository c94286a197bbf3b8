package shellrisk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What a command writes to a file and then runs is judged as the code it is, where
// the text is known.

// output is a file that gets the output of a statement.
type output struct {
	file    string
	appends bool
}

// outputs are the files that redirects of a statement name for its output.
func (j *judge) outputs(list []*syntax.Redirect, st *state) (out []output) {
	for _, r := range list {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		default:
			continue
		}
		if r.N != nil && r.N.Value != "1" {
			continue
		}
		if file, ok := st.abs(j.value(st, r.Word).text); ok && !hasHole(file) {
			out = append(out, output{file, r.Op == syntax.AppOut || r.Op == syntax.AppAll})
		}
	}
	return out
}

// wrote remembers the text of a file, or that it is not known.
func (j *judge) wrote(o output, text string, known bool) {
	before, was := j.texts[o.file]
	if o.appends {
		if _, made := j.made[o.file]; made && !was {
			known = false
		}
		text = before + text
	}
	if !known || len(text) > maxText {
		delete(j.texts, o.file)
		return
	}
	j.texts[o.file] = text
}

// runsText judges a file as shell code, if the command has written it and the text
// is known. In a script that starts itself in two places at the same time it finds
// a bomb.
func (j *judge) runsText(st *state, file string, args []arg, in input) {
	text, ok := j.texts[file]
	if !ok {
		return
	}
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") && !strings.Contains(first, "sh") {
		return
	}
	if f := j.running[file]; f != nil {
		if j.jobs > f.jobs {
			f.forks[[2]*syntax.CallExpr{j.site}] = true
		}
		if len(f.forks) >= 2 || j.jobs > f.jobs && st.loops > f.loops {
			j.block(CatForkBomb, "starts itself again and again until the machine stands still")
		}
		return
	}
	j.running[file] = &frame{jobs: j.jobs, loops: st.loops, forks: map[[2]*syntax.CallExpr]bool{}}
	site := j.site
	st.zero, st.params, st.bound = literalArg(file), args, true
	j.text(text, st, in)
	j.site = site
	delete(j.running, file)
}
