package tools

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Integer is an integer argument of a call. It reads every JSON form of a whole
// number (3, 3.0, 3e0); one that an int cannot hold becomes the nearest that it
// can. Null leaves it as it is.
type Integer int

// UnmarshalJSON implements [json.Unmarshaler].
func (i *Integer) UnmarshalJSON(raw []byte) error {
	kind := kindOf(raw)
	if kind == "null" {
		return nil
	}
	if kind != "number" {
		return &json.UnmarshalTypeError{Value: kind, Type: reflect.TypeFor[int]()}
	}
	text, whole := integerText(string(raw))
	if !whole {
		return &json.UnmarshalTypeError{Value: "number " + clip(string(raw)), Type: reflect.TypeFor[int]()}
	}
	// Out of range, Atoi gives the nearest int beside its error.
	n, _ := strconv.Atoi(text)
	*i = Integer(n)
	return nil
}

// decimal is a number as it was written: sign, digits around the point, and the
// exponent's text with its sign.
type decimal struct {
	negative        bool
	whole, fraction string
	exponent        string // empty: none
}

// parseDecimal reads a decimal number with optional sign, point and exponent.
// Numbers that a float64 cannot hold are refused.
func parseDecimal(text string) (decimal, bool) {
	var d decimal
	rest := text
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		d.negative = rest[0] == '-'
		rest = rest[1:]
	}
	d.whole, rest = digits(rest)
	if strings.HasPrefix(rest, ".") {
		d.fraction, rest = digits(rest[1:])
	}
	if d.whole == "" && d.fraction == "" {
		return d, false
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		sign := ""
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			sign, rest = rest[:1], rest[1:]
		}
		var power string
		if power, rest = digits(rest); power == "" {
			return d, false
		}
		d.exponent = sign + power
	}
	if rest != "" {
		return d, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return d, err == nil && !math.IsInf(f, 0)
}

// digits splits leading decimal digits off.
func digits(s string) (number, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// numberText gives the JSON form of a number with all its digits.
func numberText(text string) (string, bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return "", false
	}
	var b strings.Builder
	if d.negative {
		b.WriteByte('-')
	}
	whole := strings.TrimLeft(d.whole, "0")
	if whole == "" {
		whole = "0"
	}
	b.WriteString(whole)
	if d.fraction != "" {
		b.WriteString("." + d.fraction)
	}
	if d.exponent != "" {
		b.WriteString("e" + d.exponent)
	}
	return b.String(), true
}

// integerText gives a number without remainder as plain digits.
func integerText(text string) (string, bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return "", false
	}
	point := len(d.whole)
	all := d.whole + d.fraction
	kept := strings.TrimLeft(all, "0")
	point -= len(all) - len(kept)
	kept = strings.TrimRight(kept, "0")
	if kept == "" {
		return "0", true
	}
	if d.exponent != "" {
		power, err := strconv.Atoi(d.exponent)
		if err != nil || power < -len(text) {
			return "", false
		}
		point += power
	}
	// The number is finite, so at most 309 digits stand before the point.
	if point < len(kept) {
		return "", false
	}
	whole := kept + strings.Repeat("0", point-len(kept))
	if d.negative {
		whole = "-" + whole
	}
	return whole, true
}
