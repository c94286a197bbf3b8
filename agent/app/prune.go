package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/store/atomicfile"
	"hermes-tui/store/sessions"
)

// errNoLimit refuses to prune everything.
var errNoLimit = errors.New("say what is to go: what is older than an age (--older-than 90d), or as much as brings the database down to a size (--to-size 500MB)")

// everySession is more sessions than there can be.
const everySession = 1 << 30

// PlanPrune lists the sessions that fit the options, the oldest first. It changes nothing.
func (a *App) PlanPrune(ctx context.Context, o api.PruneOptions) ([]api.Doomed, error) {
	if o.OlderThan == "" && o.ToSize <= 0 {
		return nil, errNoLimit
	}
	var before time.Time
	if o.OlderThan != "" {
		var err error
		if before, err = day(o.OlderThan, a.o.IDs.Now()); err != nil {
			return nil, err
		}
	}
	rows, err := a.db.List(ctx, sessions.Filter{Limit: everySession, Archived: o.Archived})
	if err != nil {
		return nil, err
	}
	sizes, err := a.db.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, n := range sizes {
		total += n
	}
	var list []api.Doomed
	for _, r := range slices.Backward(rows) {
		n := sizes[r.Session]
		if r.Conv != "" {
			n += sizes[r.Conv]
		}
		if r.LastActive.Before(before) || o.ToSize > 0 && total > o.ToSize {
			list = append(list, api.Doomed{SessionInfo: sessionInfo(r), Bytes: n})
			total -= n
		}
	}
	return list, nil
}

// Prune deletes sessions for good and gives their space back.
func (a *App) Prune(ctx context.Context, list []api.Doomed) (p api.Pruned, err error) {
	if err = a.deleteAll(ctx, list, &p); err != nil {
		return p, err
	}
	p.Before, p.After, err = a.db.Vacuum(ctx)
	return p, err
}

func (a *App) deleteAll(ctx context.Context, list []api.Doomed, p *api.Pruned) error {
	for _, s := range list {
		err := a.DeleteNow(ctx, s.Session)
		_, held := errors.AsType[*HeldError](err)
		_, gone := errors.AsType[*sessions.NotFoundError](err) // by another program
		switch {
		case err == nil:
			p.Deleted++
		case held:
			p.Open++
		case !gone:
			return err
		}
	}
	return nil
}

// autoPrune deletes old sessions in the background, when that is switched on and due, and
// says so: in a program without a user before it nothing is deleted. What ends it early
// leaves the rest to the next program. Their space is used again; it is not given back,
// which would hold up others.
func (a *App) autoPrune() {
	c, mark := a.config().Sessions, filepath.Join(a.o.Home.Cache(), "pruned")
	if !c.AutoPrune || a.o.Unattended || a.writable() != nil {
		return
	}
	a.background.run(func(ctx context.Context) {
		now := a.o.IDs.Now()
		if info, err := os.Stat(mark); err == nil && now.Sub(info.ModTime()) < time.Duration(c.Interval)*time.Hour {
			return
		}
		list, err := a.PlanPrune(ctx, api.PruneOptions{OlderThan: strconv.Itoa(c.Retention) + "d"})
		p := api.Pruned{}
		if err == nil {
			err = a.deleteAll(ctx, list, &p)
		}
		if err == nil {
			err = atomicfile.Write(mark, []byte(now.UTC().Format(time.RFC3339)+"\n"), 0o600)
		}
		if err != nil {
			a.log.Warn("delete old sessions", "err", err)
		}
		if p.Deleted == 0 {
			return
		}
		said := fmt.Sprintf("Sessions that were not used for %d days were deleted, as sessions.auto_prune in config.yaml wants it: %d.", c.Retention, p.Deleted)
		if ctx.Err() == nil {
			a.announce(said)
		} else if err := a.db.LeaveNotice(context.WithoutCancel(ctx), said); err != nil { // the program ends
			a.log.Warn("leave a notice", "err", err)
		}
	})
}

// Vacuum gives back the space in the database that belongs to nothing any more, and says
// how large it was and is.
func (a *App) Vacuum(ctx context.Context) (before, after int64, err error) { return a.db.Vacuum(ctx) }

// RebuildSearch makes again what is searched.
func (a *App) RebuildSearch(ctx context.Context) error { return a.db.Rebuild(ctx) }
