package sessions

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// maxHops is how many compressions of a conversation are followed.
const maxHops = 100

// previewLength is how many code points of the first message a preview has.
const previewLength = 80

// ConversationInfo is a conversation as a list shows it.
type ConversationInfo struct {
	// Conv is the conversation, empty for one this program never worked on: it
	// needs [DB.Adopt] before something can be added.
	Conv string
	// Session is the session the conversation goes on in.
	Session string
	Source  string
	Title   string
	// Preview is the beginning of the user's first message on one line, at most
	// 80 code points.
	Preview   string
	Model     string
	Workspace string

	Started time.Time // of the first session
	// LastActive is the time of the newest message.
	LastActive time.Time
	// Messages counts the messages of Session.
	Messages int
	// Archived ones are in no list that is not asked for them. A Branch began with what
	// another conversation holds.
	Archived, Branch bool

	// parent is the session this one continues after a compression.
	parent string
}

const (
	// hidden are the sources that no list shows.
	hidden = `('subagent', 'tool')`
	// firstMessage is the user's first message in session s: of those that were
	// taken back if there is no other.
	firstMessage = `COALESCE(` + firstOf + `AND (f.active = 1 OR f.compacted = 1)` + inTime + `, ` + firstOf + inTime + `)`
	// A message is cut unless it is structured, where cutting would break it.
	firstOf = `(SELECT CASE WHEN unicode(f.content) IS NULL THEN f.content ELSE substr(f.content, 1, 400) END
		FROM messages f WHERE f.session_id = s.id AND f.role = 'user' AND f.display_kind IS NOT 'hidden' `
	inTime = ` ORDER BY f.timestamp, f.id LIMIT 1)`
	// lastActive is when something was last said in session s.
	lastActive = `COALESCE((SELECT MAX(a.timestamp) FROM messages a WHERE a.session_id = s.id), s.started_at)`
	// lastSaid is NULL instead where nothing was said in session s.
	lastSaid = `COALESCE((SELECT MAX(a.timestamp) FROM messages a WHERE a.session_id = s.id), CASE WHEN ` + spoken + ` THEN s.started_at END)`
	// spoken holds for a session s in which something was said, even if all of it
	// was taken back, and goesOn for one in which something of it is left.
	spoken = `EXISTS (SELECT 1 FROM messages e WHERE e.session_id = s.id)`
	goesOn = `EXISTS (SELECT 1 FROM messages e WHERE e.session_id = s.id AND e.active = 1)`
	// delegated holds for a session s the reference made for a subagent.
	delegated = `(s.source IN ` + hidden + ` OR COALESCE(s.model_config, '') LIKE '%"_delegate_from"%' OR COALESCE(l.why, '') = 'subagent')`

	// continues holds for a session s that goes on where its parent ended, if that
	// was by a compression; l is its link. The reference has no such mark, but
	// marks everything else.
	continues = `(l.why = 'compression' OR l.session IS NULL AND NOT ` + delegated + `
		AND COALESCE(s.model_config, '') NOT LIKE '%"_branched_from"%')`
	// continued is the parent that session s goes on from after a compression.
	continued = `(SELECT p.id FROM sessions p WHERE p.id = s.parent_session_id AND p.end_reason = 'compression' AND ` + continues + `)`

	selectInfo   = selectBefore + lastActive + selectBehind
	selectBefore = `SELECT s.id, l.conv, s.source, s.title, s.model, COALESCE(NULLIF(c.workspace, ''), s.cwd),
		CAST(s.started_at AS REAL), CAST(`
	selectBehind = ` AS REAL), CAST(COALESCE(s.message_count, 0) AS INTEGER), ` +
		firstMessage + `, ` + continued + `, COALESCE(s.archived, 0) <> 0, COALESCE(s.model_config, '') LIKE '%"_branched_from"%'
		FROM sessions s LEFT JOIN tui_links l ON l.session = s.id LEFT JOIN tui_conversations c ON c.id = l.conv `
)

func scanInfo(scan scanFunc) (ConversationInfo, error) {
	var i ConversationInfo
	var started, last sql.NullFloat64
	err := scan(orEmpty{&i.Session}, orEmpty{&i.Conv}, orEmpty{&i.Source}, orEmpty{&i.Title}, orEmpty{&i.Model}, orEmpty{&i.Workspace},
		&started, &last, &i.Messages, orEmpty{&i.Preview}, orEmpty{&i.parent}, &i.Archived, &i.Branch)
	i.Started, i.LastActive = moment(started), moment(last)
	i.Preview = preview(goalOf(i.Preview))
	return i, err
}

// The headings of what a subagent is told first.
const (
	goalHead    = "Your task:\n"
	contextHead = "\n\nWhat the agent that hands it to you knows about it:\n"
	placeHead   = "\n\nWorkspace: "
)

// goalOf returns the goal in the first message to a subagent, and any other text as it is.
func goalOf(said string) string {
	goal, ok := strings.CutPrefix(said, goalHead)
	if !ok {
		return said
	}
	goal, _, _ = strings.Cut(goal, contextHead)
	goal, _, _ = strings.Cut(goal, placeHead)
	return goal
}

// programNote begins what the program put behind what a user wrote.
const programNote = "\n[note from the program"

// preview is the beginning of what a user wrote, on one line.
func preview(content string) string {
	said, _, _ := strings.Cut(flatten(content), programNote)
	return cut(tidy(said), previewLength)
}

// infos reads conversations, without what their earlier sessions hold.
func (d *DB) infos(ctx context.Context, rest string, args ...any) ([]ConversationInfo, error) {
	return d.readInfos(ctx, selectInfo+rest, args...)
}

func (d *DB) readInfos(ctx context.Context, query string, args ...any) ([]ConversationInfo, error) {
	var all []ConversationInfo
	err := d.query(ctx, "read conversations", query, args, func(scan scanFunc) error {
		i, err := scanInfo(scan)
		all = append(all, i)
		return err
	})
	return all, err
}

// complete adds what the sessions before a compression hold: where it began, the
// first message, and the conversation if the newest session isn't linked to it.
func (d *DB) complete(ctx context.Context, i *ConversationInfo) error {
	for hop := 0; i.parent != "" && hop < maxHops; hop++ {
		up, err := d.infos(ctx, "WHERE s.id = ?", i.parent)
		if err != nil || len(up) == 0 {
			return err
		}
		p := up[0]
		i.parent, i.Started = p.parent, p.Started
		if p.Preview != "" {
			i.Preview = p.Preview
		}
		if i.Conv == "" {
			i.Conv = p.Conv
		}
		if i.Workspace == "" {
			i.Workspace = p.Workspace
		}
	}
	i.parent = ""
	return nil
}

// info is the conversation that goes on in a session; false if there is no such
// session.
func (d *DB) info(ctx context.Context, session string) (ConversationInfo, bool, error) {
	all, err := d.infos(ctx, "WHERE s.id = ?", session)
	if err != nil || len(all) == 0 {
		return ConversationInfo{}, false, err
	}
	err = d.complete(ctx, &all[0])
	return all[0], true, err
}

// nextSession finds the session that continues one that was ended by a
// compression: one with messages rather than one without, the newest of those.
const nextSession = `SELECT s.id FROM sessions s LEFT JOIN tui_links l ON l.session = s.id
	JOIN sessions p ON p.id = s.parent_session_id
	WHERE p.id = ? AND p.end_reason = 'compression' AND s.id <> p.id AND ` + continues + `
	ORDER BY ` + goesOn + ` DESC, s.started_at DESC, s.id DESC LIMIT 1`

// tip follows the compressions of a session to where it goes on.
func (d *DB) tip(ctx context.Context, session string) (string, error) {
	for range maxHops {
		var next string
		found, err := d.one(ctx, "follow compressions", nextSession, []any{session}, &next)
		if err != nil || !found {
			return session, err
		}
		session = next
	}
	return session, nil
}

// Filter says which conversations [DB.List] returns.
type Filter struct {
	// Query is looked for in titles, previews and folders, in any case, and at
	// the beginning of ids; empty finds all.
	Query string
	// Workspace is the folder the conversation must work in; empty finds all.
	Workspace string
	// Archived lists those that are archived, too.
	Archived bool
	// Limit is the most conversations to return; 0 means 50.
	Limit int
}

const defaultLimit = 50

// List returns conversations, the most recently used first: those in which
// something was said, without subagents, tools and, unless asked for, what is
// archived. Of a compressed conversation the newest session stands for all.
func (d *DB) List(ctx context.Context, f Filter) ([]ConversationInfo, error) {
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	// Which are listed is found out first: the rest is read of those alone.
	query := `WITH w AS MATERIALIZED (SELECT s.id, ` + lastSaid + ` AS last
			FROM sessions s LEFT JOIN tui_links l ON l.session = s.id LEFT JOIN tui_conversations c ON c.id = l.conv
			WHERE NOT ` + delegated + ` AND (?3 OR COALESCE(s.archived, 0) = 0)
			AND NOT (COALESCE(s.end_reason, '') = 'compression' AND s.id IN (SELECT s.parent_session_id FROM sessions s
				LEFT JOIN tui_links l ON l.session = s.id WHERE s.parent_session_id IS NOT NULL AND ` + continues + ` AND ` + spoken + `))
			AND (?1 = '' OR COALESCE(NULLIF(c.workspace, ''), s.cwd) = ?1)) ` +
		selectBefore + "w.last" + selectBehind + `JOIN (SELECT id, last FROM w WHERE last IS NOT NULL ORDER BY last DESC, id DESC LIMIT ?2) w
		ON w.id = s.id ORDER BY w.last DESC, s.id DESC`
	limit := f.Limit
	if f.Query != "" {
		limit = -1
	}
	all, err := d.readInfos(ctx, query, f.Workspace, limit, f.Archived)
	if err != nil {
		return nil, err
	}
	found := all[:0]
	for i := range all {
		if err := d.complete(ctx, &all[i]); err != nil {
			return nil, err
		}
		if all[i].matches(f.Query) {
			found = append(found, all[i])
		}
		if len(found) == f.Limit {
			break
		}
	}
	return found, nil
}

// matches reports whether the conversation is one that was looked for.
func (i *ConversationInfo) matches(query string) bool {
	query = strings.ToLower(tidy(query))
	if query == "" {
		return true
	}
	for _, text := range []string{i.Title, i.Preview, i.Workspace} {
		if strings.Contains(strings.ToLower(text), query) {
			return true
		}
	}
	return strings.HasPrefix(i.Session, query) || strings.HasPrefix(i.Conv, query)
}

// Latest is the most recently used conversation, of one workspace if that is not
// empty; a [*NotFoundError] says that there is none.
func (d *DB) Latest(ctx context.Context, workspace string) (ConversationInfo, error) {
	all, err := d.List(ctx, Filter{Workspace: workspace, Limit: 1})
	if err == nil && len(all) == 0 {
		err = &NotFoundError{What: "session"}
	}
	if err != nil {
		return ConversationInfo{}, err
	}
	return all[0], nil
}
