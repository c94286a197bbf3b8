// Package export writes sessions for people and other programs: as Markdown, as one
// HTML file that needs nothing else, as JSON that [Read] takes back, and as ShareGPT
// turns for training, which a [Trajectory] is as well. It reads nothing and changes nothing; what is secret is masked by
// the caller, see [Session.Masked].
package export

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Format is how a session is written.
type Format string

// The formats.
const (
	Markdown Format = "md"
	HTML     Format = "html"
	JSON     Format = "json"
	ShareGPT Format = "sharegpt"
)

// Formats are all of them.
func Formats() []Format { return []Format{Markdown, HTML, JSON, ShareGPT} }

// version names the JSON form. Later ones have another number.
const version = "hermes-tui/session/1"

// Session is a session as it is written. Its JSON form is stable.
type Session struct {
	Format   string    `json:"format"`
	ID       string    `json:"id,omitempty"`
	Title    string    `json:"title,omitempty"`
	Model    string    `json:"model,omitempty"`
	Provider string    `json:"provider,omitempty"`
	Folder   string    `json:"folder,omitempty"`
	Started  time.Time `json:"started_at"`
	// Earlier are the parts of the session before another program shortened it, the
	// oldest first. Messages are what came after the last time.
	Earlier  []Part    `json:"earlier,omitempty"`
	Messages []Message `json:"messages"`

	paint Painter
}

// Painter takes code in a language apart and gives its pieces in order: a class (keyword,
// name, type, string, number, comment, operator, deleted, inserted, empty for plain text)
// and the text.
type Painter func(lang, code string, piece func(class, text string))

// Painted is the session with colours for its code, where it is written as HTML.
func (s Session) Painted(p Painter) Session {
	s.paint = p
	return s
}

// Part is a part of a session.
type Part struct {
	Title    string    `json:"title,omitempty"`
	Started  time.Time `json:"started_at"`
	Messages []Message `json:"messages"`
}

// parts are all of them.
func (s Session) parts() []Part {
	return append(slices.Clone(s.Earlier), Part{s.Title, s.Started, s.Messages})
}

// shortened stands between two parts.
const shortened = "Another program shortened the session here. What follows is what the model got from then on."

// Message is a message of a session.
type Message struct {
	Role      string    `json:"role"` // user, assistant or tool
	At        time.Time `json:"at"`
	Text      string    `json:"text,omitempty"`
	Reasoning string    `json:"reasoning,omitempty"`
	Images    []Image   `json:"images,omitempty"`
	Calls     []Call    `json:"calls,omitempty"`
	// CallID and Tool say which call a tool message answers.
	CallID string `json:"call_id,omitempty"`
	Tool   string `json:"tool,omitempty"`
}

// pictures are the types of pictures.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Call is a call of a tool.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Image is a picture in a message of the user.
type Image struct {
	MediaType string `json:"media_type"`
	Data      string `json:"data"` // base64
}

// storedCall is a call in the form of the store.
type storedCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Of makes a session of what the store holds. Messages that are neither of a user nor of
// an agent or its tools are left out.
func Of(s sessions.Session, messages []sessions.Message) (Session, error) {
	out := Session{Format: version, ID: s.ID, Title: s.Title, Model: s.Model, Provider: s.Provider, Folder: s.Workspace, Started: s.Started}
	for _, m := range messages {
		if !slices.Contains([]string{"user", "assistant", "tool"}, m.Role) {
			continue
		}
		e := Message{Role: m.Role, At: m.At, Text: m.Content, Reasoning: m.Reasoning, CallID: m.ToolCallID, Tool: m.ToolName}
		if m.Parts != nil {
			e.Text = ""
		}
		for _, p := range m.Parts {
			if p.MediaType == "" {
				e.Text += p.Text
				continue
			}
			if !slices.Contains(pictures, p.MediaType) {
				e.Text += "[picture]"
				continue
			}
			e.Images = append(e.Images, Image{p.MediaType, base64.StdEncoding.EncodeToString(p.Data)})
		}
		if m.ToolCalls != "" {
			var calls []storedCall
			if err := json.Unmarshal([]byte(m.ToolCalls), &calls); err != nil {
				return Session{}, fmt.Errorf("read the calls of message %s: %w", m.ID, err)
			}
			for _, c := range calls {
				e.Calls = append(e.Calls, Call{c.ID, c.Function.Name, c.Function.Arguments})
			}
		}
		out.Messages = append(out.Messages, e)
	}
	return out, nil
}

// Masked is the session with all its texts masked.
func (s Session) Masked(mask func(string) string) Session {
	s.Title, s.Messages, s.Earlier = mask(s.Title), masked(s.Messages, mask), slices.Clone(s.Earlier)
	for i := range s.Earlier {
		p := &s.Earlier[i]
		p.Title, p.Messages = mask(p.Title), masked(p.Messages, mask)
	}
	return s
}

func masked(list []Message, mask func(string) string) []Message {
	list = slices.Clone(list)
	for i := range list {
		m := &list[i]
		m.Text, m.Reasoning, m.Calls = mask(m.Text), mask(m.Reasoning), slices.Clone(m.Calls)
		for k := range m.Calls {
			m.Calls[k].Arguments = mask(m.Calls[k].Arguments)
		}
	}
	return list
}

// Write writes the session.
func (s Session) Write(w io.Writer, f Format) error {
	switch f {
	case Markdown:
		return s.markdown(w)
	case HTML:
		return s.html(w)
	case ShareGPT:
		return s.shareGPT(w)
	case JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(s)
	}
	return fmt.Errorf("there is no format %q: md, html, json or sharegpt", f)
}

// title is what the session is called: its title, or how it begins.
func (s Session) title() string {
	if s.Title != "" {
		return s.Title
	}
	for _, p := range s.parts() {
		for _, m := range p.Messages {
			text, users := said(m)
			if line := shorten.Line(text, 80); m.Role == "user" && users && line != "" {
				return line
			}
		}
	}
	return "Session"
}

// said is what the user wrote of a message of their role, without what the program has put
// behind it. Of a notice of the program, users is false and text is all of it.
func said(m Message) (text string, users bool) {
	text, users = tools.Wrote(m.Text)
	if users || len(m.Images) > 0 || strings.TrimSpace(m.Text) == "" {
		return strings.TrimSpace(text), true
	}
	return strings.TrimSpace(m.Text), false
}

// The bounds of what is read.
const (
	mostBytes    = 256 << 20
	mostMessages = 200_000
)

// Read reads a session in its JSON form. What is wrong with it is an error that says
// where.
func Read(r io.Reader) (Session, error) {
	limited := &io.LimitedReader{R: r, N: mostBytes + 1}
	d := json.NewDecoder(limited)
	var s Session
	err := d.Decode(&s)
	switch {
	case limited.N <= 0:
		return s, fmt.Errorf("the file is larger than %d MB", mostBytes>>20)
	case err != nil:
		return s, fmt.Errorf("this is no exported session: %w", err)
	case s.Format != version:
		return s, fmt.Errorf("this is no exported session: its format is %q, not %q", shorten.Line(s.Format, 60), version)
	}
	n := 0
	for _, p := range s.parts() {
		if len(p.Messages) == 0 {
			return s, errors.New("the exported session has no messages")
		}
		for _, m := range p.Messages {
			if n++; n > mostMessages {
				return s, fmt.Errorf("the exported session has more than %d messages, which is more than is read", mostMessages)
			}
			if err := m.check(); err != nil {
				return s, fmt.Errorf("message %d: %w", n, err)
			}
		}
	}
	return s, nil
}

func (m Message) check() error {
	if !slices.Contains([]string{"user", "assistant", "tool"}, m.Role) {
		return fmt.Errorf("%q is no role", shorten.Line(m.Role, 40))
	}
	if m.Role == "tool" && m.CallID == "" {
		return errors.New("a tool's result names no call")
	}
	for _, c := range m.Calls {
		if c.ID == "" || c.Name == "" {
			return errors.New("a call has no id or no name")
		}
	}
	for _, p := range m.Images {
		if !slices.Contains(pictures, p.MediaType) {
			return fmt.Errorf("%q is no type of picture", shorten.Line(p.MediaType, 40))
		}
		if _, err := base64.StdEncoding.DecodeString(p.Data); err != nil {
			return fmt.Errorf("a picture: %w", err)
		}
	}
	return nil
}

// Rows are messages in the form of the store, with new ids. They are those of a session
// that [Read] has read.
func Rows(messages []Message, newID func() string) ([]sessions.Message, error) {
	rows := make([]sessions.Message, len(messages))
	for i, m := range messages {
		r := sessions.Message{ID: newID(), Role: m.Role, At: m.At, Content: m.Text, Reasoning: m.Reasoning, ToolCallID: m.CallID, ToolName: m.Tool}
		if len(m.Images) > 0 {
			r.Parts = append(r.Parts, sessions.Part{Text: m.Text})
		}
		for _, p := range m.Images {
			data, err := base64.StdEncoding.DecodeString(p.Data)
			if err != nil {
				return nil, err
			}
			r.Parts = append(r.Parts, sessions.Part{MediaType: p.MediaType, Data: data})
		}
		calls := make([]storedCall, len(m.Calls))
		for k, c := range m.Calls {
			calls[k].ID, calls[k].Type, calls[k].Function.Name, calls[k].Function.Arguments = c.ID, "function", c.Name, c.Arguments
		}
		if len(calls) > 0 {
			text, err := json.Marshal(calls)
			if err != nil {
				return nil, err
			}
			r.ToolCalls = string(text)
		}
		rows[i] = r
	}
	return rows, nil
}

// argument is the one text among the arguments of a call that says most: all of them
// where there is none.
func argument(c Call) string {
	f := tools.ParseMembers(c.Arguments)
	for _, name := range []string{"command", "path", "query", "pattern", "goal", "url", "name"} {
		if text := f.Text(name); text != "" {
			return text
		}
	}
	return strings.TrimSpace(c.Arguments)
}
