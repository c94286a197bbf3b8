package catalog

import (
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"hermes-tui/providers"
)

// A key is given for an address, and goes to no other: that beside which it is
// written, or that of the variable that goes with its own, or the one that the user
// names together with the provider that the key belongs to.

// StoredKey is a key that is kept for a service.
type StoredKey struct {
	Key  string
	From string // where it is kept, for errors
	// BaseURL is the address that it was given for, "" for the service wherever it is
	// said to be.
	BaseURL string
}

// given is a key that may be used, with its source.
type given struct {
	value, from string
	// elsewhere is where the key goes that is there and may not be used.
	elsewhere string
}

// SameOrigin reports whether two URLs lead to the same server in the same way: by
// scheme, host and port.
func SameOrigin(a, b string) bool { return origin(a) != "" && origin(a) == origin(b) }

// origin is where a URL leads, "" if it leads nowhere.
func origin(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Hostname() == "" {
		return ""
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// moved is where the environment says that a service is, and the variable that says
// so; both "" if none does.
func (p Provider) moved(get func(string) string) (base, where string) {
	if p.ID == ollamaID {
		base, where = ollamaURL(get(ollamaHost)), ollamaHost
	} else if p.BaseEnv != "" {
		base, where = get(p.BaseEnv), p.BaseEnv
	}
	if base == "" {
		where = ""
	}
	return base, where
}

// key is the key for a service at an address, with the variables that may hold it:
// what e holds, else the environment's, which goes only where the environment says
// that the service is, if it does.
func key(e providers.Endpoint, p Provider, at string, get func(string) string) (k given, names []string) {
	if e.Key != "" {
		return given{value: strings.TrimSpace(e.Key), from: fromConfig}, nil
	}
	names = p.KeyEnv
	if e.KeyEnv != "" {
		names = []string{e.KeyEnv}
	}
	for _, n := range names {
		v := get(n)
		if v == "" {
			continue
		}
		if base, _ := p.moved(get); e.KeyEnv == "" && base != "" && !SameOrigin(base, at) {
			return given{elsewhere: base}, names
		}
		return given{value: v, from: "env " + n}, names
	}
	return given{}, names
}

// Sendable is an [*UnsendableError] when the key or a header has a character in it
// that cannot be sent, as pasting may bring.
func (c Candidate) Sendable() error {
	if at, r := foreign(c.Key, false); at > 0 {
		from := c.KeyFrom
		if name, env := strings.CutPrefix(from, "env "); env {
			from = name
		}
		return &UnsendableError{What: "the key of " + c.Label, From: from, At: at, Character: r}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		if at, r := foreign(c.Headers[name], true); at > 0 {
			return &UnsendableError{What: "the header " + name, From: fromConfig, At: at, Character: r}
		}
	}
	return nil
}

// foreign finds the first character that is no visible one of ASCII and, unless it is
// allowed, no blank. It counts from 1; 0 is none.
func foreign(s string, blanks bool) (at int, found rune) {
	for _, r := range s {
		at++
		if r > ' ' && r < 0x7f || blanks && r == ' ' {
			continue
		}
		return at, r
	}
	return 0, 0
}

// Takes reports whether a key that is kept for the provider may go to the endpoint.
// base is the address that it was given for, "" if it is kept without one.
func (c Candidate) Takes(base string) bool {
	if base == "" {
		return !c.away && c.Provider != Custom
	}
	return SameOrigin(base, c.BaseURL)
}

// keep takes the first stored key that may go to the endpoint. When its address is
// the catalogue's own, the endpoint is where the first key was given for.
func (c *Candidate) keep(list []StoredKey, own bool) given {
	for _, k := range list {
		if own && k.BaseURL != "" && !c.Takes(k.BaseURL) {
			if url, err := cleanURL(k.BaseURL, k.From); err == nil {
				c.BaseURL = url
			}
		}
		if c.Takes(k.BaseURL) {
			return given{value: k.Key, from: k.From}
		}
	}
	return given{}
}
