package prompt

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hermes-tui/store/skillguard"
	"hermes-tui/tools/unseen"
)

// sent is what a request must not carry: a key, the environment, or a file with keys.
const sent = `(?:\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)|(?:\$\(|` + "`" + `)\s*(?:printenv|env|set)\s*[)` + "`" + `|]|@\S*(?:\.env\b|\.ssh/|\.aws/|\.gnupg/|id_rsa|id_ed25519|\.netrc|credentials))`

// judges are those in whose place an agent looks at what was made.
const judges = `customer|visitor|reader|beginner|newcomer|reviewer|tester|student`

// harmless are the sentences that hold a phrase and mean no harm, by the names of the
// threats, in the same notation.
var harmless = map[string]string{
	"forced_action": `you must (?:\S+ ){0,3}(?:report (?:["“‘]|\x60|to (?:the |your |a )?(?:human|user|maintainers?|team|author|owner|reviewer)\b|(?:the|any|all|every|each|your|their|its|this|that|these|what|which|whether|both|exact|actual|back|test|tests|honestly|accurately|truthfully|verbatim)\b)|` +
		`register (?:the|any|all|every|each|new|your|a|an|its|it|them|this|these|both|custom)|connect (?:to )?(?:\S+ ){0,3}(?:database|db|redis|postgres|mysql|vpn|device|board|cluster|printer|account|wallet))\b`,
	"c2_heartbeat": `check in with (?:(?:the|your|our|my|its|a|an|any|all|human|project|core|other|each) )*(?:user|users|human|humans|partner|maintainers?|team|teams|teammates?|author|authors|owner|owners|reviewers?|` +
		`stakeholders?|manager|lead|leads|client|customer|customers|people|colleagues?|them|me|us|someone|everyone)\b`,
	"c2_task_pull": `pull … tasks? (?:context|details?|descriptions?|data|info|information|history|status|ids?|numbers?|definitions?|names?|titles?|notes?)\b|` +
		`pull (?:the |more |full )?(?:context|details?|descriptions?|history|status) (?:of|for|on) |` +
		`pull (?:.*\binto (?:in )?(?:progress|context|view)\b|.*\bfrom \x60?\.{1,2}[\w/]|requests?\b|in\b|up\b|out\b|.*\bfrom … (?:board|backlog|tracker|issues?|jira|linear|github|gitlab|trello|notion|asana|kanban|sprint|todo|list|plan|roadmap|project|spec|file|\S+\.md|\S+\.json|database|queue)\b)`,
	"role_hijack": `now (?:a|an|the) (?:[\w-]+,? ){0,2}(?:` + judges + `)\b`,
	"role_pretend": `(?:(?:never|not|n['’]t|without|avoid|stop|than|of) (?:\w+ )?pretend|pretend … (?:you are|to be) (?:\w+(?:ing|ed)|done|finished|working|sure|certain|able)\b|` +
		`pretend … (?:you are|to be) (?:a|an|the) (?:\w+ )?(?:user|client|` + judges + `)\b)`,
	"deception_hide":      `tell … the user (?:how )?to \w+|tell … the user (?:that )?(?:\S+ ){1,3}(?:is|are|works?|pass|passes|can|has|have) … (?:until|unless|before|without)\b`,
	"env_var_unset_agent": `unset (?:in|for|from|by|or|and|if|when|unless|on|within|inside)\b`,
	"read_secrets":        `(?:never|not|n['’]t|avoid|without|instead of|rather than) (?:(?:run|use|running|using|do|doing) )?["'` + "`" + `]?cat\b`,
}

// distant is a sentence that sends something to somewhere, which is never harmless.
var distant = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)://|\bwww\.|\S@\S|\bc2\b|\byourself\b|\b(?:to|with|at|as|from)\s+(?:[\w'’]+\s+){0,3}(?:server|host|controller|node|listener|operator|endpoint|webhook|beacon|attacker)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b`)
})

// in reports whether a text has the phrase in a place where it may do harm. examples says
// that quoted examples do none.
func (t threat) in(text string, examples bool) bool {
	request := strings.HasPrefix(t.id, "exfil_")
	if t.but == nil && !examples && !request {
		return t.re.MatchString(text)
	}
	for _, at := range t.re.FindAllStringIndex(text, -1) {
		switch {
		case (t.id == "hidden_div" || t.id == "html_comment_injection") && examples && shown(text, at[0]):
		case t.id == "read_secrets" && !t.re.MatchString(templates().ReplaceAllString(lineAt(text, at), "")):
		case request:
			if t.re.MatchString(skillguard.Unauthenticated(lineAt(text, at))) {
				return true
			}
		case examples && t.id != "read_secrets" && quoted(text, at):
		case t.but == nil:
			return true
		default:
			if s := sentence(text, at); !t.but.MatchString(s) || distant().MatchString(s) {
				return true
			}
		}
	}
	return false
}

// templates are names of files that only show which keys there are, and files that are written to.
var templates = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\S*\.env\.(?:\w+\.)?(?:example|sample|template|dist|defaults?)\b|>>?\s*\S+`)
})

// shown reports whether a place of a Markdown text lies in a block of code, where a reader sees
// what a page would hide.
func shown(text string, at int) bool {
	in, hidden := false, false // in a block, in a comment
	for line := range strings.Lines(text[:at]) {
		if fence := strings.TrimSpace(line); !hidden && (strings.HasPrefix(fence, "```") || strings.HasPrefix(fence, "~~~")) {
			in = !in
		}
		if !in {
			begins, ends := strings.LastIndex(line, "<!--"), strings.LastIndex(line, "-->")
			hidden = begins > ends || hidden && ends < 0
		}
	}
	return in
}

// lineAt returns the lines that a piece of a text is in.
func lineAt(text string, at []int) string {
	return text[strings.LastIndexByte(text[:at[0]], '\n')+1 : at[1]+untilAny(text[at[1]:], "\n")]
}

// mostOfSentence bounds a sentence on each side of a phrase, in bytes.
const mostOfSentence = 400

// sentence returns the sentence that a piece of a text is in, or what is near it.
func sentence(text string, at []int) string {
	before, after := text[max(0, at[0]-mostOfSentence):at[0]], text[at[1]:min(len(text), at[1]+mostOfSentence)]
	for _, end := range []string{". ", ".\n", "! ", "? ", "\n\n", "\n- ", "\n* "} {
		if i := strings.LastIndex(before, end); i >= 0 {
			before = before[i+len(end):]
		}
		if i := strings.Index(after, end); i >= 0 {
			after = after[:i]
		}
	}
	return before + text[at[0]:at[1]] + after
}

func untilAny(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}

// introduced are the words that come with an example of an attack.
var introduced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:such as|e\.g|for example|examples?|phrases?|patterns?|attacks?|attackers?|inject(?:s|ed|ion)?|detect(?:s|ed|ion)?|flag(?:s|ged)?|reject(?:s|ed)?|refuse[sd]?|suspicious|malicious|payloads?|adversarial|jailbreaks?|(?:reads?|looks?|sounds?) like|directives?|embedded|untrusted)\b`)
})

// quoted reports whether a piece of a text stands in quotes, in a line that speaks of examples.
func quoted(text string, at []int) bool {
	before, whole := afterLine(text[max(0, at[0]-mostOfSentence):at[0]])
	if !whole && at[0] > mostOfSentence {
		return false // too far from the start of its line to tell
	}
	after := text[at[1]:min(len(text), at[1]+mostOfSentence)]
	after = after[:untilAny(after, "\n")]
	in := false
	for _, q := range []string{`"`, "`"} {
		in = in || strings.Count(before, q)%2 == 1 && strings.Contains(after, q)
	}
	in = in || strings.LastIndex(before, "“") > strings.LastIndex(before, "”") && strings.Contains(after, "”")
	return in && !strings.Contains(text[at[0]:at[1]], "\n") && introduced().MatchString(before)
}

// afterLine returns what stands behind the last line end of a text, and whether it has one.
func afterLine(text string) (last string, has bool) {
	i := strings.LastIndexByte(text, '\n')
	return text[i+1:], i >= 0
}

// breaksCell reports whether a character is the place where a cell of a table may be broken:
// it stands alone, and not within a word.
func breaksCell(text string, i int, r rune) bool {
	if r != '\u200b' {
		return false
	}
	line := lineAt(text, []int{i, i + utf8.RuneLen(r)})
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return strings.HasPrefix(strings.TrimSpace(line), "|") && strings.Count(line, "\u200b") <= mostBreaks &&
		!(word(before) && word(after)) && !unseen.Hides(before) && !unseen.Hides(after)
}

// mostBreaks is how many such places a line has at most.
const mostBreaks = 8
