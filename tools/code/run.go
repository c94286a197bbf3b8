package code

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// Causes of a script's end.
var (
	errTimeout = errors.New("the script took too long")
	errOver    = errors.New("the script has ended")
)

// maxSocketPath is the longest path of a socket in bytes on all systems.
const maxSocketPath = 103

// outcome is what came of a script.
type outcome struct {
	stdout, stderr string
	code           int
	cause          error // why it was ended from outside, nil otherwise
	made, refused  int
	took           time.Duration
}

// execute runs exactly what a permit gave. offered are the tools it may call. It
// returns when every process it could find of the script is gone and no call is on
// its way.
func (c *Code) execute(ctx context.Context, run approval.Run, offered []tools.Tool, host tools.Host, sink tools.Sink) (outcome, error) {
	begun := c.o.Now()
	alive, end := context.WithCancelCause(ctx)
	defer end(errOver)
	watch := newStopwatch(c.o.Timeout, func() { end(errTimeout) })
	defer watch.stop()
	s, err := c.server(host, offered, watch)
	if err != nil {
		return outcome{}, err
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.serve(alive)
	}()
	defer func() { <-served }()
	defer end(errOver)

	settings := tools.JSON(map[string]any{
		"socket": s.listen.Addr().String(), "token": s.token, "folder": c.o.Mode != ModeStrict,
	})
	live := &shared{to: sink}
	if sink == nil {
		live.to = io.Discard
	}
	stdout, stderr := newCapture(live, maxOutput*2/5, maxOutput), newCapture(live, maxErrors, maxErrors)
	proc, err := c.o.Place.Start(alive, place.Proc{
		Argv: run.Argv, Dir: run.Dir, Env: run.Env,
		Stdin:  strings.NewReader(settings + "\n" + run.Command),
		Stdout: stdout, Stderr: stderr,
	})
	if err != nil {
		return outcome{}, fmt.Errorf("start python: %w", err)
	}
	s.begin(proc.PID())
	code, exit, err := await(proc, s.exit, end)
	end(errOver)
	<-served
	if err != nil {
		return outcome{}, fmt.Errorf("run the script: %w", err)
	}
	o := outcome{stdout: stdout.text(), stderr: stderr.text(), code: code, took: c.o.Now().Sub(begun)}
	o.made, o.refused = s.counts()
	if cause := context.Cause(alive); exit.Killed && !errors.Is(cause, errOver) {
		o.cause = cause
	}
	return o, nil
}

// await waits for the end of the script, ends what it has left running, and gives
// its exit code.
func await(proc place.Process, reported <-chan int, end func(error)) (code int, exit place.Exit, err error) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		exit, err = proc.Wait()
	}()
	select {
	case code = <-reported:
		end(errOver)
		<-gone
		return code, exit, err
	case <-gone:
	}
	select {
	case code = <-reported: // just before the process went
		return code, exit, err
	default:
		return exit.Code, exit, err
	}
}

// server makes ready what takes the calls of a script.
func (c *Code) server(host tools.Host, offered []tools.Tool, watch *stopwatch) (*server, error) {
	dir, err := c.private()
	if err != nil {
		return nil, err
	}
	var random [36]byte
	if _, err := io.ReadFull(c.o.Rand, random[:]); err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	path := filepath.Join(dir, hex.EncodeToString(random[:4]))
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("the path of the folder for temporary files is too long for a socket (%d bytes, %d are possible): set TMPDIR to a shorter one",
			len(path), maxSocketPath)
	}
	s := serving{host: host, tools: map[string]tools.Tool{}, token: hex.EncodeToString(random[4:]), max: c.o.MaxCalls, watch: watch}
	for _, t := range offered {
		s.tools[t.Name] = t
		s.names = append(s.names, t.Name)
	}
	return newServer(path, s)
}
