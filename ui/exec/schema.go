package exec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxSchema bounds a schema, in bytes: it travels with the prompt.
const maxSchema = 256 << 10

// maxCorrections is how often an answer that does not fit is asked for again.
const maxCorrections = 2

// Schema is what an answer has to fit.
type Schema struct {
	text  string
	rules *jsonschema.Resolved
}

// NewSchema reads a JSON Schema (draft 2020-12 or 7). References to other documents are
// not followed.
func NewSchema(text []byte) (*Schema, error) {
	if len(text) > maxSchema {
		return nil, fmt.Errorf("a schema may have %d KB", maxSchema>>10)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("it is no JSON Schema: %w", err)
	}
	rules, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("it is a JSON Schema that cannot be used: %w", err)
	}
	var short bytes.Buffer
	if err := json.Compact(&short, text); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	return &Schema{short.String(), rules}, nil
}

// ask is what follows the prompt.
func (s *Schema) ask() string {
	return "\n\nYour last message must be one JSON value that fits this JSON Schema, and nothing else: no words around it.\n\n" + s.text
}

// fit gives the value of an answer, in the form in which it was written but without what
// stands around it, or why the answer does not fit.
func (s *Schema) fit(answer string) (string, error) {
	text := bare(answer)
	if text == "" {
		return "", errors.New("there is no JSON in it")
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return "", fmt.Errorf("it is not one JSON value: %w", err)
	}
	if err := s.rules.Validate(value); err != nil {
		return "", err
	}
	return text, nil
}

// bare takes away the fence in which models put what they are to write alone.
func bare(answer string) string {
	text := strings.TrimSpace(answer)
	first, rest, fenced := strings.Cut(text, "\n")
	mark, _, _ := strings.Cut(strings.ToLower(first), "json")
	mark = strings.TrimSpace(mark)
	if !fenced || len(mark) < 3 || strings.Trim(mark, "`") != "" && strings.Trim(mark, "~") != "" || !strings.HasSuffix(rest, mark) {
		return text
	}
	return strings.TrimSpace(strings.TrimSuffix(rest, mark))
}

// correction asks for an answer again.
func correction(wrong error) string {
	return "That does not fit the JSON Schema: " + oneLine(wrong.Error()) + "\n\nAnswer with the corrected JSON value, and nothing else."
}
