package catalog

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

const (
	ollamaID   = "ollama"
	ollamaHost = "OLLAMA_HOST"
)

// InvalidURLError is a base URL that cannot be used.
type InvalidURLError struct {
	// Where says which setting holds it.
	Where string
	// Problem says what is wrong with it. The URL itself is not repeated, since it
	// may hold a password.
	Problem string
}

// Error implements error.
func (e *InvalidURLError) Error() string {
	return fmt.Sprintf("the base URL in %s %s: write it like https://host/v1", e.Where, e.Problem)
}

// cleanURL checks a base URL and brings it into the form of the catalogue:
// without a slash or the path of a single call at the end.
func cleanURL(s, where string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil:
		return "", &InvalidURLError{Where: where, Problem: "cannot be read"}
	case u.Scheme != "http" && u.Scheme != "https":
		return "", &InvalidURLError{Where: where, Problem: "does not begin with https:// or http://"}
	case u.Hostname() == "":
		return "", &InvalidURLError{Where: where, Problem: "names no host"}
	case u.User != nil:
		return "", &InvalidURLError{Where: where, Problem: "holds a user name or password, which belong into api_key"}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, "/chat/completions"), "/")
	u.RawPath, u.Fragment, u.RawFragment = "", "", ""
	return u.String(), nil
}

// hostOf names an endpoint for people.
func hostOf(s string) string {
	if u, err := url.Parse(strings.TrimSpace(s)); err == nil && u.Host != "" {
		return u.Host
	}
	return "custom endpoint"
}

// isLoopback tells URLs of this machine.
func isLoopback(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// ollamaURL reads OLLAMA_HOST as Ollama's own client does: a host, a port, or
// both, with or without a scheme and path. An address that stands for all
// interfaces is this machine. It returns "" for an empty value.
func ollamaURL(host string) string {
	host = strings.Trim(strings.TrimSpace(host), `"'`)
	if host == "" {
		return ""
	}
	scheme, rest, ok := strings.Cut(host, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !ok {
		scheme, rest, port = "http", host, "11434"
	}
	rest, path, _ := strings.Cut(rest, "/")
	name, given, err := net.SplitHostPort(rest)
	if err != nil {
		name = strings.Trim(rest, "[]")
	} else if given != "" {
		port = given
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	path = strings.Trim(path, "/")
	if path == "" || path == "v1" {
		path = "v1"
	} else if !strings.HasSuffix(path, "/v1") {
		path += "/v1"
	}
	return scheme + "://" + net.JoinHostPort(name, port) + "/" + path
}
