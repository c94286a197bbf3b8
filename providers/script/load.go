package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/providers"
)

// maxInt bounds whole numbers that have no smaller limit of their own.
const maxInt = math.MaxInt32

// maxFile bounds a scenario file in bytes.
const maxFile = 16 << 20

// LoadError says what is wrong with a scenario file.
type LoadError struct {
	File string
	// Line is the one it is about, 0 where that is not known.
	Line    int
	Problem string
	// Cause is set when the file could not be read.
	Cause error
}

// Error implements error.
func (e *LoadError) Error() string {
	line := ""
	if e.Line > 0 {
		line = fmt.Sprintf(", line %d", e.Line)
	}
	return fmt.Sprintf("scenario %s%s: %s", e.File, line, e.Problem)
}

// Unwrap returns the cause.
func (e *LoadError) Unwrap() error { return e.Cause }

// Load reads a scenario file. Errors are [*LoadError].
func Load(path string) (*Scenario, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		return nil, &LoadError{File: path, Problem: "the file is larger than 16 MB"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		reason := err
		if e, ok := errors.AsType[*os.PathError](err); ok {
			reason = e.Err
		}
		problem := fmt.Sprintf("it cannot be read (%v); check the path", reason)
		return nil, &LoadError{File: path, Problem: problem, Cause: err}
	}
	return Parse(path, data)
}

// Parse reads a scenario from JSON. The file name is for errors, which are [*LoadError], and
// names the scenario when nothing else does.
func Parse(file string, data []byte) (*Scenario, error) {
	in := scenarioFile{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
	err := errors.New("the file is larger than 16 MB")
	if len(data) <= maxFile {
		err = strictly(data, &in)
	}
	var s *Scenario
	if err == nil {
		s, err = in.scenario()
	}
	if err != nil {
		return nil, &LoadError{File: file, Line: lineOf(data, err), Problem: err.Error()}
	}
	return s, nil
}

// lineOf returns the line of an error of syntax, or of the first place of an unknown key. It
// returns 0 for other errors, which name the field or the rule.
func lineOf(data []byte, err error) int {
	at := -1
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = int(e.Offset)
	} else if _, key, ok := strings.Cut(err.Error(), "unknown field "); ok {
		at = bytes.Index(data, []byte(key))
	}
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
}

// strictly decodes one JSON value and refuses keys that it does not know.
func strictly(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("it is not a scenario: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("it is not a scenario: there is more behind it")
	}
	return nil
}

// The form of scenarios in files. See the package.
type (
	scenarioFile struct {
		Schema         string      `json:"$schema"`
		Note           string      `json:"note"`
		Name           string      `json:"name"`
		Rate           float64     `json:"rate"`
		Split          int         `json:"split"`
		ReasoningField string      `json:"reasoning_field"`
		Models         []modelFile `json:"models"`
		Rules          []ruleFile  `json:"rules"`
	}
	ruleFile struct {
		Note  string      `json:"note"`
		Match Match       `json:"match"`
		Times *int        `json:"times"`
		Steps *[]stepFile `json:"steps"`
	}
	stepFile struct {
		Note      string            `json:"note"`
		Rate      *float64          `json:"rate"`
		Split     *int              `json:"split"`
		Text      *string           `json:"text"`
		Reasoning *string           `json:"reasoning"`
		Tokens    *tokensFile       `json:"tokens"`
		Call      *callFile         `json:"call"`
		Usage     orWord[usageFile] `json:"usage"`
		Finish    *string           `json:"finish"`
		Sleep     *int              `json:"sleep_ms"`
		Stall     orWord[int]       `json:"stall"`
		Error     *failureFile      `json:"error"`
		Cut       orWord[struct{}]  `json:"cut"`
		Raw       *string           `json:"raw"`
		RawBase64 *[]byte           `json:"raw_base64"`
		Malformed *bool             `json:"malformed"`
		Keepalive *int              `json:"keepalive"`
		Open      *bool             `json:"open"`
	}
	tokensFile struct {
		N         int      `json:"n"`
		Rate      *float64 `json:"rate"`
		Split     int      `json:"split"`
		Kind      Kind     `json:"kind"`
		Seed      uint32   `json:"seed"`
		Reasoning bool     `json:"reasoning"`
	}
	callFile struct {
		Name    string          `json:"name"`
		ID      string          `json:"id"`
		Args    json.RawMessage `json:"args"`
		RawArgs *string         `json:"raw_args"`
	}
	usageFile struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cache_read"`
		CacheWrite int64 `json:"cache_write"`
		Reasoning  int64 `json:"reasoning"`
	}
	failureFile struct {
		Status     int               `json:"status"`
		Message    string            `json:"message"`
		Type       string            `json:"type"`
		Code       string            `json:"code"`
		Body       json.RawMessage   `json:"body"`
		HTML       string            `json:"html"`
		WithID     bool              `json:"with_id"`
		Headers    map[string]string `json:"headers"`
		RetryAfter float64           `json:"retry_after"`
	}
)

// modelFile is a model, or its name alone.
type modelFile Model

// UnmarshalJSON implements [json.Unmarshaler].
func (m *modelFile) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &m.ID)
	}
	type object struct {
		ID            string `json:"id"`
		ContextLength int    `json:"context_length"`
	}
	var in object
	err := strictly(data, &in)
	*m = modelFile(in)
	return err
}

// orWord is a value, or in its place true or a word.
type orWord[T any] struct {
	given bool
	yes   bool
	word  string
	value T
}

// UnmarshalJSON implements [json.Unmarshaler].
func (o *orWord[T]) UnmarshalJSON(data []byte) error {
	o.given = true
	switch {
	case string(data) == "true":
		o.yes = true
		return nil
	case data[0] == '"':
		return json.Unmarshal(data, &o.word)
	}
	return strictly(data, &o.value)
}

func (in *scenarioFile) scenario() (*Scenario, error) {
	s := &Scenario{Name: in.Name, Rate: in.Rate, Split: in.Split, ReasoningField: in.ReasoningField}
	if in.Rate < 0 {
		return nil, errors.New("rate is at least 0")
	}
	for _, m := range in.Models {
		if m.ID == "" {
			return nil, errors.New("a model needs an id")
		}
		s.Models = append(s.Models, Model(m))
	}
	for i, r := range in.Rules {
		rule := Rule{Match: r.Match}
		if r.Times != nil {
			rule.Times = *r.Times
		}
		if r.Times != nil && *r.Times < 1 || r.Steps == nil {
			return nil, fmt.Errorf("rules[%d]: times is at least 1, and a rule needs steps, which may be empty", i)
		}
		for j, step := range *r.Steps {
			out, err := step.step()
			if err != nil {
				return nil, fmt.Errorf("rules[%d].steps[%d]: %w", i, j, err)
			}
			rule.Steps = append(rule.Steps, out)
		}
		s.Rules = append(s.Rules, rule)
	}
	return s, s.Validate()
}

// actions are the keys of which a step has one.
func actions() []string {
	return []string{"text", "reasoning", "tokens", "call", "usage", "finish", "sleep_ms", "stall", "error", "cut",
		"raw", "raw_base64", "malformed", "keepalive", "open"}
}

// step returns the one thing that a step does.
func (in *stepFile) step() (Step, error) {
	list := append(in.said(), in.sent()...)
	if len(list) != 1 {
		return nil, fmt.Errorf("a step has one of the keys %s, not %d", strings.Join(actions(), ", "), len(list))
	}
	s := list[0]
	if in.Rate != nil || in.Split != nil {
		p := Pace{Rate: stepRate(in.Rate)}
		if in.Split != nil {
			p.Split = *in.Split
		}
		switch step := s.(type) {
		case Text:
			step.Pace = p
			s = step
		case Reasoning:
			step.Pace = p
			s = step
		case Call:
			step.Pace = p
			s = step
		default:
			return nil, errors.New("rate and split belong to text, reasoning and call; in tokens they stand inside")
		}
	}
	if bad, ok := s.(wrong); ok {
		return nil, bad
	}
	return s, s.check()
}

// wrong is a step that cannot be read.
type wrong struct{ error }

func (w wrong) check() error { return w }

// stepRate reads a rate where absent means the scenario's: 0 is at once.
func stepRate(rate *float64) float64 {
	switch {
	case rate == nil:
		return 0
	case *rate == 0:
		return -1
	}
	return *rate
}

// said are the steps that make an answer.
func (in *stepFile) said() (list []Step) {
	if in.Text != nil {
		list = append(list, Text{Text: *in.Text})
	}
	if in.Reasoning != nil {
		list = append(list, Reasoning{Text: *in.Reasoning})
	}
	if t := in.Tokens; t != nil {
		pace := Pace{Rate: stepRate(t.Rate), Split: t.Split}
		list = append(list, Tokens{N: t.N, Kind: t.Kind, Seed: t.Seed, Reasoning: t.Reasoning, Pace: pace})
	}
	if in.Call != nil {
		list = append(list, in.Call.step())
	}
	if u := in.Usage; u.yes || u.word != "" && u.word != omitted {
		list = append(list, wrong{errors.New(`usage is an object or "none"`)})
	} else if u.given {
		v := u.value
		list = append(list, Usage{Omit: u.word == omitted, Usage: providers.Usage{
			Input: v.Input, Output: v.Output, CacheRead: v.CacheRead, CacheWrite: v.CacheWrite, Reasoning: v.Reasoning,
		}})
	}
	if in.Finish != nil && *in.Finish == omitted {
		list = append(list, Finish{Omit: true})
	} else if in.Finish != nil {
		list = append(list, Finish{Reason: *in.Finish})
	}
	return list
}

// omitted is the word for leaving something out that is there by default.
const omitted = "none"

// sent are the steps that are about the connection.
func (in *stepFile) sent() (list []Step) {
	if in.Sleep != nil {
		list = append(list, Sleep{For: time.Duration(*in.Sleep) * time.Millisecond})
	}
	if s := in.Stall; s.given && (s.yes || s.value > 0) {
		list = append(list, Stall{For: time.Duration(s.value) * time.Millisecond})
	} else if s.given {
		list = append(list, wrong{errors.New("stall is true or at least 1")})
	}
	if in.Error != nil {
		list = append(list, in.Error.step())
	}
	if c := in.Cut; c.given && c.yes {
		list = append(list, CutReset)
	} else if c.given {
		list = append(list, Cut(c.word))
	}
	if in.Raw != nil {
		list = append(list, Raw(*in.Raw))
	}
	if in.RawBase64 != nil {
		list = append(list, Raw(*in.RawBase64))
	}
	if in.Keepalive != nil {
		list = append(list, Keepalive{N: *in.Keepalive})
	}
	for given, s := range map[*bool]Step{in.Malformed: Malformed{}, in.Open: Open{}} {
		if given != nil && *given {
			list = append(list, s)
		}
	}
	return list
}

func (in *callFile) step() Step {
	s := Call{Name: in.Name, ID: in.ID, Args: "{}"}
	switch {
	case in.Args != nil && in.RawArgs != nil:
		return wrong{errors.New("a call has either args or raw_args")}
	case in.RawArgs != nil:
		s.Args = *in.RawArgs
	case in.Args != nil && in.Args[0] != '{':
		return wrong{errors.New("args is an object; raw_args takes any text")}
	case in.Args != nil:
		s.Args = compact(in.Args)
	}
	return s
}

func (in *failureFile) step() Step {
	s := Failure{
		Status: in.Status, Message: in.Message, Type: in.Type, Code: in.Code, HTML: in.HTML, WithID: in.WithID,
		Header: in.Headers,
	}
	if in.RetryAfter < 0 || in.RetryAfter > maxPause.Seconds() {
		return wrong{fmt.Errorf("retry_after is from 0 to %v seconds", maxPause.Seconds())}
	}
	s.RetryAfter = time.Duration(in.RetryAfter * float64(time.Second))
	var text string
	switch {
	case in.Body == nil:
	case json.Unmarshal(in.Body, &text) == nil:
		s.Body = []byte(text)
	default:
		s.Body = []byte(compact(in.Body))
	}
	return s
}

// compact returns a JSON value without the blanks between its parts.
func compact(value json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return string(value)
	}
	return b.String()
}
