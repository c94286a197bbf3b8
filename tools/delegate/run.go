package delegate

import (
	"context"
	"fmt"
	"math"

	"hermes-tui/tools"
)

// outcome is what the model gets of a call that has waited.
type outcome struct {
	Results []Report `json:"results"`
	Total   float64  `json:"total_duration_seconds"`
	// Status and Error say that the call was stopped.
	Status string `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// run answers a call.
func (d *Delegate) run(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
	view := preview(c.Args)
	var args arguments
	if err := c.Decode(&args); err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	tasks, err := d.tasks(args)
	if err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	if ctx.Err() != nil {
		return tools.Cancelled(view, "no subagent was started: "+context.Cause(ctx).Error()), nil //nolint:nilerr // the model is told
	}
	if args.Background {
		return d.dispatch(ctx, c, tasks[0], view), nil
	}
	start := d.o.Now()
	reports := d.settle(c.ID, d.o.Spawner.Run(ctx, c.ID, tasks), len(tasks))
	total := math.Round(max(d.o.Now().Sub(start).Seconds(), 0)*100) / 100
	return result(ctx, view, tasks, outcome{Results: reports, Total: total}), nil
}

// settle gives exactly one report for each of n tasks, in their form for the model.
func (d *Delegate) settle(call string, reports []Report, n int) []Report {
	list := make([]Report, n)
	for i := range n {
		if i < len(reports) {
			list[i] = reports[i]
		}
		list[i].TaskIndex = i
		list[i] = list[i].bounded(n, fmt.Sprintf("%s-report-%d.txt", call, i), d.o.Spill)
	}
	return list
}

// result writes what came of the tasks.
func result(ctx context.Context, view tools.View, tasks []Task, o outcome) tools.Result {
	n := count(o.Results)
	view.Summary, view.Body = n.summary(o.Results), body(tasks, o.Results)
	r := tools.Result{View: view}
	switch {
	case ctx.Err() != nil && n.completed < len(tasks):
		o.Status, o.Error = "cancelled", "the delegation was stopped: "+context.Cause(ctx).Error()
		r.Status = tools.StatusCancelled
	case n.completed == 0:
		r.Status = tools.StatusFailed
	}
	r.Content = tools.JSON(o)
	return r
}

// dispatch starts a subagent that goes on after the call.
func (d *Delegate) dispatch(ctx context.Context, c tools.Call, t Task, view tools.View) tools.Result {
	id, err := d.o.Spawner.Dispatch(ctx, c.ID, t)
	switch {
	case err != nil && ctx.Err() != nil:
		return tools.Cancelled(view, "no subagent was started: "+context.Cause(ctx).Error())
	case err != nil:
		return tools.Failure(view, err.Error())
	}
	view.Summary = "in the background, " + id
	return tools.Result{View: view, Content: tools.JSON(struct {
		Status string `json:"status"`
		ID     string `json:"delegation_id"`
		Goal   string `json:"goal"`
		Mode   string `json:"mode"`
		Note   string `json:"note"`
	}{"dispatched", id, head(t.Goal, maxError), "background",
		"It works while you go on. Its report will come as a message that begins " + heading(id) + "; do not wait for it and do not do its work."})}
}
