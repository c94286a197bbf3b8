// Package charset reads bytes as text, by their byte order mark, as UTF-16 or UTF-8, and
// else by a guess among the encodings that files had before, and writes text in the
// encoding of its file. All functions are safe for concurrent use.
package charset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is how a text file stores characters.
type Encoding string

// The encodings that can be read and written.
const (
	UTF8    Encoding = "utf-8"
	UTF8BOM Encoding = "utf-8 with BOM"
	UTF16LE Encoding = "utf-16le"
	UTF16BE Encoding = "utf-16be"
	Latin1  Encoding = "latin-1"

	// without a byte order mark
	bareLE Encoding = "utf-16le without BOM"
	bareBE Encoding = "utf-16be without BOM"
)

// ErrUnencodable says that a text has characters that a file's encoding lacks.
var ErrUnencodable = errors.New("character not in the encoding of the file")

// Mark looks for a byte order mark. It returns the encoding and the length of the mark in
// bytes; without one that is [UTF8] and 0, which is a guess only.
func Mark(head []byte) (Encoding, int) {
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		return UTF8BOM, 3
	case bytes.HasPrefix(head, []byte("\xFF\xFE")):
		return UTF16LE, 2
	case bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return UTF16BE, 2
	}
	return UTF8, 0
}

// Wide reports whether bytes, the beginning of more, are UTF-16.
func Wide(head []byte) bool {
	enc, _ := Mark(head)
	return enc == UTF16LE || enc == UTF16BE || bare(head) != ""
}

// Decode turns the bytes of a text into a string without byte order mark. Bytes that are
// not UTF-8 are read in the encoding that they fit best, unless they are UTF-8 for the
// most part; then, and where UTF-16 has half characters, U+FFFD stands for what is damaged.
// intact reports whether [Encode] gives the same bytes again.
func Decode(data []byte) (text string, enc Encoding, intact bool) {
	enc, mark := Mark(data)
	data = data[mark:]
	switch enc {
	case UTF16LE, UTF16BE:
		text, intact = decodeUTF16(data, enc)
		return text, enc, intact
	case UTF8BOM:
		return strings.ToValidUTF8(string(data), "\uFFFD"), enc, utf8.Valid(data)
	}
	if enc := bare(data); enc != "" {
		text, intact = decodeUTF16(data, enc)
		return text, enc, intact
	}
	if utf8.Valid(data) {
		return string(data), UTF8, true
	}
	if wide, broken := countUTF8(data); wide > broken {
		return strings.ToValidUTF8(string(data), "\uFFFD"), UTF8, false
	}
	enc = guess(data)
	if enc == Latin1 {
		return decodeLatin1(data), enc, true
	}
	text = decodeOld(data, enc)
	again, err := Encode(text, enc)
	return text, enc, err == nil && bytes.Equal(again, data)
}

// Text is what [Decode] reads, for a reader who does not write it again.
func Text(data []byte) string {
	text, _, _ := Decode(data)
	return text
}

// Whole is what was read of UTF-8 up to a bound, without a character that the bound cuts.
func Whole(data []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if tail := data[len(data)-n:]; utf8.RuneStart(tail[0]) {
			if tail[0] >= utf8.RuneSelf && !utf8.FullRune(tail) {
				return data[:len(data)-n]
			}
			break
		}
	}
	return data
}

// As reads bytes in an encoding that [Decode] has found for the text they belong to.
func As(data []byte, enc Encoding) string {
	switch {
	case enc == Latin1:
		return decodeLatin1(data)
	case olds[enc] != nil:
		return decodeOld(data, enc)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD")
}

// bare is the encoding of UTF-16 without a mark, empty for anything else: the upper bytes
// of its characters, on one side of each pair, are zero and few others, and none is a
// control character.
func bare(data []byte) Encoding {
	part := data[:min(len(data)&^1, sample)]
	if len(part) < 8 || len(data)%2 != 0 && len(data) < sample {
		return ""
	}
	for side, enc := range []Encoding{bareBE, bareLE} {
		zeros, upper, most := 0, map[byte]bool{}, 2+min(len(part)/64, 1)
		for i := side; i < len(part) && len(upper) <= most; i += 2 {
			upper[part[i]] = true
			if part[i] == 0 {
				zeros++
			}
		}
		if len(upper) > most || zeros*20 < len(part)/2 {
			continue
		}
		text, _ := decodeUTF16(part, enc)
		if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\n\r\t\f\x1b", r) }) {
			return enc
		}
	}
	return ""
}

// countUTF8 counts the characters of more than one byte and the bytes that
// belong to no character.
func countUTF8(data []byte) (wide, broken int) {
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			broken++
		case size > 1:
			wide++
		}
		data = data[size:]
	}
	return wide, broken
}

func decodeLatin1(data []byte) string {
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	for _, c := range data {
		b.WriteRune(rune(c))
	}
	return b.String()
}

func byteOrder(enc Encoding) binary.ByteOrder {
	if enc == UTF16BE || enc == bareBE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func decodeUTF16(data []byte, enc Encoding) (string, bool) {
	order := byteOrder(enc)
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	runes := utf16.Decode(units)
	intact := len(data)%2 == 0
	for i, at := 0, 0; i < len(runes) && intact; i++ {
		intact = runes[i] != utf8.RuneError || units[at] == utf8.RuneError
		at += utf16.RuneLen(runes[i])
	}
	if len(data)%2 != 0 {
		runes = append(runes, utf8.RuneError)
	}
	return string(runes), intact
}

// Encode turns a text into the bytes of a file, with the byte order mark
// that the encoding has; a mark at the start of the text is not doubled. A
// character that the encoding lacks gives an error that wraps
// [ErrUnencodable].
func Encode(text string, enc Encoding) ([]byte, error) {
	switch enc {
	case UTF8BOM:
		return append([]byte{0xEF, 0xBB, 0xBF}, strings.TrimPrefix(text, "\uFEFF")...), nil
	case UTF16LE, UTF16BE:
		order := byteOrder(enc)
		units := append([]uint16{0xFEFF}, utf16.Encode([]rune(strings.TrimPrefix(text, "\uFEFF")))...)
		data := make([]byte, 2*len(units))
		for i, u := range units {
			order.PutUint16(data[2*i:], u)
		}
		return data, nil
	case bareLE, bareBE:
		data, err := Encode(text, map[Encoding]Encoding{bareLE: UTF16LE, bareBE: UTF16BE}[enc])
		return data[2:], err
	case Latin1:
		data := make([]byte, 0, len(text))
		for _, r := range text {
			if r > 0xFF {
				return nil, fmt.Errorf("encode %q as %s: %w", r, enc, ErrUnencodable)
			}
			data = append(data, byte(r))
		}
		return data, nil
	}
	if old := olds[enc]; old != nil {
		data, err := old.NewEncoder().Bytes([]byte(text))
		if err != nil {
			for _, r := range text {
				if _, err := old.NewEncoder().Bytes([]byte(string(r))); err != nil {
					return nil, fmt.Errorf("encode %q as %s: %w", r, enc, ErrUnencodable)
				}
			}
			return nil, fmt.Errorf("encode as %s: %w", enc, ErrUnencodable)
		}
		return data, nil
	}
	return []byte(text), nil
}
