package sessions

import (
	"cmp"
	"context"
	"slices"
)

// Kin is a session in a [DB.Lineage].
type Kin struct {
	ConversationInfo
	// Parent is the session it began with, empty for the first.
	Parent string
	// Why says how: by a branch, by a compression of its parent, or as a subagent of it.
	Why Why
	// Own is the beginning of what the user said first in a branch, after what it began
	// with; empty for nothing yet.
	Own string
	// Depth counts the parents.
	Depth int
}

// maxKin bounds a lineage.
const maxKin = 1000

// Lineage is everything that began with what a session began with: each session before
// those that began with it, the older of them first, at most a thousand.
func (d *DB) Lineage(ctx context.Context, session string) ([]Kin, error) {
	const up = `WITH RECURSIVE up(id, n) AS (SELECT ?1, 0 UNION ALL SELECT p.id, n + 1 FROM up
		JOIN sessions s ON s.id = up.id JOIN sessions p ON p.id = s.parent_session_id WHERE n < ?2)
		SELECT id FROM up ORDER BY n DESC LIMIT 1`
	var first string
	if _, err := d.one(ctx, "find the beginning of a session", up, []any{session, maxHops}, &first); err != nil {
		return nil, err
	}
	const down = `WITH RECURSIVE tree(id, n) AS (SELECT ?1, 0 UNION SELECT s.id, n + 1 FROM sessions s JOIN tree ON s.parent_session_id = tree.id WHERE n < ?2) `
	byID, children := map[string]*Kin{}, map[string][]*Kin{}
	err := d.query(ctx, "read a lineage", down+`SELECT s.id, p.id, CASE WHEN p.id IS NULL THEN '' WHEN `+delegated+` THEN 'subagent'
		WHEN `+continued+` IS NOT NULL THEN 'compression' ELSE 'branch' END
		FROM sessions s JOIN tree ON tree.id = s.id LEFT JOIN sessions p ON p.id = s.parent_session_id LEFT JOIN tui_links l ON l.session = s.id LIMIT ?3`,
		[]any{first, maxHops, maxKin}, func(scan scanFunc) error {
			k, why := &Kin{}, ""
			if err := scan(&k.Session, orEmpty{&k.Parent}, &why); err != nil {
				return err
			}
			k.Why = Why(why)
			if k.Session == first {
				k.Parent, k.Why = "", WhyNew
			}
			byID[k.Session] = k
			return nil
		})
	if err != nil {
		return nil, err
	}
	all, err := d.infos(ctx, "WHERE s.id IN ("+down+"SELECT id FROM tree LIMIT ?3)", first, maxHops, maxKin)
	if err != nil {
		return nil, err
	}
	for _, i := range all {
		if k := byID[i.Session]; k != nil {
			k.ConversationInfo = i
			children[k.Parent] = append(children[k.Parent], k)
		}
	}
	const own = firstOf + `AND (f.active = 1 OR f.compacted = 1) AND f.timestamp >= s.started_at` + inTime
	err = d.query(ctx, "read branches", down+`SELECT s.id, `+own+` FROM sessions s JOIN tree ON tree.id = s.id WHERE s.parent_session_id IS NOT NULL LIMIT ?3`,
		[]any{first, maxHops, maxKin}, func(scan scanFunc) error {
			var id, said string
			err := scan(&id, orEmpty{&said})
			if k := byID[id]; k != nil && k.Why == WhyBranch {
				k.Own = preview(said)
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	var list []Kin
	var walk func(of string, depth int)
	walk = func(of string, depth int) {
		slices.SortFunc(children[of], func(a, b *Kin) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Session, b.Session)) })
		for _, k := range children[of] {
			if depth <= maxHops {
				k.Depth = depth
				list = append(list, *k)
				walk(k.Session, depth+1)
			}
		}
	}
	walk("", 0)
	return list, nil
}
