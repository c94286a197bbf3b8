package patch

import (
	"errors"
	"path/filepath"
	"slices"

	"hermes-tui/tools"
)

// Plan is what a patch does to files.
type Plan struct {
	// Changes are the changes, none when the patch fails.
	Changes []tools.TextChange
	// Paths are the real paths of all files the patch names, sorted, each once.
	Paths []string
	// Partly says that one of the files was read only in part.
	Partly bool
	// Loose counts the hunks whose place was not found exactly.
	Loose int
	// Guessed counts those of them that were found by likeness alone.
	Guessed int
	// Problems is what is wrong, in the order of the patch.
	Problems []*Problem
	states   []*state
}

// state is a file while parts of a patch are applied.
type state struct {
	disk   tools.Text // as it is on the disk
	exists bool
	body   string
	// from is the real path of the file it was, empty for a new one.
	from string
	// broken says that a part has failed on it: what follows cannot be judged.
	broken bool
}

// planner applies parts.
type planner struct {
	find   func(path string) (tools.Text, error)
	byReal map[string]*state
	plan   Plan
}

// MakePlan applies the parts of a patch to files, each on the result of the ones
// before, and changes nothing. find gives the file that a path names; its error
// says why the path cannot be edited, a [*Problem] also of which kind that is.
// After a part that fails the others are still judged, except for files that the
// failure touches.
func MakePlan(parts []Part, find func(path string) (tools.Text, error)) *Plan {
	p := planner{find: find, byReal: map[string]*state{}}
	for i := range parts {
		if fault := p.part(&parts[i]); fault != nil {
			if fault.Path == "" {
				fault.Path = parts[i].Path
			}
			p.plan.Problems = append(p.plan.Problems, fault)
		}
	}
	for _, s := range p.plan.states {
		p.plan.Paths = append(p.plan.Paths, s.disk.Real)
		p.plan.Partly = p.plan.Partly || s.disk.Partly
	}
	slices.Sort(p.plan.Paths)
	if len(p.plan.Problems) == 0 {
		p.changes()
	}
	return &p.plan
}

// part applies one part.
func (p *planner) part(part *Part) *Problem {
	if part.Fault != nil {
		return part.Fault
	}
	if part.Path == part.To && part.Op == MoveFile {
		return problem(Exists, "A move needs two different paths.")
	}
	names := []string{part.Path}
	if part.Op == MoveFile {
		names = append(names, part.To)
	}
	for _, name := range names {
		if !filepath.IsAbs(name) && climbs(name) {
			return problem(PathOutside, "%q leads above the working directory. Write the absolute path if that file is meant.", name)
		}
	}
	states := make([]*state, len(names))
	for i, name := range names {
		var fault *Problem
		if states[i], fault = p.state(name); fault != nil {
			return fault
		}
	}
	if slices.ContainsFunc(states, func(s *state) bool { return s.broken }) {
		breakAll(states)
		return nil
	}
	fault := p.apply(part, states)
	if fault != nil {
		breakAll(states)
		fault.real = states[0].disk.Real
	}
	return fault
}

func breakAll(states []*state) {
	for _, s := range states {
		s.broken = true
	}
}

// state finds a file; different names of one file share it.
func (p *planner) state(name string) (*state, *Problem) {
	text, err := p.find(name)
	if err != nil {
		if fault, ok := errors.AsType[*Problem](err); ok {
			return nil, fault
		}
		return nil, problem(Unreadable, "%v", err)
	}
	if s, ok := p.byReal[text.Real]; ok {
		return s, nil
	}
	s := &state{disk: text, exists: text.Exists, body: text.Body}
	if s.exists {
		s.from = text.Real
	}
	p.byReal[text.Real] = s
	p.plan.states = append(p.plan.states, s)
	return s, nil
}

// apply does what a part says to the files it names.
func (p *planner) apply(part *Part, states []*state) *Problem {
	s := states[0]
	switch {
	case part.Op == AddFile && s.exists:
		return problem(Exists, "%q exists already. Change it with *** Update File.", part.Path)
	case part.Op == AddFile:
		s.exists, s.body, s.from = true, part.Body, ""
		return nil
	case !s.exists:
		return problem(NotFoundFile, "%q does not exist. Look for the right path with search_files; a new file needs *** Add File.", part.Path)
	case part.Op == DeleteFile:
		s.exists, s.body, s.from = false, "", ""
		return nil
	case part.Op == MoveFile && states[1].exists:
		return problem(Exists, "%q cannot be moved to %q, where a file is already.", part.Path, part.To)
	}
	changed, fault := applyHunks(s.body, part.Hunks)
	if fault != nil {
		return fault
	}
	if part.Op == UpdateFile && changed.body == s.body {
		return problem(NoChange, "The update leaves %q as it is. Leave it out, or mark what changes with - and +.", part.Path)
	}
	p.plan.Loose, p.plan.Guessed = p.plan.Loose+changed.loose, p.plan.Guessed+changed.guessed
	s.body = changed.body
	if part.Op == MoveFile {
		to := states[1]
		to.exists, to.body, to.from = true, s.body, s.from
		s.exists, s.body, s.from = false, "", ""
	}
	return nil
}

// changes turns what became of the files into changes of the disk, in the order in
// which the patch names them first.
func (p *planner) changes() {
	for _, s := range p.plan.states {
		change, needed, fault := p.change(s)
		if fault != nil {
			fault.Path = s.disk.Name
			p.plan.Problems, p.plan.Changes = append(p.plan.Problems, fault), nil
			return
		}
		if needed {
			p.plan.Changes = append(p.plan.Changes, change)
		}
	}
	if len(p.plan.Changes) == 0 {
		p.plan.Problems = append(p.plan.Problems, problem(NoChange, "The patch leaves everything as it is."))
	}
}

// change is what a file needs.
func (p *planner) change(s *state) (tools.TextChange, bool, *Problem) {
	none := tools.TextChange{}
	moved := s.exists && s.from != "" && s.from != s.disk.Real
	switch {
	case moved && (s.disk.Exists || p.byReal[s.from].exists):
		return none, false, problem(Tangled, "Files that are moved and others take each other's places. Do it with two patches: first the move, then the rest.")
	case moved: // done by the change of the file it was
		return none, false, nil
	case s.exists && s.disk.Exists && s.body == s.disk.Body:
		return none, false, nil
	case s.exists:
		return tools.TextChange{Op: tools.OpWrite, File: s.disk, Body: s.body}, true, nil
	case !s.disk.Exists:
		return none, false, nil
	}
	for _, to := range p.plan.states {
		if to.exists && to.from == s.disk.Real {
			return tools.TextChange{Op: tools.OpMove, File: s.disk, Body: to.body, To: to.disk}, true, nil
		}
	}
	return tools.TextChange{Op: tools.OpDelete, File: s.disk}, true, nil
}
