package tools

import "testing"

func TestBounded(t *testing.T) {
	m := NewBounded[int, int](3)
	for i := range 10 {
		m.Put(i, i)
		m.Put(i, -i)
	}
	m.Remove(func(k int) bool { return k == 8 })
	if len(m.values) != 2 || len(m.order) != 2 || m.values[9] != -9 || m.values[7] != -7 {
		t.Errorf("values %v, order %v", m.values, m.order)
	}
	if v, ok := m.Get(7); !ok || v != -7 {
		t.Errorf("got %d and %t", v, ok)
	}
	if v, ok := m.Get(6); ok {
		t.Errorf("still holds %d", v)
	}
}
