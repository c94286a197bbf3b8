package attach

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// picture has a different colour in each quarter, so that turning it shows.
func picture(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{R: 250, A: 255}
			if x >= w/2 {
				c.G = 250
			}
			if y >= h/2 {
				c.B = 250
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// speckled does not compress.
func speckled(w, h int) *image.RGBA {
	m, r := image.NewRGBA(image.Rect(0, 0, w, h)), rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	return m
}

func encoded(t testing.TB, err error, b *bytes.Buffer) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	return encoded(t, png.Encode(&b, m), &b)
}

func jpegOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	return encoded(t, jpeg.Encode(&b, m, nil), &b)
}

func gifOf(t testing.TB, frames, w, h int) []byte {
	var b bytes.Buffer
	g := &gif.GIF{}
	for i := range frames {
		p := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White, color.RGBA{R: 255, A: 255}})
		for k := range p.Pix {
			p.Pix[k] = byte(i+k) % 3
		}
		g.Image, g.Delay = append(g.Image, p), append(g.Delay, 5)
	}
	return encoded(t, gif.EncodeAll(&b, g), &b)
}

// webpOf is a lossless WebP of one pixel, with the dimensions that are said.
func webpOf(w, h int) []byte {
	data := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	binary.LittleEndian.PutUint32(data[21:], uint32(w-1)|uint32(h-1)<<14)
	return data
}

// turned is a JPEG that says how it lies.
func turned(t testing.TB, m image.Image, how byte, order binary.AppendByteOrder, mark string) []byte {
	tiff := order.AppendUint32([]byte(mark), 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, e := range [][3]uint16{{0x0100, 3, 7}, {0x0112, 3, uint16(how)}} {
		tiff = order.AppendUint16(order.AppendUint16(tiff, e[0]), e[1])
		tiff = order.AppendUint32(tiff, 1)
		tiff = append(order.AppendUint16(tiff, e[2]), 0, 0)
	}
	body := append([]byte("Exif\x00\x00"), tiff...)
	segment := append([]byte{0xff, 0xe1, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
	plain := jpegOf(t, m)
	return append(append([]byte{0xff, 0xd8}, segment...), plain[2:]...)
}

// bomb is a PNG of a few bytes that claims to be that large.
func bomb(w, h uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	head = append(head, 8, 6, 0, 0, 0)
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(head))
}

func TestWhatFitsStaysAsItIs(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		kind string
	}{
		"png": {pngOf(t, picture(40, 20)), pngType}, "jpeg": {jpegOf(t, picture(40, 20)), jpegType},
		"gif": {gifOf(t, 1, 40, 20), gifType}, "webp": {webpOf(40, 20), webp},
		"upright": {turned(t, picture(40, 20), 1, binary.LittleEndian, "II*\x00"), jpegType},
	} {
		t.Run(name, func(t *testing.T) {
			i, err := Fit(c.data, "x.dat", Default())
			if err != nil || i.MediaType != c.kind || i.Width != 40 || i.Height != 20 || !bytes.Equal(i.Data, c.data) {
				t.Errorf("%s %d×%d %d bytes of %d, %v", i.MediaType, i.Width, i.Height, len(i.Data), len(c.data), err)
			}
			if m, ok := Measure(c.data); !ok || m.Width != 40 || m.Height != 20 || m.MediaType != c.kind {
				t.Errorf("measured %+v, %v", m, ok)
			}
		})
	}
}

func TestWhatIsTooLargeIsMadeSmaller(t *testing.T) {
	small := Limits{Input: 20 << 20, Bytes: 20_000, Side: 100}
	clear := speckled(300, 200)
	cases := []struct {
		name string
		data []byte
		l    Limits
		kind string
		w, h int // 0: only within the limits
	}{
		{"png", pngOf(t, picture(4000, 1000)), Default(), pngType, 2000, 500},
		{"jpeg", jpegOf(t, picture(300, 200)), small, jpegType, 100, 66},
		{"gif", gifOf(t, 1, 300, 200), small, pngType, 100, 66},
		{"animation", gifOf(t, 3, 40, 20), Default(), pngType, 40, 20},
		{"narrow", pngOf(t, picture(3, 5000)), Default(), pngType, 1, 2000},
		{"bytes", pngOf(t, clear), small, "", 0, 0},
		{"few bytes", pngOf(t, clear), Limits{Input: 20 << 20, Bytes: 3_000, Side: 2000}, jpegType, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			i, err := Fit(c.data, "x.png", c.l)
			if err != nil {
				t.Fatal(err)
			}
			if len(i.Data) > c.l.Bytes || max(i.Width, i.Height) > c.l.Side || c.kind != "" && i.MediaType != c.kind || c.w > 0 && (i.Width != c.w || i.Height != c.h) {
				t.Errorf("%s %d×%d %d bytes", i.MediaType, i.Width, i.Height, len(i.Data))
			}
			if m, ok := Measure(i.Data); !ok || m.MediaType != i.MediaType || m.Width != i.Width || m.Height != i.Height {
				t.Errorf("the result is %+v, %v", m, ok)
			}
			if again, err := Fit(c.data, "y", c.l); err != nil || !bytes.Equal(again.Data, i.Data) {
				t.Errorf("another result the second time, %v", err)
			}
		})
	}
}

func TestScaleTakesTheMean(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 4, 2))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for _, p := range []image.Point{{0, 0}, {1, 1}, {2, 0}, {3, 0}, {2, 1}, {3, 1}} {
		m.SetRGBA(p.X, p.Y, color.RGBA{A: 255})
	}
	got := scale(m, 2)
	if got.Rect != image.Rect(0, 0, 2, 1) || got.RGBAAt(0, 0) != (color.RGBA{128, 128, 128, 255}) || got.RGBAAt(1, 0) != (color.RGBA{A: 255}) {
		t.Errorf("%v %v", got.Rect, got.Pix)
	}
}

// TestImagesAreTurnedUpright: where the picture says red and blue meet, they do.
func TestImagesAreTurnedUpright(t *testing.T) {
	m := picture(64, 32)
	// Where the corner at the top left of the stored picture is seen.
	corners := map[byte]image.Point{2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}}
	for how, corner := range corners {
		for mark, order := range map[string]binary.AppendByteOrder{"II*\x00": binary.LittleEndian, "MM\x00*": binary.BigEndian} {
			i, err := Fit(turned(t, m, how, order, mark), "x.jpg", Default())
			if err != nil {
				t.Fatal(err)
			}
			out, err := jpeg.Decode(bytes.NewReader(i.Data))
			if err != nil {
				t.Fatal(err)
			}
			wide := how < 5
			if b := out.Bounds(); (b.Dx() > b.Dy()) != wide || i.Width != b.Dx() || i.Height != b.Dy() {
				t.Errorf("%d: %v", how, b)
			}
			r, g, b, _ := out.At(8+corner.X*(i.Width-17), 8+corner.Y*(i.Height-17)).RGBA()
			if r < 0xc000 || g > 0x4000 || b > 0x4000 {
				t.Errorf("%d (%q): the corner is %x %x %x", how, mark[:2], r>>8, g>>8, b>>8)
			}
		}
	}
}

func TestAttacks(t *testing.T) {
	whole := pngOf(t, speckled(50, 50))
	photo := jpegOf(t, speckled(50, 50))
	cases := []struct {
		name, file string
		data       []byte
		kind       Kind
		says       string
	}{
		{"bomb", "b.png", bomb(60_000, 60_000), TooLarge, "60000×60000"},
		{"bomb within the sides", "b.png", bomb(20_000, 20_000), TooLarge, "too much to be decoded"},
		{"no pixels", "b.png", bomb(0, 10), Damaged, ""},
		{"cut off", "shot.png", whole[:len(whole)/2], Damaged, "shot.png is cut off"},
		{"only the head", "shot.png", whole[:20], Damaged, "cut off"},
		{"JPEG cut off", "p.jpg", photo[:len(photo)/2], Damaged, "cut off"},
		{"GIF cut off", "p.gif", gifOf(t, 1, 60, 60)[:40], Damaged, ""},
		{"WebP cut off", "p.webp", append(webpOf(4, 4)[:4:4], append([]byte{200, 0, 0, 0}, webpOf(4, 4)[8:]...)...), Damaged, "cut off"},
		{"WebP too large", "p.webp", webpOf(9000, 20), TooLarge, "save it as PNG"},
		{"flipped bits", "shot.png", append(append(bytes.Clone(whole[:60]), 0, 0, 0, 0), whole[64:]...), Damaged, "damaged"},
		{"empty", "e.png", nil, NotImage, "empty"},
		{"text with the name of an image", "notes.png", []byte("just words"), NotImage, "notes.png is not an image that can be sent: it holds text"},
		{"script", "x.gif", []byte("<svg xmlns=…"), NotImage, "SVG"},
		{"PDF", "x.png", []byte("%PDF-1.7\n\x00"), NotImage, "PDF"},
		{"HEIC", "x.jpg", []byte("\x00\x00\x00\x18ftypheic\x00\x00"), NotImage, "HEIC"},
		{"something", "x.png", []byte("\x00\x01\x02\xff\xfe"), NotImage, "PNG, JPEG"},
		{"25 MB", "x.png", append(bytes.Clone(whole), make([]byte, 25<<20)...), TooLarge, "at most 20 MB"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Fit(c.data, "/home/me/secret/"+c.file, Default())
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind != c.kind || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestNamesDoNotMatter(t *testing.T) {
	i, err := Fit(jpegOf(t, picture(8, 8)), "notes.txt", Default())
	if err != nil || i.MediaType != jpegType {
		t.Errorf("%+v, %v", i, err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cases := []struct {
		path, says string
	}{
		{write("ok.png", pngOf(t, picture(4, 4))), ""},
		{dir, "is a folder"},
		{os.DevNull, "is not a file"},
		{write("large.png", make([]byte, 25<<20)), "25.0 MB"},
		{write("empty.png", nil), "empty"},
	}
	for _, c := range cases {
		f, err := os.Open(c.path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Read(f, c.path, Default())
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", c.path, err)
		}
		if f.Close() != nil {
			t.Error("not closed")
		}
	}
	if _, err := Read(broken{}, "x", Default()); err == nil {
		t.Error("no error")
	}
}

// broken is a file that cannot be looked at.
type broken struct{}

func (broken) Stat() (fs.FileInfo, error) { return nil, fs.ErrPermission }
func (broken) Read([]byte) (int, error)   { return 0, fs.ErrPermission }

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"/home/me/a b.png": "a b.png", `C:\Users\me\x.png`: "x.png", "": "image", "/": "image", "a]b[\n\x1b[31m\u202e.png": "a_b__31m.png",
		"docs/x.png/": "x.png", strings.Repeat("ä", 200): strings.Repeat("ä", 40) + "…" + strings.Repeat("ä", 39),
	} {
		if got := Name(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzFit: nothing that is read ends the program, and what comes out can be sent.
func FuzzFit(f *testing.F) {
	for _, data := range [][]byte{
		pngOf(f, picture(9, 5)), jpegOf(f, picture(9, 5)), gifOf(f, 2, 9, 5), webpOf(9, 5), bomb(1<<31-1, 1<<31-1),
		turned(f, picture(9, 5), 6, binary.BigEndian, "MM\x00*"), []byte("RIFF\x00\x00\x00\x00WEBPVP8X"),
	} {
		f.Add(data)
	}
	l := Limits{Input: 1 << 20, Bytes: 4_000, Side: 64}
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height > 1<<20 {
			t.Skip("SKIPPED: slow")
		}
		i, err := Fit(data, "x", l)
		if err != nil {
			return
		}
		if len(i.Data) > l.Bytes || max(i.Width, i.Height) > l.Side || i.Width < 1 || i.Height < 1 || Sniff(i.Data) != i.MediaType {
			t.Errorf("%s %d×%d %d bytes", i.MediaType, i.Width, i.Height, len(i.Data))
		}
	})
}

func BenchmarkFit(b *testing.B) {
	data := jpegOf(b, speckled(4000, 3000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Fit(data, "x", Default()); err != nil {
			b.Fatal(err)
		}
	}
}
