package chat

import (
	"encoding/json"
	"slices"
	"strings"

	"hermes-tui/providers"
)

// wireAbilities is what lists of models say about abilities. Services say it in
// different places.
type wireAbilities struct {
	Architecture struct {
		Input    words `json:"input_modalities"`
		Modality text  `json:"modality"` // like text+image->text
	} `json:"architecture"`
	Input        words        `json:"input_modalities"`
	Parameters   words        `json:"supported_parameters"`
	Capabilities capabilities `json:"capabilities"`
}

// vision reports whether images may be sent.
func (w *wireAbilities) vision() providers.Ability {
	inputs := w.Architecture.Input
	if inputs == nil {
		inputs = w.Input
	}
	if from, _, ok := strings.Cut(string(w.Architecture.Modality), "->"); ok && inputs == nil {
		inputs = strings.Split(from, "+")
	}
	if inputs != nil {
		return ableIf(slices.Contains(inputs, "image"))
	}
	return w.Capabilities.says("vision", "image_input", "multimodal")
}

// tools reports whether tools can be called.
func (w *wireAbilities) tools() providers.Ability {
	if w.Parameters != nil {
		return ableIf(slices.Contains(w.Parameters, "tools"))
	}
	return w.Capabilities.says("function_calling", "tools", "tool_use", "tool_calls", "trained_for_tool_use")
}

// reasoning reports whether reasoning can be asked for.
func (w *wireAbilities) reasoning() providers.Ability {
	if w.Parameters != nil {
		return ableIf(slices.Contains(w.Parameters, "reasoning") || slices.Contains(w.Parameters, "include_reasoning"))
	}
	return w.Capabilities.says("reasoning", "thinking")
}

func ableIf(yes bool) providers.Ability {
	if yes {
		return providers.Yes
	}
	return providers.No
}

// capabilities are abilities by name: a list of those that are there, or an object
// that says yes or no, in which an object is a yes.
type capabilities struct {
	named map[string]bool
	// complete tells that what is not named is not there.
	complete bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *capabilities) UnmarshalJSON(data []byte) error {
	*c = capabilities{named: map[string]bool{}}
	switch data[0] {
	case '[':
		var list words
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		c.complete = true
		for _, name := range list {
			c.named[name] = true
		}
	case '{':
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			return err
		}
		for name, value := range fields {
			if v := string(value); v == "true" || v == "false" || value[0] == '{' {
				c.named[name] = v != "false"
			}
		}
	}
	return nil
}

// says looks an ability up under all of its names.
func (c *capabilities) says(names ...string) providers.Ability {
	for _, name := range names {
		if yes, ok := c.named[name]; ok {
			return ableIf(yes)
		}
	}
	if c.complete {
		return providers.No
	}
	return providers.Unknown
}

// words are the texts of a list; anything else is none.
type words []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(data []byte) error {
	*w = nil
	if data[0] != '[' {
		return nil
	}
	var list []text
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*w = words{}
	for _, t := range list {
		*w = append(*w, string(t))
	}
	return nil
}

// wirePrice is what a service charges per token. Objects in other units have other
// fields and say nothing here.
type wirePrice struct {
	Prompt     amount `json:"prompt"`
	Completion amount `json:"completion"`
	CacheRead  amount `json:"input_cache_read"`
	CacheWrite amount `json:"input_cache_write"`
}

// UnmarshalJSON implements json.Unmarshaler. What is no object is no price.
func (w *wirePrice) UnmarshalJSON(data []byte) error {
	type fields wirePrice
	*w = wirePrice{}
	if data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, (*fields)(w))
}

// perToken gives the prices, nil if none is named.
func (w *wirePrice) perToken() *providers.ListPrice {
	p := providers.ListPrice{
		Input: string(w.Prompt), Output: string(w.Completion), CacheRead: string(w.CacheRead), CacheWrite: string(w.CacheWrite),
	}
	if p == (providers.ListPrice{}) {
		return nil
	}
	return &p
}

// amount is a number that is not negative, as it is written, also as text; anything
// else is none. Some lists write -1 for a price that depends.
type amount string

// UnmarshalJSON implements json.Unmarshaler.
func (a *amount) UnmarshalJSON(data []byte) error {
	*a = ""
	s := strings.TrimSpace(strings.Trim(string(data), `"`))
	if s == "" || len(s) > 40 || s[0] == '-' || strings.Trim(s, "0123456789.eE+-") != "" || !json.Valid([]byte(s)) {
		return nil
	}
	*a = amount(s)
	return nil
}
