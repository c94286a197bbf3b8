package failure

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/tools/lazyregexp"
)

// Part is the one part of a request, or of the answer before it, that a refusal names.
type Part string

// The parts.
const (
	// PartNone: the refusal names no part.
	PartNone Part = ""
	// PartCall: the call that the model has just written.
	PartCall Part = "call"
	// PartSignature: the signature of a thought is missing.
	PartSignature Part = "signature"
	// PartReasoning: reasoning that belongs to a call is missing.
	PartReasoning Part = "reasoning"
	// PartForeign: reasoning that another service added, or a change of the effort that this
	// model does not take.
	PartForeign Part = "foreign"
	// PartIDs: the form of the ids of calls.
	PartIDs Part = "ids"
	// PartRoles: the order of the roles.
	PartRoles Part = "roles"
	// PartImages: the number of images.
	PartImages Part = "images"
	// PartTools: the number of tools.
	PartTools Part = "tools"
	// PartTool: the definition of one tool.
	PartTool Part = "tool"
	// PartMessage: one message of the history.
	PartMessage Part = "message"
)

// Named is a part that a refusal names.
type Named struct {
	Part Part
	// Tool is the name of the tool of [PartTool].
	Tool string
	// Most is how many images or tools the service takes, -1 if it is not stated.
	Most int
}

// names are the wordings of services by the part they name, in their order: what is
// more particular stands first.
var names = []struct {
	part Part
	says *lazyregexp.Regexp
}{
	{PartSignature, lazyregexp.New(`(?:missing|requires?|without|lacks?)\b[^\n]{0,80}thought[_ ]?signature|thought[_ ]?signatures?\b[^\n]{0,80}(?:missing|required|must)`)},
	{PartForeign, lazyregexp.New(`\b(?:reasoning_content|reasoning_details|extra_content)\b[\s\S]{0,160}(?:not permitted|not allowed|unexpected|unknown|unrecogni[sz]ed|unsupported|not supported|should not|must not)` +
		`|(?:not permitted|not allowed|unexpected|unknown|unrecogni[sz]ed|unsupported|additional propert)[\s\S]{0,160}(?:reasoning_content|reasoning_details|extra_content)`)},
	{PartForeign, lazyregexp.New(`\bconfiguration_update\b|mid-conversation-output-config|role '?"?system"?'? is not supported`)},
	{PartReasoning, lazyregexp.New(`reasoning_content\b[^\n]{0,120}(?:missing|must|required|passed back)|missing\b[^\n]{0,60}reasoning_content`)},
	{PartIDs, lazyregexp.New(`(?:tool[_ ]?calls?(?:\[\d+\]|\.\d+)?[._ ]?ids?|tooluseid|tool_use(?:_id|\.id)|\bcall[_ ]ids?)\b[^\n]{0,160}(?:length|too long|pattern|must match|must be a-z|characters|alphanumeric|format)`)},
	{PartRoles, lazyregexp.New(`\balternat(?:e|es|ing|ion)\b|unexpected role '?\w+'? after|consecutive (?:\w+ )?(?:messages|roles)|same role in a row|(?:user|tool|assistant) (?:message|role|turn)s? (?:cannot|must not|may not|should not) (?:follow|come)`)},
	{PartImages, lazyregexp.New(`too many images|(?:at most|more than|up to|only|exceeds?|maximum(?: of| number of)?|limit of) \d+ images?\b|\bimage(?:s|\(s\)) (?:may be|are|can be)?[^\n]{0,20}(?:per|in one|in a) (?:prompt|request|message)|(?:number of|many|image) images?\b[^\n]{0,40}(?:exceed|limit|maximum|most)|image count`)},
	{PartTools, lazyregexp.New(`\btools?'?: array too long|too many (?:tools|functions)|(?:at most|more than|maximum(?: of)?|limit of) \d+ (?:tools|functions)|number of (?:tools|functions)\b[^\n]{0,40}(?:exceed|limit|maximum|most)`)},
}

// The words of a service that could not read the call of its model: in so many words, or,
// where it has failed, as its parser says it.
var (
	badCall = lazyregexp.New(`tool_use_failed|failed_generation|failed to call a function|tool call validation failed|attempted to call tool|not in request\.tools` +
		`|(?:fail\w*|errors?|unable|could not|couldn't|cannot|can't)[a-z ]{0,20}pars(?:e|ing)\b[^\n]{0,40}(?:tool|function)[_ ]?calls?|(?:tool|function)[_ ]?calls? (?:could not|cannot) be (?:parsed|read)` +
		`|(?:malformed|invalid|unparsable)[_ ](?:tool|function)[_ ]call\b|(?:tool|function) call parser|failed to parse (?:input|output|response|the model)|tokens? remaining in message header`)
	parserSays = lazyregexp.New(`xml syntax error|element <\w+> closed by|invalid character '[^\n]{1,8}' (?:in|after|looking)|unexpected end of json|json\.exception\.parse_error|jsondecodeerror|expecting ',' delimiter|expecting property name|unterminated string starting`)

	imageSize = lazyregexp.New(`pixels?\b|\d ?[mk]b\b|\bbytes\b|dimension`)
	mostFirst = lazyregexp.New(`(\d+)\)? at most|(?:at most|more than|up to|only|exceeds?|maximum(?: length| number| count)?(?: of)?(?: images| tools)?|limit(?: of| is|:)?|most|max)\D{0,24}?(\d+)`)

	toolWords = lazyregexp.New(`schema|parameters|function_declaration|functiondeclaration|input_schema|inputschema|toolspec|\btool definition|\.custom\.|function\.name|\bfunction '|\btool '|\btools?[.\[]\d`)
	declared  = lazyregexp.New(`function_?declarations\[(\d+)\]`)
	numbered  = lazyregexp.New(`\btools?(?:\[|\.)(\d+)(\.member)?`)
	aMessage  = lazyregexp.New(`\b(?:messages?|input|contents)(?:\[|\.)\d+`)
)

// Naming finds the part that a refusal names. tools are the names of those in the request,
// in their order.
func Naming(err error, tools []string) Named {
	if err == nil {
		return Named{}
	}
	e := read(err)
	switch e.status {
	case 401, 402, 403, 404, 408, 413, 429, 503, 529:
		return Named{}
	}
	if e.redirected() {
		return Named{}
	}
	switch e.kind {
	case providers.ErrorProtocol, providers.ErrorConnect, providers.ErrorBroken:
		return Named{}
	}
	aboutMessage := aMessage.MatchString(e.text)
	for _, n := range names {
		if !n.says.MatchString(e.text) || n.part == PartImages && imageSize.MatchString(e.text) {
			continue
		}
		return Named{Part: n.part, Most: most(n.says.FindString(e.text), e.text)}
	}
	if !aboutMessage && (badCall.MatchString(e.text) || (e.status == 0 || e.status >= 500) && parserSays.MatchString(e.text)) {
		return Named{Part: PartCall}
	}
	if tool := e.tool(tools); tool != "" {
		return Named{Part: PartTool, Tool: tool}
	}
	if e.status >= 400 && e.status < 500 && aboutMessage && !e.isOverflow() {
		return Named{Part: PartMessage}
	}
	return Named{}
}

// most is the number that a text states as a limit, -1 for none. It is looked for where
// the limit is named first, and then in all of the text.
func most(near, text string) int {
	for _, s := range []string{near, text} {
		for _, n := range mostFirst.FindStringSubmatch(s) {
			if i, err := strconv.Atoi(n); err == nil {
				return i
			}
		}
	}
	return -1
}

// tool finds the one whose definition is refused, by its name or its number.
func (e *evidence) tool(tools []string) string {
	if !toolWords.MatchString(e.text) {
		return ""
	}
	found := ""
	for _, t := range tools {
		low := strings.ToLower(t)
		quoted := slices.ContainsFunc([]string{"'", "\"", "`"}, func(q string) bool { return strings.Contains(e.text, q+low+q) })
		if (quoted || strings.Contains(low, "_") && hasWord(e.text, low)) && len(t) > len(found) {
			found = t
		}
	}
	if found != "" {
		return found
	}
	at := declared.FindStringSubmatch(e.text)
	if at == nil {
		at = numbered.FindStringSubmatch(e.text)
	}
	if at == nil {
		return ""
	}
	i, err := strconv.Atoi(at[1])
	if len(at) > 2 && at[2] != "" {
		i-- // such services count from 1
	}
	if err != nil || i < 0 || i >= len(tools) {
		return ""
	}
	return tools[i]
}
