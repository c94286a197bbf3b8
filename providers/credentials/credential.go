package credentials

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Type is what kind of secret a credential has.
type Type string

// The types.
const (
	APIKey Type = "api_key"
	OAuth  Type = "oauth"
)

// Status is what is known about a credential.
type Status string

// The statuses.
const (
	OK        Status = "ok"
	Exhausted Status = "exhausted" // cooling down until [Credential.Until]
	Dead      Status = "dead"      // refused for good
)

// Credential is one key or login of a pool, as it was when it was read. Its
// secrets are only reachable through methods; printing it shows none.
type Credential struct {
	Provider string
	ID       string // 6 hexadecimal digits
	Label    string // for people
	Type     Type
	// Source says where the secret is from: "manual", "env:NAME",
	// "config:NAME", "device_code" and others.
	Source   string
	Priority int // the smaller, the earlier
	// BaseURL is the endpoint the secret belongs to, "" for the provider's usual
	// one. It must not be sent to any other.
	BaseURL string

	// Account is the id that the service gave the account of a login, "" if the file
	// does not say.
	Account string

	// Status is Exhausted only while the cool-down lasts. Since, Cause and Until
	// say why it is not OK; Until is zero for a dead credential.
	Status Status
	Since  time.Time
	Cause  Failure
	Until  time.Time

	// Expires is when the access token ends, zero if that is not known.
	Expires time.Time
	// Requests counts the uses under the strategy least_used.
	Requests int
	// Borrowed: the secret is kept elsewhere, the file has a fingerprint of it.
	// Absent: it is not there at the moment.
	Borrowed bool
	Absent   bool

	// recovered: the file says exhausted, and the cool-down is over.
	recovered bool
	// secret is behind a pointer so that no way of printing follows it.
	secret *secret
}

// secret is what must not be shown.
type secret struct {
	access, refresh, agent string
	agentUntil             time.Time
}

// Key is what goes with a request: the API key or the access token.
func (c Credential) Key() string {
	if c.secret == nil {
		return ""
	}
	return c.secret.key()
}

// key prefers the key that a login has obtained for inference.
func (s secret) key() string {
	if s.agent != "" {
		return s.agent
	}
	return s.access
}

// RefreshToken renews the access token, "" if there is none.
func (c Credential) RefreshToken() string {
	if c.secret == nil {
		return ""
	}
	return c.secret.refresh
}

// AccessToken is the token of the login itself. It differs from [Credential.Key]
// where a login obtains another key for inference.
func (c Credential) AccessToken() string {
	if c.secret == nil {
		return ""
	}
	return c.secret.access
}

// From says where a user finds the secret: "env NAME", "config.yaml",
// "auth.json", or else the source.
func (c Credential) From() string {
	name, inEnv := strings.CutPrefix(c.Source, sourceEnv)
	switch {
	case inEnv:
		return "env " + name
	case strings.HasPrefix(c.Source, sourceConfig), c.Source == "model_config":
		return "config.yaml"
	case !c.Borrowed:
		return "auth.json"
	}
	return c.Source
}

// String names the credential without its secrets.
func (c Credential) String() string {
	s := fmt.Sprintf("%s %s (%s, %s", c.Provider, c.Label, c.ID, c.Source)
	if c.Status != OK && c.Status != "" {
		s += ", " + string(c.Status)
	}
	return s + ")"
}

// GoString is [Credential.String].
func (c Credential) GoString() string { return c.String() }

// expired reports whether the access token has ended.
func (c Credential) expired(now time.Time) bool {
	return c.Type == OAuth && !c.Expires.IsZero() && !now.Before(c.Expires)
}

// fingerprintOf is what the file keeps of a borrowed secret.
func fingerprintOf(s string) string {
	if s == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])[:16]
}

// fingerprint is the one of the secret that is sent.
func (s secret) fingerprint() string {
	return fingerprintOf(cmp.Or(s.agent, s.access, s.refresh))
}

// bears reports whether a fingerprint is one of any of the secrets.
func (s secret) bears(fingerprint string) bool {
	all := []string{s.agent, s.access, s.refresh}
	return fingerprint != "" && slices.ContainsFunc(all, func(v string) bool { return fingerprintOf(v) == fingerprint })
}

func (s secret) all() []string { return []string{s.agent, s.access, s.refresh} }

// The beginnings and names of sources.
const (
	sourceManual = "manual"
	sourceEnv    = "env:"
	sourceConfig = "config:"
)

// ownSource reports whether the file keeps the secrets of a source: keys that were
// added by hand and logins of our own.
func ownSource(provider, source string) bool {
	source = strings.ToLower(strings.TrimSpace(source))
	if source == "" || source == sourceManual || strings.HasPrefix(source, sourceManual+":") {
		return true
	}
	switch source {
	case "device_code":
		return provider == "nous" || provider == "openai-codex" || provider == "xai-oauth"
	case "oauth":
		return provider == "minimax-oauth"
	case "hermes_pkce":
		return provider == "anthropic"
	}
	return false
}

// borrowedSource reports whether a source is known to keep its secrets elsewhere.
// An unknown source is neither own nor borrowed: what the file has of it stays
// as it is.
func borrowedSource(source string) bool {
	source = strings.ToLower(strings.TrimSpace(source))
	if strings.HasPrefix(source, sourceEnv) || strings.HasPrefix(source, sourceConfig) {
		return true
	}
	switch source {
	case "model_config", "claude_code", "gh_cli", "qwen-cli":
		return true
	}
	return false
}

// renewAhead is how long before its end an access token is renewed.
func renewAhead(provider string) time.Duration {
	if provider == "xai-oauth" {
		return time.Hour
	}
	return 2 * time.Minute
}

// CustomProvider is the name of the pool of an endpoint that the configuration
// names.
func CustomProvider(name string) string {
	return "custom:" + strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-")
}
