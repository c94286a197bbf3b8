package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"hermes-tui/providers"
)

// checkRedirect decides whether a redirect is followed. The request must stay
// what it is: method and body are kept, TLS is not given up, and a body goes to no
// other server than the one that was asked. Once a redirect has led away from that
// no header that could be a credential goes along, even if a later redirect leads
// back.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first, last := via[0], via[len(via)-1]
	switch {
	case len(via) > maxRedirects:
		return refuse(req, fmt.Sprintf("the endpoint redirects more than %d times", maxRedirects))
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return refuse(req, "the endpoint redirects to a "+req.URL.Scheme+" address, which cannot be followed")
	case last.URL.Scheme == "https" && req.URL.Scheme == "http":
		return refuse(req, "the endpoint redirects from https to http, which would send the conversation in the clear")
	case first.ContentLength != 0 && !sameServer(req.URL, first.URL):
		return refuse(req, fmt.Sprintf("%s redirects to %s, another server, which would get the whole conversation: set the base URL to that address if it is the right one",
			first.URL.Host, Endpoint(req.URL)))
	case req.Method != first.Method:
		return refuse(req, "the endpoint has moved; set the base URL to the address that "+Endpoint(req.URL)+" belongs to")
	}
	req.Header.Del("Referer") // it would carry the query of the first address
	if !sameServer(req.URL, first.URL) || leftBefore(via) {
		dropCredentials(req.Header)
	}
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

func leftBefore(via []*http.Request) bool {
	for _, r := range via[1:] {
		if !sameServer(r.URL, via[0].URL) {
			return true
		}
	}
	return false
}

// sameServer tells whether two addresses belong to one server. A step from http
// to https on the usual ports stays on it.
func sameServer(to, from *url.URL) bool {
	if !strings.EqualFold(to.Hostname(), from.Hostname()) {
		return false
	}
	return portOf(to) == portOf(from) || from.Scheme == "http" && portOf(from) == "80" && portOf(to) == "443"
}

// dropCredentials leaves only headers that say nothing about who asks. Which
// header holds a key differs between providers, so the harmless ones are listed
// and not the others.
func dropCredentials(h http.Header) {
	for name := range h {
		switch name {
		case "Accept", "Accept-Encoding", "Cache-Control", "Connection", "Content-Type", "User-Agent":
		default:
			delete(h, name)
		}
	}
}
