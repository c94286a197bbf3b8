package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Sampling is a prompt of a server for a model.
type Sampling struct {
	System, Prompt string
	// Tokens is about how long the server wants the answer, Most how long it may be; 0 for no
	// bound but the usual one.
	Tokens, Most int
	// Model is the one to answer, empty for the usual one; it is one of Models, if those are
	// not empty.
	Model  string
	Models []string
}

// Sample has a model answer a prompt of a server, with nothing else in view. by names the
// model.
type Sample func(ctx context.Context, s Sampling) (text, by string, err error)

// The answers to the question whether a model may answer a server.
const (
	sampleOnce = "Allow once"
	sampleCall = "Allow for this call"
	sampleNo   = "No"
)

// maxSampled is how much of what a server wants to be answered is taken, in characters, and
// maxSampleShown how much of it stands in the question.
const (
	maxSampled     = 200_000
	maxSampleShown = 3000
)

// sample has a model answer a server, within the call that this belongs to and after a
// question. What comes while no call runs is refused.
func (s *server) sample(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) { //nolint:staticcheck // servers use it for as long as it is in the protocol
	call := s.whose(ctx, r.Params.Meta)
	if call == nil || call.sample == nil {
		return nil, errors.New("a model answers only while a tool is called")
	}
	defer call.hold()()
	defer call.until(ctx)()
	system, prompt, err := sampled(r.Params)
	if err != nil {
		return nil, err
	}
	if !s.mayAsk() {
		return nil, fmt.Errorf("a model answers at most %d times a minute", s.c.SamplesPerMinute)
	}
	if known := len(call.waiting) == 0; !known || !call.sampling.Load() {
		switch answer, err := call.host.Ask(call.ctx, tools.Question{Clarify: s.sampleQuestion(system, prompt, call)}); {
		case err != nil, answer.Choice == tools.ChoiceNone, answer.Choice == tools.ChoiceDeny, answer.Text != sampleOnce && answer.Text != sampleCall:
			return nil, errors.New("the user does not want a model to answer this")
		default:
			call.sampling.Store(known && answer.Text == sampleCall)
		}
	}
	timed, cancel := call.ctx, context.CancelFunc(func() {})
	if s.c.SampleTime > 0 {
		timed, cancel = context.WithTimeoutCause(timed, s.c.SampleTime, fmt.Errorf("it took longer than %v", s.c.SampleTime))
	}
	defer cancel()
	text, by, err := call.sample(timed, Sampling{System: system, Prompt: prompt, Tokens: int(min(r.Params.MaxTokens, 1<<20)), Most: s.c.SampleTokens, Model: s.c.SampleModel, Models: s.c.SampleModels})
	if err != nil {
		if timed.Err() != nil {
			err = context.Cause(timed)
		}
		return nil, errors.New("the model did not answer: " + sentence(err))
	}
	return &sdk.CreateMessageResult{Content: &sdk.TextContent{Text: text}, Model: by, Role: "assistant", StopReason: "endTurn"}, nil //nolint:staticcheck // servers use it for as long as it is in the protocol
}

// sampleQuestion asks whether a model may answer.
func (s *server) sampleQuestion(system, prompt string, call *asker) *tools.Clarify {
	about := prompt
	if system != "" {
		about = "System: " + system + "\n\n" + prompt
	}
	if n := utf8.RuneCountInString(about) - maxSampleShown; n > 0 {
		about = shorten.Runes(about, maxSampleShown) + fmt.Sprintf("\n[%s more characters]", tools.Grouped(n))
	}
	choices := []string{sampleOnce, sampleCall, sampleNo}
	if len(call.waiting) > 0 {
		choices = []string{sampleOnce, sampleNo}
	}
	return &tools.Clarify{
		Question: fmt.Sprintf("The MCP server %s wants the model to answer this, at your expense. The model sees nothing else, and the server gets the answer.%s\n\n%s", label(s.c.Name, maxName), call.doubt(), about),
		Choices:  choices,
	}
}

// sampled is what a server wants to be answered, as text.
func sampled(p *sdk.CreateMessageParams) (system, prompt string, err error) { //nolint:staticcheck // servers use it for as long as it is in the protocol
	var b strings.Builder
	for _, m := range p.Messages {
		if m == nil {
			continue
		}
		text, ok := m.Content.(*sdk.TextContent)
		if !ok {
			return "", "", errors.New("a model answers texts only")
		}
		if len(p.Messages) > 1 {
			fmt.Fprintf(&b, "%s: ", m.Role)
		}
		b.WriteString(text.Text + "\n\n")
	}
	system, prompt = strings.TrimSpace(visible(p.SystemPrompt)), strings.TrimSpace(visible(b.String()))
	switch {
	case prompt == "":
		return "", "", errors.New("there is nothing to answer")
	case utf8.RuneCountInString(system)+utf8.RuneCountInString(prompt) > maxSampled:
		return "", "", fmt.Errorf("that is more than %d characters", maxSampled)
	}
	return system, prompt, nil
}

// mayAsk notes that a server wants an answer, and reports whether it may have one so soon.
func (s *server) mayAsk() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	s.sampledAt = slices.DeleteFunc(s.sampledAt, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if len(s.sampledAt) >= s.c.SamplesPerMinute {
		return false
	}
	s.sampledAt = append(s.sampledAt, now)
	return true
}
