package bind

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
	"hermes-tui/tools/mcp/oauth"
)

// MCPLogins keeps logins at MCP servers in auth.json, where other programs renew them too.
// It is safe for concurrent use.
type MCPLogins struct {
	Store *credentials.Store
	// Learn hears of secrets, to mask them.
	Learn func(secrets ...string)
	// Report hears of what could not be written.
	Report func(error)
	Now    func() time.Time

	mu        sync.Mutex
	unwritten map[string]oauth.Login // renewed, while the file cannot be written
}

// At is the login at a server, under its name and address: one of that name elsewhere has
// another. c is what asks its issuer.
func (l *MCPLogins) At(name, address string, c *http.Client) *MCPLogin {
	return &MCPLogin{l, name, address, c}
}

// MCPLogin is the login at one server. It implements [oauth.Keeper].
type MCPLogin struct {
	all           *MCPLogins
	name, address string
	c             *http.Client
}

func (k *MCPLogin) key() string { return k.name + " " + k.address }

// The longest waits for the lock of the file.
const (
	loginWait = 15 * time.Second
	renewTime = 20 * time.Second
	renewWait = renewTime + 5*time.Second // another program may be renewing
)

// Current implements [oauth.Keeper].
func (k *MCPLogin) Current() (oauth.Login, error) {
	k.all.mu.Lock()
	kept, is := k.all.unwritten[k.key()]
	k.all.mu.Unlock()
	if is {
		return kept, nil
	}
	data, err := k.all.Store.Server(k.key())
	if err != nil {
		return oauth.Login{}, err
	}
	return k.read(data), nil
}

// read reads a login. What cannot be read, or is about another address, is none.
func (k *MCPLogin) read(data json.RawMessage) (l oauth.Login) {
	if data == nil || json.Unmarshal(data, &l) != nil || l.URL != k.address {
		return oauth.Login{}
	}
	k.all.Learn(l.Access, l.Refresh, l.ClientSecret)
	return l
}

// Renew implements [oauth.Keeper]. A caller that goes away does not end it.
func (k *MCPLogin) Renew(ctx context.Context, old oauth.Login) (fresh oauth.Login, err error) {
	ctx = context.WithoutCancel(ctx)
	err = k.all.Store.ChangeServer(ctx, k.key(), renewWait, func(data json.RawMessage) (json.RawMessage, error) {
		now := k.read(data)
		k.all.mu.Lock()
		if kept, is := k.all.unwritten[k.key()]; is && now.Access != "" {
			now = kept
		}
		k.all.mu.Unlock()
		switch {
		case now.Access != "" && now.Access != old.Access && (now.Expires.IsZero() || k.all.Now().Before(now.Expires)):
			fresh = now // someone else has renewed it
		case now.Refresh == "":
			return nil, &oauth.LoginError{Why: "Its login has ended."}
		default:
			ctx, cancel := context.WithTimeout(ctx, renewTime)
			defer cancel()
			t, err := k.flow(now).Renew(ctx, login.NewTokens(now.Access, now.Refresh, "", now.Expires))
			if err != nil {
				return nil, ended(err)
			}
			fresh = withTokens(now, t)
			k.all.Learn(fresh.Access, fresh.Refresh)
		}
		return json.Marshal(fresh)
	})
	k.all.mu.Lock()
	defer k.all.mu.Unlock()
	delete(k.all.unwritten, k.key())
	if err != nil && fresh.Access != "" { // the old tokens are spent
		if k.all.unwritten == nil {
			k.all.unwritten = map[string]oauth.Login{}
		}
		k.all.unwritten[k.key()] = fresh
		k.all.Report(err)
		err = nil
	}
	return fresh, err
}

// ended tells a login that is over from a renewal that failed.
func ended(err error) error {
	if e, ok := errors.AsType[*providers.Error](err); ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnauthorized) {
		return &oauth.LoginError{Why: "Its login has ended: it was not renewed."}
	}
	if e, ok := errors.AsType[*login.Error](err); ok && (e.Problem == login.ProblemExpired || e.Problem == login.ProblemForeign) {
		return &oauth.LoginError{Why: "Its login has ended."}
	}
	return err
}

// withTokens is a login with other tokens.
func withTokens(l oauth.Login, t login.Tokens) oauth.Login {
	l.Access, l.Expires = t.Access(), t.Expires
	if t.Refresh() != "" {
		l.Refresh = t.Refresh()
	}
	return l
}

// flow makes and renews logins at the issuer of one.
func (k *MCPLogin) flow(l oauth.Login) *login.Flow {
	setting := "mcp_servers." + k.name
	f := &login.Flow{HTTP: clientOf{k.c, l}, Clock: k.all.Now, Issuer: login.Issuer{
		Provider: k.name, Name: "the MCP server " + k.name, Setting: setting + ".oauth", Again: "hermes-tui mcp login " + k.name, Check: setting + ".url",
		Address: strings.TrimRight(l.Issuer, "/"), ClientID: l.ClientID, Scopes: strings.Fields(l.Scope), Token: l.Token, Revoke: l.Revoke,
		Params: map[string]string{"resource": l.Resource}, Extra: map[string]string{"resource": l.Resource},
	}}
	if l.ClientSecret != "" && !l.Basic {
		f.Issuer.Params["client_secret"] = l.ClientSecret
	}
	return f
}

// clientOf makes requests as a client that shows its secret in a header.
type clientOf struct {
	c *http.Client
	l oauth.Login
}

// Do implements [login.Doer].
func (c clientOf) Do(r *http.Request) (*http.Response, error) {
	if c.l.Basic && c.l.ClientSecret != "" {
		r.SetBasicAuth(url.QueryEscape(c.l.ClientID), url.QueryEscape(c.l.ClientSecret))
	}
	return c.c.Do(r)
}

// MCPLoginWay is how a user logs in.
type MCPLoginWay struct {
	// Redirects are the addresses at which the browser may come back.
	Redirects []string
	// Browser shows an address to open on this machine; Device shows a code for any
	// device, and goes before it unless it is nil.
	Browser func(address string)
	Device  func(login.Prompt)
}

// LogIn logs in at a service as a client, and keeps that. An earlier login stays until then.
func (k *MCPLogin) LogIn(ctx context.Context, s oauth.Service, c oauth.Client, scopes []string, way MCPLoginWay) error {
	l := oauth.Login{
		URL: k.address, Issuer: s.Issuer, Resource: s.Resource, Token: s.Token, Revoke: s.Revoke, ClientID: c.ID, ClientSecret: c.Secret, Basic: c.Basic, Scope: strings.Join(scopes, " "),
	}
	f := k.flow(l)
	f.Issuer.Authorize, f.Issuer.NamesItself, f.Issuer.Redirects = s.Authorize, s.NamesItself, way.Redirects
	f.Issuer.Device = login.Device{Form: login.DeviceStandard, Start: s.Device}
	var t login.Tokens
	var err error
	if way.Device != nil {
		t, err = f.Device(ctx, way.Device)
	} else {
		t, err = f.Browser(ctx, way.Browser)
	}
	if err != nil {
		return err
	}
	l = withTokens(l, t)
	k.all.Learn(l.Access, l.Refresh, l.ClientSecret)
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return k.change(ctx, func(json.RawMessage) (json.RawMessage, error) { return data, nil })
}

// Prove makes sure that a login can be kept, before the user's time is taken.
func (k *MCPLogin) Prove(ctx context.Context) error {
	return k.all.Store.ChangeServer(ctx, k.key(), loginWait, func(old json.RawMessage) (json.RawMessage, error) { return old, nil })
}

// Wants notes rights that the server wants besides those of the login.
func (k *MCPLogin) Wants(scopes []string) {
	err := k.change(context.Background(), func(old json.RawMessage) (json.RawMessage, error) {
		l := k.read(old)
		if l.URL == "" {
			return old, nil
		}
		l.Wanted = oauth.Join(l.Wanted, scopes)
		return json.Marshal(l)
	})
	if err != nil {
		k.all.Report(err)
	}
}

// LogOut forgets the login, and tells its issuer that it has ended. had says that there was
// one; a failure to tell is not one to forget.
func (k *MCPLogin) LogOut(ctx context.Context) (had bool, untold, err error) {
	var l oauth.Login
	err = k.change(ctx, func(old json.RawMessage) (json.RawMessage, error) {
		l = k.read(old)
		return nil, nil
	})
	if err != nil || l.Access == "" {
		return false, nil, err
	}
	return true, k.flow(l).Revoke(ctx, login.NewTokens(l.Access, l.Refresh, "", l.Expires)), nil
}

// change changes what is kept, for the user.
func (k *MCPLogin) change(ctx context.Context, change func(json.RawMessage) (json.RawMessage, error)) error {
	err := k.all.Store.ChangeServer(ctx, k.key(), loginWait, change)
	if err == nil {
		k.all.mu.Lock()
		delete(k.all.unwritten, k.key())
		k.all.mu.Unlock()
	}
	return err
}
