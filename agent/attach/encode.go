package attach

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
)

// leastSide is how small an image is made at most to bring it within its size.
const leastSide = 64

// encode makes the picture as large as the limits allow.
func (in decoded) encode(name string, l Limits) (Image, error) {
	b := in.picture.Bounds()
	for side := min(l.Side, max(b.Dx(), b.Dy())); ; side = side * 3 / 4 {
		small := scale(in.picture, side)
		for _, form := range in.forms(small) {
			var out bytes.Buffer
			if err := form.write(&out, small); err != nil {
				return Image{}, fmt.Errorf("make %s smaller: %w", name, err)
			}
			if out.Len() <= l.Bytes {
				return Image{form.kind, small.Rect.Dx(), small.Rect.Dy(), out.Bytes()}, nil
			}
		}
		if side <= leastSide {
			return Image{}, &Error{TooLarge, name, fmt.Sprintf("cannot be brought below %d bytes: attach another image", l.Bytes)}
		}
	}
}

// form is a way to write a picture.
type form struct {
	kind  string
	write func(*bytes.Buffer, *image.RGBA) error
}

// forms are the ways to write a picture, the one that loses least first. A
// photograph goes back to what it was; transparency becomes white when there is no
// room for it.
func (in decoded) forms(small *image.RGBA) []form {
	list := []form{lossy(85), lossy(65)}
	if in.kind != jpegType {
		list = append([]form{{pngType, func(out *bytes.Buffer, p *image.RGBA) error { return png.Encode(out, p) }}}, list...)
		if !small.Opaque() {
			for i := range list[1:] {
				list[i+1] = onWhite(list[i+1])
			}
		}
	}
	return list
}

func lossy(quality int) form {
	return form{jpegType, func(out *bytes.Buffer, p *image.RGBA) error {
		return jpeg.Encode(out, p, &jpeg.Options{Quality: quality})
	}}
}

func onWhite(f form) form {
	return form{f.kind, func(out *bytes.Buffer, p *image.RGBA) error {
		sheet := image.NewRGBA(p.Rect)
		draw.Draw(sheet, p.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(sheet, p.Rect, p, p.Rect.Min, draw.Over)
		return f.write(out, sheet)
	}}
}

// scale makes a picture whose longest side is at most that long. Every pixel is the
// mean of those it stands for. No more of the picture is unpacked at a time than one
// row of the result needs.
func scale(src image.Image, side int) *image.RGBA {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	nw, nh := w, h
	if long := max(w, h); long > side {
		nw, nh = max(1, w*side/long), max(1, h*side/long)
	}
	out := image.NewRGBA(image.Rect(0, 0, nw, nh))
	if nw == w && nh == h {
		draw.Draw(out, out.Rect, src, b.Min, draw.Src)
		return out
	}
	strip := image.NewRGBA(image.Rect(0, 0, w, h/nh+2))
	for y := range nh {
		from, to := y*h/nh, max(y*h/nh+1, ((y+1)*h+nh-1)/nh)
		rows := image.Rect(0, 0, w, to-from)
		draw.Draw(strip, rows, src, image.Pt(b.Min.X, b.Min.Y+from), draw.Src)
		for x := range nw {
			left, right := x*w/nw, max(x*w/nw+1, ((x+1)*w+nw-1)/nw)
			mean(out.Pix[out.PixOffset(x, y):], strip, left, right, to-from)
		}
	}
	return out
}

// mean writes the mean of a box of pixels, whose colours are premultiplied.
func mean(dst []byte, src *image.RGBA, left, right, rows int) {
	var sum [4]int
	for y := range rows {
		for row := src.Pix[y*src.Stride+left*4 : y*src.Stride+right*4]; len(row) >= 4; row = row[4:] {
			for i := range sum {
				sum[i] += int(row[i])
			}
		}
	}
	n := (right - left) * rows
	for i := range sum {
		dst[i] = byte((sum[i] + n/2) / n)
	}
}
