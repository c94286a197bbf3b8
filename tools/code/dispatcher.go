package code

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hermes-tui/tools"
)

const (
	// maxConnections is how many connections of a script are served at a time.
	maxConnections = 8
	// maxRefused is how many requests are refused before no more are taken.
	maxRefused = 500
	// maxID is the longest id of a request in bytes.
	maxID = 64
	// maxCommand is the most seconds that a terminal command of a script gets.
	maxCommand = 300
)

// errTooMany is said to a connection over [maxConnections].
var errTooMany = fmt.Errorf("a script may have %d connections at a time", maxConnections)

// errNotUser and errNotScript are said to those who may not call at all.
var (
	errNotUser   = errors.New("calls are taken from the user of the agent only")
	errNotScript = errors.New("calls are taken from the script's own processes only")
)

// serving is what a dispatcher needs to know.
type serving struct {
	host  tools.Host
	tools map[string]tools.Tool // those that may be called
	names []string              // theirs, for messages
	token string
	max   int // calls
	watch *stopwatch
}

// newServing collects what a dispatcher needs to know. offered are the tools that may be
// called.
func newServing(host tools.Host, offered []tools.Tool, token string, most int, watch *stopwatch) serving {
	s := serving{host: host, tools: map[string]tools.Tool{}, token: token, max: most, watch: watch}
	for _, t := range offered {
		s.tools[t.Name] = t
		s.names = append(s.names, t.Name)
	}
	return s
}

// dispatcher judges and carries out the requests of one script, whichever way they
// come. It is safe for concurrent use.
type dispatcher struct {
	serving
	// exit takes how the script ended, as the process says that watches over it.
	exit chan int

	// alone is held for writing by calls that run alone.
	alone sync.RWMutex

	mu      sync.Mutex
	seen    map[string]bool
	made    int
	refused int
}

func newDispatcher(what serving) *dispatcher {
	return &dispatcher{serving: what, exit: make(chan int, 1), seen: map[string]bool{}}
}

// counts gives how many calls were made and how many requests were refused.
func (s *dispatcher) counts() (made, refused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made, s.refused
}

// take deals with a request. A nil answer says that there is none; more, that the
// connection may go on. An error is the rule that was broken, and ends it.
func (s *dispatcher) take(ctx context.Context, frame []byte) (answer *response, more bool, err error) {
	var q request
	if err := json.Unmarshal(frame, &q); err != nil {
		return nil, false, errors.New("a request must be one line of JSON")
	}
	if subtle.ConstantTimeCompare([]byte(q.Token), []byte(s.token)) != 1 {
		return nil, false, errors.New("the token of the request is wrong")
	}
	if q.Exit != nil {
		s.ended(*q.Exit)
		return nil, true, nil
	}
	if why := s.accept(q); why != "" {
		answer = s.refuse(q.ID, why)
		return answer, answer != nil, nil
	}
	args, why := trimmed(s.tools[q.Tool], q.Args)
	if why == "" {
		why = s.count()
	}
	if why != "" {
		answer = s.refuse(q.ID, why)
		return answer, answer != nil, nil
	}
	content := s.invoke(ctx, tools.Call{Name: q.Tool, Args: args})
	return &response{ID: q.ID, Result: &content}, true, nil
}

// ended notes how the script ended; the first report counts.
func (s *dispatcher) ended(code int) {
	select {
	case s.exit <- code:
	default:
	}
}

// accept tells why a request is refused, empty when it is not. Its id counts as
// used either way.
func (s *dispatcher) accept(q request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case q.ID == "" || len(q.ID) > maxID:
		return fmt.Sprintf("a request needs an id of at most %d bytes", maxID)
	case s.seen[q.ID]:
		return "the id of the request was used before"
	}
	s.seen[q.ID] = true
	if _, ok := s.tools[q.Tool]; !ok {
		return fmt.Sprintf("the tool %.60q cannot be called from a script; there are: %s", q.Tool, strings.Join(s.names, ", "))
	}
	return ""
}

// count takes one call off what the script may make.
func (s *dispatcher) count() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made >= s.max {
		return fmt.Sprintf("the script has made all of its %d calls; print what you have, and go on in another script", s.max)
	}
	s.made++
	return ""
}

// invoke passes a call on. Calls that only read run side by side.
func (s *dispatcher) invoke(ctx context.Context, c tools.Call) string {
	s.watch.hold()
	defer s.watch.release()
	switch s.tools[c.Name].Class {
	case tools.ReadOnly, tools.ReadsPath, tools.ReadsTree:
		s.alone.RLock()
		defer s.alone.RUnlock()
	default:
		s.alone.Lock()
		defer s.alone.Unlock()
	}
	if ctx.Err() != nil {
		return tools.JSON(map[string]string{"error": "the script has ended", "status": "cancelled"})
	}
	return s.host.Invoke(ctx, c).Content
}

// refuse counts a refusal and makes the answer. It is nil when there were too many.
func (s *dispatcher) refuse(id, why string) *response {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused++; s.refused > maxRefused {
		return nil
	}
	return &response{ID: id, Refused: why}
}

// trimmed brings the arguments of a call into the form that scripts may use, or
// says what is wrong with them. A terminal command gets a limit, since the clock of
// the script stands still meanwhile.
func trimmed(tool tools.Tool, args json.RawMessage) (json.RawMessage, string) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if tool.Scripts == nil || len(tool.Scripts.Without) == 0 {
		return args, ""
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil || given == nil {
		return nil, "the arguments must be a JSON object"
	}
	for name, value := range given {
		used := !slices.ContainsFunc([]string{"null", "false", "[]"}, func(off string) bool { return bytes.Equal(value, []byte(off)) })
		if slices.ContainsFunc(tool.Scripts.Without, func(w string) bool { return strings.EqualFold(w, name) }) {
			if used {
				return nil, fmt.Sprintf("the argument %s of %s is not available to scripts", name, tool.Name)
			}
			delete(given, name)
		}
		if strings.EqualFold(name, "timeout") {
			var seconds float64
			if json.Unmarshal(value, &seconds) == nil && seconds > maxCommand {
				given[name] = json.RawMessage(fmt.Sprint(maxCommand))
			}
		}
	}
	return json.RawMessage(tools.JSON(given)), ""
}
