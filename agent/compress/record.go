package compress

import (
	"fmt"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Past is what a summary is made of.
type Past struct {
	// Earlier is the summary of what was left out before.
	Earlier string
	// Messages are what is left out now, as they were.
	Messages []providers.Message
	// Room is the size of the summary in tokens.
	Room int
	// Focus is what the user wants kept above all; empty for nothing of that kind.
	Focus string
	// Notes are what the summary should keep besides, from what remembers; data, as the
	// messages are.
	Notes string
	// Draft is a summary of it that was written already; Focus says what to change in it.
	Draft string
	// Recent are the newest texts of the user among what stays, oldest first.
	Recent []string
}

// Summarised puts a summary that a model wrote in the place of the record. What is
// too long for its room is cut; an empty one changes nothing.
func (e *Engine) Summarised(r Result, summary string) Result {
	i := slices.IndexFunc(r.History, func(m providers.Message) bool { return m.Role == providers.User })
	if summary = quoted(summary, r.Past.Room*charsPerToken); summary == "" || r.Messages == 0 || i < 0 {
		return r
	}
	r.History, r.Replaced = slices.Clone(r.History), slices.Clone(r.Replaced)
	r.put(i, noted(r.History[i], func(n *notice) { n.summary = summary }))
	return r
}

// Summary is what the model gets in place of what was left out, empty when there is
// nothing.
func Summary(history []providers.Message) string {
	i := slices.IndexFunc(history, func(m providers.Message) bool { return m.Role == providers.User })
	if i < 0 {
		return ""
	}
	said, _ := tools.Detach(history[i].Text())
	_, n := splitNotice(said)
	return n.summary
}

// quoted makes a text one that can stand in a notice, of at most so many characters.
func quoted(text string, most int) string {
	text = strings.NewReplacer("[note from the program", "(note from the program", "[end of the note]", "(end of the note)").Replace(text)
	text = strings.TrimSpace(text)
	if longer(text, most) {
		const mark = "\n… (cut)"
		text = strings.TrimSpace(shorten.Runes(text, max(most-len(mark), 0))) + mark
	}
	if longer(text, most) {
		return ""
	}
	return text
}

// The bounds of a record, in characters.
const (
	longRecord = 8_000
	longAsked  = 300
	longSaid   = 200
)

// step is one line of a record.
type step struct {
	text   string
	weight int // of lines that do not fit, those of the least weight go first
}

// record lists what was asked, done and answered in the messages that are left out.
func (w *work) record(gone []bool) string {
	most := min(w.room*charsPerToken, longRecord)
	if most == 0 {
		return ""
	}
	var steps []step
	add := func(weight int, text string) {
		if text != "" && (len(steps) == 0 || steps[len(steps)-1].text != text) {
			steps = append(steps, step{text, weight})
		}
	}
	for i := range gone {
		m := &w.old[i]
		if !gone[i] {
			continue
		}
		switch m.Role {
		case providers.User:
			said, _ := tools.Detach(m.Text())
			add(2, entry("The user: ", said, longAsked))
		case providers.Tool:
			body, said := w.said.split(m.Text())
			body, _ = tools.Unfence(body)
			add(0, w.e.oneLine(w.calls[i], body))
			add(2, entry("The user, meanwhile: ", strings.NewReplacer(w.said.open, "", w.said.close, "").Replace(said), longAsked))
		default:
			if len(m.Calls) == 0 {
				add(1, entry("Answer: ", m.Text(), longSaid))
			}
		}
	}
	earlier := w.earlier()
	if earlier != "" {
		earlier = quoted(earlier, most/2) + "\n"
	}
	return quoted(earlier+listed(steps, most-len([]rune(earlier))), most)
}

func entry(who, text string, n int) string {
	if text = shorten.Line(text, n); text == "" {
		return ""
	}
	return who + text
}

// listed writes steps in at most so many characters: those of little weight go first, and
// of these the oldest.
func listed(steps []step, most int) string {
	size := 0
	for _, s := range steps {
		size += len([]rune(s.text)) + len("- \n")
	}
	const rest = 60 // for the line that counts what is missing
	gone := 0
	for weight := 0; weight <= 2 && size > most; weight++ {
		for i := range steps {
			if s := &steps[i]; size > most-rest && s.weight == weight {
				size -= len([]rune(s.text)) + len("- \n")
				s.text = ""
				gone++
			}
		}
	}
	var b strings.Builder
	for _, s := range steps {
		if s.text != "" {
			b.WriteString("- " + s.text + "\n")
		}
	}
	if gone > 0 {
		fmt.Fprintf(&b, "- and %s", tools.Plural(gone, "more step", "more steps"))
	}
	return b.String()
}
