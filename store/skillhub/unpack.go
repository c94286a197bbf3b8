package skillhub

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Unpack writes the files of an archive (.zip, .tar, .tar.gz, .tgz) into an empty folder.
// leftOut are the links and devices in it, which are not written. What it returns an
// error about may have been written in part.
func Unpack(archive, dir string) (leftOut []string, err error) {
	info, err := os.Stat(archive)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no ordinary file", archive)
	case info.Size() > MaxArchive:
		return nil, fmt.Errorf("the archive has %d MB, more than the %d that are read", info.Size()>>20, MaxArchive>>20)
	}
	w, err := newWriter(dir)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	name := strings.ToLower(archive)
	switch {
	case strings.HasSuffix(name, ".zip"):
		err = w.zip(archive)
		return w.leftOut, err
	case strings.HasSuffix(name, ".tar"), strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		err = w.tar(archive, !strings.HasSuffix(name, ".tar"))
		return w.leftOut, err
	}
	return nil, fmt.Errorf("%s is none of the archives that are read: .zip, .tar, .tar.gz, .tgz", filepath.Base(archive))
}

// Archive reports whether a name is that of an archive that [Unpack] reads.
func Archive(name string) bool {
	name = strings.ToLower(name)
	for _, end := range []string{".zip", ".tar", ".tar.gz", ".tgz"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// Copy writes the files of a folder into an empty one, without those of version control.
// leftOut is as with [Unpack].
func Copy(from, to string) (leftOut []string, err error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	w, err := newWriter(to)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	err = fs.WalkDir(source.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".hg" || d.Name() == ".svn" || d.Name() == "node_modules" || d.Name() == "__pycache__"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return w.add(name, info.Mode(), func() (io.ReadCloser, error) { return source.Open(name) })
	})
	return w.leftOut, err
}

// writer writes what comes from elsewhere below one folder, within the limits.
type writer struct {
	root  *os.Root
	seen  map[string]bool // names in lower case: where case does not count they are one
	bytes int64
	// leftOut are links and devices.
	leftOut []string
}

func newWriter(dir string) (*writer, error) {
	root, err := os.OpenRoot(dir)
	return &writer{root: root, seen: map[string]bool{}}, err
}

// add writes a file. Only its being executable is taken over from its mode.
func (w *writer) add(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	clean := strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	switch {
	case path.IsAbs(clean), !filepath.IsLocal(filepath.FromSlash(clean)), clean == ".", strings.ContainsFunc(clean, control):
		return fmt.Errorf("%s leads out of its folder or is no name of a file", shown(name))
	case w.seen[strings.ToLower(clean)]:
		return fmt.Errorf("%s is there twice", shown(name))
	case len(w.seen) == MaxFiles:
		return fmt.Errorf("there are more than %d files", MaxFiles)
	}
	w.seen[strings.ToLower(clean)] = true
	if !mode.IsRegular() {
		w.leftOut = append(w.leftOut, clean)
		return nil
	}
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	if err := w.root.MkdirAll(path.Dir(clean), 0o755); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if mode&0o111 != 0 {
		perm = 0o755
	}
	out, err := w.root.OpenFile(clean, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, MaxBytes-w.bytes+1))
	if w.bytes += n; err == nil && w.bytes > MaxBytes {
		err = fmt.Errorf("it is larger than %d MB when it is unpacked", MaxBytes>>20)
	}
	return errors.Join(err, out.Close())
}

func control(r rune) bool { return r < 0x20 || r == 0x7f }

// shown is a name as it may be shown.
func shown(name string) string { return fmt.Sprintf("%.200q", name) }

func (w *writer) zip(archive string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("the archive cannot be read: %w", err)
	}
	defer z.Close()
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		if err := w.add(f.Name, f.Mode(), f.Open); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) tar(archive string, packed bool) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	var in io.Reader = f
	if packed {
		z, err := gzip.NewReader(f)
		if err != nil {
			return fmt.Errorf("the archive cannot be read: %w", err)
		}
		in = io.LimitReader(z, MaxBytes+MaxFiles*4<<10) // heads, and what pads them
	}
	t := tar.NewReader(in)
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the archive cannot be read: %w", err)
		case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader:
			continue
		}
		mode := h.FileInfo().Mode()
		if h.Typeflag == tar.TypeLink {
			mode |= fs.ModeSymlink
		}
		if err := w.add(h.Name, mode, func() (io.ReadCloser, error) { return io.NopCloser(t), nil }); err != nil {
			return err
		}
	}
}
