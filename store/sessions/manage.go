package sessions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// line are the sessions of the conversation that the only parameter belongs to: those
// it was compressed into, and those of its subagents. Branches are others.
const line = `WITH RECURSIVE line(id) AS (
	SELECT id FROM sessions WHERE id = ?1
	UNION SELECT o.session FROM line JOIN tui_links l ON l.session = line.id JOIN tui_links o ON o.conv = l.conv
	UNION SELECT p.id FROM line JOIN sessions s ON s.id = line.id LEFT JOIN tui_links l ON l.session = s.id
		JOIN sessions p ON p.id = s.parent_session_id WHERE p.end_reason = 'compression' AND ` + continues + `
	UNION SELECT s.id FROM line JOIN sessions p ON p.id = line.id JOIN sessions s ON s.parent_session_id = p.id
		LEFT JOIN tui_links l ON l.session = s.id WHERE ` + delegated + ` OR p.end_reason = 'compression' AND ` + continues + `) `

// Archive hides the conversation of a session from lists and searches, or shows it
// again. A session that is not there is a [*NotFoundError].
func (d *DB) Archive(ctx context.Context, session string, on bool) error {
	return d.write(ctx, "archive session", func(w *writer) error {
		if err := w.mayChange(session); err != nil {
			return err
		}
		n, err := w.affect(line+"UPDATE sessions SET archived = ?2 WHERE id IN (SELECT id FROM line)", session, flag(on))
		return changed(n, err, "session", session)
	})
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

// Delete removes the conversation of a session, with all that belongs to it: the
// sessions it was compressed into and from, and those of its subagents. Branches of it
// stay, as conversations of their own. The caller holds its lease. A session that is
// not there is a [*NotFoundError].
func (d *DB) Delete(ctx context.Context, session string) error {
	return d.write(ctx, "delete session", func(w *writer) error {
		if err := w.mayChange(session); err != nil {
			return err
		}
		var joined string
		if err := w.first(line+"SELECT COALESCE(group_concat(id, char(31)), '') FROM line", []any{session}, &joined); err != nil {
			return err
		}
		if joined == "" {
			return &NotFoundError{What: "session", Ref: session}
		}
		var ids []any
		for id := range strings.SplitSeq(joined, "\x1f") {
			ids = append(ids, id)
		}
		const most = 500 // parameters of a statement
		for _, do := range []string{
			"UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id IN (%s)",
			"DELETE FROM messages WHERE session_id IN (%s)",
			"DELETE FROM sessions WHERE id IN (%s)",
		} {
			for from := 0; from < len(ids); from += most {
				part := ids[from:min(from+most, len(ids))]
				if _, err := w.exec(fmt.Sprintf(do, "?"+strings.Repeat(", ?", len(part)-1)), part...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Fork makes a conversation that begins with what another one holds before a message,
// by its row; 0 takes all. Messages get new ids by newID, and what the model gets of
// them is what it gets there. The title is that of the other one with a number.
func (d *DB) Fork(ctx context.Context, from string, before int64, to Batch, newID func() string) error {
	return d.fork(ctx, from, kept(from), before, to, newID)
}

// ForkWay makes a conversation of a way that a session was left on, see [DB.Fork], and
// names it beside that.
func (d *DB) ForkWay(ctx context.Context, id string, to Batch, newID func() string) error {
	w, err := d.Way(ctx, id)
	if err != nil {
		return err
	}
	to.Effects = append(to.Effects, branchOfWay{id, to.Session})
	return d.fork(ctx, w.Session, wayOf(id), 0, to, newID)
}

func (d *DB) fork(ctx context.Context, from string, of part, before int64, to Batch, newID func() string) error {
	row, err := d.Session(ctx, from)
	if err != nil {
		return err
	}
	to.Create = &NewSession{
		Parent: from, Why: WhyBranch, Workspace: row.Workspace, Model: row.Model, Provider: row.Provider, BaseURL: row.BaseURL,
		ModelConfig: row.ModelConfig, SystemPrompt: row.SystemPrompt, Title: row.Title, At: time.Time{},
	}
	if err := d.copyInto(ctx, &to, of, before, newID); err != nil {
		return err
	}
	return d.Commit(ctx, to)
}

// Copy adds to a batch what a session holds, with new ids: its messages, and what of them
// a model does not get or gets with other content.
func (d *DB) Copy(ctx context.Context, session string, to *Batch, newID func() string) error {
	return d.copyInto(ctx, to, kept(session), 0, newID)
}

// copyInto is [DB.Copy] of a part, up to a row; 0 takes all.
func (d *DB) copyInto(ctx context.Context, to *Batch, of part, before int64, newID func() string) error {
	all, err := d.messages(ctx, "read messages", selectMessages, of, inOrder)
	if err != nil {
		return err
	}
	travels, err := d.contextOf(ctx, of)
	if err != nil {
		return err
	}
	dropped, replaced, err := d.chosenOf(ctx, of)
	if err != nil {
		return err
	}
	in := func(list []Message, row int64) bool {
		return slices.ContainsFunc(list, func(m Message) bool { return m.Row == row })
	}
	gets := map[int64]Message{}
	for _, m := range travels {
		gets[m.Row] = m
	}
	var short ShortenContext
	var own ChooseContext
	for _, m := range all {
		if before > 0 && m.Row >= before {
			break
		}
		at := m.Row
		m.ID, m.Agent, m.Turn, m.CallIDs = newID(), "", "", nil
		to.Messages = append(to.Messages, m)
		g, there := gets[at]
		if g.Pinned {
			own.Pinned = append(own.Pinned, m.ID)
		}
		switch {
		case in(dropped, at):
			own.Dropped = append(own.Dropped, m.ID)
		case in(replaced, at):
			own.Replaced = append(own.Replaced, Message{ID: m.ID, Content: g.Content, Parts: g.Parts})
		case !there:
			short.LeftOut = append(short.LeftOut, m.ID)
		case g.Content != m.Content || g.ToolCalls != m.ToolCalls:
			short.Replaced = append(short.Replaced, Shortened{ID: m.ID, Content: g.Content, ToolCalls: g.ToolCalls})
		}
	}
	if len(short.LeftOut)+len(short.Replaced) > 0 {
		to.Effects = append(to.Effects, short)
	}
	if len(own.Dropped)+len(own.Replaced)+len(own.Pinned) > 0 {
		to.Effects = append(to.Effects, own)
	}
	return nil
}
