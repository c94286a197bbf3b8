package modelcache

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hermes-tui/providers"
)

const (
	// listVersion is the version of the file of lists.
	listVersion = 1

	mostListBytes = 8 << 20
	mostLists     = 64
	mostModels    = 10_000
	mostText      = 500 // bytes of a name or a price
	mostTokens    = 1 << 40
	// clockSlack is how far in the future a list may be, for clocks that are set.
	clockSlack = time.Minute
)

// lists is the file of lists.
type lists struct {
	Version int             `json:"version"`
	Entries map[string]list `json:"entries"`
}

// list is what an endpoint answered at a time.
type list struct {
	At     time.Time         `json:"at"`
	Models []providers.Model `json:"models"`
}

// parseLists reads the file. Of a later version it gives nothing but the version.
// Entries that no Put would have made are left out.
func parseLists(data []byte) (lists, error) {
	l := lists{Version: listVersion, Entries: map[string]list{}}
	if len(data) == 0 {
		return l, nil
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return l, err
	}
	switch {
	case head.Version > listVersion:
		l.Version = head.Version
		return l, nil
	case head.Version != listVersion:
		return l, errors.New("it names no version")
	}
	var all struct {
		Entries map[string]json.RawMessage `json:"entries"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return l, err
	}
	for k, raw := range all.Entries {
		var e list
		if json.Unmarshal(raw, &e) == nil && checkModels("", e.Models) == nil {
			l.Entries[k] = e
		}
	}
	return l, nil
}

// encode writes the file, without the oldest lists if there are too many or they take
// too much. The list under the key first is there in any case; it is an error if it does
// not fit.
func (l lists) encode(first string, now time.Time) ([]byte, error) {
	l.Version = listVersion
	// Those of the future come from a clock that was wrong.
	age := func(k string) time.Duration {
		d := now.Sub(l.Entries[k].At)
		switch {
		case k == first:
			return -1 << 63
		case d < -clockSlack:
			return 1<<63 - 1
		}
		return d
	}
	keys := make([]string, 0, len(l.Entries))
	for k := range l.Entries {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(age(a), age(b)), strings.Compare(a, b))
	})
	size := len(`{"version":1,"entries":{}}`)
	kept := map[string]json.RawMessage{}
	for _, k := range keys {
		raw, err := json.Marshal(l.Entries[k])
		if err != nil {
			return nil, fmt.Errorf("write a list of models: %w", err)
		}
		if size += len(raw) + 2*len(k) + len(`"":,`); len(kept) == mostLists || size > mostListBytes {
			break
		}
		kept[k] = raw
	}
	if len(kept) == 0 {
		return nil, errTooLarge
	}
	return json.Marshal(struct {
		Version int                        `json:"version"`
		Entries map[string]json.RawMessage `json:"entries"`
	}{listVersion, kept})
}

// checkModels reports whether a list is fit to be kept.
func checkModels(path string, models []providers.Model) error {
	if len(models) == 0 || len(models) > mostModels {
		return invalid(path, "a list of %d models is not kept", len(models))
	}
	for _, m := range models {
		if err := checkModel(m); err != nil {
			return invalid(path, "%w", err)
		}
	}
	return nil
}

func checkModel(m providers.Model) error {
	texts := []string{m.ID, m.Name}
	if m.Price != nil {
		texts = append(texts, m.Price.Input, m.Price.Output, m.Price.CacheRead, m.Price.CacheWrite)
	}
	for _, s := range texts {
		if len(s) > mostText || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			return errors.New("a model has a text that is too long or no text")
		}
	}
	for _, n := range []int{m.ContextMax, m.OutputMax} {
		if n < 0 || n > mostTokens {
			return fmt.Errorf("%d is no number of tokens", n)
		}
	}
	for _, a := range []providers.Ability{m.Vision, m.Tools, m.Reasoning} {
		if a < 0 || a > 2 {
			return fmt.Errorf("%d is no answer", a)
		}
	}
	if m.ID == "" {
		return errors.New("a model has no name")
	}
	return nil
}

// copyModels copies a list, so that callers may change theirs.
func copyModels(models []providers.Model) []providers.Model {
	out := slices.Clone(models)
	for i := range out {
		if p := out[i].Price; p != nil {
			copied := *p
			out[i].Price = &copied
		}
	}
	return out
}
