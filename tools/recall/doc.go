// Package recall holds the tools by which an agent remembers over conversations.
// What they keep is behind ports, which the tools' owner fills.
package recall
