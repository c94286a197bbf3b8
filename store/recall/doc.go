// Package recall finds texts by their words and by their meaning.
//
// An [Index] is a database of its own, which holds nothing that is not elsewhere: one
// that is damaged is made anew. It keeps short texts with a full-text index of their
// words, and vectors of texts, which an embedding model has made, as float32 numbers.
// Texts that are kept elsewhere (messages) have their vectors here and no copy.
//
// A search brings several orders together, that of the words, that of the vectors and
// those that the caller has, by reciprocal rank, and prefers what is newer and what
// was used. Vectors of different models are never compared.
//
// Vectors are compared in memory in seven bits a number (see [Matrix]), and what that
// finds again by the numbers that are stored. All methods of an Index are safe for
// concurrent use, also by several processes.
package recall
