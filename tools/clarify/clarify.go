// Package clarify holds the tool by which an agent asks the user for
// information: one question, one of whose choices several may be taken, or a batch
// of them. A question has at most four choices and a batch five questions. It keeps
// no state.
package clarify

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"hermes-tui/tools"
)

// Toolset is the toolset of the tool of this package.
const Toolset = "clarify"

const (
	// maxChoices is how many answers are offered. The user can always write
	// another one.
	maxChoices = 4
	// maxQuestions is how many questions a batch has.
	maxQuestions = 5
)

const parameters = `{"type":"object","properties":{
"question":{"type":"string"},
"choices":{"type":"array","items":{"type":"string"},"description":"at most 4; omit for a free answer"},
"multi":{"type":"boolean","default":false,"description":"several choices may be taken"},
"questions":{"type":"array","description":"instead of question: at most 5 that belong together","items":{"type":"object","properties":{
"question":{"type":"string"},"choices":{"type":"array","items":{"type":"string"}},"multi":{"type":"boolean"}},"required":["question"]}}}}`

// Options say how an agent asks.
type Options struct {
	// Timeout is how long a question waits for an answer; 0 is for ever.
	Timeout time.Duration
}

// New makes clarify.
func New(o Options) tools.Tool {
	return tools.Tool{
		Name: "clarify", Toolset: Toolset,
		Description: "Ask the user a question, or several at once, and wait. They can pick choices or write an answer of their own.",
		Guidance:    "Use clarify only where you cannot find out or decide for yourself.",
		Parameters:  json.RawMessage(parameters),
		Class:       tools.Interactive, ReadsOnly: true,
		Preview: preview, Protected: tools.ProtectAll,
		Run: func(ctx context.Context, c tools.Call, h tools.Host, _ tools.Sink) (tools.Result, error) {
			return o.run(ctx, c, h), nil
		},
	}
}

// preview shows a call before it runs.
func preview(raw json.RawMessage) tools.View {
	var args arguments
	if json.Unmarshal(raw, &args) != nil {
		return tools.View{Kind: tools.KindClarify}
	}
	return view(args.list())
}

// view shows the questions of a call.
func view(list []question) tools.View {
	v := tools.View{Kind: tools.KindClarify}
	switch len(list) {
	case 0:
	case 1:
		v.Subject = list[0].text
	default:
		texts := make([]string, len(list))
		for i, q := range list {
			texts[i] = strings.Join(strings.Fields(q.text), " ")
		}
		v.Subject = fmt.Sprintf("%d questions: %s", len(list), strings.Join(texts, " | "))
	}
	return v
}

// run asks and waits.
func (o Options) run(ctx context.Context, c tools.Call, h tools.Host) tools.Result {
	var args arguments
	if err := c.Decode(&args); err != nil {
		return tools.Failure(preview(c.Args), err.Error())
	}
	list, err := args.questions()
	v := view(list)
	if err != nil {
		return tools.Failure(v, err.Error())
	}
	answer, err := h.Ask(ctx, tools.Question{Clarify: request(list), Within: o.Timeout})
	if ctx.Err() != nil {
		return tools.Cancelled(v, "the question was withdrawn: "+context.Cause(ctx).Error())
	}
	if err != nil {
		return tools.Failure(v, "the question could not be asked: "+err.Error())
	}
	answers := given(list, answer)
	v.Summary, v.Body = summary(answers), body(list, answers)
	return tools.Result{Content: tools.JSON(reply(list, answers, args.batch())), View: v}
}

// request puts questions into the form that the user's side knows.
func request(list []question) *tools.Clarify {
	q := &tools.Clarify{Question: list[0].text, Choices: list[0].choices, Multi: list[0].several()}
	for _, more := range list[1:] {
		q.More = append(q.More, tools.ClarifyMore{Question: more.text, Choices: more.choices, Multi: more.several()})
	}
	return q
}
