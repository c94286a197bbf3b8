package tools

import (
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
)

// ErrUnencodable says that a text has characters that a file's encoding lacks.
var ErrUnencodable = errors.New("character not in the encoding of the file")

// BOMEncoding looks for a byte order mark. It returns the encoding and the
// length of the mark in bytes; without one that is [UTF8] and 0, which is a guess
// only.
func BOMEncoding(head []byte) (Encoding, int) {
	switch {
	case len(head) >= 3 && head[0] == 0xEF && head[1] == 0xBB && head[2] == 0xBF:
		return UTF8BOM, 3
	case len(head) >= 2 && head[0] == 0xFF && head[1] == 0xFE:
		return UTF16LE, 2
	case len(head) >= 2 && head[0] == 0xFE && head[1] == 0xFF:
		return UTF16BE, 2
	}
	return UTF8, 0
}

// DecodeText turns the bytes of a text file into a string without byte order
// mark. Bytes that are not UTF-8 are read as Latin-1, unless the file is UTF-8
// for the most part; then, and where UTF-16 has half characters, U+FFFD stands
// for what is damaged and intact is false.
func DecodeText(data []byte) (text string, enc Encoding, intact bool) {
	enc, mark := BOMEncoding(data)
	data = data[mark:]
	switch enc {
	case UTF16LE, UTF16BE:
		text, intact = decodeUTF16(data, enc)
		return text, enc, intact
	case UTF8BOM:
		return strings.ToValidUTF8(string(data), "\uFFFD"), enc, utf8.Valid(data)
	}
	if utf8.Valid(data) {
		return string(data), UTF8, true
	}
	if wide, broken := countUTF8(data); wide > broken {
		return strings.ToValidUTF8(string(data), "\uFFFD"), UTF8, false
	}
	return decodeLatin1(data), Latin1, true
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
	if enc == UTF16BE {
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

// EncodeText turns a text into the bytes of a file, with the byte order mark
// that the encoding has; a mark at the start of the text is not doubled. A
// character that the encoding lacks gives an error that wraps
// [ErrUnencodable].
func EncodeText(text string, enc Encoding) ([]byte, error) {
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
	return []byte(text), nil
}
