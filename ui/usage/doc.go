// Package usage writes down what model calls have used, for people: [Usage] is a
// table of tokens and money by agent, [Cache] says what the provider's prompt cache
// gave, until when it is warm, and why a call got less from it than there was.
//
// Guarantees:
//
//   - Both are pure: the state, the time and a width give lines of at most that many
//     cells, from 4 on. Neither keeps anything of the state.
//   - Text from outside (goals, names of models and tools) is made safe for a line of
//     its own before it is shown.
//   - Costs are written by [format.Cost] and [format.Dollars] alone.
//   - At most [mostAgents] agents and [mostCalls] calls are listed; what is left out is
//     counted. Sums are over all agents.
//
// All functions are safe for concurrent use, as far as the state is not changed
// meanwhile.
package usage
