package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// noon is when the tests begin.
var noon = time.Date(2026, 6, 17, 12, 0, 0, 0, time.UTC)

// clock is a clock that only the test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// reports collects what a store reports.
type reports struct {
	mu   sync.Mutex
	list []string
}

func (r *reports) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, err.Error())
}

func (r *reports) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.list...)
}

// rig is a store in a directory of its own.
type rig struct {
	*Store
	t       *testing.T
	dir     string
	file    string
	clock   *clock
	reports *reports
}

// newRig opens a store. content is that of auth.json, "" for no file.
func newRig(t *testing.T, content string) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{t: t, dir: dir, file: filepath.Join(dir, "auth.json"), clock: &clock{at: noon}, reports: &reports{}}
	if content != "" {
		r.write(content)
	}
	r.Store = r.open(Options{File: r.file})
	return r
}

// open opens another store on the same clock.
func (r *rig) open(o Options) *Store {
	r.t.Helper()
	o.Clock, o.Report = r.clock.now, r.reports.add
	o.Random = rand.NewChaCha8([32]byte{1})
	s, err := Open(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil && !r.t.Failed() {
			r.t.Logf("close: %v", err)
		}
	})
	return s
}

func (r *rig) write(content string) {
	r.t.Helper()
	if err := os.WriteFile(r.file, []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) pool(provider string, o PoolOptions) *Pool { return poolOf(r.t, r.Store, provider, o) }

func poolOf(t *testing.T, s *Store, provider string, o PoolOptions) *Pool {
	t.Helper()
	p, err := s.Pool(provider, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// row is the row of a pool in the file, by id.
func (r *rig) row(provider, id string) map[string]any {
	r.t.Helper()
	for _, row := range r.rows(provider) {
		if row["id"] == id {
			return row
		}
	}
	r.t.Fatalf("no row %s of %s in %s", id, provider, r.text())
	return nil
}

func (r *rig) rows(provider string) []map[string]any {
	r.t.Helper()
	return rowsIn(r.t, r.file, provider)
}

func rowsIn(t *testing.T, file, provider string) []map[string]any {
	t.Helper()
	pools, _ := decoded(t, read(t, file))["credential_pool"].(map[string]any)
	list, _ := pools[provider].([]any)
	var rows []map[string]any
	for _, e := range list {
		if row, ok := e.(map[string]any); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

func (r *rig) text() string { r.t.Helper(); return read(r.t, r.file) }

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// decoded is JSON with its numbers as they are written.
func decoded(t *testing.T, s string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode: %v\n%s", err, s)
	}
	return v
}

func pick(t *testing.T, p *Pool, w Want) *Lease {
	t.Helper()
	l, err := p.Pick(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// labels are the labels of a list.
func labels(list []Credential) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Label)
	}
	return strings.Join(names, " ")
}

// fail marks a credential by its label.
func fail(t *testing.T, p *Pool, label string, f Failure) {
	t.Helper()
	c, err := p.Find(label)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Lease{Credential: c, pool: p}).Failed(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// seeds are seeds that do not change.
func seeds(list ...Seed) func() []Seed { return func() []Seed { return list } }

// twoKeys is a file with two keys of a provider.
const twoKeys = `{"version":1,"providers":{},"credential_pool":{"openrouter":[
 {"id":"aaaaaa","label":"one","auth_type":"api_key","priority":0,"source":"manual","access_token":"key-of-one-1111111111"},
 {"id":"bbbbbb","label":"two","auth_type":"api_key","priority":1,"source":"manual","access_token":"key-of-two-2222222222"}]}}`

// fixture is a file as the reference writes it.
func fixture(t *testing.T) string { t.Helper(); return read(t, filepath.Join("testdata", "auth.json")) }

// noSecrets looks for secrets in every file of a directory.
func noSecrets(t *testing.T, dir string, secrets ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, s := range secrets {
			if bytes.Contains(b, []byte(s)) {
				t.Errorf("%s holds the secret %s:\n%s", path, s, b)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// wantSame compares all of a file but what an operation may change.
func wantSame(t *testing.T, before, after string, changed ...string) {
	t.Helper()
	a, b := decoded(t, before), decoded(t, after)
	for _, name := range append(changed, "updated_at") {
		delete(a, name)
		delete(b, name)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the file changed:\n%v\n%v", a, b)
	}
}

func unavailable(t *testing.T, err error) *UnavailableError {
	t.Helper()
	u, ok := errors.AsType[*UnavailableError](err)
	if !ok {
		t.Fatalf("error %T %v", err, err)
	}
	return u
}
