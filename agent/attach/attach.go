package attach

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"io"
	"io/fs"
)

// Limits bound an image.
type Limits struct {
	// Input is the size of the largest file that is read.
	Input int64
	// Bytes and Side bound what is sent: its size and its longest side.
	Bytes, Side int
}

// Default are the limits for a user's images. Services take 5 MB after base64,
// which adds a third.
func Default() Limits { return Limits{Input: 20 << 20, Bytes: 3_750_000, Side: 2000} }

// MaxMemory is how much memory decoding may take, as estimated from the header.
const MaxMemory = 256 << 20

// maxSide bounds the sides of an image that is decoded.
const maxSide = 30_000

// Image is an image that can be sent.
type Image struct {
	// MediaType is image/png, image/jpeg, image/gif or image/webp.
	MediaType     string
	Width, Height int
	Data          []byte
}

// File is what an image is read from.
type File interface {
	Stat() (fs.FileInfo, error)
	io.Reader
}

// Read takes the image out of a file.
func Read(f File, name string, l Limits) (Image, error) {
	name = Name(name)
	st, err := f.Stat()
	switch {
	case err != nil:
		return Image{}, fmt.Errorf("look at %s: %w", name, err)
	case st.IsDir():
		return Image{}, &Error{NotImage, name, "is a folder"}
	case !st.Mode().IsRegular():
		return Image{}, &Error{NotImage, name, "is not a file"}
	case st.Size() > l.Input:
		return Image{}, tooMuch(name, st.Size(), l)
	}
	data, err := io.ReadAll(io.LimitReader(f, l.Input+1)) // it may grow meanwhile
	if err != nil {
		return Image{}, fmt.Errorf("read %s: %w", name, err)
	}
	return Fit(data, name, l)
}

// Fit brings an image within the limits. name is for messages.
func Fit(data []byte, name string, l Limits) (Image, error) {
	name = Name(name)
	if int64(len(data)) > l.Input {
		return Image{}, tooMuch(name, int64(len(data)), l)
	}
	kind := Sniff(data)
	if kind == "" {
		return Image{}, &Error{NotImage, name, "is not an image that can be sent: " + describe(data)}
	}
	if kind == webp {
		return fitWebP(data, name, l)
	}
	in, err := decode(data, kind, name)
	if err != nil {
		return Image{}, err
	}
	bounds := in.picture.Bounds()
	w, h := bounds.Dx(), bounds.Dy()
	if !in.changed && len(data) <= l.Bytes && max(w, h) <= l.Side {
		return Image{kind, w, h, data}, nil
	}
	return in.encode(name, l)
}

// Measure tells what an image is by its header; false when that cannot be read.
func Measure(data []byte) (Image, bool) {
	kind := Sniff(data)
	if kind == webp {
		w, h, err := webpSize(data)
		return Image{kind, w, h, data}, err == nil
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	return Image{kind, c.Width, c.Height, data}, kind != "" && err == nil
}

// decoded is an image on its way.
type decoded struct {
	picture image.Image
	kind    string
	changed bool // it cannot be sent as it came
}

// decode reads a whole image, after its header was found to be harmless.
func decode(data []byte, kind, name string) (decoded, error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return decoded{}, damaged(name)
	}
	if c.Width <= 0 || c.Height <= 0 {
		return decoded{}, &Error{Damaged, name, "has no pixels"}
	}
	if c.Width > maxSide || c.Height > maxSide || weight(c, data, kind) > MaxMemory {
		return decoded{}, &Error{TooLarge, name, fmt.Sprintf("has %d×%d pixels, which is too much to be decoded: make it smaller", c.Width, c.Height)}
	}
	in := decoded{kind: kind}
	if kind == gifType {
		in.picture, err = gif.Decode(bytes.NewReader(data))
		in.changed = animated(data)
	} else {
		in.picture, _, err = image.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return decoded{}, damaged(name)
	}
	if kind == jpegType {
		if turn := orientation(data); turn > 1 {
			in.picture, in.changed = upright{in.picture, turn}, true
		}
	}
	return in, nil
}

// damaged says that an image cannot be read to its end.
func damaged(name string) error {
	return &Error{Damaged, name, "is cut off or damaged: save or copy it again"}
}

func tooMuch(name string, size int64, l Limits) error {
	return &Error{TooLarge, name, fmt.Sprintf("has %.1f MB, and at most %d MB can be attached: make it smaller", float64(size)/(1<<20), l.Input>>20)}
}
