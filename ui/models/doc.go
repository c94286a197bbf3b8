// Package models lets the user choose what answers: the list of what all
// endpoints offer, a window to choose from it, how a typed name is understood, and
// what changing the model of a conversation means.
//
// Guarantees:
//
//   - A [List] takes what endpoints say as they say it, in any order and again and
//     again. What an endpoint said before stays until it has answered again.
//   - In a [Picker] the selection stays with its model while lists come in, and on
//     its row of the screen where possible. The model that answers now is there
//     from the start, whatever its endpoint says.
//   - The cost of a frame depends on the rows in sight. A search goes through all
//     models, on the caller's goroutine: some milliseconds for five thousand.
//   - [List.Resolve] never guesses: a name that several endpoints offer, or none, is
//     an answer that names what there is.
//   - Names and sentences from outside are made safe before they are shown; what is
//     given back is what the endpoint said.
//   - There is no clock and no input or output here.
//
// Nothing here is safe for concurrent use.
package models
