package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// LeastSecret is how many bytes a value needs for [NewSecrets] to take it.
// Shorter ones would hit ordinary words.
const LeastSecret = 8

// Secrets masks known values exactly, wherever they occur: as they are, reversed,
// escaped for JSON or for a URL, in hexadecimal, or inside base64. The zero value and nil know none. It
// is safe for concurrent use, and it never prints what it holds.
type Secrets struct {
	// table is behind a pointer so that no way of printing follows it.
	table *atomic.Pointer[table]
}

// table finds spellings by their first four bytes.
type table struct {
	// seen has a bit for the hash of the first bytes of every spelling. It
	// rejects nearly every place of a text with one look-up.
	seen [1 << 8]uint64
	// spelled holds the spellings by their first bytes, longest first.
	spelled map[uint32][]string
	count   int
	values  []string // what it was made of
}

// first reads the bytes by which spellings are found.
func first(s string, i int) uint32 {
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

// slot spreads first bytes over the bits of table.seen.
func slot(k uint32) uint32 { return k * 2654435761 >> 18 }

// NewSecrets makes a value of the given secrets. It ignores those shorter than
// [LeastSecret] bytes. Of a value with several lines, each line counts on its
// own as well, because output may be cut at lines.
func NewSecrets(values ...string) *Secrets {
	s := &Secrets{new(atomic.Pointer[table])}
	s.table.Store(newTable(values))
	return s
}

// Learn makes further values known, as if they had been given to [NewSecrets]. Calls
// must not overlap.
func (n *Secrets) Learn(values ...string) {
	n.table.Store(newTable(append(slices.Clone(n.table.Load().values), values...)))
}

func newTable(values []string) *table {
	n := &table{spelled: map[uint32][]string{}, values: values}
	for _, v := range values {
		v = strings.TrimSpace(v)
		if len(v) < LeastSecret {
			continue
		}
		n.count++
		n.learn(v)
		if !strings.Contains(v, "\n") {
			continue
		}
		for line := range strings.Lines(v) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, keyDash) {
				n.learn(line)
			}
		}
	}
	for k := range n.spelled {
		slices.SortFunc(n.spelled[k], func(a, b string) int { return len(b) - len(a) })
	}
	return n
}

// learn adds every spelling of a value.
func (n *table) learn(v string) {
	if len(v) < LeastSecret {
		return
	}
	n.add(v)
	n.add(reversed(v))
	digits := hex.EncodeToString([]byte(v))
	n.add(digits)
	n.add(strings.ToUpper(digits))
	n.add(percent(digits))
	n.add(percent(strings.ToUpper(digits)))
	for _, html := range []bool{false, true} {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if e.Encode(v) == nil {
			j := strings.TrimSuffix(b.String(), "\n")
			j = j[1 : len(j)-1]
			n.add(j)
			n.add(strings.ReplaceAll(j, "/", `\/`))
		}
	}
	for _, u := range []string{url.QueryEscape(v), url.PathEscape(v), strings.ReplaceAll(url.QueryEscape(v), "+", "%20")} {
		n.add(u)
		n.add(lowerEscapes(u))
	}
	for skip := range 3 {
		b := []byte(strings.Repeat("\x00", skip) + v)
		// Characters that also depend on the neighbours of the value do not count.
		from, to := (skip*8+5)/6, len(b)*8/6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			n.add(enc.EncodeToString(b)[from:to])
		}
	}
}

// reversed turns a text around, character by character.
func reversed(v string) string {
	r := []rune(v)
	slices.Reverse(r)
	return string(r)
}

// percent escapes every byte for a URL; digits are its bytes in hexadecimal.
func percent(digits string) string {
	var b strings.Builder
	for i := 0; i < len(digits); i += 2 {
		b.WriteByte('%')
		b.WriteString(digits[i : i+2])
	}
	return b.String()
}

// lowerEscapes writes the percent escapes of a URL with small letters.
func lowerEscapes(u string) string {
	b := []byte(u)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// add files one spelling.
func (n *table) add(v string) {
	k := first(v, 0)
	if slices.Contains(n.spelled[k], v) {
		return
	}
	n.spelled[k] = append(n.spelled[k], v)
	n.seen[slot(k)>>6] |= 1 << (slot(k) & 63)
}

// Text returns s with every occurrence of a secret masked. Without one it
// returns s itself and allocates nothing.
func (n *Secrets) Text(s string) string {
	if n == nil || n.table == nil {
		return s
	}
	t := n.table.Load()
	if t.count == 0 {
		return s
	}
	var b strings.Builder
	last := 0
	for i := 0; i+4 <= len(s); i++ {
		k := first(s, i)
		if t.seen[slot(k)>>6]&(1<<(slot(k)&63)) == 0 {
			continue
		}
		for _, v := range t.spelled[k] {
			if strings.HasPrefix(s[i:], v) {
				b.WriteString(s[last:i])
				b.WriteString(mask(v))
				last = i + len(v)
				i = last - 1
				break
			}
		}
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// String tells how many secrets are known and nothing about them.
func (n *Secrets) String() string {
	if n == nil || n.table == nil {
		return "0 secrets"
	}
	return fmt.Sprintf("%d secrets", n.table.Load().count)
}

// Masker masks known secrets first and then whatever [Text] finds. The zero
// value is [Text] alone. It is safe for concurrent use.
type Masker struct {
	// Secrets are the literal values to mask; nil for none.
	Secrets *Secrets
}

// Text returns s with all secrets masked.
func (m Masker) Text(s string) string { return m.apply(s, inText, true) }

// Code is [Masker.Text] for source files. There a name with a value is usually
// program text, and a masked program could not be edited faithfully: the rules that
// go by names mask only values that are certainly random.
func (m Masker) Code(s string) string { return m.apply(s, inCode, true) }

func (m Masker) apply(s string, f family, fresh bool) string {
	return apply(m.Secrets.Text(s), f, fresh)
}
