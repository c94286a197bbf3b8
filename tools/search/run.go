package search

import (
	"context"
	"errors"
	"fmt"

	"hermes-tui/tools"
)

// maxRepeats is how often in a row the same search is answered.
const maxRepeats = 3

// errTimeout is the cause when a search has taken too long.
var errTimeout = errors.New("the search took too long")

// run answers a call of search_files.
func (s *Search) run(ctx context.Context, c tools.Call) tools.Result {
	view := preview(c.Args)
	q, err := s.parse(c)
	if err == nil && q.secret != "" && !tools.Covers(c.Permit, q.path) {
		err = &refused{q.secret}
	}
	if err != nil {
		return failure(view, err)
	}
	times := s.note(q)
	if times > maxRepeats {
		return tools.Failure(view, fmt.Sprintf(
			"BLOCKED: this is the same search for the %dth time in a row. Use its results, or search for something else.", times))
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.timeout, errTimeout)
	defer cancel()
	var a *answer
	if q.target == targetFiles {
		a, err = s.names(limited, q)
	} else {
		a, err = s.contents(limited, q)
	}
	switch {
	case err != nil:
		return failure(view, err)
	case ctx.Err() != nil:
		return tools.Cancelled(view, "search_files was stopped: "+context.Cause(ctx).Error())
	}
	if limited.Err() != nil {
		a.Truncated, a.LimitReason = true, "search_timeout"
		a.Hint = fmt.Sprintf("The search stopped after %v, so the counts are too low. Search a smaller directory or set file_glob.", s.timeout)
	}
	if times == maxRepeats {
		a.Warning = "This is the same search for the third time in a row. Another time will be refused."
	}
	view.Summary, view.Body = a.summary(), a.body()
	r := tools.Result{Content: tools.JSON(a), View: view}
	if root, err := s.fs.Resolve(s.root); s.root != "" && (err != nil || !tools.Within(q.path, root)) {
		r.Untrusted = "files outside the workspace"
	}
	return r
}

// note counts how often in a row a search was asked for, this time included.
func (s *Search) note(q query) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != q {
		s.last, s.repeats = q, 0
	}
	s.repeats++
	return s.repeats
}

// failure tells the model why a search did not happen.
func failure(view tools.View, err error) tools.Result {
	var nowhere *missing
	if errors.As(err, &nowhere) && len(nowhere.similar) > 0 {
		view.Summary = "path not found"
		return tools.Result{
			Content: tools.JSON(struct {
				Error   string   `json:"error"`
				Similar []string `json:"similar_files"`
			}{nowhere.Error(), nowhere.similar}),
			Status: tools.StatusFailed, View: view,
		}
	}
	result := tools.Failure(view, err.Error())
	var forbidden *refused
	if errors.As(err, &forbidden) {
		result.Status = tools.StatusDenied
	}
	return result
}
