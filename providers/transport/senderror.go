package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"hermes-tui/providers"
)

// sendError judges a request that got no response.
func (x *exchange) sendError(err error) error {
	if ended := x.ended(); ended != nil {
		return ended
	}
	var outer *url.Error // repeats the address with its query
	if errors.As(err, &outer) {
		err = outer.Err
	}
	e := &providers.Error{Kind: providers.ErrorConnect}
	if errors.As(err, &e) { // a refused redirect
		e.Endpoint = Endpoint(x.asked)
		return e
	}
	if x.dialled.Load() == nil { // not even begun, for example for a header that cannot be sent
		return x.failure(err)
	}
	e.Endpoint, e.Cause = Endpoint(x.asked), err
	if x.reached.Load() {
		e.Kind, e.Message = lost(err, x.target())
	} else {
		e.Message = unreached(err, x.target(), x.t.connectTime.String())
	}
	e.Message = SecretsOf(x.sent).Text(e.Message)
	return e
}

// target names what was connected to: the server or a proxy before it.
func (x *exchange) target() string {
	host, _ := x.dialled.Load().(string)
	if x.t.proxied(x.sent) {
		return "the proxy " + host
	}
	return host
}

// lost says what happened to a connection that gave no response.
func lost(err error, host string) (providers.ErrorKind, string) {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return providers.ErrorBroken, "connection reset by peer: " + host + " broke off before it answered"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return providers.ErrorBroken, "the connection was closed by " + host + " before it answered"
	case strings.Contains(err.Error(), "malformed HTTP"): // net/http has no type for it
		return providers.ErrorProtocol, host + " does not answer in HTTP; check the port, and whether it must be https"
	}
	return providers.ErrorBroken, "the connection to " + host + " was lost: " + err.Error()
}

// unreached says in plain words why a server could not be reached.
func unreached(err error, target, limit string) string {
	var (
		dns     *net.DNSError
		refused *proxyRefused
		timeout net.Error
	)
	switch {
	case errors.As(err, &refused):
		return target + " refuses the connection: " + refused.status
	case errors.As(err, &dns):
		return lookupFailed(dns)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused by " + target
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "there is no route to " + target
	case errors.Is(err, http.ErrSchemeMismatch):
		return target + " does not speak TLS; if it is meant to be plain, use http:// instead of https://"
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("no connection to %s within %s", target, limit)
	}
	if message := tlsFailed(err, target); message != "" {
		return message
	}
	return "no connection to " + target + ": " + err.Error()
}

func lookupFailed(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "there is no host named " + err.Name
	case err.IsTimeout:
		return "looking up the name " + err.Name + " took too long"
	}
	return "the name " + err.Name + " could not be looked up"
}

// tlsFailed words an error of the TLS handshake, empty if it is none.
func tlsFailed(err error, target string) string {
	var (
		unknown x509.UnknownAuthorityError
		other   x509.HostnameError
		invalid x509.CertificateInvalidError
		roots   x509.SystemRootsError
		record  tls.RecordHeaderError
		alert   tls.AlertError
	)
	switch {
	case errors.As(err, &unknown):
		return "the TLS certificate of " + target + " is not signed by an authority that this machine trusts"
	case errors.As(err, &other):
		return "the TLS certificate of " + target + " was made for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the TLS certificate of " + target + " has expired or is not valid yet; check this machine's clock"
	case errors.As(err, &invalid):
		return "the TLS certificate of " + target + " is not valid"
	case errors.As(err, &roots):
		return "this machine has no TLS authorities to check " + target + " with"
	case errors.As(err, &record):
		return target + " does not speak TLS; if it is meant to be plain, use http:// instead of https://"
	case errors.As(err, &alert):
		return target + " refuses the TLS connection: " + alert.Error()
	}
	return ""
}
