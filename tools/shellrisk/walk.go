package shellrisk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// input is what a command gets to read.
type input struct {
	piped    bool   // from another command
	doc      bool   // from a here-document or here-string
	text     string // what it is, when known
	known    bool
	download bool   // something fetched from the network is in it
	file     string // a file it is read from
}

func (j *judge) stmts(list []*syntax.Stmt, st *state, in input) {
	for _, s := range list {
		j.stmt(s, st, in)
	}
}

// stmt judges one statement in every state in which the shell may be.
func (j *judge) stmt(s *syntax.Stmt, st *state, in input) {
	if s == nil {
		return
	}
	st.each(func(st *state) { j.statement(s, st, in) })
	j.trapped(st)
}

// statement judges one statement with its redirects.
func (j *judge) statement(s *syntax.Stmt, st *state, in input) {
	if !j.step() {
		return
	}
	j.depth++
	back := j.outside()
	defer func() { j.depth--; back() }()
	st.status = statusOpen
	if s.Negated {
		defer st.negate()
	}
	if s.Background || s.Coprocess || s.Disown {
		st = st.clone()
		j.concurrent++
		j.jobs++
		defer func() { j.concurrent--; j.jobs-- }()
	}
	if in == (input{}) {
		in = st.stdin
	}
	in = j.redirects(s.Redirs, st, in)
	if len(s.Redirs) > 0 {
		if outs := j.outputs(s.Redirs, st); len(outs) > 0 {
			j.last = call{}
			defer func() {
				text, known := j.last.printed()
				if a := j.last.args; j.last.name == "echo" && (len(a) == 0 || !strings.HasPrefix(a[0].text, "-") || !strings.Contains(a[0].text, "n")) {
					text += "\n" // which the prediction leaves out
				}
				for _, o := range outs {
					j.wrote(o, text, known && single(s))
				}
			}()
		}
	}
	if execsNothing(s.Cmd) {
		st.stdin = in
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		j.simple(c, st, in)
	case *syntax.BinaryCmd:
		j.binary(c, st, in)
	case *syntax.Block:
		j.stmts(c.Stmts, st, in)
	case *syntax.Subshell:
		j.stmts(c.Stmts, st.clone(), in)
	case *syntax.IfClause:
		j.ifClause(c, st, in)
	case *syntax.WhileClause:
		if always(c.Cond, c.Until) {
			j.endless(st, c.Do)
		}
		j.loop(st, func(st *state) {
			j.stmts(c.Cond, st, in)
			j.stmts(c.Do, st, in)
		})
	case *syntax.ForClause:
		j.forClause(c, st, in)
	case *syntax.CaseClause:
		j.caseClause(c, st, in)
	case *syntax.FuncDecl:
		j.loosen()
		j.declare(c, st)
	case *syntax.DeclClause:
		j.loosen()
		j.declClause(c, st)
	case *syntax.ArithmCmd:
		j.arithmetic(st, c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			j.arithmetic(st, x)
		}
	case *syntax.TestClause:
		j.test(st, c.X)
	case *syntax.TimeClause:
		j.stmt(c.Stmt, st, in)
	case *syntax.CoprocClause:
		j.concurrent++
		j.coproc(c, st.clone(), in)
		j.concurrent--
	default:
		j.ask(CatUnparsable, "uses shell syntax that is not understood")
	}
}

// coproc judges a job whose name bash takes for one only before a compound command. Of
// anything else the parser takes the first word away: of a simple command, what is an
// assignment before the program or an argument before what it then takes for assignments;
// before a redirect, export, let or time, the name of the program or an assignment.
func (j *judge) coproc(c *syntax.CoprocClause, st *state, in input) {
	first, rest := c.Name, *c.Stmt
	switch cmd := rest.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.ArithmCmd, *syntax.TestClause:
		first = nil
	case *syntax.CallExpr:
		if first == nil && len(cmd.Args) > 0 && (len(cmd.Assigns) > 0 || assigns(cmd.Args[0])) {
			first, rest.Cmd = cmd.Args[0], nil
			if len(cmd.Assigns)+len(cmd.Args) > 1 {
				rest.Cmd = &syntax.CallExpr{Assigns: cmd.Assigns, Args: cmd.Args[1:]}
			}
		}
	}
	if first == nil {
		j.stmt(c.Stmt, st, in)
		return
	}
	var words strings.Builder
	if c.Name != nil && !assigns(first) {
		words.WriteString("command") // no word after it is one of the language
	}
	for _, part := range []syntax.Node{first, &rest} {
		words.WriteByte(' ') // before it: behind a here-document it would belong to that
		if err := syntax.NewPrinter().Print(&words, part); err != nil {
			j.ask(CatUnparsable, "uses shell syntax that is not understood")
			return
		}
	}
	j.parsed(words.String(), st, in)
}

// assigns reports whether a word before a program would be an assignment.
func assigns(w *syntax.Word) bool {
	text, ok := w.Parts[0].(*syntax.Lit)
	return ok && assignmentName(text.Value) > 0
}

// execsNothing reports whether a command is exec by itself, whose redirects last.
func execsNothing(cmd syntax.Command) bool {
	c, ok := cmd.(*syntax.CallExpr)
	return ok && len(c.Args) == 1 && c.Args[0].Lit() == "exec"
}

// binary judges lists and pipes.
func (j *judge) binary(c *syntax.BinaryCmd, st *state, in input) {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		so := statusOK
		if c.Op == syntax.OrStmt {
			so = statusFailed
		}
		j.stmt(c.X, st, in)
		others, dead := st.split(so)
		if dead {
			j.stmt(c.Y, st.clone(), in)
			st.become(others)
			return
		}
		j.stmt(c.Y, st, in)
		st.join(others...)
	default:
		j.pipeline(c, st, in)
	}
}

// pipeline judges the commands of a pipe, each with what the ones before it
// would print.
func (j *judge) pipeline(c *syntax.BinaryCmd, st *state, in input) {
	j.concurrent++
	defer func() { j.concurrent-- }()
	stages := flatten(c)
	for i, stage := range stages {
		before := j.downloads
		j.last = call{}
		inner := st.clone()
		j.stmt(stage, inner, in)
		if st.lastpipe && i == len(stages)-1 {
			st.join(inner)
		}
		next := input{piped: true, download: in.download || j.downloads > before}
		if i < len(stages)-1 && single(stage) {
			next.text, next.known = j.last.printed()
		}
		in = next
	}
}

// flatten gives the commands of a pipe in their order.
func flatten(c *syntax.BinaryCmd) []*syntax.Stmt {
	var stages []*syntax.Stmt
	for {
		stages = append(stages, c.Y)
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || left.Op != syntax.Pipe && left.Op != syntax.PipeAll || len(c.X.Redirs) > 0 {
			stages = append(stages, c.X)
			break
		}
		c = left
	}
	for i, k := 0, len(stages)-1; i < k; i, k = i+1, k-1 {
		stages[i], stages[k] = stages[k], stages[i]
	}
	return stages
}

func (j *judge) ifClause(c *syntax.IfClause, st *state, in input) {
	if c == nil || !j.step() {
		return
	}
	j.stmts(c.Cond, st, in)
	others, dead := st.split(statusOK)
	then := st
	if dead {
		then = st.clone()
	}
	j.stmts(c.Then, then, in)
	var other *state
	if len(others) > 0 {
		other = others[0]
		other.become(others)
	} else { // never reached
		other = st.clone()
	}
	if c.Else != nil {
		j.depth++
		other.each(func(st *state) { j.ifClause(c.Else, st, in) })
		j.depth--
	}
	switch {
	case dead:
		st.become(other.worlds())
	case len(others) > 0:
		st.join(other)
	}
}

// loop judges a body that may run any number of times. Twice is enough to see
// what one turn does to the next.
func (j *judge) loop(st *state, body func(*state)) {
	before := st.clone()
	st.loops++
	for range 2 {
		st.each(body)
		st.back(breaks)
	}
	st.unloop()
	st.join(before)
	st.ended(statusOpen)
}

// maxTurns is how many items of a loop are followed one by one.
const maxTurns = 16

func (j *judge) forClause(c *syntax.ForClause, st *state, in input) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		if cs, ok := c.Loop.(*syntax.CStyleLoop); ok {
			j.arithmetic(st, cs.Init)
			j.arithmetic(st, cs.Cond)
			j.arithmetic(st, cs.Post)
			if constant(cs.Cond) {
				j.endless(st, c.Do)
			}
		}
		j.loop(st, func(st *state) { j.stmts(c.Do, st, in) })
		return
	}
	name := iter.Name.Value
	items := j.expandAll(st, iter.Items)
	if !iter.InPos.IsValid() {
		items = st.params
		if !st.bound {
			items = []arg{holeArg(fromVariable)}
		}
	}
	if len(items) > maxTurns {
		items = append(items[:maxTurns:maxTurns], holeArg(fromVariable))
	}
	before := st.clone()
	st.loops++
	for _, item := range items {
		if item.pat != "" { // names of files, each without a slash of its own
			item.text = openPattern(item.pat)
		}
		j.setsVariable(name, item)
		st.each(func(st *state) { st.assign(name, item); j.stmts(c.Do, st, in) })
		st.back(breaks)
		if !j.step() {
			break
		}
	}
	st.unloop()
	st.join(before)
	st.ended(statusOpen)
}

func (j *judge) caseClause(c *syntax.CaseClause, st *state, in input) {
	j.value(st, c.Word)
	before := st.clone()
	after := []*state{st.clone()}
	var carried *state // from one body on into the next
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			j.value(st, p)
		}
		branch := before.whole()
		if carried != nil {
			branch.join(carried)
		}
		j.stmts(item.Stmts, branch, in)
		carried = nil
		switch item.Op {
		case syntax.Fallthrough:
			carried = branch.whole()
		case syntax.Resume, syntax.ResumeKorn:
			before.join(branch.whole())
		}
		after = append(after, branch.worlds()...)
	}
	st.become(after)
}

// declare remembers a function and judges its body, with parameters that are
// not known: it may be called in another way than can be seen here.
func (j *judge) declare(c *syntax.FuncDecl, st *state) {
	if c.Name == nil {
		j.ask(CatUnparsable, "uses shell syntax that is not understood")
		return
	}
	st.funcs[c.Name.Value] = c.Body
	inner := st.clone()
	inner.params, inner.bound, inner.depth = nil, false, inner.depth+1
	j.follow(c.Body, inner, input{})
}

// follow judges the body of a function. A function that starts itself in two
// places at the same time never ends.
func (j *judge) follow(body *syntax.Stmt, st *state, in input) {
	if f := j.active[body]; f != nil {
		first := j.site
		if f.depth < len(j.sites) {
			first = j.sites[f.depth]
		}
		if f.calls[[2]*syntax.CallExpr{first, j.site}] = true; j.concurrent > f.concurrent {
			f.forks[[2]*syntax.CallExpr{first, j.site}] = true
		}
		f.detached = f.detached || j.jobs > f.jobs
		if len(f.forks) >= 2 || f.detached && len(f.calls) >= 2 || j.jobs > f.jobs && st.loops > f.loops {
			j.block(CatForkBomb, "starts itself again and again until the machine stands still")
		}
		return
	}
	j.active[body] = &frame{concurrent: j.concurrent, jobs: j.jobs, loops: st.loops, depth: len(j.sites), forks: map[[2]*syntax.CallExpr]bool{}, calls: map[[2]*syntax.CallExpr]bool{}}
	j.stmt(body, st, in)
	delete(j.active, body)
}
