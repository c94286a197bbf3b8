package credentials

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// LogIn keeps a login of our own that was just made, in the own file of the store: as
// the state of the service, where other programs look for it, and as a row of the
// pool, both in one step. It takes the place of an earlier one, and of having been
// removed. What cannot be written does not happen.
func (p *Pool) LogIn(ctx context.Context, label string, fresh Refreshed) (Credential, error) {
	source := loginSource(p.provider)
	if source == "" {
		return Credential{}, fmt.Errorf("log in to %s: there are only keys for it", p.provider)
	}
	if fresh.AccessToken = strings.TrimSpace(fresh.AccessToken); fresh.AccessToken == "" {
		return Credential{}, fmt.Errorf("log in to %s: the token is empty", p.provider)
	}
	return p.editIn(ctx, true, func(t *txn) (*row, error) {
		v := t.v
		r := v.bySource(source)
		if r == nil {
			r = newRow(source, label, OAuth, v.nextPriority())
			r.put(fieldID, v.freeID(source))
			v.rows = append(v.rows, r)
		}
		if label != "" {
			r.put(fieldLabel, label)
		}
		for _, name := range []string{fieldRefresh, fieldAgentKey, fieldAgentExpires, fieldAccount} {
			r.remove(name) // they belong to the earlier login
		}
		fresh.into(r, p.provider, p.store.now())
		v.login = newLogin(v.doc.state(p.provider), r, p.provider)
		if slices.Contains(t.docs.own.suppressed(p.provider), source) {
			return r, t.suppress(p.provider, source, false)
		}
		return r, nil
	})
}

// newLogin is the state of a login that was just made. What else the state holds
// stays, apart from tokens.
func newLogin(state *object, r *row, provider string) *login {
	if state == nil {
		state = &object{}
	}
	l := &login{state: state, tokens: state, changed: true}
	for _, name := range []string{stateTokens, fieldAccess, fieldRefresh, fieldAgentKey, fieldAgentExpires, fieldExpires, fieldExpiresMS} {
		state.remove(name)
	}
	if provider == "openai-codex" {
		l.tokens = &object{}
		state.set("auth_mode", quoted("chatgpt"))
	}
	for _, name := range []string{fieldAccess, fieldRefresh} {
		if value := r.get(name); value != nil {
			l.tokens.set(name, value)
		}
	}
	if l.tokens != state {
		state.set(stateTokens, l.tokens.encode())
	} else if end := r.get(fieldExpires); end != nil {
		state.set(fieldExpires, end)
	}
	state.set(fieldLastRefresh, r.get(fieldLastRefresh))
	return l
}

// LogOut takes the logins of our own out of the file, with all their tokens, and gives
// what was removed. A profile that uses the login of the default profile only stops
// using it: shared is true then, and nothing was removed. Keys stay.
func (p *Pool) LogOut(ctx context.Context) (gone []Credential, shared bool, err error) {
	source := loginSource(p.provider)
	_, err = p.editIn(ctx, false, func(t *txn) (*row, error) {
		v := t.v
		if v.root {
			if shared = v.bySource(source) != nil; shared {
				return nil, t.suppress(p.provider, source, true)
			}
			return nil, nil
		}
		v.rows = slices.DeleteFunc(v.rows, func(r *row) bool {
			if r.object == nil || Type(r.text(fieldType)) != OAuth || !ownSource(p.provider, r.source()) {
				return false
			}
			gone = append(gone, r.credential(p.provider, p.store.now(), false))
			return true
		})
		v.login = nil
		return nil, v.doc.put(topProviders, p.provider, nil)
	})
	if err != nil {
		return nil, false, err
	}
	return gone, shared, nil
}

// Prove makes sure that the own file of the store can be locked and written, and else
// says why not. It is for what takes a user's time before there is something to keep.
func (p *Pool) Prove(ctx context.Context) error {
	t, err := p.begin(ctx, longWait, true)
	if err != nil {
		return err
	}
	return errors.Join(t.write(true), t.end())
}
