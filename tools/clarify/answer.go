package clarify

import (
	"fmt"
	"strings"

	"hermes-tui/tools"
)

// What the model is told when no one answers, and when some questions of a batch
// are left open.
const (
	noAnswer = "The user gave no answer. Go on with the choice that is easiest to take back, and say which one you made, or stop if there is none."
	leftOpen = "The user left this question open. Go on with the choice that is easiest to take back, and say which one you made."
)

// answered is a question and what the user says to it.
type answered struct {
	Question string   `json:"question"`
	Offered  []string `json:"choices_offered"`
	// Response is a string, a list of them where several may be taken, or nil: there
	// is no answer.
	Response any    `json:"user_response"`
	Note     string `json:"note,omitempty"`
}

// answers are those of a batch.
type answers struct {
	Answers []answered `json:"answers"`
	Note    string     `json:"note,omitempty"`
}

// given gives what the user said to each question; an entry without anything is a
// question without an answer.
func given(list []question, a tools.Answer) [][]string {
	parts := make([][]string, len(list))
	if a.Choice != tools.ChoiceText {
		return parts
	}
	from := a.Parts
	if len(from) == 0 && len(list) == 1 {
		from = [][]string{{a.Text}}
	}
	for i := range min(len(parts), len(from)) {
		for _, text := range from[i] {
			if text = strings.TrimSpace(text); text != "" {
				parts[i] = append(parts[i], text)
			}
		}
	}
	return parts
}

// reply is what the model gets.
func reply(list []question, parts [][]string, batch bool) any {
	all := answers{}
	open := 0
	for i, q := range list {
		r := answered{Question: q.text, Offered: q.choices}
		switch {
		case len(parts[i]) == 0:
			open++
			r.Note = leftOpen
		case q.multi:
			r.Response = parts[i]
		default:
			r.Response = strings.Join(parts[i], ", ")
		}
		all.Answers = append(all.Answers, r)
	}
	if open == len(list) { // said once
		for i := range all.Answers {
			all.Answers[i].Note = ""
		}
		all.Note = noAnswer
	}
	if batch {
		return all
	}
	one := all.Answers[0]
	one.Note = all.Note
	return one
}

// summary is what the user said, on one row.
func summary(parts [][]string) string {
	var said []string
	for _, p := range parts {
		if len(p) > 0 {
			said = append(said, strings.Join(p, ", "))
		}
	}
	switch {
	case len(said) == 0:
		return "no answer"
	case len(said) < len(parts):
		return fmt.Sprintf("%d of %d answered: %s", len(said), len(parts), strings.Join(said, " · "))
	}
	return strings.Join(said, " · ")
}

// body lists the questions of a batch with their answers for a reader; one alone
// has its answer in the row.
func body(list []question, parts [][]string) string {
	if len(list) < 2 {
		return ""
	}
	var b strings.Builder
	for i, q := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(q.text + "\n")
		if len(parts[i]) == 0 {
			b.WriteString("  (left open)\n")
		}
		for _, text := range parts[i] {
			b.WriteString("  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}
