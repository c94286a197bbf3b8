package bind_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools"
	"hermes-tui/tools/files"
	"hermes-tui/tools/place"
	"hermes-tui/tools/watch"
)

// reader is an agent that has read files, some of which are watched.
type reader struct {
	testing.TB
	dir   string
	files *files.Files
}

func newReader(t testing.TB, watched bool, folders int) *reader {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	here, err := place.NewLocal(place.Options{Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{TB: t, dir: dir}
	o := files.Options{Place: here, Root: dir}
	if watched {
		w := watch.New(watch.Options{Dir: filepath.Join(t.TempDir(), "marks"), Folders: folders})
		set := w.Set()
		o.Watch = set
		t.Cleanup(func() {
			if err := errors.Join(set.Close(), w.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	r.files = files.New(o)
	return r
}

// put writes a file, and read has the agent read it.
func (r *reader) put(name, text string) string {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		r.Fatal(err)
	}
	return path
}

func (r *reader) read(path string) {
	r.Helper()
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		r.Fatal(err)
	}
	for _, tool := range r.files.Tools() {
		if tool.Name != "read_file" {
			continue
		}
		if result, err := tool.Run(r.Context(), tools.Call{Args: args}, nil, nil); err != nil || result.Status != tools.StatusOK {
			r.Fatal(err, result.Content)
		}
	}
}

func (r *reader) news() string {
	var all []string
	for _, n := range r.files.News() {
		all = append(all, n.Text)
	}
	return strings.Join(all, "\n")
}

// TestWatchedFiles has the real watcher tell the file tools what others change, at
// once, and nothing of what the agent does.
func TestWatchedFiles(t *testing.T) {
	for _, folders := range []int{0, 1} { // with one of them only, the rest is looked at
		r := newReader(t, true, folders)
		paths := []string{r.put("a/one", "1"), r.put("b/two", "1"), r.put("b/three", "1"), r.put("c/four", "1")}
		for _, p := range paths {
			r.read(p)
		}
		if got := r.news(); got != "" {
			t.Fatalf("news before anything happened: %s", got)
		}
		for round := range 20 {
			for _, p := range paths {
				if err := atomicfile.Write(p, fmt.Append(nil, "others ", round), 0o600); err != nil {
					t.Fatal(err)
				}
				if got := r.news(); !strings.Contains(got, filepath.Base(p)) || strings.Count(got, `"`) != 2 {
					t.Fatalf("%s was replaced, and the news are %q", p, got)
				}
				r.files.Acts(false)
				r.put(strings.TrimPrefix(p, r.dir), fmt.Sprint("mine ", round))
				r.files.Acts(true)
				if got := r.news(); got != "" {
					t.Fatalf("told of its own doing: %s", got)
				}
			}
		}
		if err := os.Rename(filepath.Join(r.dir, "b"), filepath.Join(r.dir, "z")); err != nil {
			t.Fatal(err)
		}
		if got := r.news(); !strings.Contains(got, `"b/three" (no longer a file), "b/two" (no longer a file)`) {
			t.Errorf("a folder was moved, and the news are %q", got)
		}
		if err := os.Rename(r.dir, r.dir+"2"); err != nil {
			t.Fatal(err)
		}
		r.files.Begin()
		if got := r.news(); !strings.Contains(got, "one") || !strings.Contains(got, "four") {
			t.Errorf("a folder further up was moved, and the news of the next turn are %q", got)
		}
		if err := os.Rename(r.dir+"2", r.dir); err != nil { // for the cleanup
			t.Fatal(err)
		}
	}
}

// BenchmarkNews asks what has changed of as many files as an agent remembers, with one
// of them changed, with a watcher and without.
func BenchmarkNews(b *testing.B) {
	for _, watched := range []bool{true, false} {
		b.Run(fmt.Sprintf("watched=%v", watched), func(b *testing.B) {
			r := newReader(b, watched, 0)
			var paths []string
			for i := range 4096 {
				paths = append(paths, r.put(fmt.Sprintf("d%d/f%d", i/10, i), "1"))
				r.read(paths[i])
			}
			r.news()
			for i := 0; b.Loop(); i++ {
				if err := atomicfile.Write(paths[i%len(paths)], fmt.Append(nil, "others ", i), 0o600); err != nil {
					b.Fatal(err)
				}
				if r.news() == "" {
					b.Fatal("no news")
				}
			}
		})
	}
}
