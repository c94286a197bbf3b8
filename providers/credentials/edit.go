package credentials

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// New is a credential that a user adds, or a login that was just made.
type New struct {
	Label string // empty makes one from the source
	// Source is "manual" when empty, and else begins with "manual:" or names a
	// login of our own: its secrets are kept in the file.
	Source string
	Type   Type // APIKey when empty
	// Key is the API key or the access token.
	Key          string
	RefreshToken string
	Expires      time.Time
	BaseURL      string
}

// Add puts a credential at the end of the pool, in the own file of the store. A
// key that is there already is put back into use instead.
func (p *Pool) Add(ctx context.Context, n New) (Credential, error) {
	n.Source = cmp.Or(strings.TrimSpace(n.Source), sourceManual)
	n.Key = strings.TrimSpace(n.Key)
	if n.Key == "" {
		return Credential{}, fmt.Errorf("add a key to %s: it is empty", p.provider)
	}
	if !ownSource(p.provider, n.Source) {
		return Credential{}, fmt.Errorf("add a key to %s: %w", p.provider, ErrBorrowed)
	}
	id, err := p.newID()
	if err != nil {
		return Credential{}, fmt.Errorf("add a key to %s: %w", p.provider, err)
	}
	return p.edit(ctx, true, func(v *view) (*row, error) {
		for _, r := range v.entries() {
			if ownSource(p.provider, r.source()) && r.secret(p.provider).access == n.Key {
				r.clear()
				return r, nil
			}
		}
		for v.byID(id) != nil {
			id = derivedID(id)
		}
		kind := n.Type
		if kind == "" {
			kind = APIKey
		}
		r := newRow(n.Source, cmp.Or(n.Label, n.Source), kind, v.nextPriority())
		r.put(fieldID, id)
		r.put(fieldAccess, n.Key)
		if n.RefreshToken != "" {
			r.put(fieldRefresh, n.RefreshToken)
		}
		if n.BaseURL != "" {
			r.put(fieldBaseURL, n.BaseURL)
		}
		r.setExpires(p.provider, n.Expires)
		v.rows = append(v.rows, r)
		return r, nil
	})
}

// Replace gives a credential of our own another secret, as after a new login, and
// puts it back into use. A borrowed one gives [ErrBorrowed].
func (p *Pool) Replace(ctx context.Context, target string, fresh Refreshed) (Credential, error) {
	if fresh.AccessToken = strings.TrimSpace(fresh.AccessToken); fresh.AccessToken == "" {
		return Credential{}, fmt.Errorf("replace a key of %s: it is empty", p.provider)
	}
	return p.edit(ctx, false, func(v *view) (*row, error) {
		r, err := p.resolve(v, target)
		if err != nil {
			return nil, err
		}
		if !ownSource(p.provider, r.source()) {
			return nil, fmt.Errorf("replace a key of %s: %w", p.provider, ErrBorrowed)
		}
		spent := r.text(fieldRefresh)
		fresh.into(r, p.provider, p.store.now())
		v.login.follow(r, spent)
		return r, nil
	})
}

// Remove takes a credential out of the pool. Its source is not used again until
// [Pool.Restore], unless it was added by hand.
func (p *Pool) Remove(ctx context.Context, target string) (Credential, error) {
	var removed Credential
	_, err := p.editIn(ctx, false, func(t *txn) (*row, error) {
		r, err := p.resolve(t.v, target)
		if err != nil {
			return nil, err
		}
		removed = r.credential(p.provider, p.store.now(), false)
		t.v.rows = slices.DeleteFunc(t.v.rows, func(o *row) bool { return o == r })
		if source := r.source(); source != sourceManual && !strings.HasPrefix(source, sourceManual+":") {
			return nil, t.suppress(p.provider, source, true)
		}
		return nil, nil
	})
	return removed, err
}

// Retire takes a credential out of use for good, as one that another has taken the place
// of. A borrowed one is used again when its source gives another secret.
func (p *Pool) Retire(ctx context.Context, target string) error {
	_, err := p.edit(ctx, false, func(v *view) (*row, error) {
		r, err := p.resolve(v, target)
		if err != nil {
			return nil, err
		}
		r.mark(Dead, p.store.now(), Failure{Reason: "replaced"}, r.secret(p.provider).fingerprint())
		return r, nil
	})
	return err
}

// Restore lets a source be used again that was removed.
func (p *Pool) Restore(ctx context.Context, source string) error {
	_, err := p.editIn(ctx, false, func(t *txn) (*row, error) {
		return nil, t.suppress(p.provider, source, false)
	})
	return err
}

// suppress changes the list of sources that are not to be used.
func (t *txn) suppress(provider, source string, yes bool) error {
	doc := t.docs.own
	list := slices.DeleteFunc(doc.suppressed(provider), func(s string) bool { return s == source })
	if yes {
		list = append(list, source)
	}
	return doc.setSuppressed(provider, list)
}

// Reset puts credentials back into use, the dead ones included: the one that
// target names, or all when it is empty. It gives how many there were.
func (p *Pool) Reset(ctx context.Context, target string) (int, error) {
	n := 0
	_, err := p.edit(ctx, false, func(v *view) (*row, error) {
		list := v.entries()
		if target != "" {
			r, err := p.resolve(v, target)
			if err != nil {
				return nil, err
			}
			list = []*row{r}
		}
		for _, r := range list {
			if r.status() != OK {
				r.clear()
				n++
			}
		}
		return nil, nil
	})
	return n, err
}

// resolve finds the row of a target under the lock.
func (p *Pool) resolve(v *view, target string) (*row, error) {
	c, err := find(v.credentials(p.store.now()), p.provider, target)
	if err != nil {
		return nil, err
	}
	return v.byID(c.ID), nil
}

// edit changes the pool in the file and gives the credential of the row that the
// change names. Unlike a status, what cannot be written does not happen.
func (p *Pool) edit(ctx context.Context, own bool, change func(v *view) (*row, error)) (Credential, error) {
	return p.editIn(ctx, own, func(t *txn) (*row, error) { return change(t.v) })
}

func (p *Pool) editIn(ctx context.Context, own bool, change func(t *txn) (*row, error)) (c Credential, err error) {
	t, err := p.begin(ctx, longWait, own)
	if err != nil {
		return Credential{}, err
	}
	defer func() { err = errors.Join(err, t.end()) }()
	r, err := change(t)
	if err != nil {
		return Credential{}, err
	}
	if err := t.write(false); err != nil {
		return Credential{}, err
	}
	if r == nil {
		return Credential{}, nil
	}
	return r.credential(p.provider, p.store.now(), false), nil
}

// newID draws an id.
func (p *Pool) newID() (string, error) {
	var b [3]byte
	if _, err := io.ReadFull(p.store.o.Random, b[:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
