package pricing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hours are times of the week, in UTC.
type hours struct {
	first, last int // ISO weekdays, 1 is Monday; 0 is no day
	spans       [][2]int
}

// contains reports whether a moment is within the hours; no moment is not.
func (h hours) contains(at time.Time) bool {
	if at.IsZero() || h.first == 0 {
		return false
	}
	at = at.UTC()
	day := (int(at.Weekday())+6)%7 + 1
	if day < h.first || day > h.last {
		return false
	}
	return slices.ContainsFunc(h.spans, func(s [2]int) bool { return s[0] <= at.Hour() && at.Hour() < s[1] })
}

// priceCount is the number of prices on a line.
const priceCount = 5

// reader reads the lists.
type reader struct {
	sections []section
	// above is the bound of the last tier, -1 right behind a model or a date.
	above int64
}

// parse reads price lists; the head of prices.txt says how they are written.
func parse(text string) ([]section, error) {
	var r reader
	n := 0
	for line := range strings.Lines(text) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if err := r.line(words); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return r.sections, nil
}

func (r *reader) line(words []string) error {
	if words[0] == "provider" {
		return r.provider(words[1:])
	}
	if len(r.sections) == 0 {
		return fmt.Errorf("%s before any provider", words[0])
	}
	s := &r.sections[len(r.sections)-1]
	switch words[0] {
	case "host":
		s.hosts = append(s.hosts, words[1:]...)
		return nil
	case "vendor":
		if len(words) != 3 {
			return fmt.Errorf("vendor takes a prefix and a provider")
		}
		if s.vendors == nil {
			s.vendors = map[string]string{}
		}
		s.vendors[words[1]] = words[2]
		return nil
	case "peak":
		if len(words) == 3 {
			return s.hours(words[1], words[2])
		}
		return r.tier(s, true, "", words[1:])
	case "above":
		if len(words) < 2 {
			return fmt.Errorf("above takes a number of tokens")
		}
		return r.tier(s, false, words[1], words[2:])
	case "from":
		return r.from(s, words[1:])
	}
	return r.model(s, words)
}

func (r *reader) provider(words []string) error {
	if len(words) != 3 {
		return fmt.Errorf("provider takes names, a date and an address")
	}
	day, err := time.Parse(time.DateOnly, words[1])
	if err != nil {
		return fmt.Errorf("date: %w", err)
	}
	r.sections = append(r.sections, section{names: strings.Split(words[0], ","), checked: day, address: words[2]})
	return nil
}

func (s *section) hours(days, spans string) error {
	if _, err := fmt.Sscanf(days, "%d-%d", &s.peak.first, &s.peak.last); err != nil {
		return fmt.Errorf("days: %w", err)
	}
	for span := range strings.SplitSeq(spans, ",") {
		var from, to int
		if _, err := fmt.Sscanf(span, "%d-%d", &from, &to); err != nil {
			return fmt.Errorf("hours: %w", err)
		}
		s.peak.spans = append(s.peak.spans, [2]int{from, to})
	}
	return nil
}

func (r *reader) model(s *section, words []string) error {
	prices, err := readRates(words[1:])
	if err != nil {
		return err
	}
	models := strings.Split(words[0], ",")
	for i, m := range models {
		models[i] = canonical(m)
		if slices.Contains(models[:i], models[i]) || slices.ContainsFunc(s.rows, func(other row) bool { return slices.Contains(other.models, models[i]) }) {
			return fmt.Errorf("%s stands in the list already", m)
		}
	}
	s.rows = append(s.rows, row{models: models, versions: []version{{usual: []tier{{-1, prices}}}}})
	r.above = -1
	return nil
}

func (r *reader) from(s *section, words []string) error {
	if len(s.rows) == 0 || len(words) == 0 {
		return fmt.Errorf("from takes a date, behind a model")
	}
	day, err := time.Parse(time.DateOnly, words[0])
	if err != nil {
		return fmt.Errorf("date: %w", err)
	}
	prices, err := readRates(words[1:])
	if err != nil {
		return err
	}
	last := &s.rows[len(s.rows)-1]
	if !last.versions[len(last.versions)-1].from.Before(day) {
		return fmt.Errorf("dates must rise")
	}
	last.versions = append(last.versions, version{from: day, usual: []tier{{-1, prices}}})
	r.above = -1
	return nil
}

// tier reads prices for long prompts, or for peak hours. Both do not go together.
func (r *reader) tier(s *section, peak bool, above string, words []string) error {
	if len(s.rows) == 0 {
		return fmt.Errorf("a tier before any model")
	}
	prices, err := readRates(words)
	if err != nil {
		return err
	}
	last := &s.rows[len(s.rows)-1]
	v := &last.versions[len(last.versions)-1]
	if peak {
		if s.peak.first == 0 || len(v.peak) > 0 || r.above >= 0 {
			return fmt.Errorf("peak prices without hours, a second time, or with tiers")
		}
		v.peak = []tier{{-1, prices}}
		return nil
	}
	n, err := strconv.ParseInt(above, 10, 64)
	if err != nil || n <= r.above || len(v.peak) > 0 {
		return fmt.Errorf("bounds must be numbers that rise, without peak prices")
	}
	r.above = n
	v.usual = slices.Insert(v.usual, 0, tier{n, prices})
	return nil
}

func readRates(words []string) (rates, error) {
	if len(words) != priceCount {
		return rates{}, fmt.Errorf("%d prices instead of %d", len(words), priceCount)
	}
	var all [priceCount]int64
	for i, w := range words {
		if w == "-" {
			all[i] = Missing
			continue
		}
		p, err := parsePrice(w)
		if err != nil {
			return rates{}, fmt.Errorf("%s %w", w, err)
		}
		all[i] = p
	}
	return rates{all[0], all[1], all[2], all[3], all[4]}, nil
}
