package files

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits of the archives that documents are. What an archive says of itself is
// not believed: what comes out is counted.
const (
	maxDirectory = 4 << 20   // bytes of its list of entries
	maxUnpacked  = 128 << 20 // bytes that come out of all its entries
	// An entry over freeRatio bytes may not be more than maxRatio times as long
	// as its compressed form.
	freeRatio = 8 << 20
	maxRatio  = 100
)

// errBomb says that far more comes out of an archive than a document holds.
var errBomb = errors.New("it unpacks to far more than a document of its size holds")

// archive is a document in the form of a zip file. Names in it are looked up and
// never used as paths.
type archive struct {
	parts map[string]*zip.File
	left  int64 // bytes that may still come out
}

// openArchive reads the list of entries. The first of several with one name
// counts.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	if err := checkDirectory(r, size); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("it is no intact zip archive (%w)", err)
	}
	a := &archive{parts: map[string]*zip.File{}, left: maxUnpacked}
	for _, f := range z.File {
		if _, ok := a.parts[f.Name]; !ok {
			a.parts[f.Name] = f
		}
	}
	return a, nil
}

// checkDirectory bounds the list of entries before anything is made of it.
func checkDirectory(r io.ReaderAt, size int64) error {
	tail := make([]byte, min(size, 22+0xFFFF))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read document: %w", err)
	}
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < 22 {
		return errors.New("it is no zip archive, as this kind of document is")
	}
	end := size - int64(len(tail)) + int64(i)
	length := int64(binary.LittleEndian.Uint32(tail[i+12:]))
	start := int64(binary.LittleEndian.Uint32(tail[i+16:]))
	if length > maxDirectory || end-start > maxDirectory || start > end {
		return errors.New("its list of entries is damaged or far too long for a document")
	}
	return nil
}

// open reads an entry, bounded. ok is false when there is none of that name.
func (a *archive) open(name string) (r io.ReadCloser, ok bool, err error) {
	f, ok := a.parts[name]
	if !ok {
		return nil, false, nil
	}
	raw, err := f.Open()
	if err != nil {
		return nil, true, fmt.Errorf("its part %q cannot be unpacked (%w)", name, err)
	}
	limit := max(freeRatio, int64(min(f.CompressedSize64, maxDocument))*maxRatio)
	return &part{ReadCloser: raw, archive: a, left: limit}, true, nil
}

// part is an entry that is being unpacked.
type part struct {
	io.ReadCloser
	archive *archive
	left    int64
}

func (p *part) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	p.left -= int64(n)
	p.archive.left -= int64(n)
	if p.left < 0 || p.archive.left < 0 {
		return 0, errBomb
	}
	return n, err
}
