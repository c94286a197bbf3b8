package shellrisk

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// endless blocks a loop that never ends and starts one job after the other in the
// background, with nothing in it that takes time.
func (j *judge) endless(st *state, body []*syntax.Stmt) {
	if starts, waits := j.pace(st, body, 0); starts && !waits {
		j.block(CatForkBomb, "starts itself again and again until the machine stands still")
	}
}

// always reports whether a condition is met every time.
func always(cond []*syntax.Stmt, until bool) bool {
	if len(cond) != 1 || cond[0].Negated || len(cond[0].Redirs) > 0 {
		return false
	}
	switch c := cond[0].Cmd.(type) {
	case *syntax.ArithmCmd:
		return !until && constant(c.X)
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return false
		}
		name := c.Args[0].Lit()
		if until {
			return name == "false"
		}
		return name == "true" || name == ":" || (name == "[" || name == "test") && len(c.Args) > 1 && c.Args[1].Lit() == "1"
	}
	return false
}

// constant reports whether a number is written there that counts as true, or
// nothing.
func constant(x syntax.ArithmExpr) bool {
	if x == nil {
		return true
	}
	w, ok := x.(*syntax.Word)
	return ok && w.Lit() != "" && w.Lit() != "0" && identifier(w.Lit()) == 0
}

// instant are commands that take no time and do not end a loop.
var instant = words(`: true false echo printf let test [ export local declare set shift unset`)

// pace reports whether commands start a job in the background, and whether they
// may take time or leave the loop.
func (j *judge) pace(st *state, list []*syntax.Stmt, depth int) (starts, waits bool) {
	if depth > maxDepth/4 || !j.step() {
		return false, true
	}
	for _, s := range list {
		if s.Background || s.Coprocess || s.Disown {
			starts = true
			continue
		}
		var inner []*syntax.Stmt
		switch c := s.Cmd.(type) {
		case nil, *syntax.ArithmCmd, *syntax.LetClause, *syntax.DeclClause, *syntax.FuncDecl, *syntax.TestClause:
		case *syntax.CoprocClause:
			starts = true
		case *syntax.CallExpr:
			if len(c.Args) == 0 {
				continue
			}
			if body, ok := st.funcs[c.Args[0].Lit()]; ok {
				inner = []*syntax.Stmt{body}
			} else {
				waits = waits || !instant[c.Args[0].Lit()]
			}
		case *syntax.Block:
			inner = c.Stmts
		case *syntax.Subshell:
			inner = c.Stmts
		case *syntax.BinaryCmd:
			inner = []*syntax.Stmt{c.X, c.Y}
		case *syntax.IfClause:
			for at := c; at != nil; at = at.Else {
				inner = slices.Concat(inner, at.Cond, at.Then)
			}
		case *syntax.ForClause:
			inner = c.Do
		case *syntax.WhileClause:
			inner = slices.Concat(c.Cond, c.Do)
		default:
			waits = true
		}
		if len(inner) > 0 {
			s, w := j.pace(st, inner, depth+1)
			starts, waits = starts || s, waits || w
		}
	}
	return starts, waits
}
