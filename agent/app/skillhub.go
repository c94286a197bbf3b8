package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/bind"
	"hermes-tui/store/skillhub"
)

type (
	// SkillOffer is a source of skills that was fetched and looked through.
	SkillOffer = skillhub.Offer
	// SkillCandidate is a skill of a [SkillOffer].
	SkillCandidate = skillhub.Candidate
	// AuditedSkill is what became of a skill from elsewhere.
	AuditedSkill = skillhub.Audited
	// ListedSkill is a skill that can be installed.
	ListedSkill = skillhub.Listed
)

// The verdicts of [SkillCandidate].
const (
	SkillSafe      = skillhub.Safe
	SkillCaution   = skillhub.Caution
	SkillDangerous = skillhub.Dangerous
)

// FetchSkills fetches skills from elsewhere into the quarantine and looks through them:
// from a folder, an archive, a git repository or a web site. Nothing is installed before
// [SkillOffer.Install]; the caller closes the offer.
func (a *App) FetchSkills(ctx context.Context, source string) (*SkillOffer, error) {
	if err := a.writable(); err != nil {
		return nil, err
	}
	home, _ := a.o.Env("HOME")
	s, err := skillhub.ParseSource(source, a.o.Dir, home)
	if err != nil {
		return nil, err
	}
	return a.offered(a.skillHub().Fetch(ctx, s))
}

// FindSkills gives the skills that can be installed from the indexes of the settings, and of
// Hermes Agent in the same home, and that have all of some words in their names or
// descriptions. notes are sentences about indexes that could not be read.
func (a *App) FindSkills(ctx context.Context, words string) (list []ListedSkill, notes []string, err error) {
	hub := a.skillHub()
	home, _ := a.o.Env("HOME")
	var indexes []skillhub.Source
	for _, text := range append(slices.Clone(a.config().Skills.Indexes), hub.Taps()...) {
		s, err := skillhub.ParseSource(text, a.o.Dir, home)
		if err != nil {
			notes = append(notes, err.Error()+".")
			continue
		}
		if !slices.Contains(indexes, s) {
			indexes = append(indexes, s)
		}
	}
	if len(indexes) == 0 && len(notes) == 0 {
		return nil, nil, errors.New("there is no index of skills: skills.indexes in the settings names them, for example anthropics/skills#skills")
	}
	list, more := hub.Find(ctx, indexes, words)
	return list, append(notes, more...), ctx.Err()
}

// offered has an offer closed with the app, if no one does before.
func (a *App) offered(o *SkillOffer, err error) (*SkillOffer, error) {
	if err == nil {
		a.mu.Lock()
		a.offers = append(a.offers, o)
		a.mu.Unlock()
	}
	return o, err
}

// UpdateSkill fetches what is new of an installed skill; see [skillhub.Hub.Update].
func (a *App) UpdateSkill(ctx context.Context, name string) (*SkillOffer, error) {
	return a.offered(a.skillHub().Update(ctx, name))
}

// NewSkills fetches what is new of all installed skills. notes are sentences about those
// that could not be looked at. The caller closes the offers, or Close of the app does.
func (a *App) NewSkills(ctx context.Context) (offers []*SkillOffer, notes []string, err error) {
	all, err := a.AuditSkills()
	if err != nil {
		return nil, nil, err
	}
	for _, k := range all {
		o, err := a.UpdateSkill(ctx, k.Name)
		switch {
		case ctx.Err() != nil:
			return offers, notes, context.Cause(ctx)
		case err != nil:
			notes = append(notes, err.Error()+".")
		case len(o.Skills[0].Changed) == 0:
			if err := o.Close(); err != nil {
				return offers, notes, err
			}
		default:
			offers = append(offers, o)
		}
	}
	return offers, notes, nil
}

// UninstallSkill removes a skill from elsewhere that was not changed since.
func (a *App) UninstallSkill(ctx context.Context, name string) error {
	return a.skillHub().Uninstall(ctx, name)
}

// AuditSkills looks through the skills from elsewhere again.
func (a *App) AuditSkills() ([]AuditedSkill, error) { return a.skillHub().Audit() }

func (a *App) skillHub() *skillhub.Hub {
	return skillhub.New(skillhub.Options{
		Home: a.o.Home.Skills(), Git: a.git, Client: a.outside(), Guard: bind.SkillGuard(), Now: a.o.IDs.Now,
	})
}

// gitTime bounds a run of git.
const gitTime = 2 * time.Minute

// wayOut are the variables by which git finds a proxy and whom to trust.
var wayOut = []string{
	"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
}

// git runs git for fetching from elsewhere: nothing is asked, no hook and no program that
// a repository names is run.
func (a *App) git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	env := []string{"GIT_ALLOW_PROTOCOL=https:http:ssh:git", "GIT_SSH_COMMAND=ssh -oBatchMode=yes"}
	own := a.ownEnviron(dir)
	for _, kv := range gitEnv(own) {
		if !strings.HasPrefix(kv, "GIT_ALLOW_PROTOCOL=") {
			env = append(env, kv)
		}
	}
	for _, kv := range own {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(wayOut, strings.ToUpper(name)) {
			env = append(env, kv)
		}
	}
	out, err := bind.Run(a.place, env)(ctx, dir, append([]string{"git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)...)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case err != nil:
		return "", errors.New(a.Mask(err.Error()))
	}
	return out, nil
}
