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

// parse reads price lists; the head of prices.txt describes the format. The tests hold that
// the lists are well formed: another one may panic.
func parse(text string) (sections []section, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
		case words[0] == "provider":
			s := section{names: strings.Split(words[1], ","), vendors: map[string]string{}, address: words[3]}
			s.checked, err = time.Parse(time.DateOnly, words[2])
			sections = append(sections, s)
		default:
			err = sections[len(sections)-1].line(words)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	return sections, nil
}

// line reads a line of a list.
func (s *section) line(words []string) (err error) {
	switch word, rest := words[0], words[1:]; {
	case word == "host":
		s.hosts = append(s.hosts, rest...)
		return nil
	case word == "vendor":
		s.vendors[rest[0]] = rest[1]
		return nil
	case word == "peak" && len(rest) == 2:
		return s.hours(rest[0], rest[1])
	}
	prices, err := readRates(words[len(words)-5:])
	if err != nil {
		return err
	}
	switch words[0] {
	case "peak":
		s.last().peak = []tier{{-1, prices}}
	case "above":
		above, err := strconv.ParseInt(words[1], 10, 64)
		v := s.last()
		v.usual = slices.Insert(v.usual, 0, tier{above, prices})
		return err
	case "from":
		day, err := time.Parse(time.DateOnly, words[1])
		r := &s.rows[len(s.rows)-1]
		r.versions = append(r.versions, version{from: day, usual: []tier{{-1, prices}}})
		return err
	default:
		models := strings.Split(words[0], ",")
		for i, m := range models {
			models[i] = canonical(m)
		}
		s.rows = append(s.rows, row{models: models, versions: []version{{usual: []tier{{-1, prices}}}}})
	}
	return nil
}

// last returns the prices that the list has read last.
func (s *section) last() *version {
	r := &s.rows[len(s.rows)-1]
	return &r.versions[len(r.versions)-1]
}

// hours reads when peak prices hold.
func (s *section) hours(days, spans string) error {
	_, err := fmt.Sscanf(days, "%d-%d", &s.peak.first, &s.peak.last)
	for span := range strings.SplitSeq(spans, ",") {
		var from, to int
		if _, bad := fmt.Sscanf(span, "%d-%d", &from, &to); bad != nil {
			err = bad
		}
		s.peak.spans = append(s.peak.spans, [2]int{from, to})
	}
	return err
}

// readRates reads the prices of a line.
func readRates(words []string) (r rates, err error) {
	for i, to := range []*int64{&r.input, &r.output, &r.read, &r.write, &r.long} {
		if *to = Missing; words[i] == "-" {
			continue
		}
		if *to, err = parsePrice(words[i]); err != nil {
			return r, fmt.Errorf("%s %w", words[i], err)
		}
	}
	return r, nil
}
