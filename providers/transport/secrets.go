package transport

import (
	"net/http"
	"net/url"
	"strings"

	"hermes-tui/providers/redact"
)

// SecretsOf collects what could be a credential from the headers and the address
// of a request. For a response, resp.Request is the request as it was sent.
func SecretsOf(req *http.Request) *redact.Secrets {
	var values []string
	for name, list := range req.Header {
		if !secretName(name) {
			continue
		}
		for _, v := range list {
			if scheme, token, ok := strings.Cut(v, " "); ok && !strings.ContainsAny(scheme, "=;,") {
				v = token
			}
			values = append(values, v)
		}
	}
	for name, list := range req.URL.Query() {
		if secretName(name) {
			values = append(values, list...)
		}
	}
	if password, ok := req.URL.User.Password(); ok {
		values = append(values, password)
	}
	return redact.NewSecrets(values...)
}

// secretName reports whether a header or a query parameter of this name is likely
// to hold a credential.
func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"auth", "key", "token", "secret", "cookie", "password", "signature"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return name == "sig"
}

// MaskHeader copies a header with every credential masked and without cookies.
func MaskHeader(h http.Header, secrets *redact.Secrets) http.Header {
	h = h.Clone()
	h.Del("Set-Cookie")
	for _, values := range h {
		for i, v := range values {
			values[i] = secrets.Text(v)
		}
	}
	return h
}

// Endpoint is a URL without its credentials: no user, query or fragment.
func Endpoint(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
