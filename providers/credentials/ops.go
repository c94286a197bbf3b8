package credentials

import (
	"encoding/json"
	"slices"
	"time"
)

// op is a change to a pool that holds at once in this process and in the file
// once it is written. Applying it again, or to a file that went on since, does no
// harm.
type op interface {
	apply(v *view)
	target() ref
	// merge takes up an earlier operation of the same target and gives what is
	// left of both, or tells that both are needed. Operations never change.
	merge(earlier op) (op, bool)
}

// ref means a row. The id of a row that is not in the file yet may become
// another one, so its source counts as well.
type ref struct{ id, source string }

func (to ref) target() ref { return to }

func refOf(c Credential) ref { return ref{c.ID, c.Source} }

// markOp takes every row with a secret out of use.
type markOp struct {
	ref
	fingerprint string
	status      Status
	at          time.Time
	failure     Failure
}

func (o *markOp) apply(v *view) {
	for _, r := range v.bearing(o.fingerprint, o.ref) {
		switch {
		case r.status() == Dead && o.status != Dead:
		case r.status() == o.status && r.moment(fieldStatusAt).After(o.at): // someone knows better
		default:
			r.mark(o.status, o.at, o.failure, o.fingerprint)
		}
	}
}

// bearing are the rows whose secret has a fingerprint. The row meant is among them
// even if its secret is not at hand and the file has no other fingerprint.
func (v *view) bearing(fingerprint string, to ref) []*row {
	meant := v.find(to)
	return slices.DeleteFunc(v.entries(), func(r *row) bool {
		s := r.secret(v.provider)
		if r == meant && s.key() == "" {
			known := r.text(fieldFingerprint)
			return known != "" && known != fingerprint
		}
		return !s.bears(fingerprint)
	})
}

func (o *markOp) merge(earlier op) (op, bool) {
	switch e := earlier.(type) {
	case *markOp:
		if e.status == Dead && o.status != Dead && e.fingerprint == o.fingerprint {
			return e, true
		}
		return o, true
	case *clearOp:
		return o, true
	}
	return nil, false
}

// clearOp puts every exhausted row with a secret back into use after it worked.
type clearOp struct {
	ref
	fingerprint string
	at          time.Time
}

func (o *clearOp) apply(v *view) {
	for _, r := range v.bearing(o.fingerprint, o.ref) {
		if r.status() == Exhausted && !r.moment(fieldStatusAt).After(o.at) {
			r.clear()
		}
	}
}

func (o *clearOp) merge(earlier op) (op, bool) {
	switch e := earlier.(type) {
	case *markOp:
		return o, e.status == Exhausted && !e.at.After(o.at) && e.fingerprint == o.fingerprint
	case *clearOp:
		return o, true
	}
	return nil, false
}

// moveOp makes a row the last of its pool.
type moveOp struct{ ref }

func (o *moveOp) apply(v *view) {
	last := v.find(o.ref)
	if last == nil {
		return
	}
	n := 0
	for _, r := range v.sorted() {
		if r != last {
			r.number(fieldPriority, n)
			n++
		}
	}
	last.number(fieldPriority, n)
}

func (o *moveOp) merge(earlier op) (op, bool) {
	_, ok := earlier.(*moveOp)
	return o, ok
}

// usedOp counts uses.
type usedOp struct {
	ref
	n int
}

func (o *usedOp) apply(v *view) {
	if r := v.find(o.ref); r != nil {
		r.number(fieldRequests, r.int(fieldRequests)+o.n)
	}
}

func (o *usedOp) merge(earlier op) (op, bool) {
	if e, ok := earlier.(*usedOp); ok {
		return &usedOp{ref: o.ref, n: o.n + e.n}, true
	}
	return nil, false
}

// tokensOp gives a row renewed tokens in place of those that were spent.
type tokensOp struct {
	ref
	spent string
	fresh Refreshed
	at    time.Time
}

func (o *tokensOp) apply(v *view) {
	r := v.find(o.ref)
	if r == nil || r.text(fieldRefresh) != o.spent || r.moment(fieldLastRefresh).After(o.at) {
		return // written already, or a newer login took its place
	}
	o.fresh.into(r, v.provider, o.at)
	v.login.follow(r, o.spent)
}

// merge keeps what was spent first: the file may still have it.
func (o *tokensOp) merge(earlier op) (op, bool) {
	e, ok := earlier.(*tokensOp)
	if !ok || firstOf(e.fresh.RefreshToken, e.spent) != o.spent {
		return nil, false
	}
	both := *o
	both.spent, both.fresh.RefreshToken = e.spent, firstOf(o.fresh.RefreshToken, e.fresh.RefreshToken)
	return &both, true
}

// into writes tokens into a row and puts it into use.
func (f Refreshed) into(r *row, provider string, at time.Time) {
	r.put(fieldAccess, f.AccessToken)
	if f.RefreshToken != "" {
		r.put(fieldRefresh, f.RefreshToken)
	}
	if f.AgentKey != "" {
		r.put(fieldAgentKey, f.AgentKey)
		r.set(fieldAgentExpires, jsonNull)
		if !f.AgentExpires.IsZero() {
			r.set(fieldAgentExpires, stamp(f.AgentExpires))
		}
	}
	r.setExpires(provider, f.Expires)
	r.set(fieldLastRefresh, stamp(at))
	for name, value := range f.Extra {
		if json.Valid(value) && !known(name) {
			r.set(name, value)
		}
	}
	r.clear()
	r.remove(fieldFingerprint)
}

// known reports whether a member of a row is this package's business.
func known(name string) bool {
	return slices.Contains([]string{
		fieldID, fieldLabel, fieldType, fieldPriority, fieldSource, fieldAccess, fieldRefresh, fieldAgentKey, fieldAgentExpires,
		fieldStatus, fieldStatusAt, fieldCode, fieldReason, fieldMessage, fieldResetAt, fieldClass, fieldExpires, fieldExpiresMS,
		fieldLastRefresh, fieldRequests, fieldFingerprint,
	}, name)
}

// join adds operations to a list, which stays as short as its targets are many.
func join(list []op, more ...op) []op {
	list = slices.Clone(list)
	for _, o := range more {
		kept := list[:0]
		for _, e := range list {
			if e.target() == o.target() {
				if both, ok := o.merge(e); ok {
					o = both
					continue
				}
			}
			kept = append(kept, e)
		}
		list = append(kept, o)
	}
	return list
}
