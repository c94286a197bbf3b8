// Package compress makes a long conversation fit a model's context. It shortens
// old tool results and arguments and, when that is not enough, leaves out the
// oldest turns behind a notice, then the oldest calls of the newest turn. In the
// notice stands a record of what was asked, done and answered in them, made
// without a model; what a model writes of
// [Result.Past] takes its place by [Engine.Summarised], and the next compression
// hands it on. Nothing here asks a model.
//
// Guarantees:
//
//   - Nothing here reads a clock, a file or randomness. The same input gives the
//     same output, byte for byte.
//   - The history passed in is never changed, nor anything it points to.
//     Messages that are kept as they are are the same values; those that are
//     shortened keep their id, place, role and call ids. No message is added.
//   - A history that was valid for a provider stays valid: a call and its
//     result stay or go together, and user messages never become neighbours.
//   - The newest user message, the last answer that the user saw with the message
//     that it answers, and the newest messages stay. The newest message, what
//     the user said inside tool results and their answers to questions are
//     never shortened. Results the model has not seen yet are at most cut to
//     their beginning and end.
//   - The result is never larger than the input, and compressing it again with
//     the same budget changes nothing.
//
// Sizes are estimates in tokens: characters (Unicode code points) divided by
// four, rounded up, and ten for every message. A [Gauge] corrects them by what
// the provider counted.
//
// An [Engine] is immutable and safe for concurrent use. A [Gauge] belongs to one
// goroutine.
package compress
