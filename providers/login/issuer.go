package login

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// program is how this program names itself where an issuer asks who began a login.
const program = "hermes-tui"

// Issuer says how a service logs people in.
type Issuer struct {
	// Provider is the id of the service.
	Provider string
	// Name is the one for people.
	Name string
	// Setting is the name of the section with its settings.
	Setting string
	// Again is the command that logs in, and Check the setting of the address; empty ones
	// are made of Provider and Setting.
	Again, Check string
	// Address is the issuer itself, without a slash at the end. The other addresses
	// lie below it or are on their own; all are absolute.
	Address string
	// ClientID is this program's name at the issuer. There is none by default: an id
	// that was given to another program would claim to be that program.
	ClientID string
	Scopes   []string
	// Authorize, Token and Revoke are the addresses of the protocol; without Revoke
	// tokens cannot be given back.
	Authorize, Token, Revoke string
	// Extra are parameters that the page of the issuer wants besides the usual ones, and
	// Params those of requests for tokens and codes. They may be secret.
	Extra, Params map[string]string
	// NamesItself says that the browser always brings back who the issuer is.
	NamesItself bool
	// Redirects are the addresses at which the browser may come back, in the order in
	// which they are tried. They are loopback addresses; the port 0 is any free one.
	Redirects []string
	Device    Device
}

// DeviceForm is the protocol by which a user logs in on another device.
type DeviceForm string

// The forms.
const (
	// DeviceStandard is RFC 8628.
	DeviceStandard DeviceForm = "rfc8628"
	// DeviceCodes is that of OpenAI: JSON, an id beside the user's code, a waiting
	// login told by its status (403 or 404), and a code to exchange at the end, with
	// the verifier that the issuer made for it.
	DeviceCodes DeviceForm = "codes"
)

// Device says how a user logs in on another device.
type Device struct {
	Form DeviceForm
	// Start is where a code is asked for.
	Start string
	// Poll is where to ask whether it was used; the standard form polls at Token.
	Poll string
	// Page is where the code is entered.
	Page string
	// Callback is what the exchange names as the address to come back to; the
	// standard form needs none.
	Callback string
	// Lifetime is how long a code holds if the issuer does not say.
	Lifetime time.Duration
}

// OpenAI are the settings of logging in to ChatGPT. Empty ones are the usual ones,
// except ClientID, which has none.
type OpenAI struct {
	Issuer    string
	ClientID  string
	Redirects []string
}

// The names of what can be logged in to.
const (
	ProviderOpenAI = "openai-codex"
	ProviderClaude = "anthropic"
)

// DefaultOpenAI is the issuer of ChatGPT logins.
const DefaultOpenAI = "https://auth.openai.com"

// Service makes the issuer of the settings. Its error is a [*Error] for the user.
func (o OpenAI) Service() (Issuer, error) {
	base := strings.TrimRight(strings.TrimSpace(o.Issuer), "/")
	if base == "" {
		base = DefaultOpenAI
	}
	i := Issuer{
		Provider: ProviderOpenAI, Name: "ChatGPT", Setting: "login.openai", Address: base, ClientID: strings.TrimSpace(o.ClientID),
		Scopes:    []string{"openid", "profile", "email", "offline_access"},
		Authorize: base + "/oauth/authorize", Token: base + "/oauth/token", Revoke: base + "/oauth/revoke",
		Extra:     map[string]string{"id_token_add_organizations": "true", "originator": program},
		Redirects: slices.Clone(o.Redirects),
		Device: Device{
			Form: DeviceCodes, Start: base + "/api/accounts/deviceauth/usercode", Poll: base + "/api/accounts/deviceauth/token",
			Page: base + "/codex/device", Callback: base + "/deviceauth/callback", Lifetime: 15 * time.Minute,
		},
	}
	if len(i.Redirects) == 0 {
		i.Redirects = []string{"http://localhost:1455/auth/callback", "http://localhost:1457/auth/callback"}
	}
	return i, i.check()
}

// check finds settings with which no login can work or be safe.
func (i Issuer) check() error {
	if !sound(i.Address) {
		return &Error{Problem: ProblemSetting, Message: fmt.Sprintf("%s.issuer must be an https address such as %s: correct it, or remove it", i.Setting, DefaultOpenAI)}
	}
	if strings.ContainsFunc(i.ClientID, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return &Error{Problem: ProblemSetting, Message: i.Setting + ".client_id holds blanks or letters that no client id has: set it again"}
	}
	for _, r := range i.Redirects {
		if _, err := parseRedirect(r); err != nil {
			return &Error{Problem: ProblemSetting, Message: fmt.Sprintf("%s.redirect_urls: %v: give addresses such as http://localhost:1455/auth/callback", i.Setting, err)}
		}
	}
	return nil
}

func (i Issuer) again() string {
	if i.Again != "" {
		return i.Again
	}
	return "hermes-tui login " + i.Provider
}

func (i Issuer) toCheck() string {
	if i.Check != "" {
		return i.Check
	}
	return i.Setting + ".issuer"
}

// ready reports whether the issuer knows this program.
func (i Issuer) ready() error {
	if i.ClientID != "" {
		return nil
	}
	return &Error{Problem: ProblemSetting, Message: fmt.Sprintf(
		"logging in to %s needs a client id that the service gave out for this program: set %s.client_id in config.yaml, or use an API key", i.Name, i.Setting)}
}

// sound reports whether secrets may be sent to an address: with TLS, or on this machine.
func sound(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// parseRedirect reads an address at which the browser comes back.
func parseRedirect(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil || u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q is no plain http address", oneLine(s))
	case !loopback(u.Hostname()):
		return nil, fmt.Errorf("%q is not on this machine", oneLine(s))
	case u.Port() == "":
		return nil, fmt.Errorf("%q names no port", oneLine(s))
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}
