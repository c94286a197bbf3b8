package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/export"
	"hermes-tui/store/sessions"
)

// What is no session of its own is named by a session and, behind one of these, how it
// was left or a place in it.
const wayMark, pointMark = "~", "#"

// refParts takes such a name apart.
func refParts(ref string) (session, way, point string) {
	session, way, _ = strings.Cut(ref, wayMark)
	if way == "" {
		session, point, _ = strings.Cut(ref, pointMark)
	}
	return session, way, point
}

// PointOf takes the name of a place apart into its session and the block that marks it;
// block is empty for any other name.
func PointOf(ref string) (session string, block event.BlockID) {
	session, _, point := refParts(ref)
	return session, event.BlockID(point)
}

// Lineage lists what began with what a session began with: branches, compressions and
// subagents, the ways that were left by taking something back, and the places where what
// the model gets was shortened; each behind the session it began with, the older first.
func (a *App) Lineage(ctx context.Context, session string) ([]api.SessionInfo, error) {
	session, _, _ = refParts(session)
	kin, err := a.db.Lineage(ctx, session)
	if err != nil {
		return nil, err
	}
	t := tree{below: map[string][]node{}}
	shortened := map[string]bool{}
	for _, k := range kin {
		if k.Why == sessions.WhyCompression {
			shortened[k.Parent] = true
		}
	}
	for _, k := range kin {
		i := sessionInfo(k.ConversationInfo)
		i.Preview = cmp.Or(k.Own, i.Preview) // which all that began with the same have
		i.Branch, i.Delegated, i.Shortened = k.Why == sessions.WhyBranch, k.Why == sessions.WhySubagent, shortened[k.Session]
		t.add(k.Parent, k.Started, i)
		if err := a.addPlaces(ctx, i, &t); err != nil {
			return nil, err
		}
	}
	list := t.walk("", 0, nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range list {
		list[i].Deleted = a.doomed[list[i].Session]
	}
	return list, nil
}

// addPlaces adds the ways that a session was left on and the places in it.
func (a *App) addPlaces(ctx context.Context, of api.SessionInfo, t *tree) error {
	ways, err := a.db.Ways(ctx, of.Session)
	if err != nil {
		return err
	}
	for _, w := range ways {
		if w.Branch == "" { // else that is listed
			t.add(of.Session, w.Left, api.SessionInfo{
				Session: of.Session + wayMark + w.ID, Title: w.Label, Preview: w.Preview, Dir: of.Dir, Model: of.Model, LastActive: w.Last, Messages: w.Messages, Left: true,
			})
		}
	}
	points, err := a.db.Points(ctx, of.Session)
	for _, p := range points {
		t.add(of.Session, p.At, api.SessionInfo{Session: of.Session + pointMark + p.ID, Title: p.Label, Preview: p.Text, Dir: of.Dir, Model: of.Model, LastActive: p.At, Point: true})
	}
	return err
}

// tree is what began with what.
type tree struct{ below map[string][]node }

type node struct {
	at   time.Time
	info api.SessionInfo
}

func (t *tree) add(parent string, at time.Time, i api.SessionInfo) {
	t.below[parent] = append(t.below[parent], node{at, i})
}

// maxDepth is how deep a tree is listed.
const maxDepth = 100

func (t *tree) walk(of string, depth int, list []api.SessionInfo) []api.SessionInfo {
	nodes := t.below[of]
	slices.SortStableFunc(nodes, func(a, b node) int { return a.at.Compare(b.at) })
	for _, n := range nodes {
		if n.info.Depth = depth; depth > maxDepth {
			return list
		}
		list = t.walk(n.info.Session, depth+1, append(list, n.info))
	}
	return list
}

// Fork makes a session that begins with what another one holds, and returns it. With a
// message, given by its id, it holds what is before that prompt, whose text becomes the
// draft, or, of another message, what is up to it and the results of its calls. Of a
// session at work it is what is stored so far. Nothing changes in the other session.
func (a *App) Fork(ctx context.Context, session, message string) (string, error) {
	session, way, _ := refParts(session)
	if way != "" {
		branch, _, err := a.Branch(ctx, way, "")
		return branch, err
	}
	info, err := a.db.Resolve(ctx, session)
	if err != nil {
		return "", err
	}
	to := sessions.Batch{Conv: string(a.o.IDs.Conv()), Session: string(a.o.IDs.Session())}
	all, err := a.db.Messages(ctx, info.Session)
	if err != nil {
		return "", err
	}
	end := len(all)
	if message != "" {
		at := slices.IndexFunc(all, func(m sessions.Message) bool { return m.ID == message })
		if at < 0 {
			return "", &sessions.NotFoundError{What: "message", Ref: message}
		}
		if end = at; all[at].Role == "user" {
			to.Effects = []sessions.Effect{sessions.SaveDraft{Text: all[at].Content}}
		} else {
			for end++; end < len(all) && all[end].Role == "tool"; end++ {
			}
		}
	}
	before := int64(0)
	if end = answered(all[:end]); end < len(all) {
		before = all[end].Row
	}
	return to.Session, a.db.Fork(ctx, info.Session, before, to, func() string { return string(a.o.IDs.Message()) })
}

// answered is how many messages there are before the first call at their end that has no
// result yet.
func answered(all []sessions.Message) int {
	for i := len(all) - 1; i >= 0; i-- {
		switch all[i].Role {
		case "tool":
			continue
		case "assistant":
			var calls []json.RawMessage
			if json.Unmarshal([]byte(all[i].ToolCalls), &calls) == nil && len(calls) > len(all)-1-i {
				return i
			}
		}
		break
	}
	return len(all)
}

// Branch gives the session of a way that another one was left on, which is made the first
// time. message is the id of a message in that other one; aim is its id here.
func (a *App) Branch(ctx context.Context, way, message string) (session, aim string, err error) {
	was, err := a.db.WayMessages(ctx, way)
	if err != nil {
		return "", "", err
	}
	w, err := a.db.Way(ctx, way)
	if err != nil {
		return "", "", err
	}
	if session = w.Branch; session == "" {
		session = string(a.o.IDs.Session())
		err := a.db.ForkWay(ctx, way, sessions.Batch{Conv: string(a.o.IDs.Conv()), Session: session}, func() string { return string(a.o.IDs.Message()) })
		if err != nil {
			return "", "", err
		}
	}
	if message == "" {
		return session, "", nil
	}
	is, err := a.db.Messages(ctx, session)
	if at := slices.IndexFunc(was, func(m sessions.Message) bool { return m.ID == message }); at >= 0 && at < len(is) {
		aim = is[at].ID
	}
	return session, aim, err
}

// heldAt is what the store holds of what a name means: a session, or a way that one was
// left on.
func (a *App) heldAt(ctx context.Context, ref string) (export.Session, error) {
	session, way, _ := refParts(ref)
	if way == "" {
		return a.held(ctx, session)
	}
	row, err := a.db.Session(ctx, session)
	if err != nil {
		return export.Session{}, err
	}
	messages, err := a.db.WayMessages(ctx, way)
	if err == nil && len(messages) == 0 {
		err = &sessions.NotFoundError{What: "session", Ref: ref}
	}
	if err != nil {
		return export.Session{}, err
	}
	return export.Of(row, messages)
}

// PlanWalk says what going from a session that is open to another one would do to files,
// if what the first has done since they part was taken back.
func (a *App) PlanWalk(ctx context.Context, from Conversation, to string) (w api.Walk, err error) {
	one, err := a.db.Messages(ctx, string(from.Session()))
	if err != nil {
		return w, err
	}
	session, way, _ := refParts(to)
	other, err := a.db.Messages(ctx, session)
	if way != "" {
		other, err = a.db.WayMessages(ctx, way)
	}
	if err != nil {
		return w, err
	}
	for at := parting(one, other); at < len(one); at++ {
		if one[at].Role != "user" {
			continue
		}
		for _, b := range from.Fold().Root().Blocks {
			if string(b.Message) == one[at].ID && b.Kind == event.BlockUser {
				w.To = b.Turn
				w.Plan, err = from.PlanRewind(ctx, w.To)
				return w, err
			}
		}
	}
	return w, nil
}

// parting is how many messages two sessions begin with alike.
func parting(a, b []sessions.Message) int {
	n := 0
	for n < min(len(a), len(b)) && a[n].Role == b[n].Role && a[n].Content == b[n].Content && a[n].ToolCalls == b[n].ToolCalls {
		n++
	}
	return n
}

// turnsAfter are the turns of messages from one on.
func turnsAfter(list []sessions.Message, from int) (turns []event.TurnID) {
	for _, m := range list[min(from, len(list)):] {
		if id := event.TurnID(m.Turn); id != "" && !slices.Contains(turns, id) {
			turns = append(turns, id)
		}
	}
	return turns
}
