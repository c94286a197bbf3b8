package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/approval"
)

// given is what the gate and the store hold of a permission.
type given struct {
	rows []sessions.Grant // of stored ones
	held approval.Grant   // of the session's
}

func givenOf(p api.Permission) *given {
	if g, ok := p.Seen.(*given); ok {
		return g
	}
	return &given{}
}

// How many decisions [Conversation.Permissions] gives, of its own and of all others.
const (
	decisionsListed      = 200
	otherDecisionsListed = 2000
)

// Permissions implements [Conversation].
func (c *conversation) Permissions(ctx context.Context) ([]api.Permission, []api.Decided, error) {
	db := c.app.db
	stored, err := db.Grants(ctx, "")
	used, e := db.LastUses(ctx)
	log, x := db.Decisions(ctx, string(c.ID()), decisionsListed)
	all, y := db.Decisions(ctx, "", otherDecisionsListed)
	if err = errors.Join(err, e, x, y); err != nil {
		return nil, nil, err
	}
	log = append(log, slices.DeleteFunc(all, func(d sessions.Decision) bool { return d.Conv == string(c.ID()) })...)
	always, folders := c.grantsOf(stored)
	var list []api.Permission
	for _, held := range c.gate.Session() {
		if !slices.ContainsFunc(always, func(p api.Permission) bool {
			return p.Text == held.Pattern && slices.Equal(givenOf(p).held.Pins, held.Pins)
		}) {
			list = append(list, api.Permission{
				Kind: api.PermissionSession, Text: held.Pattern, Example: held.Example, Since: held.At, Void: c.gate.Void(held), Seen: &given{held: held},
			})
		}
	}
	list = append(append(list, always...), folders...)
	own, project := c.rules.Texts()
	for _, host := range c.app.config().Approvals.Hosts {
		own = append(own, "connect "+host)
	}
	for kind, texts := range map[api.PermissionKind][]string{api.PermissionRule: own, api.PermissionProject: project} {
		for _, text := range texts {
			list = append(list, api.Permission{Kind: kind, Text: text})
		}
	}
	for i := range list {
		list[i].Used = used[list[i].Text]
	}
	order := []api.PermissionKind{api.PermissionSession, api.PermissionAlways, api.PermissionFolder, api.PermissionRule, api.PermissionProject}
	slices.SortStableFunc(list, func(a, b api.Permission) int { return slices.Index(order, a.Kind) - slices.Index(order, b.Kind) })
	decided := make([]api.Decided, len(log))
	mask := c.app.masker()
	for i, d := range log {
		why := d.Rule
		for _, w := range []string{d.Reason, strings.ReplaceAll(d.Category, "_", " ")} {
			if why == "" && w != "none" {
				why = w
			}
		}
		if d.By == string(approval.ByJudge) && d.Reason != "" {
			d.By = "model"
		}
		decided[i] = api.Decided{At: d.At, Subject: mask.Text(subjectOf(d)), Outcome: d.Outcome, By: d.By, Ran: d.Ran, Why: why}
		if d.Conv != string(c.ID()) {
			decided[i].Session = cmp.Or(d.Title, d.Session, d.Conv)
		}
	}
	return list, decided, nil
}

// grantsOf tells what was allowed for good from decisions on folders, of which the
// newest on each counts.
func (c *conversation) grantsOf(stored []sessions.Grant) (always, folders []api.Permission) {
	for _, g := range stored {
		p := api.Permission{Kind: api.PermissionAlways, Text: g.Pattern, Example: g.Example, Since: g.Created, Seen: &given{[]sessions.Grant{g}, bind.Grant(g)}}
		if !c.app.seal.Holds(g) {
			p.Void = "not stored by this program, or its key is gone"
		}
		if g.Kind != bind.TrustKind {
			if g.Kind == bind.SkillKind || g.Kind == bind.InstructionKind || g.Kind == bind.HookKind || g.Kind == bind.PluginKind {
				p.Example = "its content as it was then"
			} else if p.Void == "" {
				p.Void = c.gate.Void(givenOf(p).held)
			}
			always = append(always, p)
			continue
		}
		p.Kind = api.PermissionFolder
		if i := slices.IndexFunc(folders, func(f api.Permission) bool { return f.Text == p.Text && f.Void == p.Void }); i >= 0 {
			mine := givenOf(p)
			mine.rows = append(mine.rows, givenOf(folders[i]).rows...)
			folders[i] = p
		} else {
			folders = append(folders, p)
		}
	}
	return always, folders
}

// subjectOf is what a decision was about.
func subjectOf(d sessions.Decision) string {
	var args struct{ Command, Path, Code string }
	if json.Unmarshal([]byte(d.Arguments), &args) == nil {
		for _, s := range []string{args.Command, args.Path, args.Code} {
			if s != "" {
				return s
			}
		}
	}
	return d.Tool
}

// Revoke implements [Conversation].
func (c *conversation) Revoke(ctx context.Context, p api.Permission, undo bool) error {
	was := givenOf(p)
	switch p.Kind {
	case api.PermissionRule, api.PermissionProject:
		return errors.New("rules are changed in the file they stand in")
	case api.PermissionSession:
		c.gate.SetSession(was.held, undo)
		return nil
	}
	if err := c.app.writable(); err != nil {
		return err
	}
	var b sessions.Batch
	for _, g := range was.rows {
		r := c.app.seal.Revoke(g, undo)
		if !c.app.seal.Holds(g) { // taking it back and giving it again makes nothing of it
			r.MAC = ""
		}
		b.Effects = append(b.Effects, r)
	}
	if err := c.app.db.Commit(ctx, b); err != nil || undo {
		return err
	}
	for _, open := range c.app.conversations() { // who has just given it holds it for the session as well
		open.gate.SetSession(was.held, false)
	}
	return nil
}

// trust are the decisions on folders.
func (a *App) trust() agent.Trust {
	t := bind.Trust(a.db, a.o.IDs, a.seal)
	if a.o.Trust {
		t = bind.TrustOnce(t, a.rootOf(a.o.Dir))
	}
	return t
}

// trustsOnce reports whether a folder is trusted for this run alone.
func (a *App) trustsOnce(root string) bool { return a.o.Trust && root == a.rootOf(a.o.Dir) }

// Trust implements [Conversation].
func (c *conversation) Trust(ctx context.Context, yes bool) (root string, instructions []string, err error) {
	root, instructions = c.prompt.Instructions()
	if err := c.app.writable(); err != nil {
		return root, instructions, err
	}
	if err := c.trust.Decide(ctx, root, yes); err != nil {
		return root, instructions, err
	}
	c.app.background.run(func(context.Context) { c.app.syncMCP() })
	return root, instructions, c.SetWorkspace(c.prompt.Workspace(ctx, yes))
}

// decisionsKept is for how long decisions are kept.
const decisionsKept = 90 * 24 * time.Hour

// pruneDecisions deletes decisions that are older than that.
func (a *App) pruneDecisions(ctx context.Context) {
	if a.writable() != nil {
		return
	}
	err := a.db.Commit(ctx, sessions.Batch{Effects: []sessions.Effect{sessions.PruneDecisions{Before: a.o.IDs.Now().Add(-decisionsKept)}}})
	if err != nil {
		a.log.Warn("prune the log of decisions", "err", err)
	}
}

// openSeal gets the key by which stored permissions are known. Permissions that were
// stored before there was one do not count, which is said when it is made.
func (a *App) openSeal(ctx context.Context) {
	var made bool
	var err error
	if a.seal, made, err = bind.OpenSeal(ctx, a.o.Home.GrantsKey()); err != nil {
		a.log.Warn("permissions", "err", err)
		a.notices = append(a.notices, "Permissions that you gave for good do not count now: "+err.Error()+".")
		return
	}
	if stored, err := a.db.Grants(ctx, ""); made && err == nil && len(stored) > 0 {
		a.notices = append(a.notices, "Permissions and trusted folders are signed from now on, so that no command can add any. "+
			"What was stored before does not count any more: /permissions shows it; give again what you still want.")
	}
}
