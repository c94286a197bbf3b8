package skillhub_test

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/store/skillhub"
)

const gigabyte = 1 << 30

// zeros gives as many zeros as are read.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestGigabyte holds that a source of a gigabyte ends in a sentence, whether it is one or
// becomes one, and leaves nothing behind.
func TestGigabyte(t *testing.T) {
	dir := t.TempDir()
	create := func(name string, fill func(f *os.File) error) string {
		file := filepath.Join(dir, name)
		f, err := os.Create(file)
		if err == nil {
			err = errors.Join(fill(f), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	sparse := func(f *os.File) error { return f.Truncate(gigabyte) }
	packed := create("packed.tgz", func(f *os.File) error {
		z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
		if err != nil {
			return err
		}
		w := tar.NewWriter(z)
		if err := w.WriteHeader(&tar.Header{Name: "s/SKILL.md", Typeflag: tar.TypeReg, Mode: 0o644, Size: gigabyte}); err != nil {
			return err
		}
		_, err = io.CopyN(w, zeros{}, gigabyte)
		return errors.Join(err, w.Close(), z.Close())
	})
	deflated := create("deflated.zip", func(f *os.File) error {
		z := zip.NewWriter(f)
		w, err := z.Create("s/SKILL.md")
		if err == nil {
			_, err = io.CopyN(w, zeros{}, gigabyte)
		}
		return errors.Join(err, z.Close())
	})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.CopyN(w, zeros{}, gigabyte) }))
	t.Cleanup(site.Close)
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	create("folder/SKILL.md", sparse)
	for source, want := range map[string]string{
		packed: "larger than 64 MB when it is unpacked", deflated: "larger than 64 MB when it is unpacked",
		create("large.zip", sparse): "has 1024 MB, more than the 32 that are read", create("large.tar", sparse): "has 1024 MB",
		filepath.Join(dir, "folder"): "larger than 64 MB", site.URL + "/a.zip": "larger than 32 MB",
	} {
		h, home := newHub(t)
		s, err := skillhub.ParseSource(source, "/", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Fetch(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
		size := int64(0)
		_ = filepath.WalkDir(home, func(_ string, d os.DirEntry, err error) error {
			if info, e := d.Info(); err == nil && e == nil && info.Mode().IsRegular() {
				size += info.Size()
			}
			return nil
		})
		if size > 1<<20 {
			t.Errorf("%s: %d bytes are left behind", source, size)
		}
	}
}
