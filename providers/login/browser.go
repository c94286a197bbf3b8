package login

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
)

// The limits of a login in a browser.
const (
	usualPatience = 10 * time.Minute
	// lingerTime is how long the page that says how it went may take to be delivered.
	lingerTime = 3 * time.Second
)

// Browser logs in with a browser on this machine. show is called once, with the
// address to open; the browser comes back to a loopback address, which is served for
// as long as the login takes and answers one login only. The errors are of type
// [*Error], or the cause of ctx.
func (f *Flow) Browser(ctx context.Context, show func(address string)) (Tokens, error) {
	if err := f.Issuer.ready(); err != nil {
		return Tokens{}, err
	}
	p, err := newProof(f.random())
	if err != nil {
		return Tokens{}, err
	}
	c, err := f.listen(p.state)
	if err != nil {
		return Tokens{}, err
	}
	var t Tokens
	err = c.serve(func() error {
		show(f.authorize(p, c.redirect))
		code, err := f.await(ctx, c)
		if err == nil {
			t, err = f.tokens(ctx, doing, "", map[string]string{
				"grant_type": "authorization_code", "code": code, "redirect_uri": c.redirect, "code_verifier": p.verifier,
			}, code, p.verifier)
		}
		c.tell(err)
		return err
	})
	return t, err
}

// await waits for the browser to come back with a code.
func (f *Flow) await(ctx context.Context, c *callback) (string, error) {
	patience := f.Patience
	if patience == 0 {
		patience = usualPatience
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case r := <-c.arrived:
		return f.judge(r)
	case <-timer.C:
		return "", &Error{Problem: ProblemLate, Message: fmt.Sprintf(
			"no one finished logging in to %s in the browser within %v: start again, or use another device with --device", f.Issuer.Name, patience)}
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// judge reads what the browser brought back.
func (f *Flow) judge(q url.Values) (string, error) {
	code, wrong := q.Get("code"), q.Get("error")
	switch {
	case q.Has("iss") && strings.TrimRight(q.Get("iss"), "/") != f.Issuer.Address:
		return "", &Error{Problem: ProblemMixed, Message: fmt.Sprintf(
			"the browser came back from another service than %s, and nothing was sent there: start the login again", f.Issuer.Name)}
	case !q.Has("iss") && f.Issuer.NamesItself:
		return "", &Error{Problem: ProblemMixed, Message: fmt.Sprintf(
			"the browser did not bring back who sent it, which %s says it always does, and nothing was sent there: start the login again", f.Issuer.Name)}
	case wrong != "":
		why := oneLine(mask(cmp.Or(q.Get("error_description"), wrong), []string{code}))
		return "", &Error{Problem: ProblemDenied, Message: fmt.Sprintf("%s did not allow the login (%s): start it again to try once more", f.Issuer.Name, strings.TrimRight(why, "."))}
	case code == "" || len(code) > longestToken:
		return "", f.protocolError(doing, "the browser came back without a code")
	}
	return code, nil
}

// proof holds the secrets of one login.
type proof struct{ verifier, state string }

func newProof(random io.Reader) (proof, error) {
	var b [64]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return proof{}, fmt.Errorf("draw the secrets of a login: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return proof{verifier: encode(b[:32]), state: encode(b[32:])}, nil
}

// authorize returns the address that the browser has to open.
func (f *Flow) authorize(p proof, redirect string) string {
	config := oauth2.Config{
		ClientID: f.Issuer.ClientID, RedirectURL: redirect, Scopes: f.Issuer.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: f.Issuer.Authorize},
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(p.verifier)}
	for k, v := range f.Issuer.Extra {
		options = append(options, oauth2.SetAuthURLParam(k, v))
	}
	return config.AuthCodeURL(p.state, options...)
}

// callback serves the loopback address of one login.
type callback struct {
	name      string // of the service
	redirect  string // with the port that was found
	host      string // of the redirect, with its port
	path      string
	state     string
	listeners []net.Listener
	used      atomic.Bool
	arrived   chan url.Values // has room for the one that there is
	told      chan struct{}   // closed when outcome is set
	outcome   error
}

// listen takes the first address that is free.
func (f *Flow) listen(state string) (*callback, error) {
	var busy []string
	for _, r := range f.Issuer.Redirects {
		u, err := parseRedirect(r)
		if err != nil {
			return nil, &Error{Problem: ProblemSetting, Message: fmt.Sprintf("%s.redirect_urls: %v", f.Issuer.Setting, err)}
		}
		list, err := listenAt(u)
		if err != nil {
			busy = append(busy, u.Port())
			continue
		}
		return &callback{
			name: f.Issuer.Name, redirect: u.String(), host: u.Host, path: u.Path, state: state, listeners: list,
			arrived: make(chan url.Values, 1), told: make(chan struct{}),
		}, nil
	}
	return nil, &Error{Problem: ProblemPort, Message: fmt.Sprintf(
		"the browser could not come back, since port %s is in use here: end the program that uses it, or log in with --device", strings.Join(busy, " and port "))}
}

// listenAt listens where an address leads. A name can lead to both kinds of loopback
// addresses; both are taken, so that no one else gets what is meant for us.
func listenAt(u *url.URL) ([]net.Listener, error) {
	hosts := []string{u.Hostname()}
	if u.Hostname() == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	var config net.ListenConfig
	var list []net.Listener
	port := u.Port()
	for i, h := range hosts {
		l, err := config.Listen(context.Background(), "tcp", net.JoinHostPort(h, port)) // returns at once
		switch {
		case err != nil && i > 0 && !inUse(err):
			continue // there is no IPv6 here
		case err != nil:
			closeAll(list)
			return nil, err
		}
		list = append(list, l)
		if _, port, err = net.SplitHostPort(l.Addr().String()); err != nil {
			closeAll(list)
			return nil, err
		}
	}
	u.Host = net.JoinHostPort(u.Hostname(), port)
	return list, nil
}

func closeAll(list []net.Listener) {
	for _, l := range list {
		l.Close()
	}
}

// serve answers the browser while work runs, and until the last page is delivered.
func (c *callback) serve(work func() error) error {
	server := &http.Server{
		Handler: c, ReadTimeout: 10 * time.Second, WriteTimeout: askTime + 2*lingerTime, MaxHeaderBytes: 64 << 10, IdleTimeout: time.Second,
	}
	ended := make(chan error, len(c.listeners))
	for _, l := range c.listeners {
		go func() { ended <- server.Serve(l) }()
	}
	err := work()
	ctx, cancel := context.WithTimeout(context.Background(), lingerTime)
	defer cancel()
	if late := server.Shutdown(ctx); late != nil {
		server.Close()
	}
	for range c.listeners {
		if bad := <-ended; !errors.Is(bad, http.ErrServerClosed) && err == nil {
			err = fmt.Errorf("serve the way back from the browser: %w", bad)
		}
	}
	return err
}

// tell reports the outcome of the login to the page that waits for it.
func (c *callback) tell(err error) {
	c.outcome = err
	close(c.told)
}

// ServeHTTP implements http.Handler. What does not carry the state of this login
// changes nothing: any page the browser has open could send it.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case r.Host != c.host || r.URL.Path != c.path:
		c.page(w, http.StatusNotFound, "There is nothing here", "This address only takes the way back from a login.")
		return
	case r.Method != http.MethodGet:
		c.page(w, http.StatusMethodNotAllowed, "Not logged in", "Open the address that the program shows.")
		return
	case len(q["state"]) != 1 || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(c.state)) != 1:
		c.page(w, http.StatusBadRequest, "Not logged in", "This does not belong to the login that is waiting. Open the address that the program shows.")
		return
	}
	if !c.used.CompareAndSwap(false, true) {
		c.page(w, http.StatusConflict, "Used already", "This address was opened before. Look at the terminal to see how it went.")
		return
	}
	c.arrived <- q
	select {
	case <-c.told:
	case <-r.Context().Done():
		return
	}
	if c.outcome != nil {
		c.page(w, http.StatusOK, "Not logged in", "The terminal says why. You can close this page.")
		return
	}
	c.page(w, http.StatusOK, "Logged in", "hermes-tui can use your account at "+c.name+" now. You can close this page.")
}
