package credentials

import (
	"encoding/json"
	"slices"
	"time"
)

// op is a change to a pool that holds at once in this process, and in the file
// once it is written. Applying it again, or to a file that went on since, does no
// harm.
type op interface {
	apply(v *view)
	target() ref
}

// ref names a row. The id of a row that is not in the file yet may become
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

// bearing returns the rows whose secret has a fingerprint. The row meant is among them
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

// usedOp counts a use.
type usedOp struct{ ref }

func (o *usedOp) apply(v *view) {
	if r := v.find(o.ref); r != nil {
		r.number(fieldRequests, r.int(fieldRequests)+1)
	}
}

// tokensOp puts renewed tokens into a row in place of those that were spent.
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

// mostOps is how many operations may wait to be written before uses and turns are not
// counted any more.
const mostOps = 500

// queued returns a list with one more operation.
func queued(list []op, o op) []op {
	switch o.(type) {
	case *moveOp, *usedOp:
		if len(list) >= mostOps {
			return list
		}
	}
	return append(slices.Clone(list), o)
}
