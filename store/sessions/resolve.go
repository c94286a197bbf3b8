package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// maxCandidates is how many conversations an ambiguous reference names.
const maxCandidates = 10

// maxMatches is how many rows that begin like a reference are looked at.
const maxMatches = 200

// Conversation is a conversation by its id; a [*NotFoundError] says that there
// is none, or that nothing is left of it.
func (d *DB) Conversation(ctx context.Context, id string) (ConversationInfo, error) {
	var session string
	found, err := d.one(ctx, "read conversation", `SELECT COALESCE(
		(SELECT s.id FROM sessions s WHERE s.id = c.session),
		(SELECT l.session FROM tui_links l JOIN sessions s ON s.id = l.session WHERE l.conv = c.id
			AND COALESCE(l.why, '') <> 'subagent' ORDER BY s.started_at DESC LIMIT 1), '')
		FROM tui_conversations c WHERE c.id = ?`, []any{id}, &session)
	if err != nil {
		return ConversationInfo{}, err
	}
	if found && session != "" {
		if session, err = d.tip(ctx, session); err != nil {
			return ConversationInfo{}, err
		}
		info, ok, err := d.info(ctx, session)
		if err != nil || ok {
			info.Conv = id
			return info, err
		}
	}
	return ConversationInfo{}, &NotFoundError{What: "session", Ref: id}
}

// Resolve finds the conversation a user means. The reference is, in this
// order, the id of a session or conversation, a title, the beginning of an id,
// or the beginning of a title in any case. Of titles that differ in their number
// only ("name", "name #2") the newest is meant. A session that was compressed
// stands for the one it goes on in, that of a subagent for its conversation.
//
// A reference that fits several conversations is an [*AmbiguousError], one that
// fits none a [*NotFoundError].
func (d *DB) Resolve(ctx context.Context, ref string) (ConversationInfo, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" || strings.ContainsRune(ref, 0) {
		return ConversationInfo{}, &NotFoundError{What: "session", Ref: ref}
	}
	for _, find := range []func(context.Context, string) ([]string, error){
		d.byID, d.byTitle, d.byPrefix, d.byTitlePrefix,
	} {
		sessions, err := find(ctx, ref)
		if err != nil {
			return ConversationInfo{}, err
		}
		found, err := d.conversations(ctx, sessions)
		if err != nil {
			return ConversationInfo{}, err
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return ConversationInfo{}, &AmbiguousError{Ref: ref, Candidates: found[:min(len(found), maxCandidates)]}
		}
	}
	return ConversationInfo{}, &NotFoundError{What: "session", Ref: ref}
}

// conversations are the distinct conversations some sessions belong to, the most
// recently used first.
func (d *DB) conversations(ctx context.Context, sessions []string) ([]ConversationInfo, error) {
	var all []ConversationInfo
	for _, session := range sessions {
		info, ok, err := d.conversationOf(ctx, session)
		if err != nil {
			return nil, err
		}
		known := slices.ContainsFunc(all, func(i ConversationInfo) bool { return i.Session == info.Session })
		if ok && !known {
			all = append(all, info)
		}
	}
	slices.SortStableFunc(all, func(a, b ConversationInfo) int { return b.LastActive.Compare(a.LastActive) })
	return all, nil
}

// conversationOf is the conversation a session belongs to.
func (d *DB) conversationOf(ctx context.Context, session string) (ConversationInfo, bool, error) {
	var conv string
	linked, err := d.one(ctx, "read link", `SELECT l.conv FROM tui_links l JOIN tui_conversations c ON c.id = l.conv
		WHERE l.session = ?`, []any{session}, &conv)
	if err != nil {
		return ConversationInfo{}, false, err
	}
	if linked {
		info, err := d.Conversation(ctx, conv)
		return info, err == nil, err
	}
	if session, err = d.tip(ctx, session); err != nil {
		return ConversationInfo{}, false, err
	}
	return d.info(ctx, session)
}

// conversationsOf are the conversations some sessions belong to, by session. Those that
// are gone are left out.
func (d *DB) conversationsOf(ctx context.Context, of []string) (map[string]ConversationInfo, error) {
	ids, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	moved := map[string]bool{} // to another session
	err = d.query(ctx, "look up", `SELECT s.id, COALESCE(s.end_reason, '') = 'compression' OR s.id <> COALESCE(t.id, s.id)
		FROM json_each(?) f JOIN sessions s ON s.id = f.value LEFT JOIN tui_links l ON l.session = s.id
		LEFT JOIN tui_conversations c ON c.id = l.conv LEFT JOIN sessions t ON t.id = c.session`, []any{string(ids)}, func(scan scanFunc) error {
		var id string
		var on bool
		err := scan(&id, &on)
		moved[id] = on
		return err
	})
	if err != nil {
		return nil, err
	}
	infos, err := d.infos(ctx, "WHERE s.id IN (SELECT value FROM json_each(?))", string(ids))
	if err != nil {
		return nil, err
	}
	found := map[string]ConversationInfo{}
	for _, i := range infos {
		if !moved[i.Session] && i.parent == "" {
			found[i.Session] = i
			continue
		}
		whole, ok, err := d.conversationOf(ctx, i.Session)
		if err != nil && !isNotFound(err) {
			return nil, err
		}
		if ok {
			found[i.Session] = whole
		}
	}
	return found, nil
}

func (d *DB) byID(ctx context.Context, ref string) ([]string, error) {
	return d.ids(ctx, `SELECT id FROM sessions WHERE id = ?1
		UNION SELECT MIN(session) FROM tui_links WHERE conv = ?1 AND COALESCE(why, '') <> 'subagent' HAVING COUNT(*) > 0`, ref)
}

func (d *DB) byPrefix(ctx context.Context, ref string) ([]string, error) {
	return d.ids(ctx, fmt.Sprintf(`SELECT s.id FROM sessions s LEFT JOIN tui_links l ON l.session = s.id
		WHERE (substr(s.id, 1, length(?1)) = ?1 AND NOT %s) OR (substr(l.conv, 1, length(?1)) = ?1 AND COALESCE(l.why, '') <> 'subagent')
		ORDER BY s.started_at DESC LIMIT %d`, delegated, maxMatches), ref)
}

func (d *DB) byTitle(ctx context.Context, ref string) ([]string, error) {
	title := tidy(ref)
	return d.byLineage(ctx, func(t string) bool {
		base, _ := splitTitle(t)
		return t == title || base == title
	})
}

func (d *DB) byTitlePrefix(ctx context.Context, ref string) ([]string, error) {
	begin := strings.ToLower(tidy(ref))
	return d.byLineage(ctx, func(t string) bool { return begin != "" && strings.HasPrefix(strings.ToLower(t), begin) })
}

// byLineage finds the newest session of every title that fits, numbers apart.
func (d *DB) byLineage(ctx context.Context, fits func(title string) bool) ([]string, error) {
	var found []string
	seen := map[string]bool{}
	err := d.query(ctx, "read titles", `SELECT s.id, s.title FROM sessions s LEFT JOIN tui_links l ON l.session = s.id
		WHERE s.title IS NOT NULL AND s.title <> '' AND NOT `+delegated+` ORDER BY s.started_at DESC, s.id DESC`, nil, func(scan scanFunc) error {
		var id, title string
		if err := scan(&id, orEmpty{&title}); err != nil {
			return err
		}
		base, _ := splitTitle(title)
		if fits(title) && !seen[base] && len(found) < maxMatches {
			seen[base] = true
			found = append(found, id)
		}
		return nil
	})
	return found, err
}

// ids reads one column of text.
func (d *DB) ids(ctx context.Context, query string, args ...any) ([]string, error) {
	var all []string
	err := d.query(ctx, "look up", query, args, func(scan scanFunc) error {
		var id string
		err := scan(&id)
		all = append(all, id)
		return err
	})
	return all, err
}
