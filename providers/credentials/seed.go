package credentials

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Seed is a secret that is kept elsewhere and used from there: a variable of the
// environment, the configuration, the login of another program.
type Seed struct {
	// Source says where it is from and stands in the file: "env:NAME",
	// "config:NAME", "model_config", "claude_code" and so on.
	Source string
	// Label is for people; empty takes the source.
	Label string
	// Type is APIKey when empty.
	Type Type
	// Key is the secret.
	Key string
	// Refresh is only ever fingerprinted: a borrowed login is renewed by the program
	// it belongs to.
	Refresh string
	BaseURL string
	Expires time.Time // of a login, zero if not known
}

// String names the source.
func (s Seed) String() string { return "secret from " + s.Source }

// GoString is [Seed.String].
func (s Seed) GoString() string { return s.String() }

// kind is the type, with its default.
func (s Seed) kind() Type {
	if s.Type == "" {
		return APIKey
	}
	return s.Type
}

// secretField reports whether a member of a borrowed row would hold a secret.
func secretField(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case fieldAgentKey, "api_key", "apikey", "authorization", "credential", "credentials", "private_key", "secret_key", "password", "secret", "token", "tokens":
		return true
	}
	for _, end := range []string{"_token", "_api_key", "_private_key", "_secret_key", "_secret", "_password"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// strip takes secrets out of a borrowed row and leaves a fingerprint.
func (r *row) strip() {
	if r.text(fieldFingerprint) == "" {
		if s := cmp.Or(r.text(fieldAgentKey), r.text(fieldAccess), r.text(fieldRefresh), r.text("api_key")); s != "" {
			r.put(fieldFingerprint, fingerprintOf(s))
		}
	}
	r.members = slices.DeleteFunc(r.members, func(m member) bool { return secretField(m.name) })
}

// applySeeds gives the rows their borrowed secrets, and adds rows for those that have
// none. A row whose secret is another one than before starts afresh.
func (v *view) applySeeds(seeds []Seed, suppressed []string) {
	for i := range seeds {
		s := &seeds[i]
		if s.Key == "" || ownSource(v.provider, s.Source) || slices.Contains(suppressed, s.Source) {
			continue
		}
		r := v.bySource(s.Source)
		if r == nil {
			r = newRow(s.Source, s.Label, s.kind(), v.nextPriority())
			r.put(fieldID, v.freeID(s.Source))
			v.rows = append(v.rows, r)
		}
		if r.seed != nil {
			continue // a source gives one secret
		}
		if base := bareURL(s.BaseURL); base != "" && r.text(fieldBaseURL) != base {
			r.put(fieldBaseURL, base)
		}
		r.seed = s
		fresh := r.secret(v.provider)
		if known := r.text(fieldFingerprint); known == "" || !fresh.bears(known) {
			if known != "" && r.status() != OK {
				r.clear()
			}
			r.put(fieldFingerprint, fresh.fingerprint())
		}
	}
}
