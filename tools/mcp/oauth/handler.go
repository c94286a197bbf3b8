package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// Login is what is kept of one at a server. It holds secrets.
type Login struct {
	// URL is the address of the server.
	URL string `json:"url"`
	// Issuer gave it, for Resource; Token is where it is renewed, Revoke where it is ended.
	Issuer   string `json:"issuer"`
	Resource string `json:"resource"`
	Token    string `json:"token_endpoint"`
	Revoke   string `json:"revocation_endpoint,omitempty"`
	// ClientID and ClientSecret are this program there; Basic is that of [Client].
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret,omitempty"`
	Basic        bool   `json:"client_secret_basic,omitempty"`
	// Scope is what was asked for.
	Scope string `json:"scope,omitempty"`
	// Wanted are rights that the server asked for since.
	Wanted []string `json:"wanted_scopes,omitempty"`

	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token,omitempty"`
	Expires time.Time `json:"expires_at,omitzero"`
}

// Keeper keeps the login at a server. It is safe for concurrent use.
type Keeper interface {
	// Current is the login as it stands, the zero one for none.
	Current() (Login, error)
	// Renew gives one that holds for longer: that which someone else has put there since,
	// or a new one, which is stored before it is given. An error that [Over] is one of
	// means that there is no renewing it.
	Renew(ctx context.Context, old Login) (Login, error)
}

// Over reports whether an error means that a login has ended.
func Over(err error) bool {
	e, ok := errors.AsType[*LoginError](err)
	return ok && e != nil
}

// LoginError says that the user has to log in.
type LoginError struct{ Why string }

// Error implements error.
func (e *LoginError) Error() string { return e.Why }

// NeedsLogin says why, in a sentence.
func (e *LoginError) NeedsLogin() string { return e.Why }

// Handler sends the token of a login with requests, and renews it. It is safe for
// concurrent use.
type Handler struct {
	Keeper Keeper
	Now    func() time.Time
	// Wants hears of rights that the server wants besides.
	Wants func(scopes []string)

	mu      sync.Mutex
	renewed time.Time
}

// ahead is how long before its end a token is renewed.
const ahead = time.Minute

// TokenSource gives the source of tokens.
func (h *Handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	return source{h, ctx}, nil
}

type source struct {
	h   *Handler
	ctx context.Context //nolint:containedctx // a source of the library takes none
}

// Token implements [oauth2.TokenSource]. There is none for who is not logged in: the answer
// to the request says more.
func (s source) Token() (*oauth2.Token, error) {
	l, err := s.h.Keeper.Current()
	if err != nil || l.Access == "" {
		return nil, err
	}
	if now := s.h.Now(); !l.Expires.IsZero() && now.Add(ahead).After(l.Expires) {
		fresh, err := s.h.Keeper.Renew(s.ctx, l)
		switch {
		case err == nil:
			l = fresh
		case now.Before(l.Expires):
		case Over(err):
			return nil, nil
		default:
			return nil, err
		}
	}
	return &oauth2.Token{AccessToken: l.Access}, nil
}

// soon is how soon after a renewal a refusal means that renewing does not help.
const soon = 10 * time.Second

// Authorize answers a refusal: it renews the token, or says that the user has to log in.
func (h *Handler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
	said := challengeOf(resp)
	if resp.StatusCode == http.StatusForbidden {
		if said["error"] != "insufficient_scope" {
			return nil // asked once more, and then it is the answer
		}
		scopes := strings.Fields(said["scope"])
		h.Wants(scopes[:min(len(scopes), maxScopes)])
		return &LoginError{"It wants a login with more rights: " + plain(said["scope"]) + "."}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	l, err := h.Keeper.Current()
	switch {
	case err != nil:
		return err
	case l.Access == "":
		return &LoginError{"It wants a login."}
	case req.Header.Get("Authorization") != "Bearer "+l.Access:
		return nil // it was renewed meanwhile
	}
	if h.Now().Sub(h.renewed) < soon {
		return &LoginError{"It refuses the login."}
	}
	if _, err := h.Keeper.Renew(ctx, l); err != nil {
		return err
	}
	h.renewed = h.Now()
	return nil
}

// Join puts lists of rights together, each right once.
func Join(lists ...[]string) []string {
	var all []string
	for _, s := range slices.Concat(lists...) {
		if !slices.Contains(all, s) && len(all) < maxScopes {
			all = append(all, s)
		}
	}
	return all
}
