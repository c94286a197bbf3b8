package agent

import (
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// copied finds how calls looked that a branch has taken over. A branch copies messages only,
// which tell the name, the arguments and the result of a call; how that was shown stands in
// the journal of the session it began with. The result has the ends of calls by their ids in
// said, for the messages that both begin with; it is empty for a session that is no branch,
// and for one whose origin this program did not write.
func (r *revival) copied(said []providers.Message) (map[string]*event.ToolFinished, error) {
	row, err := r.db.Session(r.ctx, string(r.session))
	if err != nil || row.Why != sessions.WhyBranch || row.Parent == "" {
		return nil, err
	}
	origin, err := r.db.Session(r.ctx, row.Parent)
	if err != nil || origin.Conv == "" || origin.Conv == string(r.conv) {
		return nil, err
	}
	rows, err := r.db.Messages(r.ctx, row.Parent)
	if err != nil {
		return nil, err
	}
	first, err := restore(rows)
	if err != nil {
		return nil, err
	}
	here := map[event.CallID]string{} // the id of a call here, by the one it has there
	for i := 0; i < min(len(first), len(said)) && first[i].Role == said[i].Role && len(first[i].Calls) == len(said[i].Calls); i++ {
		for k, c := range first[i].Calls {
			if c.WireID == said[i].Calls[k].WireID {
				here[event.CallID(c.ID)] = said[i].Calls[k].ID
			}
		}
	}
	if len(here) == 0 {
		return nil, nil
	}
	list, err := r.db.EventsOf(r.ctx, origin.Conv, string(event.TypeOf((*event.ToolFinished)(nil))))
	if err != nil {
		return nil, err
	}
	d, ends := event.NewDecoder(), map[string]*event.ToolFinished{}
	for _, one := range list {
		e, err := d.UnmarshalAs(event.Type(one.Type), one.Body)
		if err != nil {
			return nil, err
		}
		if end, ok := e.(*event.ToolFinished); ok && here[end.Call] != "" {
			ends[here[end.Call]] = end
		}
	}
	return ends, nil
}
