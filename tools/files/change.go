package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"hermes-tui/tools"
)

// step is one change, ready to be carried out.
type step struct {
	op   tools.TextOp
	file target
	to   target // of a move
	old  existing
	data []byte // the new content; nil when it stays
	// body and text are the new text as the editor gave it and as it is stored.
	body, text string
	stale      bool
}

// errNotPermitted is the answer to a change that the gate has not seen.
var errNotPermitted = errors.New("this change was not permitted, nothing was changed")

// Change implements [tools.TextFiles].
func (f *Files) Change(ctx context.Context, c tools.Call, changes []tools.TextChange) (tools.TextReport, error) {
	if c.Permit == nil {
		return tools.TextReport{}, errNotPermitted
	}
	steps, paths, err := f.plan(c, changes)
	if err != nil {
		return tools.TextReport{}, fmt.Errorf("%w; nothing was changed", err)
	}
	unlock, err := f.lock(ctx, paths...)
	if err != nil {
		return tools.TextReport{}, fmt.Errorf("%w; nothing was changed", err)
	}
	defer unlock()
	for i := range steps {
		if err := f.prepare(&steps[i], changes[i]); err != nil {
			return tools.TextReport{}, fmt.Errorf("%w; nothing was changed", err)
		}
	}
	if ctx.Err() != nil {
		return tools.TextReport{}, fmt.Errorf("the change was stopped, nothing was changed: %w", context.Cause(ctx))
	}
	if err := f.apply(steps); err != nil {
		return tools.TextReport{}, err
	}
	return f.report(ctx, steps), nil
}

// plan checks what can be checked without reading: that the files are those that
// were read and permitted, and that no two changes meet.
func (f *Files) plan(c tools.Call, changes []tools.TextChange) (steps []step, paths []string, err error) {
	if len(changes) == 0 {
		return nil, nil, errors.New("there is nothing to change")
	}
	for _, ch := range changes {
		s := step{op: ch.Op, body: ch.Body}
		if s.file, err = f.stateTarget(ch.File); err != nil {
			return nil, nil, err
		}
		paths = append(paths, s.file.real)
		if ch.Op == tools.OpMove {
			if s.to, err = f.stateTarget(ch.To); err != nil {
				return nil, nil, err
			}
			paths = append(paths, s.to.real)
		}
		steps = append(steps, s)
	}
	seen := map[string]bool{}
	for _, p := range paths {
		if seen[f.sharedKey(p)] {
			return nil, nil, fmt.Errorf("%q is named by two changes; make them one", p)
		}
		seen[f.sharedKey(p)] = true
	}
	for _, p := range paths {
		for dir := filepath.Dir(p); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if seen[f.sharedKey(dir)] {
				return nil, nil, fmt.Errorf("%q is a file in one change and a directory in another", dir)
			}
		}
	}
	return steps, paths, permitted(c.Permit, paths)
}

// permitted refuses paths that a permit does not cover, if it tells.
func permitted(p tools.Permit, paths []string) error {
	if _, ok := p.(interface{ Paths() []string }); !ok {
		return nil
	}
	for _, path := range paths {
		if !tools.Covers(p, path) {
			return fmt.Errorf("%q is not among the files that were permitted", path)
		}
	}
	return nil
}

// stateTarget gives the path of a text that Text has read, if it still leads
// where it led.
func (f *Files) stateTarget(t tools.Text) (target, error) {
	st, ok := t.State.(textState)
	if !ok || st.owner != f || st.real != t.Real {
		return target{}, fmt.Errorf("%q was not read by this editor", t.Name)
	}
	real, err := f.fs.Resolve(st.name)
	if err != nil {
		return target{}, fmt.Errorf("%q cannot be resolved: %s", st.name, reason(err))
	}
	if real != st.real {
		return target{}, fmt.Errorf("%q led to %q when it was read and leads to %q now", st.name, st.real, real)
	}
	return st.target, nil
}

// prepare reads a file again, compares it with what the editor worked on, and
// encodes its new text.
func (f *Files) prepare(s *step, ch tools.TextChange) error {
	var err error
	if s.old, err = f.editable(s.file); err != nil {
		return err
	}
	was := ch.File.State.(textState) // plan has checked it
	switch {
	case s.old.exists != was.exists || s.old.sum != was.sum:
		return fmt.Errorf("%q was changed by someone else while this edit was made; read it again and repeat the edit", s.file.name)
	case !s.old.exists && ch.Op != tools.OpWrite:
		return fmt.Errorf("%q does not exist", s.file.name)
	}
	seen, wasSeen := f.memory.seen(s.file.real)
	s.stale = wasSeen && seen.sum != s.old.sum
	if ch.Op == tools.OpMove {
		if err := f.free(s.to); err != nil {
			return err
		}
	}
	if ch.Op == tools.OpDelete || ch.Op == tools.OpMove && s.body == s.old.body() {
		s.text = s.old.text
		return nil
	}
	if s.data, s.text, err = s.old.encode(s.file.name, s.body); err != nil {
		return err
	}
	return keepsSecrets(s.old.text, s.text)
}

// free tells why a file cannot be moved to a path.
func (f *Files) free(to target) error {
	if why := deviceWhy(to); why != "" {
		return errors.New(why)
	}
	switch _, err := f.fs.Lstat(to.real); {
	case err == nil:
		return fmt.Errorf("%q exists already; delete it first or choose another name", to.name)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q cannot be written: %s", to.name, reason(err))
	}
	return nil
}

// report says what has been changed, and notes it.
func (f *Files) report(ctx context.Context, steps []step) tools.TextReport {
	ctx, cancel := context.WithTimeout(ctx, lintTime)
	defer cancel()
	r := tools.TextReport{Lint: map[string]any{}}
	var diffs strings.Builder
	var notes []string
	added, removed := 0, 0
	for _, s := range steps {
		if s.stale {
			notes = append(notes, f.staleNote(s.file, s.old, s.fate()))
		}
		a, d, diff := f.note(s, &r)
		added, removed = added+a, removed+d
		if diffs.Len()+len(diff) <= maxDiff {
			diffs.WriteString(diff)
		}
		if s.op != tools.OpDelete {
			notes = append(notes, f.outside(s.at())...)
			if found := f.lint(ctx, s.at(), s.old.text, s.text); found != nil {
				r.Lint[s.at()] = found
			}
		}
	}
	r.Diff, r.Summary = diffs.String(), counts(added, removed)
	if n := len(steps); n > 1 {
		r.Summary += fmt.Sprintf(" in %d files", n)
	}
	r.Warning = strings.Join(notes, " ")
	return r
}

// fate says what became of changes by others.
func (s step) fate() string {
	if s.op == tools.OpDelete {
		return "replaced"
	}
	return "kept"
}

// at is the real path of the file after the change.
func (s step) at() string {
	if s.op == tools.OpMove {
		return s.to.real
	}
	return s.file.real
}

// note enters a change into the report and into what is remembered.
func (f *Files) note(s step, r *tools.TextReport) (added, removed int, diff string) {
	now := s.newSum()
	switch {
	case s.op == tools.OpDelete:
		r.Deleted = append(r.Deleted, s.file.real)
		f.memory.gone(s.file.real)
		f.wrote(s.file.real, sum{})
		return f.diff(s.file.real, s.file.real, true, false, s.old.body(), "")
	case s.op == tools.OpMove:
		r.Deleted = append(r.Deleted, s.file.real)
		r.Created = append(r.Created, s.to.real)
		f.memory.moved(s.file.real, s.to.real, now)
		f.wrote(s.file.real, sum{})
		f.wrote(s.to.real, now)
		return f.diff(s.file.real, s.to.real, true, true, s.old.body(), s.body)
	case s.old.exists:
		r.Modified = append(r.Modified, s.file.real)
		f.memory.edited(s.file.real, now)
	default:
		r.Created = append(r.Created, s.file.real)
		f.memory.wrote(s.file.real, now)
	}
	f.wrote(s.file.real, now)
	return f.diff(s.file.real, s.file.real, s.old.exists, true, s.old.body(), s.body)
}

// parent is the directory that a step needs.
func (s step) parent() string { return filepath.Dir(s.at()) }
