// Package logintest is an issuer of logins on a loopback port, for tests: it speaks
// OAuth with PKCE, both forms of logging in on another device, and the end of logins.
// It checks what an issuer checks: codes and refresh tokens are good once, a code only
// with its verifier, its client and its address, and a refresh token that comes again
// is told so.
//
// Every secret it gives has [Canary] in it, so that a test can look for leaks. It is
// safe for concurrent use.
package logintest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Canary is in every secret.
const Canary = "CANARY"

// Account and Client are the usual ones.
const (
	Account = "acct-0123456789abcdef"
	Client  = "client-of-tests"
)

// Issuer is an issuer. Its fields are set before it is asked.
type Issuer struct {
	// URL is the issuer's address.
	URL string
	// Life is how long access tokens hold, in seconds.
	Life int
	// Account is whose tokens they are.
	Account string
	// Clock is the time that tokens begin at.
	Clock func() time.Time

	mu      sync.Mutex
	n       int
	codes   map[string]url.Values // to their authorize requests
	refresh map[string]bool       // whether it is good still
	devices map[string]*device
	byCode  map[string]*device
	asked   map[string]int
	instead map[string]http.HandlerFunc
	revoked []string
}

type device struct{ id, code, state string }

// New starts an issuer that ends with the test.
func New(t testing.TB) *Issuer {
	t.Helper()
	i := &Issuer{
		Life: 3600, Account: Account, Clock: time.Now, codes: map[string]url.Values{}, refresh: map[string]bool{}, devices: map[string]*device{},
		byCode: map[string]*device{}, asked: map[string]int{}, instead: map[string]http.HandlerFunc{},
	}
	server := httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// Instead answers a path with something else; nil answers it as usual again.
func (i *Issuer) Instead(path string, h http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.instead[path] = h
}

// Asked is how often a path was asked.
func (i *Issuer) Asked(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[path]
}

// Revoked are the tokens that were given back.
func (i *Issuer) Revoked() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string(nil), i.revoked...)
}

// Use enters a user's code; state is "approved", "denied" or "expired".
func (i *Issuer) Use(code, state string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if d := i.byCode[code]; d != nil {
		d.state = state
	}
}

// Refreshable makes a refresh token, as an earlier login would have.
func (i *Issuer) Refreshable() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.newRefresh()
}

func (i *Issuer) newRefresh() string {
	i.n++
	token := fmt.Sprintf("rt-%s-%d", Canary, i.n)
	i.refresh[token] = true
	return token
}

// Access makes an access token that ends at some time, for a client.
func Access(account, client string, end time.Time) string {
	encode := base64.RawURLEncoding.EncodeToString
	claims, err := json.Marshal(map[string]any{
		"exp": end.Unix(), "client_id": client, "https://api.openai.com/auth": map[string]any{"chatgpt_account_id": account},
	})
	if err != nil {
		panic(err) // a map of texts and numbers
	}
	return encode([]byte(`{"alg":"none"}`)) + "." + encode(claims) + "." + Canary
}

func (i *Issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	i.asked[r.URL.Path]++
	h := i.instead[r.URL.Path]
	i.mu.Unlock()
	if h == nil {
		h = i.Usual
	}
	h(w, r)
}

// Usual answers a path as it is usually answered.
func (i *Issuer) Usual(w http.ResponseWriter, r *http.Request) {
	h := map[string]http.HandlerFunc{
		"/oauth/authorize": i.authorize, "/oauth/token": i.token, "/oauth/revoke": i.revoke, "/oauth/device": i.deviceStandard,
		"/api/accounts/deviceauth/usercode": i.deviceCodes, "/api/accounts/deviceauth/token": i.pollCodes,
	}[r.URL.Path]
	if h == nil {
		h = http.NotFound
	}
	h(w, r)
}

// authorize logs the user in at once and sends the browser back.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != Client || q.Get("code_challenge_method") != "S256" || len(q.Get("state")) < 32 || q.Get("response_type") != "code" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	i.n++
	code := fmt.Sprintf("code-%s-%d", Canary, i.n)
	i.codes[code] = q
	i.mu.Unlock()
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {i.URL}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// Refuse answers with an error of the protocol.
func Refuse(w http.ResponseWriter, status int, code, words string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	write(w, map[string]any{"error": code, "error_description": words})
}

func write(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) } // whoever left needs no answer

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.ParseForm() != nil {
		Refuse(w, http.StatusBadRequest, "invalid_request", "")
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	f := r.PostForm
	switch {
	case f.Get("client_id") != Client:
		Refuse(w, http.StatusUnauthorized, "invalid_client", "no such client")
	case f.Get("grant_type") == "authorization_code":
		i.exchange(w, f)
	case f.Get("grant_type") == "refresh_token":
		i.renew(w, f.Get("refresh_token"))
	case f.Get("grant_type") == "urn:ietf:params:oauth:grant-type:device_code":
		i.pollStandard(w, f.Get("device_code"))
	default:
		Refuse(w, http.StatusBadRequest, "unsupported_grant_type", "")
	}
}

func (i *Issuer) exchange(w http.ResponseWriter, f url.Values) {
	q, known := i.codes[f.Get("code")]
	delete(i.codes, f.Get("code"))
	if !known || q.Get("redirect_uri") != f.Get("redirect_uri") || challenge(f.Get("code_verifier")) != q.Get("code_challenge") {
		Refuse(w, http.StatusBadRequest, "invalid_grant", "the code "+f.Get("code")+" with "+f.Get("code_verifier")+" is no good")
		return
	}
	i.give(w)
}

// challenge is what a verifier must match.
func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (i *Issuer) renew(w http.ResponseWriter, token string) {
	good, known := i.refresh[token]
	switch {
	case !known:
		Refuse(w, http.StatusBadRequest, "invalid_grant", "no refresh token is "+token)
	case !good:
		w.WriteHeader(http.StatusUnauthorized)
		write(w, map[string]any{"error": map[string]any{"code": "refresh_token_reused", "message": "the token " + token + " was used before"}})
	default:
		i.refresh[token] = false
		i.give(w)
	}
}

// give answers with new tokens.
func (i *Issuer) give(w http.ResponseWriter) {
	i.n++
	access := Access(i.Account, Client, i.Clock().Add(time.Duration(i.Life)*time.Second)) + fmt.Sprint(i.n)
	write(w, map[string]any{
		"access_token": access, "refresh_token": i.newRefresh(), "token_type": "Bearer", "expires_in": i.Life,
		"id_token": Access(i.Account, Client, i.Clock()),
	})
}

func (i *Issuer) revoke(_ http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.ParseForm() == nil {
		i.revoked = append(i.revoked, r.PostForm.Get("token"))
		i.refresh[r.PostForm.Get("token")] = false
	}
}
