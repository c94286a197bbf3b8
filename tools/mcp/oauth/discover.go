package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Service says how to log in at a server.
type Service struct {
	// Resource is what the server calls itself, Issuer who gives tokens for it.
	Resource, Issuer string
	// Authorize, Token, Register, Device and Revoke are addresses of the issuer; only the
	// first two are always there.
	Authorize, Token, Register, Device, Revoke string
	// Scopes are the rights that the server wants, Knows those that the issuer names.
	Scopes, Knows []string
	// NamesItself says that the issuer always says who it is when the browser comes back.
	NamesItself bool
	// Documents says that the issuer takes the address of a document about a client as its id.
	Documents bool
	// Methods are how clients with a secret show it, as the issuer names them.
	Methods []string
}

// The bounds of what is asked.
const (
	askTime    = 20 * time.Second
	maxAnswer  = 1 << 20 // bytes
	maxScopes  = 100
	maxAddress = 2000 // bytes
)

// Find finds out how to log in at a server.
func Find(ctx context.Context, c *http.Client, server string) (Service, error) {
	at, err := url.Parse(server)
	if err != nil || at.Host == "" {
		return Service{}, errors.New("its address cannot be read")
	}
	if at.Scheme != "https" && !local(at.Hostname()) {
		return Service{}, errors.New("its address has no TLS, so a login there could be stolen on the way")
	}
	f := finder{c: c, server: at}
	challenge := f.challenge(ctx)
	s := Service{Resource: server, Scopes: strings.Fields(challenge["scope"])}
	about, err := f.resource(ctx, challenge["resource_metadata"])
	if err != nil {
		return Service{}, err
	}
	issuer := at.Scheme + "://" + at.Host // as in the protocol of March 2025
	if about != nil {
		s.Resource, issuer = about.Resource, about.Servers[0]
		if len(s.Scopes) == 0 {
			s.Scopes = about.Scopes
		}
	}
	m, err := f.issuer(ctx, issuer)
	if err != nil {
		return Service{}, err
	}
	if m == nil {
		return Service{}, fmt.Errorf("nothing says how to log in: neither the server nor %s has metadata about that", shown(issuer))
	}
	s.Issuer, s.Authorize, s.Token, s.Register, s.Device, s.Revoke = m.Issuer, m.Authorize, m.Token, m.Register, m.Device, m.Revoke
	s.Knows, s.NamesItself, s.Methods, s.Documents = m.Scopes, m.NamesItself, m.Methods, m.Documents
	s.Scopes = s.Scopes[:min(len(s.Scopes), maxScopes)]
	return s, nil
}

// finder asks a server and its issuer.
type finder struct {
	c      *http.Client
	server *url.URL
}

// challenge is what the server says when it is asked something without a login.
func (f finder) challenge(ctx context.Context) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.server.String(), bytes.NewReader(body))
	if err != nil {
		return nil
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := f.c.Do(req)
	if err != nil {
		return nil // the metadata may be there all the same
	}
	_ = resp.Body.Close()
	return challengeOf(resp)
}

// challengeOf are the parameters of a refusal.
func challengeOf(resp *http.Response) map[string]string {
	list, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil
	}
	for _, c := range list {
		if c.Scheme == "bearer" {
			return c.Params
		}
	}
	return nil
}

// resourceMeta is what a server says about logging in.
type resourceMeta struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// resource is what the server says about logging in, nil for nothing.
func (f finder) resource(ctx context.Context, told string) (*resourceMeta, error) {
	own := *f.server
	own.RawQuery, own.Fragment = "", ""
	own.Path, own.RawPath = "/.well-known/oauth-protected-resource/"+strings.Trim(f.server.Path, "/"), ""
	root := own
	root.Path = "/.well-known/oauth-protected-resource"
	list := []string{own.String(), root.String()}
	if told != "" {
		u, err := url.Parse(told)
		if err != nil || u.Scheme != f.server.Scheme || !strings.EqualFold(u.Host, f.server.Host) {
			return nil, fmt.Errorf("the server says that how to log in stands elsewhere, at %s; only its own host is asked", shown(told))
		}
		list = append([]string{told}, list...)
	}
	for _, address := range slices.Compact(list) {
		var m resourceMeta
		switch there, err := f.get(ctx, address, &m); {
		case err != nil:
			return nil, err
		case !there:
			continue
		}
		if !f.covers(m.Resource) {
			return nil, fmt.Errorf("what %s says about logging in is about another server, %s", shown(address), shown(m.Resource))
		}
		if len(m.Servers) == 0 {
			return nil, fmt.Errorf("%s names no one who gives logins", shown(address))
		}
		return &m, nil
	}
	return nil, nil
}

// covers reports whether a resource is the server, or what it is a part of.
func (f finder) covers(resource string) bool {
	u, err := url.Parse(resource)
	if err != nil || u.Scheme != f.server.Scheme || !strings.EqualFold(u.Host, f.server.Host) || u.User != nil || u.Fragment != "" {
		return false
	}
	path := strings.TrimRight(u.Path, "/")
	own := strings.TrimRight(f.server.Path, "/")
	return own == path || strings.HasPrefix(own, path+"/")
}

// issuerMeta is what an issuer says about itself.
type issuerMeta struct {
	Issuer      string   `json:"issuer"`
	Authorize   string   `json:"authorization_endpoint"`
	Token       string   `json:"token_endpoint"`
	Register    string   `json:"registration_endpoint"`
	Device      string   `json:"device_authorization_endpoint"`
	Revoke      string   `json:"revocation_endpoint"`
	Scopes      []string `json:"scopes_supported"`
	Methods     []string `json:"token_endpoint_auth_methods_supported"`
	Challenges  []string `json:"code_challenge_methods_supported"`
	NamesItself bool     `json:"authorization_response_iss_parameter_supported"`
	Documents   bool     `json:"client_id_metadata_document_supported"`
}

// issuer is what an issuer says about itself, nil for nothing.
func (f finder) issuer(ctx context.Context, address string) (*issuerMeta, error) {
	if why := f.wrong(address); why != "" {
		return nil, fmt.Errorf("the server has people log in at %s, which %s", shown(address), why)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err // it was read just now
	}
	path := strings.Trim(u.Path, "/")
	var list []string
	for _, known := range []string{"oauth-authorization-server", "openid-configuration"} {
		list = append(list, strings.TrimRight("/.well-known/"+known+"/"+path, "/"))
	}
	if path != "" {
		list = append(list, "/"+path+"/.well-known/openid-configuration")
	}
	for _, where := range list {
		at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: where}
		var m issuerMeta
		switch there, err := f.get(ctx, at.String(), &m); {
		case err != nil:
			return nil, err
		case !there:
			continue
		}
		return &m, f.judge(m, address)
	}
	return nil, nil
}

// judge says why what an issuer says about itself cannot be used.
func (f finder) judge(m issuerMeta, address string) error {
	if strings.TrimRight(m.Issuer, "/") != strings.TrimRight(address, "/") {
		return fmt.Errorf("%s says that it is %s: a login there would go to another service", shown(address), shown(m.Issuer))
	}
	if !slices.Contains(m.Challenges, "S256") {
		return fmt.Errorf("%s does not protect logins against theft (PKCE with S256), so there is no logging in", shown(address))
	}
	for _, a := range []struct {
		what, address string
		must          bool
	}{
		{"the page of the login", m.Authorize, true}, {"the address for tokens", m.Token, true}, {"the address for new clients", m.Register, false},
		{"the address for codes", m.Device, false}, {"the address for logging out", m.Revoke, false},
	} {
		if a.address == "" && !a.must {
			continue
		}
		if why := f.wrong(a.address); why != "" {
			return fmt.Errorf("%s of %s, %s, %s", a.what, shown(address), shown(a.address), why)
		}
	}
	return nil
}

// wrong says why an address may not take part in a login, empty if it may. Without TLS,
// and on this machine or in a private network, there are only those on the server's host.
func (f finder) wrong(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Host == "", u.User != nil, u.Fragment != "", len(address) > maxAddress:
		return "cannot be an address for that"
	case u.Scheme == "http" && f.server.Scheme == "http" && local(u.Hostname()) && strings.EqualFold(u.Hostname(), f.server.Hostname()):
		return ""
	case u.Scheme != "https":
		return "has no TLS"
	case local(u.Hostname()) && !strings.EqualFold(u.Hostname(), f.server.Hostname()):
		return "is on this machine or in a private network"
	}
	return ""
}

// local reports whether a host is named as one of this machine or of a private network.
// What names lead to is judged when they are connected to.
func local(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	addr = addr.Unmap()
	return err == nil && (!addr.IsGlobalUnicast() || addr.IsPrivate())
}

// get reads an object of JSON; false when there is none.
func (f finder) get(ctx context.Context, address string, into any) (there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, fmt.Errorf("%s cannot be read", shown(address))
	}
	req.Header.Set("Accept", "application/json")
	resp, err := f.c.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return false, fmt.Errorf("%s was not reached: %w", shown(address), err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= 500:
		return false, fmt.Errorf("%s answers with %s", shown(address), resp.Status)
	case resp.StatusCode != http.StatusOK:
		return false, nil
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return false, fmt.Errorf("%s was not read: %w", shown(address), err)
	case len(data) > maxAnswer:
		return false, fmt.Errorf("%s has more than %d MB", shown(address), maxAnswer>>20)
	case json.Unmarshal(data, into) != nil:
		return false, nil // a page for people
	}
	return true, nil
}

// shown is an address in a sentence.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || len(address) > maxAddress {
		return "an address with a mistake in it"
	}
	return plain(u.Scheme + "://" + u.Host + u.EscapedPath())
}

// plain is a text in one line of characters that show.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r > 0x7e && r < 0xa0 || r == 0x202e || r == '\ufeff' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if r := []rune(strings.Join(strings.Fields(s), " ")); len(r) > 300 {
		return string(r[:299]) + "…"
	}
	return strings.Join(strings.Fields(s), " ")
}
