package event

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A Decoder reads events. The zero value is ready; one belongs to one goroutine.
//
// The form that [Marshal] gives them is read by this package, which takes a third of
// the time of encoding/json and allocates less; whatever differs from it in any way
// (spaces, another order, names that are not known, what is no JSON) is left to encoding/json
// as a whole.
type Decoder struct {
	recent []string // strings that were read, by their ends
	text   []byte   // an unescaped string
}

// recentStrings is how many strings a decoder gives again, and how long they are at
// most: most are ids that stand in several events.
const (
	recentStrings = 1024
	recentBytes   = 48
)

// plain reads a value in the form that [Marshal] gives it. It returns false for what
// may be in another one, of which a part may have been read.
func (d *Decoder) plain(data []byte, to reflect.Value) bool {
	r := plainReader{Decoder: d, b: data}
	return r.object(to, fieldsOf(to.Type())) && r.at == len(r.b)
}

// field is a field of a struct, as JSON names it.
type field struct {
	key   string // the name in quotes, and the colon
	index []int
	read  func(*plainReader, reflect.Value) bool
}

var knownFields sync.Map // fields by the reflect.Type of their struct

// fieldsOf are the fields of a struct in their order, nil for one that is left to
// encoding/json.
func fieldsOf(t reflect.Type) []field {
	if known, ok := knownFields.Load(t); ok {
		list, _ := known.([]field)
		return list
	}
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct || !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		key := strconv.Quote(name) + ":"
		if slices.ContainsFunc(list, func(f field) bool { return f.key == key }) {
			list = nil
			break
		}
		list = append(list, field{key, f.Index, readerOf(f.Type)})
	}
	knownFields.Store(t, list)
	return list
}

// readerOf gives what reads values of a type.
func readerOf(t reflect.Type) func(*plainReader, reflect.Value) bool {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return (*plainReader).time
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return (*plainReader).other
	}
	switch t.Kind() {
	case reflect.String:
		return func(r *plainReader, v reflect.Value) bool {
			s, ok := r.string()
			v.SetString(s)
			return ok
		}
	case reflect.Bool:
		return (*plainReader).bool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return (*plainReader).int
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return (*plainReader).uint
	case reflect.Struct:
		fields := sync.OnceValue(func() []field { return fieldsOf(t) }) // it may hold itself
		return func(r *plainReader, v reflect.Value) bool { return r.object(v, fields()) }
	case reflect.Pointer:
		read := readerOf(t.Elem())
		return func(r *plainReader, v reflect.Value) bool {
			if r.word("null") {
				return true
			}
			v.Set(reflect.New(t.Elem()))
			return read(r, v.Elem())
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return (*plainReader).other
		}
		read := readerOf(t.Elem())
		return func(r *plainReader, v reflect.Value) bool { return r.word("null") || r.list(v, read) }
	default:
		return (*plainReader).other
	}
}

// plainReader is where reading has come to.
type plainReader struct {
	*Decoder
	b  []byte
	at int
}

// take goes on behind a byte, which must stand here.
func (r *plainReader) take(c byte) bool {
	if !r.stands(c) {
		return false
	}
	r.at++
	return true
}

func (r *plainReader) stands(c byte) bool { return r.at < len(r.b) && r.b[r.at] == c }

// object reads a struct, whose fields stand in their order; some may be missing.
func (r *plainReader) object(v reflect.Value, fields []field) bool {
	if !r.take('{') {
		return false
	}
	if r.take('}') {
		return true
	}
	for {
		for len(fields) > 0 && !r.word(fields[0].key) {
			fields = fields[1:]
		}
		if len(fields) == 0 || !fields[0].read(r, v.FieldByIndex(fields[0].index)) {
			return false
		}
		fields = fields[1:]
		if !r.take(',') {
			return r.take('}')
		}
	}
}

func (r *plainReader) list(v reflect.Value, read func(*plainReader, reflect.Value) bool) bool {
	if !r.take('[') {
		return false
	}
	if r.take(']') {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return true
	}
	for n := 0; ; n++ {
		v.Grow(1)
		v.SetLen(n + 1)
		if !read(r, v.Index(n)) {
			return false
		}
		if !r.take(',') {
			return r.take(']')
		}
	}
}

// quoted gives what stands between quotes, which is valid UTF-8 and may hold escapes.
func (r *plainReader) quoted() (raw []byte, escaped, ok bool) {
	if !r.take('"') {
		return nil, false, false
	}
	wide := false
	for i := r.at + simple(r.b[r.at:]); i < len(r.b); i++ {
		switch c := r.b[i]; {
		case c == '"':
			raw, r.at = r.b[r.at:i], i+1
			return raw, escaped, !wide || utf8.Valid(raw)
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return nil, false, false
		case c >= utf8.RuneSelf:
			wide = true
		}
	}
	return nil, false, false
}

// simple is how many bytes stand before the first that means something in a string, or
// may be no ASCII, in steps of eight.
func simple(b []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	zero := func(x uint64) uint64 { return (x - ones) & ^x & tops }
	n := 0
	for ; n+8 <= len(b); n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		if x&tops|zero(x^ones*'"')|zero(x^ones*'\\')|(x-ones*' ')&tops != 0 {
			break
		}
	}
	return n
}

func (r *plainReader) string() (string, bool) {
	raw, escaped, ok := r.quoted()
	if !ok {
		return "", false
	}
	if escaped {
		if raw, ok = r.unescaped(raw); !ok {
			return "", false
		}
	}
	return r.again(raw), true
}

// again gives a string, the same one for a short text that was read before.
func (d *Decoder) again(raw []byte) string {
	n := len(raw)
	if n < 2 || n > recentBytes || d.recent == nil {
		return string(raw)
	}
	at := (uint(n)*131 + uint(raw[n-1])*31 + uint(raw[n-2])*7 + uint(raw[n/2])) % recentStrings
	if d.recent[at] != string(raw) {
		d.recent[at] = string(raw)
	}
	return d.recent[at]
}

// escapes are the bytes that stand for others behind a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescaped replaces escapes. What it returns holds until the next call. Halves of
// pairs, with which encoding/json has a way of its own, are left to it.
func (d *Decoder) unescaped(raw []byte) ([]byte, bool) {
	out := d.text[:0]
	for i := 0; ; i++ {
		next := bytes.IndexByte(raw[i:], '\\')
		if next < 0 {
			d.text = append(out, raw[i:]...)
			return d.text, true
		}
		out = append(out, raw[i:i+next]...)
		i += next + 1 // there is one behind it, else the quote would have been escaped
		if c := escapes[raw[i]]; c != 0 {
			out = append(out, c)
			continue
		}
		if raw[i] != 'u' || i+4 >= len(raw) {
			return nil, false
		}
		code := rune(0)
		for _, c := range raw[i+1 : i+5] {
			digit := strings.IndexByte("0123456789abcdef", c)
			if digit < 0 {
				return nil, false
			}
			code = code<<4 | rune(digit)
		}
		if !utf8.ValidRune(code) {
			return nil, false
		}
		out = utf8.AppendRune(out, code)
		i += 4
	}
}

func (r *plainReader) bool(v reflect.Value) bool {
	is := r.word("true")
	v.SetBool(is)
	return is || r.word("false")
}

// word goes on behind a word, if it stands here.
func (r *plainReader) word(w string) bool {
	end := r.at + len(w)
	if end > len(r.b) || string(r.b[r.at:end]) != w {
		return false
	}
	r.at = end
	return true
}

// digits reads a number of at most 18 digits without zeros before it.
func (r *plainReader) digits() (n int64, ok bool) {
	from := r.at
	for r.at < len(r.b) && '0' <= r.b[r.at] && r.b[r.at] <= '9' {
		n = n*10 + int64(r.b[r.at]-'0')
		if r.at++; r.at-from > 18 {
			return 0, false
		}
	}
	if r.at < len(r.b) && strings.IndexByte(".eE", r.b[r.at]) >= 0 {
		return 0, false
	}
	return n, r.at-from == 1 || r.at > from && r.b[from] != '0'
}

func (r *plainReader) int(v reflect.Value) bool {
	minus := r.take('-')
	n, ok := r.digits()
	if minus {
		n = -n
	}
	if !ok || v.OverflowInt(n) {
		return false
	}
	v.SetInt(n)
	return true
}

func (r *plainReader) uint(v reflect.Value) bool {
	n, ok := r.digits()
	if !ok || v.OverflowUint(uint64(n)) {
		return false
	}
	v.SetUint(uint64(n))
	return true
}

func (r *plainReader) time(v reflect.Value) bool {
	from := r.at
	_, escaped, ok := r.quoted()
	t, is := v.Addr().Interface().(*time.Time)
	return ok && !escaped && is && t.UnmarshalJSON(r.b[from:r.at]) == nil
}

// other leaves a value to encoding/json.
func (r *plainReader) other(v reflect.Value) bool {
	from, depth := r.at, 0
	for ; r.at < len(r.b); r.at++ {
		switch r.b[r.at] {
		case '"':
			if _, _, ok := r.quoted(); !ok {
				return false
			}
			r.at--
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return r.hand(v, from)
			}
		case ',':
			if depth == 0 {
				return r.hand(v, from)
			}
		}
	}
	return false
}

func (r *plainReader) hand(v reflect.Value, from int) bool {
	raw := r.b[from:r.at]
	return string(raw) != "null" && json.Unmarshal(raw, v.Addr().Interface()) == nil
}
