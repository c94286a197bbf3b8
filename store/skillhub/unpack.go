package skillhub

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Unpack writes the files of an archive (.zip, .tar, .tar.gz, .tgz) into an empty folder.
// A link to what is in it too becomes a copy of that. leftOut are the other links and
// devices, which are not written. What it returns an error about may have been written in
// part.
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
		return w.end(w.zip(archive))
	case strings.HasSuffix(name, ".tar"), strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return w.end(w.tar(archive, !strings.HasSuffix(name, ".tar")))
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
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := source.Readlink(name)
			if rel, e := filepath.Rel(from, to); e == nil && filepath.IsAbs(to) && filepath.IsLocal(rel) {
				to = path.Join(strings.Repeat("../", strings.Count(name, "/")), filepath.ToSlash(rel))
			}
			return errors.Join(err, w.link(name, to))
		}
		return w.add(name, info.Mode(), func() (io.ReadCloser, error) { return source.Open(name) })
	})
	return w.end(err)
}

// writer writes what comes from elsewhere below one folder, within the limits.
type writer struct {
	root  *os.Root
	seen  map[string]bool // names in lower case: where case does not count they are one
	bytes int64
	// links are those that are not followed yet, with what they lead to, leftOut those that
	// lead elsewhere, and devices.
	links   map[string]string
	leftOut []string
}

func newWriter(dir string) (*writer, error) {
	root, err := os.OpenRoot(dir)
	return &writer{root: root, seen: map[string]bool{}, links: map[string]string{}}, err
}

// reserve takes a name, which is there once.
func (w *writer) reserve(name string) (clean string, err error) {
	clean = strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	switch {
	case path.IsAbs(clean), !filepath.IsLocal(filepath.FromSlash(clean)), clean == ".", strings.ContainsFunc(clean, control):
		return "", fmt.Errorf("%s leads out of its folder or is no name of a file", shown(name))
	case w.seen[strings.ToLower(clean)]:
		return "", fmt.Errorf("%s is there twice", shown(name))
	case len(w.seen) == MaxFiles:
		return "", fmt.Errorf("there are more than %d files", MaxFiles)
	}
	w.seen[strings.ToLower(clean)] = true
	return clean, nil
}

// link notes a link, which [writer.end] follows.
func (w *writer) link(name, to string) error {
	clean, err := w.reserve(name)
	if err == nil {
		w.links[clean] = path.Join(path.Dir(clean), filepath.ToSlash(to))
		if path.IsAbs(filepath.ToSlash(to)) {
			w.links[clean] = ".."
		}
	}
	return err
}

// end follows the links to what was written, also by way of others, unless err stands
// against it, and returns those that are left out.
func (w *writer) end(err error) ([]string, error) {
	for more := true; more && err == nil; {
		more = false
		for _, name := range slices.Sorted(maps.Keys(w.links)) {
			to := w.links[name]
			if w.pending(to) {
				continue
			}
			delete(w.links, name)
			more = true
			outside := !filepath.IsLocal(filepath.FromSlash(to)) || to == "." || strings.HasPrefix(name+"/", to+"/")
			if _, e := w.root.Stat(to); outside || e != nil {
				w.leftOut = append(w.leftOut, name)
			} else if err = w.copy(to, name); err != nil {
				break
			}
		}
	}
	w.leftOut = append(w.leftOut, slices.Sorted(maps.Keys(w.links))...) // which lead to each other
	return w.leftOut, err
}

// pending reports whether a name is a link that is not followed yet, or holds one or is
// below one.
func (w *writer) pending(to string) bool {
	for name := range w.links {
		if strings.HasPrefix(name+"/", to+"/") || strings.HasPrefix(to+"/", name+"/") {
			return true
		}
	}
	return false
}

// copy writes what is at a name again under another one.
func (w *writer) copy(from, to string) error {
	return fs.WalkDir(w.root.FS(), from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		as := to + strings.TrimPrefix(name, from)
		delete(w.seen, strings.ToLower(to)) // the link has it
		return w.add(as, info.Mode(), func() (io.ReadCloser, error) { return w.root.Open(name) })
	})
}

// add writes a file. Only its being executable is taken over from its mode.
func (w *writer) add(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	clean, err := w.reserve(name)
	if err != nil {
		return err
	}
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
		add := func() error { return w.add(f.Name, f.Mode(), f.Open) }
		if f.Mode()&fs.ModeSymlink != 0 {
			add = func() error { return w.zipLink(f) }
		}
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

// maxLink bounds the name that a link leads to, in bytes.
const maxLink = 4096

// zipLink notes a link of an archive, whose content is what it leads to.
func (w *writer) zipLink(f *zip.File) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	to, err := io.ReadAll(io.LimitReader(in, maxLink))
	return errors.Join(err, w.link(f.Name, string(to)))
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
		switch h.Typeflag {
		case tar.TypeSymlink:
			err = w.link(h.Name, h.Linkname)
		case tar.TypeLink: // by its name in the archive
			err = w.link(h.Name, path.Join(strings.Repeat("../", strings.Count(path.Clean(h.Name), "/")), h.Linkname))
		default:
			err = w.add(h.Name, h.FileInfo().Mode(), func() (io.ReadCloser, error) { return io.NopCloser(t), nil })
		}
		if err != nil {
			return err
		}
	}
}
