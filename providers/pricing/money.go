package pricing

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Missing stands for a price that is not known.
const Missing int64 = -1

// The units of amounts.
const (
	dollar    = 1_000_000_000_000  // trillionths of one
	perToken  = dollar / 1_000_000 // for one token at $1 per million
	maxPrice  = 1_000_000          // dollars per million tokens
	precision = 6                  // digits behind the point of a price
)

var errPrice = errors.New("must be US dollars for a million tokens, like 2.50, at most 1000000 and with up to six digits behind the point")

// parsePrice reads dollars per million tokens, as trillionths per token: digits,
// of which up to six may stand behind a point.
func parsePrice(s string) (int64, error) {
	whole, rest, _ := strings.Cut(s, ".")
	if len(rest) > precision || whole+rest == "" || strings.Trim(whole+rest, "0123456789") != "" {
		return 0, errPrice
	}
	dollars, err := strconv.ParseInt("0"+strings.TrimLeft(whole, "0"), 10, 64)
	if err != nil || dollars > maxPrice {
		return 0, errPrice
	}
	millionths, err := strconv.ParseInt(rest+strings.Repeat("0", precision-len(rest)), 10, 64)
	if err != nil || dollars == maxPrice && millionths > 0 {
		return 0, errPrice
	}
	return dollars*perToken + millionths, nil
}

var errAmount = errors.New("not an amount of US dollars")

// ParseDollars reads what a service says a call cost, a JSON number of dollars
// such as 0.0149 or 1.2e-05, rounded to a trillionth. Negative amounts and those
// above nine million dollars are errors, for no one means them.
func ParseDollars(s string) (int64, error) {
	const longest, widest = 64, 64
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(s), "e")
	if len(s) > longest || strings.Trim(mantissa, "0123456789.") != "" {
		return 0, errAmount
	}
	if scaled {
		if e, err := strconv.Atoi(exponent); err != nil || e < -widest || e > widest {
			return 0, errAmount
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, errAmount
	}
	r.Mul(r, big.NewRat(dollar, 1)).Add(r, big.NewRat(1, 2))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() || n.Int64() > 9_000_000*dollar {
		return 0, errAmount
	}
	return n.Int64(), nil
}

// times multiplies two numbers that are not negative, and stops at the largest.
func times(tokens, price int64) int64 {
	high, low := bits.Mul64(uint64(tokens), uint64(price))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// plus adds two numbers that are not negative, and stops at the largest.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
