package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// ProxyFrom makes the proxy rule that an environment states. HTTPS_PROXY and
// HTTP_PROXY count by the scheme of the request, ALL_PROXY where those are
// missing. This machine itself is never reached through a proxy.
func ProxyFrom(env func(string) string) func(*http.Request) (*url.URL, error) {
	if env == nil {
		return nil
	}
	get := func(key string) string {
		if v := env(key); v != "" {
			return v
		}
		return env(strings.ToLower(key))
	}
	byScheme := map[string]string{"http": get("HTTP_PROXY"), "https": get("HTTPS_PROXY")}
	other, exempt := get("ALL_PROXY"), parseExempt(get("NO_PROXY"))
	return func(req *http.Request) (*url.URL, error) {
		address := byScheme[req.URL.Scheme]
		if address == "" {
			address = other
		}
		if address == "" || exempt.covers(req.URL) {
			return nil, nil
		}
		return parseProxy(address)
	}
}

// parseProxy reads the address of a proxy; without a scheme it is HTTP. The
// error does not repeat the address, which may hold a password.
func parseProxy(address string) (*url.URL, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the proxy address in the environment is not a URL; correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY")
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
		return u, nil
	}
	return nil, fmt.Errorf("the proxy in the environment has the scheme %q; only http, https and socks5 work", u.Scheme)
}

// isProxied tells for a rule which requests take a proxy.
func isProxied(rule func(*http.Request) (*url.URL, error)) func(*http.Request) bool {
	return func(req *http.Request) bool {
		if rule == nil {
			return false
		}
		u, err := rule(req)
		return err == nil && u != nil
	}
}

// proxyRefused is a proxy that answered but opens no tunnel.
type proxyRefused struct{ status string }

func (e *proxyRefused) Error() string { return "the proxy answered " + e.status }

// checkProxyAnswer implements http.Transport.OnProxyConnectResponse.
func checkProxyAnswer(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return &proxyRefused{status: strings.TrimSpace(resp.Status)}
	}
	return nil
}

// exemptions are the hosts that NO_PROXY names.
type exemptions struct {
	all   bool
	rules []exemption
}

// exemption is one entry of NO_PROXY: a network, or a name with everything
// below it, either with or without a port.
type exemption struct {
	net    netip.Prefix
	domain string // with a leading dot
	exact  bool   // the name itself counts as well
	port   string
}

// parseExempt reads NO_PROXY: entries separated by commas or blanks, "*" for
// everything, addresses, networks (10.0.0.0/8), names (example.com with all
// below it; .example.com or *.example.com only what is below).
func parseExempt(list string) exemptions {
	var e exemptions
	for _, word := range strings.FieldsFunc(strings.ToLower(list), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if word == "*" {
			e.all = true
			continue
		}
		if prefix, err := netip.ParsePrefix(word); err == nil {
			e.rules = append(e.rules, exemption{net: prefix.Masked()})
			continue
		}
		host, port := splitPort(word)
		if addr, err := netip.ParseAddr(host); err == nil {
			addr = addr.Unmap()
			e.rules = append(e.rules, exemption{net: netip.PrefixFrom(addr, addr.BitLen()), port: port})
			continue
		}
		host = strings.TrimPrefix(host, "*")
		exact := !strings.HasPrefix(host, ".")
		if host = strings.Trim(host, "."); host != "" {
			e.rules = append(e.rules, exemption{domain: "." + host, exact: exact, port: port})
		}
	}
	return e
}

// splitPort takes host:port apart; brackets go, a port is optional.
func splitPort(s string) (host, port string) {
	u := url.URL{Host: s}
	if strings.Count(s, ":") > 1 && !strings.HasPrefix(s, "[") {
		return s, "" // a bare IPv6 address
	}
	return u.Hostname(), u.Port()
}

// covers reports whether a URL is reached without a proxy.
func (e exemptions) covers(u *url.URL) bool {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	addr, err := netip.ParseAddr(host)
	isAddr := err == nil
	addr = addr.Unmap().WithZone("")
	if e.all || host == "localhost" || strings.HasSuffix(host, ".localhost") || isAddr && addr.IsLoopback() {
		return true
	}
	for _, r := range e.rules {
		if r.port != "" && r.port != portOf(u) {
			continue
		}
		if isAddr && r.net.IsValid() && r.net.Contains(addr) {
			return true
		}
		if !isAddr && r.domain != "" && (strings.HasSuffix(host, r.domain) || r.exact && "."+host == r.domain) {
			return true
		}
	}
	return false
}

// portOf is the port a URL leads to.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}
