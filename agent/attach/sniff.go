package attach

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"unicode/utf8"
)

// The media types.
const (
	pngType  = "image/png"
	jpegType = "image/jpeg"
	gifType  = "image/gif"
	webp     = "image/webp"
)

// Sniff is the media type of an image by how it begins, empty for what is none.
func Sniff(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return pngType
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return jpegType
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return gifType
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return webp
	}
	return ""
}

// describe says what bytes are that are no image which can be sent.
func describe(data []byte) string {
	const only = "; PNG, JPEG, GIF and WebP can be sent"
	brands := []struct {
		at   int
		mark string
		what string
	}{
		{0, "BM", "a BMP image"}, {0, "II*\x00", "a TIFF image"}, {0, "MM\x00*", "a TIFF image"},
		{0, "%PDF", "a PDF document"}, {4, "ftypavif", "an AVIF image"}, {4, "ftyphei", "a HEIC image"}, {4, "ftypmif1", "a HEIC image"},
		{0, "\x00\x00\x01\x00", "an icon"}, {0, "<svg", "an SVG drawing"},
	}
	for _, b := range brands {
		if len(data) > b.at && bytes.HasPrefix(data[b.at:], []byte(b.mark)) {
			return b.what + only
		}
	}
	if len(data) == 0 {
		return "the file is empty"
	}
	if head := data[:min(len(data), 512)]; utf8.Valid(head[:max(len(head)-utf8.UTFMax, 0)]) && !bytes.ContainsRune(head, 0) {
		return "it holds text"
	}
	return "it is something else" + only
}

// weight is how much memory decoding takes, in bytes, as far as the header tells.
func weight(c image.Config, data []byte, kind string) int64 {
	each := int64(4)
	switch c.ColorModel {
	case color.GrayModel:
		each = 1
	case color.RGBA64Model, color.NRGBA64Model:
		each = 8
	case color.YCbCrModel:
		each = 3
	case color.Gray16Model:
		each = 2
	}
	if kind == jpegType && progressive(data) {
		each += 12 // the coefficients of three components are kept until the end
	}
	if kind == pngType && len(data) > 28 && data[28] != 0 {
		each *= 2 // interlaced: its passes are put together
	}
	return each * int64(c.Width) * int64(c.Height)
}

// progressive reports whether a JPEG comes in several passes.
func progressive(data []byte) bool {
	found := false
	segments(data, func(marker byte, _ []byte) bool {
		found = found || marker == 0xc2
		return !found
	})
	return found
}

// segments calls do with the segments of a JPEG up to its picture, until do returns
// false.
func segments(data []byte, do func(marker byte, body []byte) bool) {
	for at := 2; at+4 <= len(data); {
		if data[at] != 0xff {
			return
		}
		marker := data[at+1]
		if marker == 0xff { // filling
			at++
			continue
		}
		n := int(data[at+2])<<8 | int(data[at+3])
		if n < 2 || at+2+n > len(data) || marker == 0xda {
			return
		}
		if !do(marker, data[at+4:at+2+n]) {
			return
		}
		at += 2 + n
	}
}

// animated reports whether a GIF holds more than one picture. What cannot be walked
// through counts as one.
func animated(data []byte) bool {
	if len(data) < 13 {
		return false
	}
	at, pictures := 13+table(data[10]), 0
	for at < len(data) {
		block := data[at]
		at++
		switch block {
		case 0x21: // an extension: its label, then pieces
			at++
		case 0x2c:
			if pictures++; pictures > 1 {
				return true
			}
			if at+9 > len(data) {
				return false
			}
			at += 9 + table(data[at+8]) + 1
		default:
			return false
		}
		for at < len(data) && data[at] != 0 {
			at += 1 + int(data[at])
		}
		at++
	}
	return false
}

// table is the size of the colour table that a flag byte announces.
func table(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// webpSize reads the dimensions of a WebP and checks that all of it is there.
func webpSize(data []byte) (w, h int, err error) {
	if len(data) < 30 {
		return 0, 0, errShort
	}
	le := func(at, n int) (v int) {
		for i := range n {
			v |= int(data[at+i]) << (8 * i)
		}
		return v
	}
	if whole := int64(le(4, 4)) + 8; whole > int64(len(data)) {
		return 0, 0, errShort
	}
	switch string(data[12:16]) {
	case "VP8 ":
		if string(data[23:26]) != "\x9d\x01\x2a" {
			return 0, 0, fmt.Errorf("no key frame")
		}
		w, h = le(26, 2)&0x3fff, le(28, 2)&0x3fff
	case "VP8L":
		if data[20] != 0x2f {
			return 0, 0, fmt.Errorf("no signature")
		}
		bits := le(21, 4)
		w, h = bits&0x3fff+1, bits>>14&0x3fff+1
	case "VP8X":
		w, h = le(24, 3)+1, le(27, 3)+1
	default:
		return 0, 0, fmt.Errorf("unknown chunk %q", data[12:16])
	}
	if w == 0 || h == 0 {
		return 0, 0, fmt.Errorf("no pixels")
	}
	return w, h, nil
}
