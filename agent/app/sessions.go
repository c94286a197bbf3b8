package app

import (
	"context"
	"errors"
	"maps"
	"os"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// Sessions lists conversations, the most recent first. query is looked for in
// titles, beginnings and folders; empty finds all. hidden lists those that are archived
// or deleted, too.
func (a *App) Sessions(ctx context.Context, query string, limit int, hidden bool) ([]api.SessionInfo, error) {
	a.mu.Lock()
	doomed := maps.Clone(a.doomed)
	a.mu.Unlock()
	most := limit
	if limit > 0 {
		most += len(doomed)
	}
	rows, err := a.db.List(ctx, sessions.Filter{Query: query, Limit: most, Archived: hidden})
	list := make([]api.SessionInfo, 0, len(rows))
	for _, r := range rows {
		i := sessionInfo(r)
		if i.Deleted = doomed[i.Session]; hidden || !i.Deleted {
			list = append(list, i)
		}
	}
	if limit > 0 {
		list = list[:min(len(list), limit)]
	}
	return list, err
}

func sessionInfo(i sessions.ConversationInfo) api.SessionInfo {
	return api.SessionInfo{
		Session: i.Session, Title: i.Title, Preview: i.Preview, Model: i.Model, Dir: i.Workspace,
		LastActive: i.LastActive, Messages: i.Messages, Archived: i.Archived, Branch: i.Branch,
	}
}

// Find gives the id of a session that is named as for [App.Resume], or the name of a way
// that one was left on.
func (a *App) Find(ctx context.Context, ref string) (string, error) {
	session, way, _ := refParts(ref)
	info, err := a.db.Resolve(ctx, session)
	if err == nil && way != "" {
		_, err = a.db.Way(ctx, way)
		return info.Session + wayMark + way, err
	}
	return info.Session, err
}

// opened finds a conversation of this program by its session.
func (a *App) opened(session string) *conversation {
	for _, c := range a.conversations() {
		if string(c.Session()) == session {
			return c
		}
	}
	return nil
}

// RenameSession gives a session another title, or takes it away; see
// [sessions.CleanTitle]. What is no session of its own, see [App.Lineage], gets a label.
func (a *App) RenameSession(ctx context.Context, session, title string) error {
	if _, way, point := refParts(session); way+point != "" {
		return a.db.Commit(ctx, sessions.Batch{Effects: []sessions.Effect{sessions.SetLabel{ID: way + point, Label: title}}})
	}
	if c := a.opened(session); c != nil {
		return c.SetTitle(title)
	}
	return a.db.Commit(ctx, sessions.Batch{Effects: []sessions.Effect{sessions.SetTitle{Session: session, Title: title}}})
}

// ArchiveSession keeps a session out of lists and searches, or no longer.
func (a *App) ArchiveSession(ctx context.Context, session string, on bool) error {
	return a.db.Archive(ctx, session, on)
}

// errOpen refuses to delete a session that is being worked on.
var errOpen = errors.New("that session is open here: go to another one and let it end first")

// DeleteSession deletes a session when the program ends, or, with off, no longer. Until
// then nothing of it is gone. One that is open, here or elsewhere, is refused.
func (a *App) DeleteSession(ctx context.Context, session string, off bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if off {
		delete(a.doomed, session)
		return nil
	}
	info, err := a.db.Resolve(ctx, session)
	if err != nil {
		return err
	}
	if info.Conv != "" {
		if a.open[event.ConvID(info.Conv)] != nil {
			return errOpen
		}
		lease, err := sessions.Acquire(ctx, a.o.Home.Leases(), info.Conv)
		if err != nil {
			return heldAs(err, session)
		}
		if err := lease.Release(); err != nil {
			return err
		}
	}
	if a.doomed == nil {
		a.doomed = map[string]bool{}
	}
	a.doomed[session] = true
	return nil
}

// DeleteNow deletes a session, with what was kept of its long results. One that is open
// elsewhere is refused.
func (a *App) DeleteNow(ctx context.Context, session string) (err error) {
	info, err := a.db.Resolve(ctx, session)
	if err != nil {
		return err
	}
	if info.Conv != "" {
		lease, err := sessions.Acquire(ctx, a.o.Home.Leases(), info.Conv)
		if err != nil {
			return heldAs(err, session)
		}
		defer func() { err = errors.Join(err, lease.Release()) }()
	}
	if err := a.db.Delete(ctx, info.Session); err != nil || info.Conv == "" {
		return err
	}
	return errors.Join(os.RemoveAll(a.o.Home.Results(info.Conv)), ignoreGone(os.Remove(a.o.Home.Jobs(info.Conv))))
}

func ignoreGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// deleteTime is how long deleting may hold up the end of the program.
const deleteTime = 10 * time.Second

// deleteDoomed deletes what was asked for. What is open elsewhere by now stays.
func (a *App) deleteDoomed() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTime)
	defer cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	for session := range a.doomed {
		err = errors.Join(err, a.DeleteNow(ctx, session))
	}
	a.doomed = nil
	return err
}
