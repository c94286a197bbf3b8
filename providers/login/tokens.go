package login

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Tokens are what a login gives. Printing them shows no secret.
type Tokens struct {
	// Account is the id of the account at the service, "" if nothing names it.
	Account string
	// Expires is when the access token ends, zero if nothing says so.
	Expires time.Time
	// Client is the program that the access token was made for, "" if it does not say.
	Client string
	// secret is behind a pointer so that no way of printing follows it.
	secret *secret
}

type secret struct{ access, refresh string }

// NewTokens makes tokens of what is kept of a login. What the caller does not know is
// read from the access token, if that can be read.
func NewTokens(access, refresh, account string, expires time.Time) Tokens {
	c := claimsOf(access)
	if account == "" {
		account = c.account()
	}
	if expires.IsZero() {
		expires = c.expires()
	}
	return Tokens{Account: account, Expires: expires, Client: c.Client.string(), secret: &secret{access, refresh}}
}

// Access goes with requests, "" if there is none.
func (t Tokens) Access() string {
	if t.secret == nil {
		return ""
	}
	return t.secret.access
}

// Refresh renews the access token, "" if nothing can.
func (t Tokens) Refresh() string {
	if t.secret == nil {
		return ""
	}
	return t.secret.refresh
}

// String shows no secret.
func (t Tokens) String() string {
	return fmt.Sprintf("login of account %q, ends %v", MaskAccount(t.Account), t.Expires)
}

// GoString is [Tokens.String].
func (t Tokens) GoString() string { return t.String() }

// ended reports whether the access token is of no use any more.
func (t Tokens) ended(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// MaskAccount is an id of an account as it may be shown: enough to tell two apart.
func MaskAccount(id string) string {
	r := []rune(oneLine(id))
	if len(r) < 12 {
		return strings.Repeat("•", min(len(r), 4))
	}
	return string(r[:4]) + "…" + string(r[len(r)-4:])
}

// answer is what a token endpoint says.
type answer struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	ID      string `json:"id_token"`
	Type    string `json:"token_type"`
	Expires number `json:"expires_in"`
}

// Bounds of what is believed of an answer.
const (
	longestToken = 32 << 10                   // bytes
	longestLife  = 366 * 24 * 60 * 60         // seconds
	farFuture    = 100 * 365 * 24 * time.Hour // from 1970 on: beyond that nothing is a time
)

// parseTokens reads the answer of a token endpoint. old is the refresh token that
// remains when there is no new one.
func parseTokens(data []byte, old string, now time.Time) (Tokens, string) {
	var a answer
	if json.Unmarshal(data, &a) != nil {
		return Tokens{}, "its answer is not in JSON"
	}
	switch {
	case a.Access == "":
		return Tokens{}, "its answer has no access token"
	case !plain(a.Access) || !plain(a.Refresh):
		return Tokens{}, "its answer has a token that cannot be one"
	case a.Type != "" && !strings.EqualFold(a.Type, "bearer"):
		return Tokens{}, fmt.Sprintf("it gives a token of the kind %q, which this program cannot use", oneLine(mask(a.Type, []string{a.Access, a.Refresh, a.ID})))
	}
	if a.Refresh == "" {
		a.Refresh = old
	}
	expires := time.Time{}
	if s := float64(a.Expires); s > 0 && s <= longestLife {
		expires = now.Add(time.Duration(s * float64(time.Second)))
	}
	return NewTokens(a.Access, a.Refresh, claimsOf(a.ID).account(), expires), ""
}

// plain reports whether a token can be the value of a header.
func plain(s string) bool {
	return len(s) <= longestToken && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// claims are what a JSON web token says of itself. Its signature is not looked at: it
// came from the issuer itself, and only the service can judge it later.
type claims struct {
	Exp  number `json:"exp"`
	Auth struct {
		Account text `json:"chatgpt_account_id"`
	} `json:"https://api.openai.com/auth"`
	Account text `json:"chatgpt_account_id"`
	Client  text `json:"client_id"`
}

// claimsOf reads a token; one that cannot be read says nothing.
func claimsOf(token string) claims {
	var c claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > longestToken {
		return c
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || json.Unmarshal(data, &c) != nil {
		return claims{}
	}
	return c
}

func (c claims) account() string {
	for _, s := range []string{c.Auth.Account.string(), c.Account.string()} {
		if s != "" {
			return s
		}
	}
	return ""
}

func (c claims) expires() time.Time {
	if s := float64(c.Exp); s > 0 && s < farFuture.Seconds() {
		return time.Unix(int64(s), 0).UTC()
	}
	return time.Time{}
}

// text is a text that can go into a header, and "" whatever else stands in its place.
type text string

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil && plain(s) {
		*t = text(s)
	}
	return nil
}

func (t text) string() string { return string(t) }

// number is a number, also one written as a text, and 0 whatever else stands in its
// place.
type number float64

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (n *number) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(string(data), `"`)), 64)
	if err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		*n = number(v)
	}
	return nil
}
