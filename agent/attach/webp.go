package attach

import (
	"fmt"
	"io"
)

// errShort is a file that ends too early.
var errShort = io.ErrUnexpectedEOF

// fitWebP checks a WebP, which is sent as it is or not at all.
func fitWebP(data []byte, name string, l Limits) (Image, error) {
	w, h, err := webpSize(data)
	if err != nil {
		return Image{}, damaged(name)
	}
	if len(data) > l.Bytes || max(w, h) > l.Side {
		return Image{}, &Error{TooLarge, name, fmt.Sprintf(
			"has %d×%d pixels and %.1f MB; a WebP cannot be made smaller here: save it as PNG or JPEG, or with at most %d pixels a side",
			w, h, float64(len(data))/(1<<20), l.Side)}
	}
	return Image{webp, w, h, data}, nil
}
