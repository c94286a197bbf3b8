package script

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"strings"
)

// maxInt bounds whole numbers that have no smaller limit of their own.
const maxInt = math.MaxInt32

// Parse reads a scenario from JSON. The file name is for errors, which are
// [*LoadError], and names the scenario when nothing else does.
func Parse(file string, data []byte) (*Scenario, error) {
	if len(data) > maxFile {
		return nil, &LoadError{File: file, Problem: "the file is larger than 16 MB"}
	}
	root, err := parseNodes(file, data)
	if err != nil {
		return nil, err
	}
	s := &Scenario{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
	err = root.each(func(key string, v *node) error {
		switch key {
		case "$schema", "note":
			return v.text(new(string))
		case "name":
			return v.text(&s.Name)
		case "rate":
			return v.rate(&s.Rate)
		case "split":
			return v.integer(&s.Split, maxInt)
		case "reasoning_field":
			return v.reasoningField(&s.ReasoningField)
		case "models":
			return v.models(&s.Models)
		case "rules":
			return v.rules(&s.Rules)
		}
		return errUnknownKey
	})
	if err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, root.fail("%v", err)
	}
	return s, nil
}

// rate reads tokens per second.
func (n *node) rate(into *float64) error {
	if err := n.number(into); err != nil {
		return err
	}
	if *into < 0 || *into > 1e6 {
		return n.fail("must be from 0 to 1000000 tokens per second")
	}
	return nil
}

func (n *node) reasoningField(into *string) error {
	if err := n.text(into); err != nil {
		return err
	}
	if *into != "reasoning" && *into != "reasoning_content" {
		return n.fail(`must be "reasoning_content" or "reasoning"`)
	}
	return nil
}

func (n *node) list() ([]*node, error) {
	if n.token != json.Delim('[') {
		return nil, n.fail("must be an array")
	}
	return n.items, nil
}

func (n *node) models(into *[]Model) error {
	items, err := n.list()
	if err != nil {
		return err
	}
	for _, item := range items {
		var m Model
		if _, ok := item.token.(string); ok {
			err = item.text(&m.ID)
		} else {
			err = item.each(func(key string, v *node) error {
				switch key {
				case "id":
					return v.text(&m.ID)
				case "context_length":
					return v.integer(&m.ContextLength, maxInt)
				}
				return errUnknownKey
			})
		}
		if err != nil {
			return err
		}
		if m.ID == "" {
			return item.fail("a model needs an id")
		}
		*into = append(*into, m)
	}
	return nil
}

func (n *node) rules(into *[]Rule) error {
	items, err := n.list()
	if err != nil {
		return err
	}
	for _, item := range items {
		var r Rule
		steps := false
		err := item.each(func(key string, v *node) error {
			switch key {
			case "note":
				return v.text(new(string))
			case "match":
				return v.match(&r.Match)
			case "times":
				return v.atLeastOne(&r.Times)
			case "steps":
				steps = true
				return v.steps(&r.Steps)
			}
			return errUnknownKey
		})
		if err != nil {
			return err
		}
		if !steps {
			return item.fail("a rule needs steps; an empty array is an empty answer")
		}
		*into = append(*into, r)
	}
	return nil
}

func (n *node) atLeastOne(into *int) error {
	if err := n.integer(into, maxInt); err != nil {
		return err
	}
	if *into == 0 {
		return n.fail("must be at least 1")
	}
	return nil
}

func (n *node) match(into *Match) error {
	return n.each(func(key string, v *node) error {
		switch key {
		case "user":
			return v.pattern(&into.User)
		case "tool_result":
			return v.pattern(&into.ToolResult)
		case "tool":
			return v.text(&into.Tool)
		case "results":
			into.Results = new(int)
			return v.integer(into.Results, maxInt)
		case "system":
			return v.pattern(&into.System)
		case "tools":
			into.Tools = new(bool)
			return v.boolean(into.Tools)
		case "nth":
			return v.atLeastOne(&into.Nth)
		}
		return errUnknownKey
	})
}

// pattern reads a regular expression.
func (n *node) pattern(into *string) error {
	if err := n.text(into); err != nil {
		return err
	}
	if _, err := regexp.Compile(*into); err != nil {
		return n.fail("%v", err)
	}
	return nil
}

// compact is the JSON text of a value without the blanks between its parts.
func (n *node) compact() string {
	var b bytes.Buffer
	if err := json.Compact(&b, n.raw); err != nil {
		return string(n.raw)
	}
	return b.String()
}
