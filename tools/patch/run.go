package patch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/hunks"
)

// edit is a call worked out: what it changes, or why it cannot.
type edit struct {
	changes []tools.TextChange
	// paths are the real paths of all files it names, sorted.
	paths  []string
	partly bool
	// path is the one file of a replacement, empty for a patch.
	path  string
	count int
	// guessed is how many places were found by likeness alone.
	guessed int
	hint    string
}

// prepare works a call out from what is on the disk now. The error is written for
// the model.
func (p *Patcher) prepare(c tools.Call) (*edit, error) {
	var args arguments
	if err := c.Decode(&args); err != nil {
		return nil, err
	}
	if args.patches() {
		return p.preparePatch(&args)
	}
	return p.prepareReplace(&args)
}

func (p *Patcher) prepareReplace(args *arguments) (*edit, error) {
	switch {
	case args.Old == nil && args.Patch != "":
		return nil, errors.New("patch is for mode patch; set mode to patch, or give path, old_string and new_string")
	case args.Path == "":
		return nil, errors.New("path is required in mode replace; give the file to edit")
	case args.Old == nil:
		return nil, errors.New("old_string is required in mode replace; quote the text to replace")
	case args.New == nil:
		return nil, errors.New("new_string is required in mode replace; give an empty string to delete old_string")
	}
	text, err := p.files.Text(args.Path)
	if err != nil {
		return nil, err
	}
	if !text.Exists {
		return nil, fmt.Errorf("%q does not exist. Look for the right path with search_files, or create the file with write_file", text.Name)
	}
	r, err := Replace(text.Body, *args.Old, *args.New, args.All)
	if err == nil && r.Body == text.Body {
		err = problem(NoChange, "The file reads like this already, apart from line breaks or white space that a replacement keeps as they are in the file. Nothing was changed.")
	}
	if err != nil {
		return nil, errors.New(err.Error() + p.adviceAfterFailures(text.Real))
	}
	guesses := 0
	if guessed(r.Strategy) {
		guesses = r.Count
	}
	return &edit{
		changes: []tools.TextChange{{Op: tools.OpWrite, File: text, Body: r.Body}}, guessed: guesses,
		paths: []string{text.Real}, partly: text.Partly, path: text.Real, count: r.Count, hint: replaceHint(r),
	}, nil
}

// replaceHint tells the model what was not as it wrote it.
func replaceHint(r Replacement) string {
	var notes []string
	switch {
	case guessed(r.Strategy):
		notes = append(notes, fmt.Sprintf("old_string does not stand in the file: the place was guessed by likeness (%s), and new_string was fitted to it. Check the diff, and undo it if another place was meant.", r.Strategy))
	case r.Strategy != Exact:
		notes = append(notes, fmt.Sprintf("old_string does not stand in the file exactly; the place was found by %s, and new_string was fitted to it. Check the diff.", r.Strategy))
	}
	if r.Decoded {
		notes = append(notes, `A written-out \t or \r in new_string became the character, as the replaced text has it. If the two characters were meant, correct that with mode patch.`)
	}
	return strings.Join(notes, " ")
}

func (p *Patcher) preparePatch(args *arguments) (*edit, error) {
	parts, err := Parse(args.Patch)
	if err != nil {
		return nil, err
	}
	plan := MakePlan(parts, p.files.Text)
	if len(plan.Problems) > 0 {
		return nil, p.rejected(plan.Problems)
	}
	if err := p.onlyPath(args.Path, plan.Paths); err != nil {
		return nil, err
	}
	e := &edit{changes: plan.Changes, paths: plan.Paths, partly: plan.Partly, guessed: plan.Guessed}
	switch {
	case plan.Guessed > 0:
		e.hint = fmt.Sprintf("%d of the hunks: the place does not stand in the file and was guessed by likeness. Check the diff, and undo it if another place was meant.", plan.Guessed)
	case plan.Loose == 1:
		e.hint = "One hunk does not stand in the file exactly; its place was found by likeness. Check the diff."
	case plan.Loose > 1:
		e.hint = fmt.Sprintf("%d hunks do not stand in the file exactly; their places were found by likeness. Check the diff.", plan.Loose)
	}
	return e, nil
}

// onlyPath refuses a patch that comes with a path and changes other files: calls
// are scheduled by that path.
func (p *Patcher) onlyPath(path string, paths []string) error {
	if path == "" {
		return nil
	}
	text, err := p.files.Text(path)
	if err != nil {
		return err
	}
	if len(paths) != 1 || paths[0] != text.Real {
		return fmt.Errorf("path is %q, but the patch names other files; leave path out, the headers of the patch say what it changes", path)
	}
	return nil
}

// rejected says all that is wrong with a patch.
func (p *Patcher) rejected(problems []*Problem) error {
	var b strings.Builder
	b.WriteString("The patch was not applied, no file was changed:")
	for _, f := range problems {
		b.WriteString("\n- ")
		if f.Path != "" {
			b.WriteString(f.Path + ": ")
		}
		b.WriteString(strings.ReplaceAll(strings.TrimRight(f.Message, "\n"), "\n", "\n  "))
		if f.real != "" {
			b.WriteString(p.adviceAfterFailures(f.real))
		}
	}
	return errors.New(b.String())
}

// adviceAfterFailures counts a failure on a file and after several in a row advises another
// way.
func (p *Patcher) adviceAfterFailures(path string) string {
	n := p.memory.fail(path)
	if n < stubborn {
		return ""
	}
	return fmt.Sprintf(" This is failure %d in a row on this file. Do not try variants of the same text: read the place again with read_file, "+
		"then quote two or three whole lines of it, or replace the file with write_file.", n)
}

// action says which files a call would change, the ones behind all links. What
// cannot be applied is not put to the gate.
func (p *Patcher) action(raw json.RawMessage) (tools.Action, error) {
	e, err := p.prepare(tools.Call{Name: name, Args: raw})
	if err != nil {
		return tools.Action{}, err
	}
	p.memory.judge(raw, e.paths)
	return tools.Action{Kind: tools.ActWrite, Paths: e.paths}, nil
}

// shown is what a call would do to files, for the user.
func (p *Patcher) shown(raw json.RawMessage) ([]hunks.File, error) {
	e, err := p.prepare(tools.Call{Name: name, Args: raw})
	if err != nil {
		return nil, err
	}
	return tools.EditFiles(e.changes), nil
}

// run answers a call. It does nothing without a permit.
func (p *Patcher) run(ctx context.Context, c tools.Call) tools.Result {
	view := tools.View{Kind: tools.KindWrite, Subject: subject(c.Args)}
	if c.Permit == nil {
		result := failure(view, "this edit was not permitted, nothing was changed")
		result.Status = tools.StatusDenied
		return result
	}
	review := tools.ReviewOf(c.Permit)
	e, err := p.prepare(c)
	if err != nil {
		return refused(view, err.Error(), review.Lost())
	}
	if !p.memory.judgedFor(c.Args, e.paths) {
		return failure(view, "the paths of this edit lead to other files now than when it was permitted; nothing was changed. Make the call again.")
	}
	changes, told, err := review.Changes(e.changes)
	if err != nil {
		return refused(view, err.Error(), told)
	}
	if ctx.Err() != nil {
		return tools.Cancelled(view, "patch was stopped, nothing was changed: "+context.Cause(ctx).Error())
	}
	report, err := p.files.Change(ctx, c, changes)
	switch {
	case err != nil && ctx.Err() != nil:
		return tools.Cancelled(view, err.Error())
	case err != nil:
		return refused(view, err.Error(), review.Lost())
	}
	p.memory.succeed(e.paths)
	view.Summary, view.Body, view.Lang = tools.Noted(report.Summary, told), report.Diff, "diff"
	if e.guessed > 0 {
		view.Summary = strings.TrimSpace(view.Summary + " · guessed")
	}
	a := e.answer(report)
	a.Review = told
	return tools.Result{Content: tools.JSON(a), View: view}
}

// answer is what the model gets.
type answer struct {
	Success  bool     `json:"success"`
	Diff     string   `json:"diff"`
	Modified []string `json:"files_modified"`
	Created  []string `json:"files_created,omitempty"`
	Deleted  []string `json:"files_deleted,omitempty"`
	Count    int      `json:"replacements,omitempty"` // when there are several
	// Lint is what was found in the file of a replacement, by path for a patch.
	Lint    any    `json:"lint,omitempty"`
	Warning string `json:"_warning,omitempty"`
	Hint    string `json:"_hint,omitempty"`
	Real    string `json:"resolved_path,omitempty"`
	// Review is what the user has decided about the parts of the edit.
	Review *hunks.Report `json:"user_review,omitempty"`
}

func (e *edit) answer(r tools.TextReport) answer {
	a := answer{
		Success: true, Diff: r.Diff, Modified: append([]string{}, r.Modified...), Created: r.Created, Deleted: r.Deleted,
		Warning: r.Warning, Hint: e.hint, Real: e.path,
	}
	if e.partly {
		a.Warning = strings.TrimSpace(a.Warning + " You have read only a part of what you edited; make sure that the change fits the rest.")
	}
	if e.count > 1 {
		a.Count = e.count
	}
	switch {
	case e.path != "":
		if found, ok := r.Lint[e.path]; ok {
			a.Lint = found
		}
	case len(r.Lint) > 0:
		a.Lint = r.Lint
	}
	return a
}

// failure tells the model what went wrong.
func failure(view tools.View, message string) tools.Result { return refused(view, message, nil) }

// refused is a failure of an edit about which the user had decided.
func refused(view tools.View, message string, told *hunks.Report) tools.Result {
	result := tools.Failure(view, message)
	result.Content = tools.JSON(struct {
		Success bool          `json:"success"`
		Error   string        `json:"error"`
		Review  *hunks.Report `json:"user_review,omitempty"`
	}{false, message, told})
	return result
}
