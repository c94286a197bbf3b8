package pricing

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// The lists are what they claim to be.
func TestLists(t *testing.T) {
	sections, err := parse(listText)
	if err != nil {
		t.Fatal(err)
	}
	var ids, names []string
	for _, s := range sections {
		ids = append(ids, s.names[0])
		for _, n := range slices.Concat(s.names, s.hosts) {
			if n == "" || n != plain(n) || slices.Contains(names, n) {
				t.Errorf("%s: name %q", s.names[0], n)
			}
			names = append(names, n)
		}
		if u, err := url.Parse(s.address); err != nil || u.Scheme != "https" || u.Host == "" || s.checked.Year() < 2026 || len(s.hosts) == 0 {
			t.Errorf("%s: address %s, day %s", s.names[0], s.address, s.checked)
		}
		if len(s.rows) == 0 {
			t.Errorf("%s has no models", s.names[0])
		}
		var models []string
		for _, r := range s.rows {
			models = append(models, r.models...)
			for i, v := range r.versions {
				if i > 0 && !r.versions[i-1].from.Before(v.from) || i == 0 && !v.from.IsZero() {
					t.Errorf("%s: prices from %s", r.models[0], v.from)
				}
				if len(v.peak) > 0 && (s.peak.first == 0 || len(v.usual) > 1) {
					t.Errorf("%s: peak prices without hours, or with bounds", r.models[0])
				}
				checkTiers(t, s.names[0]+" "+r.models[0], v.usual)
				if len(v.peak) > 0 {
					checkTiers(t, s.names[0]+" "+r.models[0], v.peak)
				}
			}
		}
		slices.Sort(models)
		if n := len(models); len(slices.Compact(models)) != n {
			t.Errorf("%s: a model stands in the list twice", s.names[0])
		}
		if p := s.peak; p.first != 0 && (p.first < 1 || p.last > 7 || p.first > p.last || len(p.spans) == 0) {
			t.Errorf("%s: peak hours %+v", s.names[0], p)
		}
	}
	for _, s := range sections {
		for prefix, id := range s.vendors {
			if !slices.Contains(ids, id) || strings.Contains(prefix, "/") {
				t.Errorf("%s: vendor %s %s", s.names[0], prefix, id)
			}
		}
	}
}

// checkTiers finds figures that stand in the wrong place.
func checkTiers(t *testing.T, name string, tiers []tier) {
	t.Helper()
	if last := tiers[len(tiers)-1]; last.above != -1 || last.input <= 0 || last.output < last.input {
		t.Errorf("%s: %+v", name, last)
	}
	for i, r := range tiers {
		if i > 0 && tiers[i-1].above <= r.above {
			t.Errorf("%s: bounds %d and %d", name, tiers[i-1].above, r.above)
		}
		if r.input == Missing {
			continue
		}
		if i > 0 && tiers[i-1].input != Missing && tiers[i-1].input < r.input {
			t.Errorf("%s: cheaper above %d", name, tiers[i-1].above)
		}
		if r.read != Missing && r.read >= r.input || r.write != Missing && r.write < r.input/2 || r.long != Missing && (r.write == Missing || r.long <= r.write) {
			t.Errorf("%s: caches %+v", name, r.rates)
		}
	}
}

func TestParsePrice(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1_000_000, "2.50": 2_500_000, ".5": 500_000, "5.": 5_000_000, "0.003625": 3625, "0.000001": 1, "1000000": 1_000_000_000_000, "1000000.0": 1_000_000_000_000, "00000000000000000000000002": 2_000_000,
		"": -1, ".": -1, "-1": -1, "+1": -1, "1e3": -1, "0.0000001": -1, "1000000.000001": -1, "1000001": -1, "1,5": -1, "1_0": -1, "$1": -1, "1.2.3": -1, "99999999999999999999999": -1, "٣": -1,
	} {
		got, err := parsePrice(text)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

func TestParseDollars(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "0.0149": 14_900_000_000, "1.2e-05": 12_000_000, "1E0": 1_000_000_000_000, "0.00000000000049": 0, "0.0000000000005": 1, "0.00012345000000000001": 123_450_000,
		"9000000": 9_000_000_000_000_000_000, "0e64": 0,
		"": -1, "-0.1": -1, "null": -1, "NaN": -1, "Infinity": -1, "1e999999999": -1, "1e65": -1, "9000001": -1, "1/2": -1, "0x1": -1, "1_000": -1, "1e": -1, "e5": -1, "1.2.3": -1,
		strings.Repeat("9", 65): -1, "0." + strings.Repeat("0", 70): -1,
	} {
		got, err := ParseDollars(text)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

func FuzzParseDollars(f *testing.F) {
	f.Add("0.0149")
	f.Add("1.2e-05")
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseDollars(s); n < 0 || n > 9_000_000*dollar || err != nil && n != 0 {
			t.Errorf("%q: %d, %v", s, n, err)
		}
	})
}
