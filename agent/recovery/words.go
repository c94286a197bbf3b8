package recovery

import (
	"fmt"
	"strings"
)

// Sentences for the user.
const (
	sentenceFiltered = "The provider's content filter ended the answer: put the request differently, choose another model with /model, " +
		"or name another service in fallback_providers."
	sentenceCompressionOff = "The session is too long for the model, and automatic compression is switched off: " +
		"shorten it with /compress, switch compression.enabled on, or choose a model with a larger context with /model."
	sentenceThinking = "The model used up its whole output for thinking and wrote no answer: " +
		"lower agent.reasoning_effort, raise model.max_tokens, or ask for less at a time."
	sentenceCutText = "The answer was still cut off after several continuations; send \"go on\" to get the rest."
	sentenceCutCall = "The model's call of a tool was cut off again and again, so it was not run: " +
		"raise model.max_tokens, or ask for the work in smaller parts."
	sentenceEmpty   = "The model answered nothing, however it was asked: send the message again, or choose another model with /model."
	sentenceUnknown = "The model keeps calling tools that do not exist: choose another model with /model, or check toolsets."
	sentenceGarbled = "The model keeps writing tool calls that cannot be read: choose another model with /model."
	sentenceWritten = "The model writes its tool calls as text, so none of them runs: the server does not read them. " +
		"Switch on the tool parser for this model (vLLM: --enable-auto-tool-choice and --tool-call-parser; llama.cpp: --jinja; " +
		"Ollama, LM Studio: a template with tools), or choose another model with /model."
	sentenceUnclosed = "The model did not get beyond its notes to itself: send the message again, or choose another model with /model."
)

// Guesses at why an answer was no answer.
const (
	hintRate           = "An answer like this, and this soon, usually means a limit on the rate of requests."
	hintUpstreamLate   = "The service behind it probably did not answer in time."
	hintUpstreamFailed = "The service behind it probably failed."
	hintOverloaded     = "The service behind it is probably overloaded."
)

// Texts that the model reads. They travel with one request and are not kept.
const (
	// NoteContinue follows an answer that reached the output limit.
	NoteContinue = "Your answer reached the output limit and stops in the middle. Go on exactly where it stops. " +
		"Repeat nothing, and do not start over or comment on the cut."
	// NoteBrokeOff follows an answer that broke off before it was complete.
	NoteBrokeOff = "The service failed while you were answering, and your answer stops where it broke off. " +
		"Go on exactly there. Repeat nothing, and do not start over or comment on the break."
	// noteDropped follows an answer that broke off in calls; it takes the names.
	noteDropped = "The service failed while you were writing a call of %s, so that call did not run. " +
		"If the call was long, the length may be the cause: keep each call below about 8,000 tokens, " +
		"and write long content in several calls. Go on from here."
	// noteUnreadable follows a call that the service could not read; it takes what it said.
	noteUnreadable = "The service could not read the tool call you wrote%s, so nothing ran. " +
		"Write the call again: only tools that are offered, arguments as one JSON object of the types that the tool asks for, " +
		"and long content in parts of several calls."
	// NoteWritten follows an answer in which a call was text.
	NoteWritten = "Your last answer held a tool call as text, so nothing ran. Call tools through the tool interface you are given, not in " +
		"your text. If you only meant to show such a call to the user, say so in a sentence and put it into a fenced block."
	// SaidNothing stands for an answer that was empty.
	SaidNothing = "(empty)"
	// NoteAnswer follows an empty answer after tools have run.
	NoteAnswer = "Your tool calls have run and their results stand above, but your answer was empty. " +
		"Go on with the task: use the results, call the next tool, or give your answer."
	// OnlyThought stands for an answer that was all reasoning.
	OnlyThought = "(thinking, no answer yet)"
	// NoteWrite follows an answer that was all reasoning.
	NoteWrite = "So far you have only been thinking. Do not think it over again: write the answer, or call the tool you decided on."
	// SkippedUnknown answers calls beside one of a tool that does not exist.
	SkippedUnknown = "Not run, because another call of the same message names a tool that does not exist. Send it again together with a correct call."
	// SkippedGarbled answers calls beside one that cannot be read.
	SkippedGarbled = "Not run, because the arguments of another call of the same message are not valid JSON. Send it again together with a correct call."
	// GarbledArguments answers a call that cannot be read.
	GarbledArguments = "The arguments are not valid JSON, so the call did not run. Send the whole call again, with one JSON object as arguments."
)

// UnknownTool answers a call of a tool that does not exist.
func UnknownTool(name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("There is no tool %q, and no other tool either. Answer without tools.", name)
	}
	return fmt.Sprintf("There is no tool %q. The tools are: %s.", name, strings.Join(known, ", "))
}

// dropped is the note about calls that broke off.
func dropped(names []string) string { return fmt.Sprintf(noteDropped, strings.Join(names, ", ")) }

// unreadable is the note about a call that a service could not read.
func unreadable(said string) string {
	if said = strings.TrimSpace(said); said != "" {
		said = " (" + said + ")"
	}
	return fmt.Sprintf(noteUnreadable, said)
}

// TooLong is the sentence about a request that does not fit however short the session is:
// figures in tokens, 0 for those not known.
func TooLong(model string, request, window, system, tools, last int, grouped func(int) string) string {
	takes := "says that it takes less"
	if window > 0 {
		takes = "takes " + grouped(window)
	}
	return fmt.Sprintf("The request has about %s tokens (instructions %s, tools %s, the newest message %s) and %s %s: load the model with a larger context, "+
		"switch off tools or MCP servers (toolsets, /mcp), attach less, or choose a model with a larger context with /model. /context shows what takes the room.",
		grouped(request), grouped(system), grouped(tools), grouped(last), model, takes)
}

// badCalls is the sentence about a service that cannot read the calls of its model.
func badCalls(f Fault) string {
	said := strings.TrimRight(f.Message, ".!: ")
	if said != "" {
		said = " (“" + said + "”)"
	}
	return "The service cannot read the tool calls that the model writes" + said +
		", and telling the model did not help: check the tool parser and the template of the server, or choose another model with /model."
}
