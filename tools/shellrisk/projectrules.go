package shellrisk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ProjectRulesFile is where a project keeps its rules, below the root of the
// workspace. Writing to it is always asked about.
const ProjectRulesFile = ".hermes/rules.yaml"

// maxProjectRules bounds the file, in bytes.
const maxProjectRules = 64 << 10

// ProjectRules reads the rules of a project. They may forbid and ask; what
// allows something is left out and named in ignored, one sentence each, as is
// what the file has besides rules. The caller passes the text of a folder that
// the user trusts, and no other.
//
// The file has the form of the settings' section:
//
//	deny: ["terminal(git push *)"]
//	ask: ["write_file(migrations/**)"]
//	rules:
//	  - deny: terminal(terraform apply *)
//	    examples: [terraform apply -auto-approve]
//	    not: [terraform plan]
//	    reason: applying is done by the pipeline
func ProjectRules(data []byte) (specs []RuleSpec, ignored []string, err error) {
	if len(data) > maxProjectRules {
		return nil, nil, fmt.Errorf("%s is larger than %d bytes: make it shorter", ProjectRulesFile, maxProjectRules)
	}
	root, err := projectTree(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read: %w", ProjectRulesFile, err)
	}
	if root == nil {
		return nil, nil, nil
	}
	p := projectReader{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if err := p.section(root.Content[i], root.Content[i+1]); err != nil {
			return nil, nil, fmt.Errorf("%s, %w", ProjectRulesFile, err)
		}
	}
	return p.specs, p.ignored, nil
}

// projectTree parses the file; an empty one gives nil.
func projectTree(data []byte) (root *yaml.Node, err error) {
	defer func() {
		// The parser panics on input that trips its own consistency checks.
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("%v", p)
		}
	}()
	var doc yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil, nil
	}
	if root = doc.Content[0]; root.Kind != yaml.MappingNode {
		return nil, errors.New(`it must hold sections, as "deny:" with a list below`)
	}
	return root, nil
}

type projectReader struct {
	specs   []RuleSpec
	ignored []string
}

func atLine(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", n.Line, fmt.Sprintf(format, args...))
}

func (p *projectReader) ignore(n *yaml.Node, format string, args ...any) {
	p.ignored = append(p.ignored, fmt.Sprintf("%s, line %d: %s", ProjectRulesFile, n.Line, fmt.Sprintf(format, args...)))
}

// section reads one of the lists.
func (p *projectReader) section(key, value *yaml.Node) error {
	switch key.Value {
	case "rules", "ask", "deny", "allow":
	default:
		p.ignore(key, "%s is no list of rules and was ignored", showKey(key))
		return nil
	}
	if value.Tag == "!!null" {
		return nil
	}
	if value.Kind != yaml.SequenceNode {
		return atLine(value, "%s must be a list", key.Value)
	}
	for _, entry := range value.Content {
		s := RuleSpec{Where: fmt.Sprintf("%s, line %d", ProjectRulesFile, entry.Line)}
		var err error
		if key.Value == "rules" {
			err = p.rule(entry, &s)
		} else {
			err = s.set(key.Value, entry)
		}
		if err != nil {
			return err
		}
		if s.Allow != "" && s.Ask == "" && s.Deny == "" {
			p.ignore(entry, "a project cannot allow anything, %s was ignored", ruleText(s))
			continue
		}
		p.specs = append(p.specs, s)
	}
	return nil
}

// rule reads an entry of the list of rules.
func (p *projectReader) rule(n *yaml.Node, s *RuleSpec) error {
	if n.Kind != yaml.MappingNode {
		return atLine(n, "an entry of rules must have allow, ask or deny in it")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var err error
		switch key.Value {
		case "allow", "ask", "deny", "reason":
			err = s.set(key.Value, value)
		case "examples":
			s.Examples, err = texts(value)
		case "not":
			s.Not, err = texts(value)
		default:
			p.ignore(key, "%s is nothing that a rule has and was ignored", showKey(key))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func showKey(n *yaml.Node) string {
	text := []rune(strings.ReplaceAll(Canonical(n.Value), "\n", " "))
	return string(text[:min(len(text), 40)])
}

// set gives one field its text.
func (s *RuleSpec) set(field string, n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
		return atLine(n, "%s must be a text like terminal(git push *)", field)
	}
	switch field {
	case "allow":
		s.Allow = n.Value
	case "ask":
		s.Ask = n.Value
	case "deny":
		s.Deny = n.Value
	case "reason":
		s.Reason = n.Value
	}
	return nil
}

func texts(n *yaml.Node) ([]string, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, atLine(n, "examples must be a list of texts")
	}
	var list []string
	for _, c := range n.Content {
		if c.Kind != yaml.ScalarNode || c.Tag != "!!str" {
			return nil, atLine(c, "an example must be a text")
		}
		list = append(list, c.Value)
	}
	return list, nil
}
