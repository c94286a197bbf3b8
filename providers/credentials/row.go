package credentials

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// row is an entry of a pool as the file has it, and where its secret is.
type row struct {
	*object // nil for an entry that is no object
	raw     json.RawMessage
	// seed holds the secret of a borrowed entry, nil if it is not there.
	seed *Seed
	// fresh: the file does not have the row yet.
	fresh bool
}

// The members of a row that this package knows.
const (
	fieldID           = "id"
	fieldLabel        = "label"
	fieldType         = "auth_type"
	fieldPriority     = "priority"
	fieldSource       = "source"
	fieldAccess       = "access_token"
	fieldRefresh      = "refresh_token"
	fieldAgentKey     = "agent_key"
	fieldAgentExpires = "agent_key_expires_at"
	fieldStatus       = "last_status"
	fieldStatusAt     = "last_status_at"
	fieldCode         = "last_error_code"
	fieldReason       = "last_error_reason"
	fieldMessage      = "last_error_message"
	fieldResetAt      = "last_error_reset_at"
	fieldClass        = "failure_reason"
	fieldBaseURL      = "base_url"
	fieldInference    = "inference_base_url"
	fieldExpires      = "expires_at"
	fieldExpiresMS    = "expires_at_ms"
	fieldLastRefresh  = "last_refresh"
	fieldRequests     = "request_count"
	fieldFingerprint  = "secret_fingerprint"
	fieldAccount      = "account_id"
)

// classBilling is the class of a failure that the file tells apart.
const classBilling = "billing"

var jsonNull = json.RawMessage("null")

// newRow makes a row that the file does not have.
func newRow(source, label string, kind Type, priority int) *row {
	r := &row{object: &object{}, fresh: true}
	r.put(fieldID, "")
	r.put(fieldLabel, cmp.Or(label, source))
	r.put(fieldType, string(kind))
	r.number(fieldPriority, priority)
	r.put(fieldSource, source)
	for _, name := range []string{fieldStatus, fieldStatusAt, fieldCode, fieldReason, fieldMessage, fieldResetAt} {
		r.set(name, jsonNull)
	}
	r.number(fieldRequests, 0)
	return r
}

func (r *row) put(name, value string) { r.set(name, quoted(value)) }

func (r *row) number(name string, n int) { r.set(name, json.RawMessage(strconv.Itoa(n))) }

func (r *row) text(name string) string { return text(r.get(name)) }

// int reads a whole number, 0 if there is none or it is beyond all sense.
func (r *row) int(name string) int {
	const most = 1 << 30
	n, err := strconv.ParseFloat(string(r.get(name)), 64)
	if err != nil || n < -most || n > most {
		return 0
	}
	return int(n)
}

func (r *row) moment(name string) time.Time { return moment(r.get(name)) }

func (r *row) source() string { return cmp.Or(r.text(fieldSource), sourceManual) }

// id is the row's id. One that has none gets one that depends on what it is, so
// that every reader finds the same.
func (r *row) id() string {
	if id := r.text(fieldID); id != "" {
		return id
	}
	return derivedID(r.source(), r.text(fieldLabel), r.text(fieldFingerprint), fingerprintOf(r.text(fieldAccess)))
}

func derivedID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:3])
}

// secret is the secret of the row. That of a borrowed row is only in its seed.
func (r *row) secret(provider string) secret {
	if r.seed != nil {
		return secret{access: r.seed.Key, refresh: r.seed.Refresh}
	}
	if !ownSource(provider, r.source()) {
		return secret{}
	}
	return secret{
		access: r.text(fieldAccess), refresh: r.text(fieldRefresh),
		agent: r.text(fieldAgentKey), agentUntil: r.moment(fieldAgentExpires),
	}
}

func (r *row) status() Status {
	switch s := Status(r.text(fieldStatus)); s {
	case Exhausted, Dead:
		return s
	}
	return OK
}

// clear forgets why the row was out of use.
func (r *row) clear() {
	r.put(fieldStatus, string(OK))
	for _, name := range []string{fieldStatusAt, fieldCode, fieldReason, fieldMessage, fieldResetAt} {
		r.set(name, jsonNull)
	}
	r.remove(fieldClass)
}

// mark takes the row out of use. The failure must be clean.
func (r *row) mark(status Status, at time.Time, f Failure, fingerprint string) {
	r.put(fieldStatus, string(status))
	r.set(fieldStatusAt, seconds(at))
	r.set(fieldCode, jsonNull)
	if f.Code != 0 {
		r.number(fieldCode, f.Code)
	}
	for _, said := range [...][2]string{{fieldReason, f.Reason}, {fieldMessage, f.Message}} {
		if r.set(said[0], jsonNull); said[1] != "" {
			r.put(said[0], said[1])
		}
	}
	r.set(fieldResetAt, jsonNull)
	if !f.ResetAt.IsZero() {
		r.set(fieldResetAt, seconds(f.ResetAt))
	}
	if r.remove(fieldClass); f.Billing {
		r.put(fieldClass, classBilling)
	}
	if fingerprint != "" {
		r.put(fieldFingerprint, fingerprint)
	}
}

// until is when the cool-down of an exhausted row ends.
func (r *row) until(sole bool) time.Time {
	if t := r.moment(fieldResetAt); !t.IsZero() {
		return t
	}
	at := r.moment(fieldStatusAt)
	if at.IsZero() {
		return at
	}
	return at.Add(cooldown(r.int(fieldCode), r.text(fieldClass) == classBilling, sole))
}

// expires is when the access token ends, zero if nothing says so.
func (r *row) expires(s secret) time.Time {
	if r.seed != nil {
		return r.seed.Expires
	}
	if s.agent != "" && !s.agentUntil.IsZero() {
		return s.agentUntil
	}
	for _, name := range []string{fieldExpiresMS, fieldExpires} {
		if t := r.moment(name); !t.IsZero() {
			return t
		}
	}
	return tokenExpiry(s.key())
}

// setExpires changes the end of the access token where the row states it, or in
// the form that is usual for the provider. The zero time takes it away.
func (r *row) setExpires(provider string, t time.Time) {
	inMillis, inText := r.has(fieldExpiresMS), r.has(fieldExpires)
	if !inMillis && !inText && !t.IsZero() {
		inMillis, inText = provider == "anthropic", provider != "anthropic"
	}
	forms := []struct {
		name   string
		stated bool
		value  func(time.Time) json.RawMessage
	}{{fieldExpiresMS, inMillis, millis}, {fieldExpires, inText, stamp}}
	for _, f := range forms {
		switch {
		case f.stated && t.IsZero():
			r.set(f.name, jsonNull)
		case f.stated:
			r.set(f.name, f.value(t))
		}
	}
}

// credential is the row as it stands at a time. sole reports whether the pool has
// nothing else to use.
func (r *row) credential(provider string, now time.Time, sole bool) Credential {
	s := r.secret(provider)
	if s.access != "" && !s.agentUntil.IsZero() && !now.Before(s.agentUntil) {
		s.agent = "" // the login itself may still do
	}
	c := Credential{
		Provider: provider, ID: r.id(), Label: cmp.Or(r.text(fieldLabel), r.source()), Type: Type(cmp.Or(r.text(fieldType), string(APIKey))),
		Source: r.source(), Priority: r.int(fieldPriority), BaseURL: cmp.Or(r.text(fieldInference), r.text(fieldBaseURL)),
		Status: r.status(), Since: r.moment(fieldStatusAt), Requests: r.int(fieldRequests), Account: r.text(fieldAccount),
		Expires: r.expires(s), Borrowed: !ownSource(provider, r.source()), Absent: s.key() == "", secret: &s,
	}
	if r.seed != nil {
		c.BaseURL, c.Type = r.seed.BaseURL, r.seed.kind()
	}
	if c.Status == OK {
		c.Since = time.Time{}
		return c
	}
	c.Cause = Failure{
		Code: r.int(fieldCode), Reason: r.text(fieldReason), Message: r.text(fieldMessage),
		ResetAt: r.moment(fieldResetAt), Billing: r.text(fieldClass) == classBilling, Dead: c.Status == Dead,
	}
	if c.Status == Exhausted {
		if c.Until = r.until(sole); !now.Before(c.Until) {
			c.Status, c.Until, c.recovered = OK, time.Time{}, true
		}
	}
	return c
}
