package credentials

import "encoding/json"

// The logins of our own stand in the file twice: as a state under providers, which
// the log-in writes, and as a row of the pool with the source below. The state
// counts; whoever renews the one must renew the other, or a refresh token would
// be spent twice.

// loginSource is the source of the row of a provider's own login, "" if the
// provider has none.
func loginSource(provider string) string {
	switch provider {
	case "nous", "openai-codex", "xai-oauth":
		return "device_code"
	case "minimax-oauth":
		return "oauth"
	}
	return ""
}

// login is the state of a login.
type login struct {
	state  *object
	tokens *object // the same as state, or its member of that name
	// changed: the file has another state.
	changed bool
}

const stateTokens = "tokens"

// loginOf reads the state, nil if it holds no token.
func loginOf(d *document, provider string) *login {
	state := d.state(provider)
	if state == nil {
		return nil
	}
	l := &login{state: state, tokens: state}
	if nested, err := parseObject(state.get(stateTokens)); err == nil {
		l.tokens = nested
	}
	if text(l.tokens.get(fieldAccess)) == "" && text(l.tokens.get(fieldRefresh)) == "" {
		return nil
	}
	return l
}

// get is a member of the tokens, else of the state around them.
func (l *login) get(name string) json.RawMessage {
	if v := l.tokens.get(name); v != nil {
		return v
	}
	return l.state.get(name)
}

// adopt gives the row of the login what its state has, and adds the row if there
// is none.
func (v *view) adopt(suppressed bool) {
	source := loginSource(v.provider)
	if v.login == nil || source == "" || suppressed {
		return
	}
	r := v.bySource(source)
	if r == nil {
		r = newRow(source, text(v.login.get(fieldLabel)), OAuth, v.nextPriority())
		r.put(fieldID, v.freeID(source))
		v.rows = append(v.rows, r)
	}
	if r.moment(fieldLastRefresh).After(moment(v.login.get(fieldLastRefresh))) && v.login.get(fieldLastRefresh) != nil {
		return // the row was renewed and the state was not
	}
	changed := false
	for _, name := range []string{fieldAccess, fieldRefresh, fieldAgentKey} {
		if text(v.login.get(name)) != "" && text(v.login.get(name)) != r.text(name) {
			r.set(name, v.login.get(name))
			changed = true
		}
	}
	if !changed {
		return
	}
	r.clear()
	for _, name := range []string{fieldAgentExpires, fieldLastRefresh, fieldInference} {
		if value := v.login.get(name); value != nil {
			r.set(name, value)
		}
	}
	end := moment(v.login.get(fieldExpiresMS))
	if end.IsZero() {
		end = moment(v.login.get(fieldExpires))
	}
	r.setExpires(v.provider, end)
}

// follow puts renewed tokens into the state, if it has the ones that were spent.
func (l *login) follow(r *row, spent string) {
	if l == nil || spent == "" || text(l.tokens.get(fieldRefresh)) != spent {
		return
	}
	l.changed = true
	for _, name := range []string{fieldAccess, fieldRefresh, fieldAgentKey, fieldAgentExpires, fieldLastRefresh, fieldExpires, fieldExpiresMS} {
		value := r.get(name)
		if value == nil {
			continue
		}
		switch {
		case l.tokens.has(name) || name == fieldAccess || name == fieldRefresh:
			l.tokens.set(name, value)
		case l.state.has(name):
			l.state.set(name, value)
		}
	}
	if l.tokens != l.state {
		l.state.set(stateTokens, l.tokens.encode())
	}
}
