package script

import (
	"io"
	"net/http"
	"testing"
	"time"

	"hermes-tui/providers"
)

// What the tests with a server need, which is built upon this package.

// Hear is the transcript of a response, see heard.
func Hear(resp *http.Response, body []byte, err error) string { return heard(resp, body, err) }

// Play is a scenario and the transcript of its answer.
type Play struct {
	Name, Want string
	Scenario   *Scenario
}

// Plays are those that are played in every way.
func Plays(t testing.TB) []Play {
	var all []Play
	for _, p := range plays() {
		all = append(all, Play{p.name, p.want, scenario(t, p.steps)})
	}
	return all
}

// heard is the transcript of a response: what a client makes of the bytes.
func heard(resp *http.Response, body []byte, err error) string {
	switch {
	case resp == nil:
		return describeError(lost("", CutReset))
	case resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream":
		e := describeError(asError("", Response{resp.StatusCode, resp.Header, body}, time.Now()))
		if resp.StatusCode == http.StatusOK {
			e = "open " + e
		}
		return e
	}
	r := &reader{}
	out := &recorded{list: []providers.Delta{{Kind: providers.DeltaOpen}}}
	var fault error
	out.list, fault = r.read(out.list, body)
	switch {
	case fault != nil:
		out.end = fault
	case err != nil:
		out.end = lost("", CutReset)
	case r.finished:
		out.end = io.EOF
	default:
		out.end = lost("", CutClean)
	}
	return transcript(out, nil)
}

// recorded is a stream that was read before.
type recorded struct {
	list []providers.Delta
	end  error
}

func (r *recorded) Next() (providers.Delta, error) {
	if len(r.list) == 0 {
		return providers.Delta{}, r.end
	}
	d := r.list[0]
	r.list = r.list[1:]
	return d, nil
}

func (r *recorded) Close() error { return nil }
