package login

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"hermes-tui/providers"
)

// Prompt is what a user needs to log in on another device.
type Prompt struct {
	// Code is to be entered at Page.
	Code, Page string
	// Direct is an address that has the code in it, "" if there is none.
	Direct string
	// Expires is when the code ends.
	Expires time.Time
}

// The bounds of what an issuer may ask for.
const (
	usualInterval   = 5 * time.Second
	leastInterval   = time.Second
	longestInterval = time.Minute
	slowerBy        = 5 * time.Second // at each slow_down, as the protocol says
	usualLifetime   = 15 * time.Minute
	longestLifetime = 30 * time.Minute
	longestCode     = 64 // characters
)

// wait is a login on another device that is under way.
type wait struct {
	prompt   Prompt
	interval time.Duration
	id       string // what the issuer knows the login by; a secret
}

// Device logs in on another device, which may be any with a browser. show is called
// once, with what the user needs. The errors are of type [*Error], or the cause of
// ctx.
func (f *Flow) Device(ctx context.Context, show func(Prompt)) (Tokens, error) {
	if err := f.Issuer.ready(); err != nil {
		return Tokens{}, err
	}
	w, err := f.start(ctx)
	if err != nil {
		return Tokens{}, err
	}
	show(w.prompt)
	for {
		left := w.prompt.Expires.Sub(f.now())
		if left <= 0 {
			return Tokens{}, f.late()
		}
		if err := f.sleep(ctx, min(w.interval, left)); err != nil {
			return Tokens{}, err
		}
		var t Tokens
		if f.Issuer.Device.Form == DeviceCodes {
			t, err = f.pollCodes(ctx, w)
		} else {
			t, err = f.pollStandard(ctx, w)
		}
		if err == nil {
			return t, nil
		}
		again, slower := f.goesOn(err)
		if ctx.Err() != nil || !again {
			return Tokens{}, f.refused(ctx, err)
		}
		w.interval = min(w.interval+slower, longestInterval)
	}
}

func (f *Flow) late() error {
	return &Error{Problem: ProblemLate, Message: fmt.Sprintf("the code was not used in time: start again with %s --device", f.Issuer.again())}
}

// start asks for a code.
func (f *Flow) start(ctx context.Context) (*wait, error) {
	d := f.Issuer.Device
	var data []byte
	var err error
	if d.Form == DeviceCodes {
		data, err = f.postJSON(ctx, d.Start, map[string]string{"client_id": f.Issuer.ClientID})
	} else {
		data, err = f.postForm(ctx, d.Start, f.with(map[string]string{"scope": strings.Join(f.Issuer.Scopes, " ")}))
	}
	if statusOf(err) == http.StatusNotFound {
		return nil, &Error{Problem: ProblemIssuer, Message: fmt.Sprintf("%s offers no login with a code: log in with a browser, without --device", f.Issuer.Name), Err: err}
	}
	if err != nil {
		return nil, f.failed(ctx, doing, err)
	}
	var a struct {
		ID       string `json:"device_auth_id"`
		Device   string `json:"device_code"`
		Code     string `json:"user_code"`
		Joined   string `json:"usercode"`
		Page     string `json:"verification_uri"`
		Direct   string `json:"verification_uri_complete"`
		Expires  number `json:"expires_in"`
		Interval number `json:"interval"`
	}
	if json.Unmarshal(data, &a) != nil {
		return nil, f.protocolError(doing, "its answer is not in JSON")
	}
	w := &wait{
		id: cmp.Or(a.Device, a.ID), interval: bounded(a.Interval, usualInterval, leastInterval, longestInterval),
		prompt: Prompt{Code: cmp.Or(a.Code, a.Joined), Page: cmp.Or(a.Page, d.Page), Direct: a.Direct},
	}
	usual := d.Lifetime
	if usual <= 0 {
		usual = usualLifetime
	}
	w.prompt.Expires = f.now().Add(bounded(a.Expires, usual, leastInterval, longestLifetime))
	if !w.sound() {
		return nil, f.protocolError(doing, "its answer has no code that could be shown, or no page to enter it at")
	}
	return w, nil
}

// bounded reads a number of seconds.
func bounded(n number, usual, least, most time.Duration) time.Duration {
	if n <= 0 {
		return usual
	}
	if float64(n) >= most.Seconds() {
		return most
	}
	return max(time.Duration(float64(n)*float64(time.Second)), least)
}

// sound reports whether what a user will see is what it should be: a short code and
// a page that is one. An address of another kind would run something when opened.
func (w *wait) sound() bool {
	odd := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || r == ' ' }
	if !showable(w.prompt.Direct) {
		w.prompt.Direct = ""
	}
	return w.id != "" && len(w.id) <= longestToken && w.prompt.Code != "" && len(w.prompt.Code) <= longestCode &&
		!strings.ContainsFunc(w.prompt.Code, odd) && showable(w.prompt.Page)
}

func showable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && plain(address) && u.Host != "" && sound((&url.URL{Scheme: u.Scheme, Host: u.Host, User: u.User}).String())
}

// pollStandard asks once whether the code was used, as RFC 8628 has it.
func (f *Flow) pollStandard(ctx context.Context, w *wait) (Tokens, error) {
	return f.exchange(ctx, doing, "", map[string]string{"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": w.id}, w.id)
}

// errWaiting is a code that no one used yet.
var errWaiting = errors.New("the code was not used yet")

// pollCodes asks once whether the code was used, in OpenAI's form.
func (f *Flow) pollCodes(ctx context.Context, w *wait) (Tokens, error) {
	data, err := f.postJSON(ctx, f.Issuer.Device.Poll, map[string]string{"device_auth_id": w.id, "user_code": w.prompt.Code}, w.id)
	if s := statusOf(err); (s == http.StatusForbidden || s == http.StatusNotFound) && !final(codeOf(err)) {
		return Tokens{}, errWaiting
	}
	if err != nil {
		return Tokens{}, err
	}
	var a struct {
		Code     string `json:"authorization_code"`
		Verifier string `json:"code_verifier"`
	}
	if json.Unmarshal(data, &a) != nil || a.Code == "" || a.Verifier == "" {
		return Tokens{}, f.protocolError(doing, "its answer has no code to exchange")
	}
	return f.tokens(ctx, doing, "", map[string]string{ // the code is spent: an error ends the login
		"grant_type": "authorization_code", "code": a.Code, "redirect_uri": f.Issuer.Device.Callback, "code_verifier": a.Verifier,
	}, a.Code, a.Verifier)
}

// final reports whether the name of an error ends a login on another device.
func final(code string) bool {
	switch code {
	case "access_denied", "authorization_declined", "expired_token", "deviceauth_expired", "deviceauth_denied":
		return true
	}
	return false
}

// goesOn reports whether to ask again after an error, and how much slower. A network
// or a server that fails for a moment does not end the login.
func (f *Flow) goesOn(err error) (again bool, slower time.Duration) {
	if _, ours := errors.AsType[*Error](err); ours {
		return false, 0
	}
	if errors.Is(err, errRedirected) {
		return false, 0
	}
	switch code := codeOf(err); {
	case errors.Is(err, errWaiting), code == "authorization_pending":
		return true, 0
	case code == "slow_down":
		return true, slowerBy
	case final(code):
		return false, 0
	}
	e, answered := errors.AsType[*providers.Error](err)
	if !answered || e.Status == 0 {
		return true, slowerBy
	}
	return e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout, slowerBy
}

// refused words the end of a login on another device.
func (f *Flow) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	switch codeOf(err) {
	case "access_denied", "authorization_declined", "deviceauth_denied":
		return &Error{Problem: ProblemDenied, Message: f.Issuer.Name + " did not allow the login: start it again to try once more", Err: err}
	case "expired_token", "deviceauth_expired":
		return f.late()
	}
	return f.failed(ctx, doing, err)
}
