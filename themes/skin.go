package themes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-tui/tools/spelling"
)

// A skin file, as far as it is more than colours.
const (
	keyInherits   = "inherits"
	keyAbout      = "description"
	keyBackground = "background"
	keyColors     = "colors"
	keyColors256  = "colors_256"
	keyColors16   = "colors_16"
)

// passed are keys of Hermes Agent for what this screen does not have; name is the name
// of the file here.
var passed = []string{"name", "banner_logo", "banner_hero", "tool_prefix", "tool_emojis", "spinner", "branding"}

// ProblemError says what is wrong with a skin, and where.
type ProblemError struct {
	File string
	Line int // from 1, 0 for the file as a whole
	What string
}

// Error implements error.
func (e *ProblemError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.What
	}
	return fmt.Sprintf("%s, line %d: %s", e.File, e.Line, e.What)
}

// skin is a skin file as it was read.
type skin struct {
	inherits, about string
	inheritsAt      int // the line
	background      *Color
	colors          [3]map[string]Color // by meaning, for true colour, 256 and 16
}

// parseSkin reads a skin file. Its errors are [*ProblemError], without the file.
func parseSkin(text []byte) (skin, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return skin{}, syntaxProblem(err)
	}
	if len(doc.Content) == 0 {
		return skin{}, nil // all of it is inherited
	}
	var s skin
	known := slices.Concat([]string{keyInherits, keyAbout, keyBackground, keyColors, keyColors256, keyColors16}, passed)
	err := each(doc.Content[0], known, "a key of a skin", "", func(key string, n *yaml.Node) (err error) {
		switch key {
		case keyInherits:
			s.inheritsAt = n.Line
			return scalar(n, key, &s.inherits)
		case keyAbout:
			return scalar(n, key, &s.about)
		case keyBackground:
			s.background = new(Color)
			return colour(n, key, s.background)
		case keyColors:
			s.colors[0], err = colours(n, key, true)
		case keyColors256:
			s.colors[1], err = colours(n, key, false)
		case keyColors16:
			s.colors[2], err = colours(n, key, false)
		}
		return err
	})
	return s, err
}

// colours reads a block of colours. Those of Hermes Agent may be among them; what is
// called as it is here counts more.
func colours(n *yaml.Node, block string, foreign bool) (map[string]Color, error) {
	var own, others []string
	for _, m := range Meanings() {
		own = append(own, m.Name)
	}
	if foreign {
		for _, f := range Foreigns() {
			others = append(others, f.Name)
		}
	}
	read := map[string]Color{}
	err := each(n, slices.Concat(own, others), "a colour of a skin", block+".", func(key string, n *yaml.Node) error {
		var c Color
		err := colour(n, block+"."+key, &c)
		read[key] = c
		return err
	})
	if err != nil {
		return nil, err
	}
	set := map[string]Color{}
	for _, f := range Foreigns() {
		if c, is := read[f.Name]; is {
			for _, as := range f.As {
				set[as] = c
			}
		}
	}
	for _, name := range own {
		if c, is := read[name]; is {
			set[name] = c
		}
	}
	return set, nil
}

// each goes through a section. A key that is not known, or stands twice, is an error;
// it is not what.
func each(n *yaml.Node, known []string, what, path string, do func(key string, value *yaml.Node) error) error {
	n = target(n)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		section := strings.TrimSuffix(path, ".")
		if section == "" {
			section = "the file"
		}
		return &ProblemError{Line: n.Line, What: section + " must hold keys with values, as \"accent: red\""}
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		name := key.Value
		if !slices.Contains(known, name) {
			text := fmt.Sprintf("%q is not %s", clip(path+name), what)
			if near := Nearest(name, known); near != "" {
				text += "; do you mean " + path + near + "?"
			}
			return &ProblemError{Line: key.Line, What: text}
		}
		if seen[name] {
			return &ProblemError{Line: key.Line, What: path + name + " stands here for the second time"}
		}
		seen[name] = true
		if err := do(name, target(n.Content[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// clip cuts what a file calls something to a length that can be shown.
func clip(s string) string { return fmt.Sprintf("%.60s", s) }

// target is what an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func scalar(n *yaml.Node, key string, to *string) error {
	if n.Kind != yaml.ScalarNode {
		return &ProblemError{Line: n.Line, What: key + " must be one text"}
	}
	*to = strings.TrimSpace(n.Value)
	return nil
}

func colour(n *yaml.Node, key string, to *Color) error {
	var text string
	if err := scalar(n, key, &text); err != nil {
		return err
	}
	if n.Tag == "!!null" {
		text = ""
	}
	c, err := parseColor(text)
	if err != nil {
		return &ProblemError{Line: n.Line, What: key + ": " + err.Error()}
	}
	*to = c
	return nil
}

// syntaxProblem takes the line out of an error of the parser.
func syntaxProblem(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if n, _ := fmt.Sscanf(text, "line %d:", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
		return &ProblemError{Line: line, What: "this is no YAML: " + text}
	}
	return &ProblemError{What: "this is no YAML: " + text}
}

// over is a theme with the changes of a skin. Where the skin says nothing about 256
// colours, those nearest to its own stand in, but for backgrounds: the nearest to those
// are too strong, or none.
func (s skin) over(parent Scheme) Scheme {
	t := parent
	if s.about != "" {
		t.About = s.about
	}
	if s.background != nil {
		t.Background = *s.background
		if t.Background != "" {
			t.Dark = luminance(t.Background) < halfway
		}
	}
	for _, m := range Meanings() {
		if c, set := s.colors[0][m.Name]; set {
			*m.of(&t.True) = c
			if !m.behind() {
				*m.of(&t.Palette256) = in256(c)
			}
		}
		if c, set := s.colors[1][m.Name]; set {
			*m.of(&t.Palette256) = c
		}
		if c, set := s.colors[2][m.Name]; set {
			*m.of(&t.Palette16) = c
		}
	}
	for i, to := range []*Theme{&t.True, &t.Palette256, &t.Palette16} {
		to.Mono = to.Mono && len(s.colors[i]) == 0 && (i != 1 || len(s.colors[0]) == 0)
	}
	return t
}

// base is what a skin changes that does not say: the theme for dark terminals, unless its
// background is light or its text is dark.
func (s skin) base() string {
	text, set := s.colors[0]["text"]
	switch {
	case s.background != nil && *s.background != "":
		return Fitting(luminance(*s.background) < halfway).Name
	case set && text != "":
		return Fitting(luminance(text) >= halfway).Name
	}
	return Fitting(true).Name
}

// Nearest is which of some words was probably meant, empty for none.
func Nearest(word string, words []string) string {
	best, least := "", max(len(word)/3, 1)+1
	for _, w := range words {
		if n := spelling.Distance(word, w, least); n < least {
			best, least = w, n
		}
	}
	return best
}

var errNoSkin = errors.New("no such theme")
