package format

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
)

// Cost writes what model calls cost, and how well that is known: "$0.42" as the
// provider said, "~$0.42" by a list of prices, "≥$0.42" when some of the calls have
// no known price, "included" when nothing is to be paid, "n/a" when nothing is
// known. It is empty before the first call. Every cost that people see is written
// here.
func Cost(u event.Usage) string {
	if text := CostBrief(u); text != "" {
		return text
	}
	switch {
	case u.Unpriced > 0:
		return "n/a"
	case u.Calls <= 0:
		return ""
	case u.Included == u.Calls:
		return "included"
	case u.Actual > 0:
		return "$0.00"
	}
	return "~$0.00"
}

// CostBrief is [Cost] for places where only an amount is worth its room: it is empty
// where there is none.
func CostBrief(u event.Usage) string {
	if u.Cost <= 0 {
		return ""
	}
	amount := Dollars(u.Cost)
	switch {
	case u.Unpriced > 0 && amount == least:
		return "≥$0.00"
	case u.Unpriced > 0:
		return "≥" + amount
	case amount == least, u.Calls > 0 && u.Status() == event.CostActual:
		return amount
	}
	return "~" + amount
}

// least is an amount below a cent.
const least = "<$0.01"

// Dollars writes an amount in at most eight characters: "<$0.01", "$0.08", "$12.50",
// "$123", "$12k". Nothing and less is "$0.00".
func Dollars(m event.Money) string {
	const cent = event.Dollar / 100
	cents := int64(max(m, 0) / cent)
	if m > 0 && m%cent >= cent/2 {
		cents++
	}
	switch {
	case cents == 0 && m > 0:
		return least
	case cents >= 100_000:
		return "$" + Tokens(cents/100)
	case cents >= 10_000:
		return "$" + strconv.FormatInt(cents/100, 10)
	}
	return "$" + strconv.FormatInt(cents/100, 10) + "." + two(cents%100)
}

// Rate writes a price with as many decimals as it needs, two to four unless it is
// round: "$3", "$0.15", "$0.0125", "<$0.0001".
func Rate(m event.Money) string {
	const unit = int64(event.Dollar) / 10_000
	n := (int64(m) + unit/2) / unit
	if n == 0 && m > 0 {
		return "<$0.0001"
	}
	whole, part := n/10_000, strconv.FormatInt(n%10_000+10_000, 10)[1:]
	part = strings.TrimRight(part, "0")
	switch len(part) {
	case 0:
		return "$" + strconv.FormatInt(whole, 10)
	case 1:
		part += "0" // as money is written
	}
	return "$" + strconv.FormatInt(whole, 10) + "." + part
}
