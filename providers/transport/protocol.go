package transport

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"strings"
	"time"

	"hermes-tui/providers"
)

// Service is an endpoint with what its clients need.
type Service struct {
	providers.Endpoint
	// Token gives the token of a login, and the id of its account if that is known,
	// before each request, with the context of the request. It takes the place of Key;
	// nil for no login.
	Token func(ctx context.Context) (token, account string, err error)
	// Env looks up variables of the environment that a protocol's own tools read. Nil
	// is the environment of the process.
	Env func(name string) string
	// Transport sends the requests.
	Transport *Transport
}

// Protocol is what the package of a wire protocol registers.
type Protocol struct {
	// ID is its name in the settings and in the catalogue.
	ID providers.Protocol
	// New makes a client. What it cannot be made of is an error; nothing is sent.
	New func(Service) (providers.Client, error)
	// List is the protocol whose client, a [providers.Lister], lists the models of such
	// an endpoint; empty where none does.
	List providers.Protocol
	// Learns says that clients learn from the list of an endpoint what holds for requests,
	// so that there is to be one for each endpoint.
	Learns bool
	// Kept is how long the endpoint of a client keeps a prompt of a model, if marks ask
	// for a time; 0 if no one knows.
	Kept func(c providers.Client, model string, marks time.Duration) time.Duration
}

// Ready checks what every client needs, and gives the service a trimmed key and headers
// of its own.
func (s *Service) Ready() error {
	if s.Transport == nil {
		return errors.New("there is no transport")
	}
	s.Headers = maps.Clone(s.Headers)
	var err error
	s.Key, err = CleanKey(s.Key)
	return err
}

// CleanKey trims a credential, and refuses what cannot be a header and so would be an
// error with the key in it.
func CleanKey(key string) (string, error) {
	key = strings.TrimSpace(key)
	if !IsHeader(key) {
		return "", errors.New("the API key holds blanks, line breaks or letters that no key has; set it again")
	}
	return key, nil
}

// IsHeader reports whether a text can be sent in a header as it is.
func IsHeader(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// ParseBase takes a base URL apart: the address without query and without a slash at its
// end, and the query. like is what such addresses look like, for the error.
func ParseBase(address, like string) (base *url.URL, query string, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The address itself may hold a password and is not repeated.
		return nil, "", errors.New("the base URL is not an address; it must look like " + like)
	}
	query = u.RawQuery
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u, query, nil
}
