package network

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// The bounds of requests that [Dialer.Client] makes.
const (
	clientTime  = 2 * time.Minute
	headerTime  = 30 * time.Second
	headerBytes = 64 << 10
	maxHops     = 5
)

// Client makes requests to hosts of the public network, for what is fetched on behalf of
// the user. Each hop of a redirect is judged like the first address, and none leads from
// https to http. An answer comes as it was sent, not unpacked; the caller bounds how much
// of it is read.
func (d *Dialer) Client() *http.Client {
	return &http.Client{
		Timeout: clientTime,
		Transport: d.routes(&http.Transport{
			DisableCompression: true, DisableKeepAlives: true, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: headerTime, ResponseHeaderTimeout: headerTime, MaxResponseHeaderBytes: headerBytes,
		}),
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch {
			case len(via) > maxHops:
				return fmt.Errorf("more than %d redirects", maxHops)
			case via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https":
				return fmt.Errorf("it leads from https to %s", shownURL(r.URL))
			case r.URL.User != nil:
				return errors.New("it leads to an address with a password in it")
			}
			return nil
		},
	}
}

// shownURL is an address without what may be secret in it.
func shownURL(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }
