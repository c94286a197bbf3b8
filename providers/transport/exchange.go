package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"hermes-tui/providers"
)

// exchange is one request and its response.
type exchange struct {
	t      *Transport
	parent context.Context // the caller's
	ctx    context.Context // below it, ended by stop and by the watchdog
	cancel context.CancelCauseFunc
	sent   *http.Request // with its final headers
	watch  *watchdog
	asked  *url.URL

	dialled atomic.Value // string: host:port of the newest connection wanted
	reached atomic.Bool  // whether it was established
}

// trace follows the connections of the exchange. Its functions are called on
// goroutines of net/http.
func (x *exchange) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(hostPort string) {
			x.dialled.Store(hostPort)
			x.reached.Store(false)
		},
		GotConn: func(httptrace.GotConnInfo) {
			x.reached.Store(true)
			x.watch.arm()
		},
	}
}

// errClosed is the cause of an exchange that was closed.
var errClosed = errors.New("the response was closed")

// stop ends the exchange and releases its connection.
func (x *exchange) stop() {
	x.watch.disarm()
	x.cancel(errClosed)
}

// ended gives the error of an exchange that was cancelled, nil if it was not.
func (x *exchange) ended() error {
	if x.parent.Err() != nil {
		return context.Cause(x.parent)
	}
	switch cause := context.Cause(x.ctx); {
	case errors.Is(cause, errSilent):
		return x.broken("no data came for "+x.watch.limit.String()+"; the server or the way to it is stuck", errSilent)
	case errors.Is(cause, errClosed):
		return x.broken("the answer was closed before it was complete", errClosed)
	}
	return nil
}

func (x *exchange) broken(message string, cause error) error {
	return &providers.Error{Kind: providers.ErrorBroken, Endpoint: Endpoint(x.asked), Message: message, Cause: cause}
}

// failure is a request that could not be built.
func (x *exchange) failure(err error) error {
	if x.parent.Err() != nil {
		return context.Cause(x.parent)
	}
	return &providers.Error{Kind: providers.ErrorRequest, Endpoint: Endpoint(x.asked), Message: err.Error(), Cause: err}
}

// statusError makes the error of a response that is no success and closes it.
func (x *exchange) statusError(resp *http.Response) error {
	timer := time.AfterFunc(x.t.limits.errorTime, func() { x.cancel(errClosed) })
	defer timer.Stop()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // whatever came serves
	resp.Body.Close()
	if x.parent.Err() != nil {
		return context.Cause(x.parent)
	}
	secrets := SecretsOf(x.sent)
	masked := []byte(secrets.Text(string(body)))
	d := DecodeError(masked)
	e := &providers.Error{
		Kind: providers.ErrorStatus, Endpoint: Endpoint(x.asked), Status: resp.StatusCode,
		Code: d.Code, Type: d.Type, Message: d.Message, Body: masked,
		Header: MaskHeader(resp.Header, secrets),
	}
	e.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), x.t.now())
	if resp.StatusCode < 400 && e.Message == "" {
		e.Message = "the endpoint answered with a redirect that leads nowhere; check the base URL"
	}
	return e
}
