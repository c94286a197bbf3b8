// Package pricing knows what model calls cost.
//
// Amounts are trillionths of a US dollar in an int64, exact: a price of $1 per
// million tokens is 1,000,000 per token, and every price with up to six digits
// behind the point is a whole number of them. Sums that do not fit stop at the
// largest int64 (9.2 million dollars); nothing wraps.
//
// Guarantees:
//
//   - A price comes from the service itself ([Actual]), from the user's
//     settings or a list of the maker ([Estimated]), or is nothing because the
//     call is paid for already ([Included]). Everything else is [Unknown], with an
//     amount of 0: a price is never derived from a model with a similar name.
//   - A call that used what has no known price is unknown as a whole.
//   - Prices are lists of standard service, before taxes, discounts, fast modes
//     and fees for searches. They are data: prices.txt names source and date.
//
// A [Table] does not change after [New] and is safe for concurrent use. Nothing
// here reads the clock, the environment or the network.
package pricing
