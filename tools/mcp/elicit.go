package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes-tui/tools"
)

// The bounds of a form: fields in all, and on a page. A field that was not filled in as the
// server wants it is asked for again so often.
const (
	maxFields = 100
	onePage   = 5
	tryField  = 3
)

// elicit puts a question of a server to the user, within the call that it belongs to. What
// comes while no call runs is declined: no one would know what it is for.
func (s *server) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	call := s.whose(ctx, r.Params.Meta)
	if call == nil {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	defer call.hold()()
	defer call.until(ctx)()
	if r.Params.Mode == "url" || r.Params.URL != "" {
		return s.askURL(call, r.Params)
	}
	fields, err := fieldsOf(r.Params.RequestedSchema)
	if err != nil {
		return nil, err
	}
	f := form{s: s, call: call, says: fmt.Sprintf("The MCP server %s asks: %s%s", label(s.c.Name, maxName), label(r.Params.Message, 1000), call.doubt()), values: map[string]any{}}
	action := f.fill(fields)
	if action != "accept" {
		return &sdk.ElicitResult{Action: action}, nil
	}
	return &sdk.ElicitResult{Action: "accept", Content: f.values}, nil
}

// form is a form that is being filled in.
type form struct {
	s      *server
	call   *asker
	says   string
	values map[string]any
}

// fill asks for the fields, page by page, and gives what the user decided in the words of
// the protocol.
func (f *form) fill(fields []field) (action string) {
	if len(fields) == 0 {
		return f.confirm(f.says, "Yes", "No")
	}
	for _, one := range fields {
		if one.secret() {
			f.says += "\nWhat you write goes to the server as it is: give it no password or key."
			break
		}
	}
	pages := (len(fields) + onePage - 1) / onePage
	for i := range pages {
		head := f.says
		if pages > 1 {
			head += fmt.Sprintf("\n(page %d of %d)", i+1, pages)
		}
		open := fields[i*onePage : min((i+1)*onePage, len(fields))]
		for try := 0; len(open) > 0; try++ {
			if try == tryField {
				return "cancel"
			}
			answer, action := f.ask(question(head, open))
			if action != "" {
				return action
			}
			open, head = f.take(open, answer), f.says+"\nThis is not as the server wants it:"
		}
	}
	if pages == 1 {
		return "accept"
	}
	return f.confirm(f.says+"\n\nSend this to the server?\n"+f.review(fields), "Send it", "No")
}

// ask puts a question. action is empty when it was answered.
func (f *form) ask(q *tools.Clarify) (answer tools.Answer, action string) {
	answer, err := f.call.host.Ask(f.call.ctx, tools.Question{Clarify: q, Within: f.s.c.ElicitTimeout})
	switch {
	case err != nil, answer.Choice == tools.ChoiceNone:
		return answer, "cancel" // the server hears that no one answered
	case answer.Choice == tools.ChoiceDeny:
		return answer, "decline"
	}
	return answer, ""
}

// confirm asks for a yes.
func (f *form) confirm(text, yes, no string) (action string) {
	answer, action := f.ask(&tools.Clarify{Question: text, Choices: []string{yes, no}})
	if action == "" {
		action = "decline"
		if said := answersTo(answer, 0); len(said) > 0 && said[0] == yes {
			action = "accept"
		}
	}
	return action
}

// take keeps what was answered about fields, and gives those that are to be asked for again.
func (f *form) take(fields []field, a tools.Answer) (again []field) {
	for i, one := range fields {
		value, there, wrong := one.value(answersTo(a, i))
		switch {
		case wrong != "":
			one.wrong = wrong
			again = append(again, one)
		case there:
			f.values[one.name] = value
		}
	}
	return again
}

// review shows what is sent.
func (f *form) review(fields []field) string {
	var lines []string
	for _, one := range fields {
		if v, ok := f.values[one.name]; ok {
			lines = append(lines, fmt.Sprintf("%s: %s", one.title, label(one.shown(v), 200)))
		}
	}
	return strings.Join(lines, "\n")
}

// question asks for some fields.
func question(head string, fields []field) *tools.Clarify {
	q := &tools.Clarify{Question: strings.TrimSpace(head + "\n" + fields[0].words()), Choices: fields[0].choices, Multi: fields[0].kind == "array"}
	for _, f := range fields[1:] {
		q.More = append(q.More, tools.ClarifyMore{Question: f.words(), Choices: f.choices, Multi: f.kind == "array"})
	}
	return q
}

// answersTo are the answers to one of several questions, without those that are blank.
func answersTo(a tools.Answer, i int) (list []string) {
	parts := a.Parts
	if len(parts) == 0 {
		parts = [][]string{{a.Text}}
	}
	if i >= len(parts) {
		return nil
	}
	for _, t := range parts[i] {
		if strings.TrimSpace(t) != "" {
			list = append(list, t)
		}
	}
	return list
}

// askURL asks whether the user wants to go to an address of the server.
func (s *server) askURL(call *asker, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	const opened = "I have opened it"
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("no page is opened at this address: it is none of http:// or https://")
	}
	f := form{s: s, call: call}
	return &sdk.ElicitResult{Action: f.confirm(fmt.Sprintf("The MCP server %s asks you to open a page of %s in a browser: %s\n%s%s\nOpen it yourself if you trust that address.",
		label(s.c.Name, maxName), label(u.Host, 200), label(p.Message, 500), label(p.URL, 500), call.doubt()), opened, "No")}, nil
}

// maxOpened is how many pages a server can want opened before it makes a call.
const maxOpened = 3

// opens asks the user to open the pages that a server has refused a call for, and reports
// whether they have: then the call can be made again.
func (s *server) opens(r *running, e *jsonrpc.Error) bool {
	var want struct {
		Pages []*sdk.ElicitParams `json:"elicitations"`
	}
	call := r.alone()
	if e.Code != sdk.CodeURLElicitationRequired || s.c.NoElicitation || call == nil || json.Unmarshal(e.Data, &want) != nil || len(want.Pages) > maxOpened {
		return false
	}
	for _, p := range want.Pages {
		if p == nil {
			return false
		}
		if answer, err := s.askURL(call, p); err != nil || answer.Action != "accept" {
			return false
		}
	}
	return len(want.Pages) > 0
}
