package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes-tui/tools"
)

// calls are those of a server that run.
type calls struct {
	mu   sync.Mutex
	last int
	list []*running // the newest last
}

// running is a call that runs.
type running struct {
	token string
	host  tools.Host
	out   tools.Sink
	ctx   context.Context //nolint:containedctx // a server's questions are asked within the call
	// by names the agent that waits for it, of its session, for people.
	by, of string
	clock  clock
	// sample has a model answer, nil for none; sampling says that the user allows it for
	// the rest of the call.
	sample   Sample
	sampling atomic.Bool
}

// begin notes a call that begins.
func (c *calls) begin(r *running) *running {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	r.token = "call-" + strconv.Itoa(c.last)
	c.list = append(c.list, r)
	return r
}

func (c *calls) end(r *running) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(c.list, func(o *running) bool { return o == r })
}

// progress shows what a server says about how far a call is.
func (c *calls) progress(p *sdk.ProgressNotificationParams) {
	if p == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.list {
		if r.token != fmt.Sprint(p.ProgressToken) || r.out == nil {
			continue
		}
		far := strconv.FormatFloat(p.Progress, 'g', 6, 64)
		if p.Total > 0 {
			far = fmt.Sprintf("%.0f %%", 100*min(max(p.Progress/p.Total, 0), 1))
		}
		_, _ = fmt.Fprintln(r.out, strings.TrimSpace(far+" "+label(p.Message, 200)))
	}
}

// call calls a tool of a server.
func (s *server) call(ctx context.Context, t Tool, args json.RawMessage, r *running) (*sdk.CallToolResult, error) {
	r.ctx = ctx
	s.calls.begin(r)
	defer s.calls.end(r)
	defer s.begin()()
	within := s.c.Timeout
	if within <= 0 {
		within = DefaultTimeout
	}
	for again := false; ; again = true {
		session, kid, err := s.use(ctx)
		if err != nil {
			return nil, err
		}
		p := &sdk.CallToolParams{Name: t.Given, Arguments: args}
		p.SetProgressToken(r.token)
		timed, late, cancel := r.clock.begin(context.WithValue(ctx, callToken{}, r.token), within)
		result, err := session.CallTool(timed, p)
		isLate := late() && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			return result, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case isLate:
			return nil, fmt.Errorf("the MCP server %s did not answer within %v; what the call has done is not known", s.c.Name, within)
		}
		if wantsLogin(err) != "" {
			s.refuse(err)
			return nil, fmt.Errorf("the MCP server %s wants the user to log in: they can with hermes-tui mcp login, or under /mcp; the call was not made", s.c.Name)
		}
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
			if !again && s.opens(r, e) {
				continue
			}
			return nil, said("the MCP server %s refused the call: %s", s.c.Name, label(e.Message, 1000))
		}
		ended := kid.whyEnded()
		_, breach := s.sent()
		expired := kid == nil && breach == nil && (errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, sdk.ErrConnectionClosed))
		if expired {
			_ = session.Close()
		}
		if expired && t.Reads && !again {
			s.forget(session) // or it would be taken again before its end is noticed
			s.again()
			continue
		}
		if ended == nil && breach == nil && !expired && !errors.Is(err, sdk.ErrConnectionClosed) && !errors.Is(err, io.EOF) {
			if kid == nil { // the SDK takes no further answer on it
				s.forget(session)
				s.refuse(errAnew)
			}
			return nil, said("the answer of the MCP server %s cannot be read: %s", s.c.Name, sentence(err))
		}
		if ended == nil {
			ended = breach
		}
		if ended != nil {
			err = ended
		}
		s.forget(session)
		return nil, said("the connection to the MCP server %s ended during the call, so what it has done is not known: %s", s.c.Name, sentence(err))
	}
}

// callToken is the key of the token of a call in the context of what is asked for it.
type callToken struct{}

// callOf is the token of the call that something is asked for, empty for none.
func callOf(ctx context.Context) string {
	token, _ := ctx.Value(callToken{}).(string)
	return token
}

// forget has no further call begin on a session that has ended.
func (s *server) forget(session *sdk.ClientSession) {
	s.mu.Lock()
	if s.session == session {
		s.session = nil
	}
	s.mu.Unlock()
}

// refusal is why a connection is to end.
type refusal struct{ why error }

// refuse ends a connection on which the user has to log in.
func (s *server) refuse(err error) {
	select {
	case s.refused <- refusal{err}:
	default:
	}
}

// Save keeps data that is no text and gives the path.
type Save func(ctx context.Context, kind string, data []byte) (path string, err error)

// maxText is how much text of an answer is taken, in bytes; the agent bounds it further.
const maxText = 4 << 20

// textOf is an answer as text.
func textOf(ctx context.Context, r *sdk.CallToolResult, save Save) string {
	var b strings.Builder
	for _, c := range r.Content {
		if b.Len() > maxText {
			b.WriteString("\n[more was left out]")
			break
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		content(ctx, &b, c, save)
	}
	if data, err := json.Marshal(r.StructuredContent); err == nil && r.StructuredContent != nil && !tells(b.String(), r.StructuredContent) {
		if b.Len() > 0 {
			b.WriteString("\n\n[structured content]\n")
		}
		b.WriteString(packed(ctx, cutBytes(string(data), maxText), save))
	}
	return visible(cutBytes(b.String(), 2*maxText))
}

// tells reports whether a text says all that a value holds: the value itself as JSON, or each
// text and number in it.
func tells(text string, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			if !tells(text, one) {
				return false
			}
		}
	case []any:
		for _, one := range v {
			if !tells(text, one) {
				return false
			}
		}
	case string:
		quoted, _ := json.Marshal(v)
		return strings.Contains(text, v) || strings.Contains(text, strings.Trim(string(quoted), `"`))
	case float64, json.Number:
		return strings.Contains(text, fmt.Sprint(v))
	case bool:
		return strings.Contains(text, strconv.FormatBool(v))
	}
	return true
}

// longestRun is how long a piece of base64 in a text may be, in bytes: it tells a model
// nothing.
const longestRun = 1500

// runEnd is where the piece of a text that begins at a place stops to look like base64.
func runEnd(text string, at int) int {
	for at < len(text) && (text[at] >= 'a' && text[at] <= 'z' || text[at] >= '/' && text[at] <= '9' || text[at] >= 'A' && text[at] <= 'Z' || strings.IndexByte("+-_", text[at]) >= 0) {
		at++
	}
	for at < len(text) && text[at] == '=' {
		at++
	}
	return at
}

// packed is a text in which base64 is kept in files.
func packed(ctx context.Context, text string, save Save) string {
	var b strings.Builder
	at := 0
	for next := 0; next < len(text); {
		from := next
		end := runEnd(text, from)
		next = end + 1
		run := text[from:end]
		if len(run) < longestRun || !strings.ContainsAny(run, "0123456789") || strings.ToLower(run) == run || strings.ToUpper(run) == run {
			continue // letters alone, or hexadecimal
		}
		data, err := base64.StdEncoding.DecodeString(run)
		if err != nil {
			data, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(run, "="))
		}
		if err != nil {
			continue
		}
		kind := http.DetectContentType(data)
		what, _, _ := strings.Cut(kind, "/")
		if what != "image" {
			what = "data in base64"
		}
		b.WriteString(text[at:from])
		kept(ctx, &b, what, kind, data, save)
		at = end
	}
	return b.String() + text[at:]
}

func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "\n[more was left out]"
}

// content writes one part of an answer.
func content(ctx context.Context, b *strings.Builder, c sdk.Content, save Save) {
	switch c := c.(type) {
	case *sdk.TextContent:
		b.WriteString(packed(ctx, c.Text, save))
	case *sdk.ImageContent:
		kept(ctx, b, "image", c.MIMEType, c.Data, save)
	case *sdk.AudioContent:
		kept(ctx, b, "sound", c.MIMEType, c.Data, save)
	case *sdk.ResourceLink:
		fmt.Fprintf(b, "[resource %s: %s]", c.URI, label(c.Name+" "+c.Description, 300))
	case *sdk.EmbeddedResource:
		resource(ctx, b, c.Resource, save)
	}
}

// resource writes what a resource holds.
func resource(ctx context.Context, b *strings.Builder, r *sdk.ResourceContents, save Save) {
	switch {
	case r == nil:
	case len(r.Blob) > 0:
		kept(ctx, b, "file "+label(r.URI, 300), r.MIMEType, r.Blob, save)
	default:
		fmt.Fprintf(b, "[resource %s]\n%s", label(r.URI, 300), packed(ctx, r.Text, save))
	}
}

// kept keeps what is no text in a file.
func kept(ctx context.Context, b *strings.Builder, what, kind string, data []byte, save Save) {
	if raw, err := base64.StdEncoding.DecodeString(string(data)); err == nil && len(raw) > 0 {
		data = raw // some servers encode twice
	}
	path, err := save(ctx, kind, data)
	if err != nil {
		fmt.Fprintf(b, "[%s, %s, %d bytes: it could not be kept: %v]", what, label(kind, 100), len(data), err)
		return
	}
	fmt.Fprintf(b, "[%s, %s, %d bytes, kept in %s]", what, label(kind, 100), len(data), path)
}
