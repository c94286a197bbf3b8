package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"hermes-tui/providers"
)

// checkRedirect decides whether a redirect is followed. The request must stay what
// it is: method and body are kept, TLS is not given up, and it goes to no other
// server than the one that was asked, since that would get the conversation.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first, last := via[0], via[len(via)-1]
	to := Endpoint(req.URL)
	switch {
	case len(via) > maxRedirects:
		return refuse(req, fmt.Sprintf("the endpoint redirects more than %d times", maxRedirects))
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return refuse(req, "the endpoint redirects to a "+req.URL.Scheme+" address, which cannot be followed")
	case !sameServer(req.URL, first.URL):
		return refuse(req, fmt.Sprintf("%s redirects to %s, another server, which would get what is sent: set base_url to that address if it is the right one", first.URL.Host, to))
	case last.URL.Scheme == "https" && req.URL.Scheme == "http":
		return refuse(req, fmt.Sprintf("%s redirects from https to http (%s), which would send the session in the clear: set base_url to that address if that is meant", first.URL.Host, to))
	case req.Method != first.Method:
		return refuse(req, "the endpoint has moved; set base_url to the address that "+to+" belongs to")
	}
	req.Header.Del("Referer") // it would carry the query of the first address
	return nil
}

// refuse is the error of a redirect that is not followed.
func refuse(req *http.Request, message string) error {
	e := &providers.Error{Kind: providers.ErrorProtocol, Message: message}
	if req.Response != nil {
		e.Status = req.Response.StatusCode
	}
	return e
}

// sameServer reports whether two addresses belong to one server. A step from http
// to https on the usual ports stays on it.
func sameServer(to, from *url.URL) bool {
	if !strings.EqualFold(to.Hostname(), from.Hostname()) {
		return false
	}
	return portOf(to) == portOf(from) || from.Scheme == "http" && portOf(from) == "80" && portOf(to) == "443"
}
