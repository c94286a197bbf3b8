package clarify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/tools"
)

// asked is a question as the model writes it.
type asked struct {
	Question string `json:"question"`
	Choices  []any  `json:"choices"`
	Multi    bool   `json:"multi"`
}

// arguments are those of a call.
type arguments struct {
	Question  string  `json:"question"`
	Choices   []any   `json:"choices"`
	Multi     bool    `json:"multi"`
	Questions []asked `json:"questions"`
}

// question is a question as the user gets it.
type question struct {
	text    string
	choices []string // nil: a free answer
	// multi is how the model wants the answer: as a list.
	multi bool
}

// several reports whether there is something to take several of.
func (q question) several() bool { return q.multi && len(q.choices) > 0 }

func (a asked) question() question {
	return question{text: strings.TrimSpace(a.Question), choices: offered(a.Choices), multi: a.Multi}
}

// batch reports whether the model gets a list of answers.
func (a arguments) batch() bool { return len(a.Questions) > 0 }

// list gives the questions of a call as they stand. A question beside a batch is the
// first of it, unless the batch repeats it.
func (a arguments) list() []question {
	var list []question
	for _, q := range a.Questions {
		list = append(list, q.question())
	}
	first := asked{a.Question, a.Choices, a.Multi}.question()
	if first.text == "" || slices.ContainsFunc(list, func(q question) bool { return q.text == first.text }) {
		return list
	}
	return append([]question{first}, list...)
}

// questions gives the questions of a call, at least one. The error is written for
// the model.
func (a arguments) questions() ([]question, error) {
	list := a.list()
	if len(list) == 0 {
		return nil, errors.New("question is required")
	}
	if len(list) > maxQuestions {
		return nil, fmt.Errorf("%d questions are too many at once, %d are possible; nothing was asked. Ask the ones that matter most first", len(list), maxQuestions)
	}
	for i, q := range list {
		if q.text == "" {
			return list, fmt.Errorf("question %d of the batch is empty; nothing was asked", i+1)
		}
	}
	return list, nil
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
