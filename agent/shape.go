package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/repair"
	"hermes-tui/providers/schemas"
)

// reshape brings a request into the form that a service turned out to need. The
// history is not touched.
func reshape(req providers.Request, s recovery.Shape) providers.Request {
	if s.Has(recovery.DropReasoning) || s.Has(recovery.StopReplay) {
		req.Messages = withoutReplay(req.Messages, s.Has(recovery.DropReasoning))
	}
	req.Whole, req.ShortContext = s.Has(recovery.WholeAnswer), s.Has(recovery.DropLongContext)
	switch {
	case s.Has(recovery.DropImages):
		req.Messages = without(req.Messages, refusedNote)
	case s.Has(recovery.ShrinkImages):
		req.Messages = shrunk(req.Messages, s.ImageBytes, s.ImagePixels)
	}
	req.Effort = s.EffortFor(req.Effort)
	if s.Has(recovery.FewerImages) {
		req.Messages = newestImages(req.Messages, s.Images)
	}
	if s.Has(recovery.PlainMessages) {
		req.Messages = plainMessages(req.Messages)
	}
	if s.Has(recovery.Alternate) {
		req.Messages = repair.Alternate(req.Messages)
	}
	if s.Has(recovery.ShortIDs) {
		req.Messages = shortIDs(req.Messages)
	}
	req.SignCalls, req.EchoReasoning = s.Has(recovery.SignCalls), s.Has(recovery.EchoReasoning)
	if s.Has(recovery.SetAside) {
		req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(d providers.ToolDef) bool { return s.Aside(d.Name) })
	}
	if s.Has(recovery.FewerTools) {
		req.Tools = fewerTools(req.Tools, s.Tools)
	}
	if s.Has(recovery.PlainSchemas) {
		req.Tools = plainSchemas(req.Tools)
	}
	if s.Has(recovery.SmallerAnswer) && s.MaxOutput > 0 && (req.MaxOutput == 0 || s.MaxOutput < req.MaxOutput) {
		req.MaxOutput = s.MaxOutput
	}
	if s.Cap > 0 && (req.MaxOutput == 0 || s.Cap < req.MaxOutput) {
		req.MaxOutput = s.Cap
	}
	switch {
	case s.Has(recovery.ASCIIOnly):
		return rewrite(req, onlyASCII)
	case s.Has(recovery.CleanText):
		return rewrite(req, cleanText)
	}
	return req
}

// withoutReplay leaves out what providers want back of their own, and the
// readable reasoning too when all is asked.
func withoutReplay(messages []providers.Message, all bool) []providers.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].Native = nil
		out[i].Calls = slices.Clone(out[i].Calls)
		for k := range out[i].Calls {
			out[i].Calls[k].Extra = nil
		}
		if all {
			out[i].Reasoning = ""
		}
	}
	return out
}

// withoutRefused leaves out what providers want back of messages up to one, and of none if
// there is no such message.
func withoutRefused(messages []providers.Message, newest string) []providers.Message {
	n := slices.IndexFunc(messages, func(m providers.Message) bool { return m.ID == newest })
	if newest == "" || n < 0 {
		return messages
	}
	return append(withoutReplay(messages[:n+1], true), messages[n+1:]...)
}

// refuseThoughts notes that the service refuses thoughts of what is in the history now, so
// that it is not asked with them at the next request again.
func (t *turn) refuseThoughts() {
	if len(t.history) == 0 {
		return
	}
	if t.room.refused == nil {
		t.room.refused = map[endpoint]string{}
	}
	t.room.refused[endpointOf(t.rt.Model)] = t.history[len(t.history)-1].ID
}

// toolNames are the names of the tools of a request.
func toolNames(defs []providers.ToolDef) []string {
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = d.Name
	}
	return names
}

// fewerTools keeps so many tools: those of the program before those of servers.
func fewerTools(defs []providers.ToolDef, most int) []providers.ToolDef {
	foreign := func(d providers.ToolDef) bool { return strings.HasPrefix(d.Name, "mcp_") }
	own := 0
	for _, d := range defs {
		if !foreign(d) {
			own++
		}
	}
	left, of := max(most-own, 0), min(most, own)
	return slices.DeleteFunc(slices.Clone(defs), func(d providers.ToolDef) bool {
		n := &of
		if foreign(d) {
			n = &left
		}
		*n--
		return *n < 0
	})
}

// shortIDs makes the ids of calls nine letters and digits, which every service takes. They
// are the same in every request.
func shortIDs(messages []providers.Message) []providers.Message {
	const length = 9
	fits := func(id string) bool {
		return len(id) == length && !strings.ContainsFunc(id, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	out := slices.Clone(messages)
	for i, m := range out {
		out[i].Calls = slices.Clone(m.Calls)
		for k, c := range m.Calls {
			if !fits(c.WireID) {
				sum := sha256.Sum256([]byte(c.ID))
				out[i].Calls[k].WireID = hex.EncodeToString(sum[:])[:length]
			}
		}
	}
	return out
}

// plainMessages leaves of a history the texts, the images of the user and the calls.
func plainMessages(messages []providers.Message) []providers.Message {
	out := withoutReplay(messages, true)
	for i, m := range out {
		if m.Role != providers.User && hasImage(m) {
			out[i] = without([]providers.Message{m}, refusedNote)[0]
		}
		out[i].Parts = slices.DeleteFunc(slices.Clone(out[i].Parts), func(p providers.Part) bool { return p.Image == nil && strings.TrimSpace(p.Text) == "" })
		if len(out[i].Parts) == 0 && len(m.Calls) == 0 {
			out[i].Parts = providers.TextParts(recovery.SaidNothing)
		}
		for k, c := range out[i].Calls {
			if args, _ := repair.Arguments(c.Arguments); strings.HasPrefix(args, "{") {
				out[i].Calls[k].Arguments = args
			} else {
				out[i].Calls[k].Arguments = "{}"
			}
		}
	}
	return out
}

// plainSchemas leaves pattern and format out of the schemas of tools.
func plainSchemas(defs []providers.ToolDef) []providers.ToolDef {
	out := slices.Clone(defs)
	for i, d := range out {
		out[i].Parameters = schemas.Grammar.For(d.Parameters)
	}
	return out
}

// rewrite changes every text of a request.
func rewrite(req providers.Request, change func(string) string) providers.Request {
	req.System = change(req.System)
	req.Messages = slices.Clone(req.Messages)
	for i, m := range req.Messages {
		m.Reasoning = change(m.Reasoning)
		m.Parts = slices.Clone(m.Parts)
		for k := range m.Parts {
			m.Parts[k].Text = change(m.Parts[k].Text)
		}
		m.Calls = slices.Clone(m.Calls)
		for k := range m.Calls {
			m.Calls[k].Arguments = change(m.Calls[k].Arguments)
		}
		req.Messages[i] = m
	}
	req.Tools = slices.Clone(req.Tools)
	for i := range req.Tools {
		req.Tools[i].Description = change(req.Tools[i].Description)
	}
	return req
}

// cleanText replaces what is no valid text, and drops control characters that
// strict parsers refuse.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || unicode.Is(unicode.Noncharacter_Code_Point, r) {
			return -1
		}
		return r
	}, s)
}

// onlyASCII leaves out everything beyond ASCII.
func onlyASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return -1
		}
		return r
	}, cleanText(s))
}
