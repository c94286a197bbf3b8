package recall

import (
	"cmp"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"sync"
)

// Matrix holds vectors of one length for a search by cosine. Each number is kept in
// one byte, as seven bits around 64, so that one multiplication of words does four
// products. It must not be searched while it grows.
type Matrix struct {
	dims int // of the vectors
	row  int // bytes of a row, a multiple of 8
	ids  []int64
	data []byte
	// Of each row: the sum of its numbers, and one through its length.
	sums []int64
	inv  []float64
}

// The range of a number in a row, and what is added to it there.
const (
	most = 63
	bias = 64
)

// NewMatrix makes an empty matrix for vectors of a length.
func NewMatrix(dims int) *Matrix { return &Matrix{dims: dims, row: (dims + 7) &^ 7} }

// Len is how many vectors there are.
func (m *Matrix) Len() int { return len(m.ids) }

// Add puts a vector into the matrix, under a number of the caller's. One of another
// length, or without a direction, is left out.
func (m *Matrix) Add(id int64, v []float32) {
	if row, sum, inv, ok := m.quantise(v); ok {
		m.ids, m.data, m.sums, m.inv = append(m.ids, id), append(m.data, row...), append(m.sums, sum), append(m.inv, inv)
	}
}

// quantise brings a vector to the length at which its largest number just fits.
func (m *Matrix) quantise(v []float32) (row []byte, sum int64, inv float64, ok bool) {
	var top float64
	for _, x := range v {
		top = max(top, math.Abs(float64(x))) // NaN stays
	}
	if len(v) != m.dims || !(top > 0) || math.IsInf(top, 0) {
		return nil, 0, 0, false
	}
	row = make([]byte, m.row)
	var square int64
	for i := range row {
		var q int64
		if i < len(v) {
			q = int64(math.Round(float64(v[i]) * most / top))
		}
		row[i], sum, square = byte(q+bias), sum+q, square+q*q
	}
	return row, sum, 1 / math.Sqrt(float64(square)), true
}

// Near is a vector that was found.
type Near struct {
	ID    int64
	Score float64 // the cosine, from -1 to 1; off by about a hundredth
}

// Nearest gives the vectors whose directions are nearest to that of v, the nearest
// first, at most so many. It uses all processors.
func (m *Matrix) Nearest(v []float32, limit int) []Near {
	q, sum, inv, ok := m.quantise(v)
	if !ok || limit <= 0 || len(m.ids) == 0 {
		return nil
	}
	query := pack(q)
	parts := min(runtime.GOMAXPROCS(0), 1+len(m.ids)/4096)
	each := (len(m.ids) + parts - 1) / parts
	found := make([][]Near, parts)
	var all sync.WaitGroup
	for p := range parts {
		all.Go(func() {
			found[p] = m.part(query, sum, p*each, min((p+1)*each, len(m.ids)), limit)
		})
	}
	all.Wait()
	list := nearest(slices.Concat(found...), limit)
	for i := range list {
		list[i].ID = m.ids[list[i].ID]
		list[i].Score *= inv
	}
	return list
}

// part searches some rows. The scores lack the length of the query.
func (m *Matrix) part(query []uint64, sum int64, from, to, limit int) []Near {
	list := make([]Near, 0, 2*limit)
	least := math.Inf(-1)
	for i := from; i < to; i++ {
		dot := product(m.data[i*m.row:(i+1)*m.row], query) - bias*(m.sums[i]+sum) - bias*bias*int64(m.row)
		score := float64(dot) * m.inv[i]
		if score <= least {
			continue
		}
		if list = append(list, Near{int64(i), score}); len(list) == cap(list) {
			list = nearest(list, limit)
			least = list[limit-1].Score
		}
	}
	return nearest(list, limit)
}

// nearest puts a list in order and cuts it.
func nearest(list []Near, limit int) []Near {
	slices.SortFunc(list, func(a, b Near) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(len(list), limit)]
}

// lanes takes every other byte of a word.
const lanes = 0x00ff00ff00ff00ff

// pack makes two words of eight bytes: the even and the odd ones, in lanes of 16 bits
// in reverse order, for [product].
func pack(row []byte) []uint64 {
	out := make([]uint64, 0, len(row)/4)
	for i := 0; i < len(row); i += 8 {
		b := row[i : i+8]
		for odd := range 2 {
			out = append(out, uint64(b[6+odd])|uint64(b[4+odd])<<16|uint64(b[2+odd])<<32|uint64(b[odd])<<48)
		}
	}
	return out
}

// product sums the products of the bytes of two rows, one of them packed. In the
// product of two words of four lanes each, the top lane is the sum of the products of
// the lanes: bytes below 128 let no lane run over.
func product(row []byte, query []uint64) int64 {
	query = query[:len(row)/4]
	var a, b uint64
	for len(row) >= 16 && len(query) >= 4 {
		x, y := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:])
		a += (x & lanes * query[0]) >> 48
		b += (x >> 8 & lanes * query[1]) >> 48
		a += (y & lanes * query[2]) >> 48
		b += (y >> 8 & lanes * query[3]) >> 48
		row, query = row[16:], query[4:]
	}
	if len(row) == 8 {
		x := binary.LittleEndian.Uint64(row)
		a += (x & lanes * query[0]) >> 48
		b += (x >> 8 & lanes * query[1]) >> 48
	}
	return int64(a + b)
}
