package pricing

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
)

// listText is the lists of prices; its head says how they are written.
//
//go:embed prices.txt
var listText string

// Override is a price that the user has set, in US dollars per million tokens as
// it was written. Without prices for the cache its tokens cost what the others do.
// With input and output at 0 the model counts as paid for.
type Override struct {
	// Key names the setting in errors, "pricing.1".
	Key string
	// Provider is an id, "" for every provider.
	Provider string
	// Model is a name, or "*" for every model of the provider.
	Model                                string
	Input, Output, CacheRead, CacheWrite string
}

// Error is an override that cannot be used.
type Error struct {
	// Key is the setting, "pricing.1.input".
	Key     string
	Problem string
}

// Error implements error.
func (e *Error) Error() string { return e.Key + " " + e.Problem }

// Table finds prices.
type Table struct {
	overrides []override
	sections  []section
}

// override is an [Override], read.
type override struct {
	key, provider, model string
	rates
}

// section is the list of one provider.
type section struct {
	names   []string // its id first
	hosts   []string
	vendors map[string]string // of a router: provider ids by the prefix of models
	checked time.Time
	address string
	peak    hours
	rows    []row
}

// row is the prices of one model, or of several that cost the same.
type row struct {
	models   []string  // canonical
	versions []version // by from, rising
}

// version is the prices from a day on. The first of a row has no day.
type version struct {
	from        time.Time
	usual, peak []tier // by above, falling; peak may be empty
}

// New makes a table of the built-in prices with the user's own in front. An
// error is an [*Error] that names the setting.
func New(overrides []Override) (*Table, error) {
	sections, err := parse(listText)
	if err != nil {
		return nil, fmt.Errorf("read the built-in prices: %w", err)
	}
	t := &Table{sections: sections}
	for i, o := range overrides {
		if o.Key == "" {
			o.Key = fmt.Sprintf("pricing.%d", i+1)
		}
		read, err := readOverride(o)
		if err != nil {
			return nil, err
		}
		if at := slices.IndexFunc(t.overrides, func(b override) bool { return b.provider == read.provider && b.model == read.model }); at >= 0 {
			return nil, &Error{o.Key + ".model", fmt.Sprintf("has prices in %s already: remove one of them", t.overrides[at].key)}
		}
		t.overrides = append(t.overrides, read)
	}
	return t, nil
}

func readOverride(o Override) (override, error) {
	r := override{key: o.Key, provider: plain(o.Provider), model: canonical(o.Model)}
	switch {
	case r.model == "":
		return r, &Error{o.Key + ".model", "is missing: name the model, or write *"}
	case r.model == "*" && r.provider == "":
		return r, &Error{o.Key + ".provider", "is missing: * is every model of one provider"}
	}
	for _, p := range []struct {
		name, text, instead string
		to                  *int64
	}{
		{"input", o.Input, "", &r.input},
		{"output", o.Output, "", &r.output},
		{"cache_read", o.CacheRead, o.Input, &r.read},
		{"cache_write", o.CacheWrite, o.Input, &r.write},
	} {
		text := strings.TrimSpace(p.text)
		if text == "" {
			text = strings.TrimSpace(p.instead)
		}
		if text == "" {
			return r, &Error{o.Key + "." + p.name, "is missing: say what a million tokens cost, or remove the entry"}
		}
		var err error
		if *p.to, err = parsePrice(text); err != nil {
			return r, &Error{o.Key + "." + p.name, err.Error()}
		}
	}
	r.long = r.write
	return r, nil
}

// plain is the form in which names of providers are compared.
func plain(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// canonical is the form in which models are compared: in small letters, without the
// "models/" of Google's ids, and with a dash in place of a point between digits,
// for makers and routers differ in that.
func canonical(model string) string {
	b := []byte(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(model)), "models/"))
	for i := 1; i+1 < len(b); i++ {
		if b[i] == '.' && digit(b[i-1]) && digit(b[i+1]) {
			b[i] = '-'
		}
	}
	return string(b)
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
