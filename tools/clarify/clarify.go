// Package clarify holds the tool by which an agent asks the person for
// information. It keeps no state.
package clarify

import (
	"context"
	"encoding/json"
	"strings"

	"hermes-tui/tools"
)

// Toolset is the toolset of the tool of this package.
const Toolset = "clarify"

// maxChoices is how many answers are offered. The person can always write
// another one.
const maxChoices = 4

const parameters = `{"type":"object","properties":{
"question":{"type":"string"},
"choices":{"type":"array","items":{"type":"string"},"description":"at most 4; omit for a free answer"}},
"required":["question"]}`

// Tool is clarify.
func Tool() tools.Tool {
	return tools.Tool{
		Name: "clarify", Toolset: Toolset,
		Description: "Ask the person a question and wait. They can pick a choice or write an answer of their own.",
		Guidance:    "Use clarify only where you cannot find out or decide for yourself.",
		Parameters:  json.RawMessage(parameters),
		Class:       tools.Interactive, ReadsOnly: true,
		Preview: preview,
		Run:     run,
	}
}

// preview shows a call before it runs.
func preview(raw json.RawMessage) tools.View {
	v := tools.View{Kind: tools.KindClarify}
	var args struct {
		Question string `json:"question"`
	}
	if json.Unmarshal(raw, &args) != nil {
		return v
	}
	v.Subject = strings.TrimSpace(args.Question)
	return v
}

// noAnswer is what the model is told when nobody answers.
const noAnswer = "The person gave no answer. Go on with the choice that is easiest to take back, and say which one you made, or stop if there is none."

// reply is what the model gets.
type reply struct {
	Question string   `json:"question"`
	Offered  []string `json:"choices_offered"`
	Response *string  `json:"user_response"` // nil: nobody answered
	Note     string   `json:"note,omitempty"`
}

// run asks and waits.
func run(ctx context.Context, c tools.Call, h tools.Host, _ tools.Sink) (tools.Result, error) {
	view := preview(c.Args)
	var args struct {
		Question string `json:"question"`
		Choices  []any  `json:"choices"`
	}
	if err := c.Decode(&args); err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	question := strings.TrimSpace(args.Question)
	if question == "" {
		return tools.Failure(view, "question is required"), nil
	}
	r := reply{Question: question, Offered: offered(args.Choices)}
	answer, err := h.Ask(ctx, tools.Question{Clarify: &tools.Clarify{Question: question, Choices: r.Offered}})
	if ctx.Err() != nil {
		return tools.Cancelled(view, "the question was withdrawn: "+context.Cause(ctx).Error()), nil //nolint:nilerr // the model is told
	}
	if err != nil {
		return tools.Failure(view, "the question could not be asked: "+err.Error()), nil //nolint:nilerr // the model is told
	}
	if text := strings.TrimSpace(answer.Text); answer.Choice == tools.ChoiceText && text != "" {
		r.Response = &text
		view.Summary = text
	} else {
		r.Note = noAnswer
		view.Summary = "no answer"
	}
	return tools.Result{Content: tools.JSON(r), View: view}, nil
}

// offered brings the choices into the form in which they are shown: trimmed,
// without blanks and anything but text and numbers, the first four. None at all
// is a question for a free answer.
func offered(choices []any) []string {
	var list []string
	for _, c := range choices {
		text, ok := c.(string)
		if !ok {
			text = scalar(c)
		}
		if text = strings.TrimSpace(text); text != "" && len(list) < maxChoices {
			list = append(list, text)
		}
	}
	return list
}

// scalar writes a number or boolean as text; other values give none.
func scalar(v any) string {
	switch v.(type) {
	case float64, bool:
		return tools.JSON(v)
	}
	return ""
}
