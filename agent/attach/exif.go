package attach

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// orientation is how a JPEG lies by its EXIF data, from 1 to 8; 1 is upright and
// what cannot be read.
func orientation(data []byte) int {
	turn := 1
	segments(data, func(marker byte, body []byte) bool {
		exif, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00"))
		if marker != 0xe1 || !ok {
			return true
		}
		turn = orientationOf(exif)
		return false
	})
	return turn
}

// orientationOf looks for the orientation in the first directory of TIFF data.
func orientationOf(tiff []byte) int {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(tiff, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return 1
	}
	if len(tiff) < 8 {
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		const tag, short = 0x0112, 3
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}

// upright is a picture turned as its EXIF orientation says.
type upright struct {
	image.Image
	turn int
}

// Bounds implements [image.Image].
func (u upright) Bounds() image.Rectangle {
	b := u.Image.Bounds()
	if u.turn >= 5 {
		return image.Rect(0, 0, b.Dy(), b.Dx())
	}
	return image.Rect(0, 0, b.Dx(), b.Dy())
}

// At implements [image.Image].
func (u upright) At(x, y int) color.Color {
	b := u.Image.Bounds()
	w, h := b.Dx(), b.Dy()
	switch u.turn {
	case 2:
		x = w - 1 - x
	case 3:
		x, y = w-1-x, h-1-y
	case 4:
		y = h - 1 - y
	case 5:
		x, y = y, x
	case 6:
		x, y = y, h-1-x
	case 7:
		x, y = w-1-y, h-1-x
	case 8:
		x, y = w-1-y, x
	}
	return u.Image.At(b.Min.X+x, b.Min.Y+y)
}
