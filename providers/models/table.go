package models

import (
	_ "embed"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes-tui/providers"
)

// text is what is known about models; its head says how it is written.
//
//go:embed models.txt
var text string

// table is the text, read when it is first needed. It never changes. A test holds
// that it can be read.
var table = sync.OnceValue(func() modelTable {
	t, _ := readModels(text)
	return t
})

// modelTable is what is known about models. It keeps the entries under the first word of
// their names, so that a look-up compares only those of one family.
type modelTable struct {
	sizes  entries[family]
	asks   entries[Ask]
	blocks []block
}

// entries are what is known, by the first word of the part of a name.
type entries[T any] map[string][]entry[T]

// entry holds for all models with a part in their name.
type entry[T any] struct {
	part string // canonical
	// provider is the only one at which it holds, "" for all.
	provider string
	is       T
}

// family is the size of a model and what it can do.
type family struct {
	context, output int // tokens, 0 if not known

	sees, calls, reasons providers.Ability
}

// block is where the entries of a part of the text come from.
type block struct {
	dates     []time.Time
	addresses []string
	entries   int
}

// canonical brings a model's name into the form that is compared: small letters,
// without what stands before the last slash, and with a dash for a point between
// digits. One host writes "p" for such a point.
func canonical(model string) string {
	model = strings.ToLower(model)
	fireworks := strings.Contains(model, "fireworks/")
	b := []byte(strings.TrimSpace(model[strings.LastIndexByte(model, '/')+1:]))
	for i := 1; i+1 < len(b); i++ {
		if (b[i] == '.' || fireworks && b[i] == 'p') && isDigit(b[i-1]) && isDigit(b[i+1]) {
			b[i] = '-'
		}
	}
	return string(b)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// wordAt is the word of letters at the beginning of s.
func wordAt(s string) string {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	return s[:n]
}

// find is the entry with the longest part in a model's name. Entries for the provider
// count more than all others.
func find[T any](in entries[T], provider, model string) (is T, ok bool) {
	name := canonical(model)
	var best entry[T]
	for at := 0; at < len(name); {
		if !isLetter(name[at]) {
			at++
			continue
		}
		word := wordAt(name[at:])
		// A part begins where neither a letter nor a digit stands before it.
		if at == 0 || !isDigit(name[at-1]) {
			for _, f := range in[word] {
				if f.provider != "" && f.provider != provider || !fits(f.part, name[at:]) {
					continue
				}
				own, had := f.provider != "", best.provider != ""
				if !ok || own && !had || own == had && len(f.part) > len(best.part) {
					best, ok = f, true
				}
			}
		}
		at += len(word)
	}
	return best.is, ok
}

// fits reports whether a name goes on with a part that ends where a word or a number
// does. Behind a part as short as o1 there must be neither.
func fits(part, name string) bool {
	rest, ok := strings.CutPrefix(name, part)
	if !ok || rest == "" {
		return ok
	}
	last, next := part[len(part)-1], rest[0]
	return !(isDigit(last) && isDigit(next) || isLetter(next) && (isLetter(last) || len(part) == 2))
}

// readModels reads the text. What stands before a line that cannot be read is kept.
func readModels(text string) (modelTable, error) {
	r := modelReader{table: modelTable{sizes: entries[family]{}, asks: entries[Ask]{}}, fresh: true}
	n := 0
	for line := range strings.Lines(text) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if err := r.line(words); err != nil {
			return r.table, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return r.table, nil
}

type modelReader struct {
	table    modelTable
	provider string
	// fresh tells that the next source begins a block.
	fresh bool
}

func (r *modelReader) line(words []string) error {
	switch words[0] {
	case "source":
		return r.source(words[1:])
	case "at":
		if len(words) != 2 || r.fresh {
			return fmt.Errorf("at takes a provider, behind a source")
		}
		r.provider = words[1]
		return nil
	case "ask":
		return r.ask(words[1:])
	}
	if len(r.table.blocks) == 0 {
		return fmt.Errorf("%s before any source", words[0])
	}
	r.fresh = true
	r.table.blocks[len(r.table.blocks)-1].entries++
	return r.model(words)
}

func (r *modelReader) source(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("source takes a date and an address")
	}
	day, err := time.Parse(time.DateOnly, words[0])
	if err != nil {
		return fmt.Errorf("date: %w", err)
	}
	for _, w := range words[1:] {
		if u, err := url.Parse(w); err != nil || u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("%s is no address", w)
		}
	}
	if r.fresh {
		r.table.blocks = append(r.table.blocks, block{})
		r.fresh, r.provider = false, ""
	}
	b := &r.table.blocks[len(r.table.blocks)-1]
	b.dates, b.addresses = append(b.dates, day), append(b.addresses, words[1:]...)
	return nil
}

func (r *modelReader) model(words []string) error {
	if len(words) != 6 {
		return fmt.Errorf("%d words instead of 6", len(words))
	}
	var f family
	var err error
	for i, to := range []*int{&f.context, &f.output} {
		if *to, err = readTokens(words[1+i]); err != nil {
			return err
		}
	}
	for i, to := range []*providers.Ability{&f.sees, &f.calls, &f.reasons} {
		if *to, err = readAbility(words[3+i]); err != nil {
			return err
		}
	}
	if f.context < f.output {
		return fmt.Errorf("%s: an answer larger than the window", words[0])
	}
	return add(r.table.sizes, words[0], r.provider, f)
}

// add files what holds for parts of names.
func add[T any](to entries[T], parts, provider string, is T) error {
	for part := range strings.SplitSeq(parts, ",") {
		word := wordAt(part)
		if word == "" || part != canonical(part) {
			return fmt.Errorf("%q is not in the form that is compared", part)
		}
		if slices.ContainsFunc(to[word], func(o entry[T]) bool { return o.part == part && o.provider == provider }) {
			return fmt.Errorf("%s stands in the list already", part)
		}
		to[word] = append(to[word], entry[T]{part, provider, is})
	}
	return nil
}

// readTokens reads a figure; 0 for one that is not known.
func readTokens(s string) (int, error) {
	if s == "-" {
		return 0, nil
	}
	const least, most = 1_024, 10_000_000
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s is no number of tokens", s)
	}
	return n, nil
}

func readAbility(s string) (providers.Ability, error) {
	switch s {
	case "-":
		return providers.Unknown, nil
	case "yes":
		return providers.Yes, nil
	case "no":
		return providers.No, nil
	}
	return providers.Unknown, fmt.Errorf("%s is neither yes nor no", s)
}
