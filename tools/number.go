package tools

import (
	"cmp"
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"hermes-tui/tools/lazyregexp"
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

// decimal splits a number into sign, digits before and behind the point, and exponent.
var decimal = lazyregexp.New(`^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$`)

// parseDecimal returns the parts that decimal names. Numbers that a float64 cannot hold are
// refused.
func parseDecimal(text string) (parts []string, ok bool) {
	parts = decimal.FindStringSubmatch(text)
	if parts == nil || parts[2]+parts[3] == "" {
		return nil, false
	}
	_, err := strconv.ParseFloat(text, 64)
	return parts, err == nil
}

// numberText returns the JSON form of a number with all its digits.
func numberText(text string) (string, bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return "", false
	}
	made := strings.TrimPrefix(d[1], "+") + cmp.Or(strings.TrimLeft(d[2], "0"), "0")
	if d[3] != "" {
		made += "." + d[3]
	}
	if d[4] != "" {
		made += "e" + d[4]
	}
	return made, true
}

// integerText returns a number without remainder as plain digits.
func integerText(text string) (string, bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return "", false
	}
	if strings.Trim(d[2]+d[3], "0") == "" {
		return "0", true
	}
	// Exponents are as large as the digits allow: the number is finite, and one further below
	// has a remainder.
	if power, err := strconv.Atoi(cmp.Or(d[4], "0")); err != nil || power < -len(text) {
		return "", false
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok || !n.IsInt() {
		return "", false
	}
	return n.Num().String(), true
}
