package tools

import (
	"iter"
	"maps"
	"slices"
)

// Bounded is a map of limited size that forgets the keys that came first. It is for one
// goroutine at a time.
type Bounded[K comparable, V any] struct {
	limit  int
	values map[K]V
	order  []K
}

// NewBounded makes a map of at most limit keys.
func NewBounded[K comparable, V any](limit int) *Bounded[K, V] {
	return &Bounded[K, V]{limit: limit, values: map[K]V{}}
}

// Get gives the value of a key, and whether there is one.
func (b *Bounded[K, V]) Get(k K) (V, bool) {
	v, ok := b.values[k]
	return v, ok
}

// Put sets the value of a key. A key that is there keeps its place in the order.
func (b *Bounded[K, V]) Put(k K, v V) {
	if _, ok := b.values[k]; !ok {
		if len(b.order) >= b.limit {
			delete(b.values, b.order[0])
			b.order = b.order[1:]
		}
		b.order = append(b.order, k)
	}
	b.values[k] = v
}

// All are all keys with their values, in no order.
func (b *Bounded[K, V]) All() iter.Seq2[K, V] { return maps.All(b.values) }

// Values are all values, in no order.
func (b *Bounded[K, V]) Values() iter.Seq[V] { return maps.Values(b.values) }

// Remove forgets the keys that which holds for.
func (b *Bounded[K, V]) Remove(which func(K) bool) {
	b.order = slices.DeleteFunc(b.order, func(k K) bool {
		if which(k) {
			delete(b.values, k)
			return true
		}
		return false
	})
}
