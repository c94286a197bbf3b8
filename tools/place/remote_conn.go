package place

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// startConn starts the client of a remote end.
func startConn(via transport, o RemoteOptions) (*conn, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close())
	}
	argv := via.argv(clientSpec{words: []string{"/bin/sh", "-c", bootstrap}, input: true})
	c, err := startClient(argv, o.Env, clientFiles{in: inR, out: outW})
	_ = inR.Close()
	_ = outW.Close()
	if err != nil {
		return nil, errors.Join(err, inW.Close(), outR.Close())
	}
	c.atEnd(func() {
		// What runs in the place may hold the pipe, as it does with Singularity.
		time.AfterFunc(clientReap, func() { _ = outR.Close() })
	})
	return &conn{client: c, in: inW, out: outR, rand: o.Rand, silence: o.Silence}, nil
}

// leaveWithin is how long a remote end has to end by itself.
const leaveWithin = 500 * time.Millisecond

// close ends the connection: the remote end is told by the end of its input, and
// its client is killed when that does not help.
func (c *conn) close() {
	_ = c.in.Close()
	late := time.NewTimer(leaveWithin)
	defer late.Stop()
	select {
	case <-c.client.done:
	case <-late.C:
	}
	c.client.end()
	_ = c.out.Close()
}

// failed closes a connection that broke and says why, from what the client
// said last.
func (c *conn) failed(via transport, err error) error {
	c.close()
	said := c.client.said.words()
	if known := via.explain(said); known != nil {
		known.Place, known.Said, known.Err = via.name(), said, errors.Join(ErrLost, err)
		return known
	}
	var info Info
	via.describe(&info)
	what := "the connection broke"
	switch {
	case errors.Is(err, errSilent):
		what = "no progress for " + c.silence.String()
	case errors.Is(err, context.DeadlineExceeded):
		what = "no connection in time"
	case errors.Is(err, context.Canceled):
		what = "connecting was cancelled"
	case errors.Is(err, errTooMuch):
		what = "the answer was too long"
	}
	return &UnavailableError{
		Place: via.name(), What: strings.TrimSpace(what + " " + at(info.Target)), Said: said,
		Next: "try again; what was under way there may or may not have been done", Err: errors.Join(ErrLost, err),
	}
}

// at names a target in a sentence.
func at(target string) string {
	if target == "" {
		return ""
	}
	return fmt.Sprintf("(%s)", target)
}

// words makes a command of the remote end's shell out of words.
func words(list ...string) string {
	quoted := make([]string, len(list))
	for i, w := range list {
		quoted[i] = shellWord(w)
	}
	return strings.Join(quoted, " ")
}

// shellWord quotes a word for a POSIX shell.
func shellWord(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
