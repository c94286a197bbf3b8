package login

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hermes-tui/providers"
)

// Doer sends a request. A status that is no success may be an error of type
// [*providers.Error] or a response.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Flow makes, renews and ends logins at one issuer. Its fields are not changed once
// it is in use.
type Flow struct {
	Issuer Issuer
	HTTP   Doer
	// Clock is time.Now when nil.
	Clock func() time.Time
	// Random is the system's randomness when nil.
	Random io.Reader
	// Sleep waits, or gives the cause of a context that ended; nil waits in real time.
	Sleep func(ctx context.Context, d time.Duration) error
	// Patience is how long a user may take in a browser; 0 is 10 minutes.
	Patience time.Duration
}

// The limits of one request.
const (
	askTime       = 20 * time.Second
	longestAnswer = 256 << 10 // bytes
)

func (f *Flow) now() time.Time {
	if f.Clock == nil {
		return time.Now()
	}
	return f.Clock()
}

func (f *Flow) random() io.Reader {
	if f.Random == nil {
		return rand.Reader
	}
	return f.Random
}

func (f *Flow) sleep(ctx context.Context, d time.Duration) error {
	if f.Sleep != nil {
		return f.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// doing is what most errors are about.
const doing = "logging in to"

var (
	errSlow       = errors.New("no answer came within " + askTime.String())
	errRedirected = errors.New("the address answers with a redirect, which secrets do not follow")
)

// postForm sends a form, and postJSON an object. secrets are what must not come back
// in an error.
func (f *Flow) postForm(ctx context.Context, address string, form map[string]string, secrets ...string) ([]byte, error) {
	values := url.Values{}
	for k, v := range form {
		if v != "" {
			values.Set(k, v)
		}
	}
	for _, v := range f.Issuer.Params {
		secrets = append(slices.Clip(secrets), v)
	}
	return f.post(ctx, address, "application/x-www-form-urlencoded", []byte(values.Encode()), secrets)
}

func (f *Flow) postJSON(ctx context.Context, address string, body map[string]string, secrets ...string) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode a request to %s: %w", address, err)
	}
	return f.post(ctx, address, "application/json", data, secrets)
}

// post sends a request and reads the answer. Its errors are the cause of ctx, or are
// free of secrets; those of an issuer that answered are of type [*providers.Error].
func (f *Flow) post(parent context.Context, address, kind string, body []byte, secrets []string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	timer := time.AfterFunc(askTime, func() { cancel(errSlow) })
	defer timer.Stop()
	req, err := http.NewRequestWithContext(stayHere(ctx, cancel), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, scrubbed(err, secrets...)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Accept", "application/json")
	data, err := f.read(req)
	switch {
	case parent.Err() != nil:
		return nil, context.Cause(parent)
	case errors.Is(context.Cause(ctx), errSlow), errors.Is(context.Cause(ctx), errRedirected):
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, scrubbed(err, secrets...)
	}
	return data, nil
}

// stayHere ends a request that is redirected, before its body is sent once more: the
// secrets are in the body. A connection that is wanted after an answer has begun is
// wanted for a redirect.
func stayHere(ctx context.Context, cancel context.CancelCauseFunc) context.Context {
	var answered atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { answered.Store(true) },
		GetConn: func(string) {
			if answered.Load() {
				cancel(errRedirected)
			}
		},
	})
}

// read sends a request and gives the body of a successful answer.
func (f *Flow) read(req *http.Request) ([]byte, error) {
	resp, err := f.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, longestAnswer+1))
	if err != nil {
		return nil, err
	}
	e := &providers.Error{Kind: providers.ErrorStatus, Endpoint: req.URL.String(), Status: resp.StatusCode, Body: data, Header: resp.Header}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, errRedirected
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		e.Code, e.Message = said(data)
		return nil, e
	case len(data) > longestAnswer:
		e.Kind, e.Status, e.Body, e.Message = providers.ErrorProtocol, 0, nil, fmt.Sprintf("the answer is larger than %d KB", longestAnswer>>10)
		return nil, e
	}
	return data, nil
}

// said reads what an error of the protocol says: its code, and words for people.
func said(body []byte) (code, message string) {
	var flat struct {
		Error       json.RawMessage `json:"error"`
		Code        text            `json:"code"`
		Description string          `json:"error_description"`
		Message     string          `json:"message"`
	}
	if json.Unmarshal(body, &flat) != nil {
		return "", ""
	}
	var inner struct {
		Code    text   `json:"code"`
		Message string `json:"message"`
	}
	var name text
	if json.Unmarshal(flat.Error, &inner) != nil {
		_ = name.UnmarshalJSON(flat.Error) // never fails
	}
	return cmp.Or(inner.Code.string(), name.string(), flat.Code.string()), cmp.Or(inner.Message, flat.Description, flat.Message)
}

// codeOf is the protocol's name of an error, "" if it has none.
func codeOf(err error) string {
	e, ok := errors.AsType[*providers.Error](err)
	if !ok {
		return ""
	}
	if code, _ := said(e.Body); code != "" {
		return code
	}
	return e.Code
}

// statusOf is the status of a failed request, 0 if there was none.
func statusOf(err error) int {
	if e, ok := errors.AsType[*providers.Error](err); ok {
		return e.Status
	}
	return 0
}

// tokens asks the token endpoint. what says for the error what was being done, old is
// the refresh token that remains when there is no new one.
func (f *Flow) tokens(ctx context.Context, what, old string, form map[string]string, secrets ...string) (Tokens, error) {
	t, err := f.exchange(ctx, what, old, form, secrets...)
	if _, ours := errors.AsType[*Error](err); err != nil && !ours {
		return Tokens{}, f.failed(ctx, what, err)
	}
	return t, err
}

// exchange is [Flow.tokens] with the bare error of an issuer that refuses.
func (f *Flow) exchange(ctx context.Context, what, old string, form map[string]string, secrets ...string) (Tokens, error) {
	form = f.with(form)
	data, err := f.postForm(ctx, f.Issuer.Token, form, secrets...)
	if err != nil {
		return Tokens{}, err
	}
	t, wrong := parseTokens(data, old, f.now())
	if wrong != "" {
		return Tokens{}, f.protocolError(what, wrong)
	}
	return t, nil
}

// with is a form with what is always sent.
func (f *Flow) with(form map[string]string) map[string]string {
	form = maps.Clone(form)
	maps.Copy(form, f.Issuer.Params)
	form["client_id"] = f.Issuer.ClientID
	return form
}

// failed words a request that was refused or did not arrive.
func (f *Flow) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, errRedirected) {
		return &Error{Problem: ProblemIssuer, Message: fmt.Sprintf("%s %s: %v: set %s to the address it leads to", what, f.Issuer.Name, err, f.Issuer.toCheck()), Err: err}
	}
	next := "try again"
	if s := statusOf(err); s >= 400 && s < 500 && s != http.StatusTooManyRequests && s != http.StatusRequestTimeout {
		next = fmt.Sprintf("check the settings %s, or log in again with %s", f.Issuer.Setting, f.Issuer.again())
	}
	return &Error{Problem: ProblemFailed, Message: fmt.Sprintf("%s %s failed (%s): %s", what, f.Issuer.Name, cause(err), next), Err: err}
}

// cause is the part of a failure that tells a user something.
func cause(err error) string {
	e, ok := errors.AsType[*providers.Error](err)
	if !ok {
		return strings.TrimRight(oneLine(err.Error()), ".")
	}
	parts := slices.DeleteFunc([]string{codeOf(e), e.Message}, func(s string) bool { return s == "" })
	if e.Status != 0 {
		parts = append([]string{fmt.Sprintf("HTTP %d", e.Status)}, parts...)
	}
	if len(parts) == 0 {
		return strings.TrimRight(oneLine(e.Error()), ".")
	}
	return strings.TrimRight(oneLine(strings.Join(slices.Compact(parts), ", ")), ".")
}

// protocolError words an answer that is not what the protocol says.
func (f *Flow) protocolError(what, wrong string) error {
	return &Error{Problem: ProblemIssuer, Message: fmt.Sprintf("%s %s failed: %s: check %s", what, f.Issuer.Name, wrong, f.Issuer.toCheck())}
}

// Renew gives new tokens for a refresh token, which is spent by that. An error of an
// issuer that refuses wraps a [*providers.Error] with its words for it.
func (f *Flow) Renew(ctx context.Context, old Tokens) (Tokens, error) {
	switch {
	case f.Issuer.ClientID == "":
		return Tokens{}, &Error{Problem: ProblemForeign, Message: fmt.Sprintf(
			"the login to %s cannot be renewed without a client id: set %s.client_id, or let the program renew it that made it", f.Issuer.Name, f.Issuer.Setting)}
	case old.Client != "" && old.Client != f.Issuer.ClientID:
		return Tokens{}, f.foreign()
	case old.Refresh() == "":
		return Tokens{}, &Error{Problem: ProblemExpired, Message: fmt.Sprintf("the login to %s cannot be renewed: log in again with %s", f.Issuer.Name, f.Issuer.again())}
	}
	t, err := f.tokens(ctx, "renewing the login to", old.Refresh(), map[string]string{
		"grant_type": "refresh_token", "refresh_token": old.Refresh(), "scope": strings.Join(f.Issuer.Scopes, " "),
	}, old.Refresh(), old.Access())
	if err != nil {
		return Tokens{}, err
	}
	if old.Account != "" && t.Account != "" && t.Account != old.Account {
		return Tokens{}, f.protocolError("renewing the login to", "it answers with the tokens of another account")
	}
	if t.Account == "" {
		t.Account = old.Account
	}
	return t, nil
}

// foreign is a login that another program made, as this one may find in a shared file.
// To renew it would be to claim that one's name.
func (f *Flow) foreign() error {
	return &Error{Problem: ProblemForeign, Message: fmt.Sprintf(
		"the login to %s was made by another program and has to be renewed there: use that one, or log in with %s", f.Issuer.Name, f.Issuer.again())}
}

// Revoke tells the issuer that a login is over. Nothing is asked of an issuer that
// does not know this program or has no address for it.
func (f *Flow) Revoke(ctx context.Context, t Tokens) error {
	token, kind := t.Refresh(), "refresh_token"
	if token == "" {
		token, kind = t.Access(), "access_token"
	}
	if f.Issuer.Revoke == "" || f.Issuer.ClientID == "" || token == "" || t.Client != "" && t.Client != f.Issuer.ClientID {
		return nil
	}
	_, err := f.postForm(ctx, f.Issuer.Revoke, map[string]string{"token": token, "token_type_hint": kind, "client_id": f.Issuer.ClientID}, token)
	if err != nil {
		return f.failed(ctx, "ending the login at", err)
	}
	return nil
}
