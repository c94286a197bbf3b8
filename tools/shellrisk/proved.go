package shellrisk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prove reports whether a command is known to only read what it may, and to
// change, start and send nothing: each of its programs is in a table, with the
// options it is called with, and all its words are known as far as they matter.
// What is not understood is not proved, whatever it may be.
//
// It follows the command on its own, apart from [Judge], in a way that has less to
// get wrong: variables and directories only gain possible values, whatever way is
// taken through the command, and everything must hold for all of them.
//
// file is the command as parsed, nil where it cannot be; secrets may be nil.
func prove(code string, file *syntax.File, set Setting, secrets secretFiles) (proved, sockets bool) {
	if set.Cwd == "" || file == nil || len(file.Stmts) == 0 || ambiguous(code) {
		return false, false
	}
	p := &prover{
		set: set, st: &state{set: set, cwd: set.Cwd}, dirs: []string{set.Cwd}, vars: map[string][]variable{},
		funcs: map[string]*syntax.Stmt{}, secrets: secrets,
	}
	proved = p.surroundings() && p.stmts(file.Stmts)
	return proved, proved && p.sockets && !p.files
}

// ambiguous reports whether the parser may read code in another way than bash.
func ambiguous(code string) bool {
	if _, ok := joinedLines(code); ok {
		return true
	}
	if _, ok := endedComments(code); ok {
		return true
	}
	_, hidden := hiddenCharacter(code)
	return hidden
}

// prover follows one command. It belongs to one goroutine.
type prover struct {
	set     Setting
	st      *state                // for the home directory and separators, which do not change
	secrets secretFiles           // nil before they are needed
	dirs    []string              // where it may be
	vars    map[string][]variable // what variables may hold
	now     map[string]variable   // what they hold in the case that is looked at
	funcs   map[string]*syntax.Stmt
	sockets bool // it shows those of the machine
	files   bool // it may read what has a name
	calls   int  // functions around
	steps   int
}

// Bounds of a proof. What takes more is not proved.
const (
	maxProofSteps = 3000
	maxDirs       = 8   // directories in which a command may be
	maxValues     = 300 // values of a variable
	maxCases      = 300 // cases of one simple command
	maxCalls      = 8   // functions in each other
)

func (p *prover) step() bool {
	p.steps++
	return p.steps <= maxProofSteps
}

func (p *prover) stmts(list []*syntax.Stmt) bool {
	for _, s := range list {
		if !p.stmt(s) {
			return false
		}
	}
	return true
}

func (p *prover) stmt(s *syntax.Stmt) bool {
	if s == nil || !p.step() || s.Background || s.Coprocess || s.Disown {
		return false
	}
	for _, r := range s.Redirs {
		if !p.redirect(r) {
			return false
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
		return true
	case *syntax.CallExpr:
		return p.call(c)
	case *syntax.BinaryCmd:
		return p.stmt(c.X) && p.stmt(c.Y)
	case *syntax.Block:
		return p.stmts(c.Stmts)
	case *syntax.Subshell:
		return p.stmts(c.Stmts)
	case *syntax.IfClause:
		return p.ifClause(c)
	case *syntax.WhileClause:
		return p.loop(func() bool { return p.stmts(c.Cond) && p.stmts(c.Do) })
	case *syntax.ForClause:
		return p.forClause(c)
	case *syntax.CaseClause:
		return p.caseClause(c)
	case *syntax.TestClause:
		return p.test(c.X)
	case *syntax.ArithmCmd:
		return p.arithmetic(c.X)
	case *syntax.TimeClause:
		return c.Stmt == nil || p.stmt(c.Stmt)
	case *syntax.FuncDecl:
		return p.declare(c)
	case *syntax.DeclClause:
		return p.local(c)
	}
	return false
}

// redirect reports whether a redirect writes nothing and reads what it may.
func (p *prover) redirect(r *syntax.Redirect) bool {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		return false
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return r.Hdoc == nil || p.inner(r.Hdoc)
	case syntax.WordHdoc:
		return p.inner(r.Word)
	case syntax.DplIn, syntax.DplOut:
		return descriptor(r.Word.Lit())
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		return r.Word.Lit() == "/dev/null"
	case syntax.RdrIn:
		return p.words([]*syntax.Word{r.Word}, func(args []arg) bool {
			return len(args) == 1 && args[0].from&scattered == 0 && p.reads(args[0])
		})
	}
	return false
}

func (p *prover) ifClause(c *syntax.IfClause) bool {
	for ; c != nil; c = c.Else {
		if !p.stmts(c.Cond) || !p.stmts(c.Then) {
			return false
		}
	}
	return true
}

// loop follows a body until another turn brings nothing new.
func (p *prover) loop(body func() bool) bool {
	for range 4 {
		before := p.known()
		if !body() {
			return false
		}
		if p.known() == before {
			return true
		}
	}
	return false
}

// known counts what has been learned; it never shrinks.
func (p *prover) known() int {
	n := len(p.dirs) + len(p.funcs)
	for _, values := range p.vars {
		n += len(values)
	}
	return n
}

func (p *prover) forClause(c *syntax.ForClause) bool {
	body := func() bool { return p.stmts(c.Do) }
	switch iter := c.Loop.(type) {
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{iter.Init, iter.Cond, iter.Post} {
			if x != nil && !p.arithmetic(x) {
				return false
			}
		}
		return p.loop(body)
	case *syntax.WordIter:
		if c.Select || !p.assignable(iter.Name.Value) {
			return false
		}
		if !iter.InPos.IsValid() {
			p.learn(iter.Name.Value, variable{list: []string{hole}})
			return p.loop(body)
		}
		ok := p.words(iter.Items, func(args []arg) bool {
			for _, a := range args {
				files, ok := p.globbed(a)
				if !ok {
					return false
				}
				for _, f := range files {
					p.learn(iter.Name.Value, variable{list: []string{f.text}})
				}
			}
			return true
		})
		return ok && p.loop(body)
	}
	return false
}

func (p *prover) caseClause(c *syntax.CaseClause) bool {
	if !p.inner(c.Word) {
		return false
	}
	for _, item := range c.Items {
		for _, w := range item.Patterns {
			if !p.inner(w) {
				return false
			}
		}
		if !p.stmts(item.Stmts) {
			return false
		}
	}
	return true
}

// declare follows a function, and remembers it: it is followed again where it is
// called, with what is known then.
func (p *prover) declare(c *syntax.FuncDecl) bool {
	if c.Name == nil || len(c.Names) > 0 || p.knows(c.Name.Value) {
		return false
	}
	if was, ok := p.funcs[c.Name.Value]; ok && was != c.Body {
		return false
	}
	p.funcs[c.Name.Value] = c.Body
	return p.function(c.Body)
}

// knows reports whether a name is one of the shell's, or of a program in the
// tables.
func (p *prover) knows(name string) bool {
	return shellBuiltins[name] || shellRule(name) != nil || provable()[name] != nil
}

// local follows the declaration of variables without attributes.
func (p *prover) local(c *syntax.DeclClause) bool {
	if v := c.Variant.Value; v != "local" && v != "declare" && v != "typeset" {
		return false
	}
	for _, a := range c.Args {
		if a.Name == nil || a.Naked && !p.assignable(a.Name.Value) || !a.Naked && !p.assign(a) {
			return false
		}
	}
	return true
}

// test reports whether an expression in [[ ]] evaluates nothing but texts, names
// of files and numbers.
func (p *prover) test(x syntax.TestExpr) bool {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return p.test(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar { // subscripts are evaluated
			return false
		}
		return p.test(x.X)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return p.testNumber(x.X) && p.testNumber(x.Y)
		}
		return p.test(x.X) && p.test(x.Y)
	case *syntax.Word:
		return p.inner(x)
	}
	return false
}

func (p *prover) testNumber(x syntax.TestExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && p.number(w)
}
