package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hermes-tui/agent/api"
	"hermes-tui/store/sessions"
)

// ImportHome adds the sessions of another home, given as its folder or its database, which
// is only read: those of this program and of Hermes Agent, archived ones too, with their ids,
// titles, times and what they are branches or continuations of. What subagents said to
// themselves stays behind. Sessions that are here already are left as they are, so it can be
// done again.
func (a *App) ImportHome(ctx context.Context, name string) (done api.Imported, err error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, filepath.Base(a.db.Path()))
	}
	if own, err := os.Stat(a.db.Path()); err == nil {
		if info, err := os.Stat(name); err == nil && os.SameFile(own, info) {
			return done, errors.New("that is the home that is in use: nothing is to be imported")
		}
	}
	other, err := sessions.Open(ctx, name, sessions.Options{ReadOnly: true})
	if err != nil {
		return done, fmt.Errorf("read the other home: %w", err)
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	list, err := other.List(ctx, sessions.Filter{Archived: true, Limit: everySession})
	if err != nil {
		return done, err
	}
	seen := map[string]bool{}
	for _, one := range list {
		kin, err := other.Lineage(ctx, one.Session)
		if err != nil {
			return done, err
		}
		for _, k := range kin { // each before those that began with it
			if seen[k.Session] || k.Why == sessions.WhySubagent {
				continue
			}
			seen[k.Session] = true
			if err := a.importKin(ctx, other, k, &done); ctx.Err() != nil {
				return done, ctx.Err()
			} else if err != nil {
				done.Failed = append(done.Failed, fmt.Sprintf("%s: %v", k.Session, err))
			}
		}
	}
	return done, nil
}

// importKin adds one session of another home.
func (a *App) importKin(ctx context.Context, other *sessions.DB, k sessions.Kin, done *api.Imported) error {
	if _, err := a.db.Session(ctx, k.Session); err == nil {
		done.Present++
		return nil
	}
	row, err := other.Session(ctx, k.Session)
	if err != nil {
		return err
	}
	b := sessions.Batch{
		Conv: string(a.o.IDs.Conv()), Session: k.Session,
		Create: &sessions.NewSession{Source: "cli", Workspace: row.Workspace, Model: row.Model, Provider: row.Provider, BaseURL: row.BaseURL, Title: row.Title, At: row.Started},
	}
	if err := other.Copy(ctx, k.Session, &b, func() string { return string(a.o.IDs.Message()) }); err != nil {
		return err
	}
	if parent, err := a.db.Session(ctx, k.Parent); err == nil && k.Parent != "" {
		switch {
		case k.Why == sessions.WhyBranch:
			b.Create.Parent, b.Create.Why = k.Parent, k.Why
		case k.Why == sessions.WhyCompression && parent.Conv != "":
			b.Conv, b.Create.Parent, b.Create.Why = parent.Conv, k.Parent, k.Why
		}
	}
	if len(b.Messages) == 0 && b.Create.Why == sessions.WhyNew {
		done.Empty++
		return nil
	}
	if err := a.db.Commit(ctx, b); err != nil {
		return err
	}
	done.Sessions++
	done.Messages += len(b.Messages)
	if k.Archived {
		return a.db.Archive(ctx, k.Session, true)
	}
	return nil
}
