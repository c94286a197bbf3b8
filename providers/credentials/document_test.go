package credentials

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A change to one row leaves every other value as it was written, in its order.
func TestRoundTripKeepsEverything(t *testing.T) {
	r := newRig(t, fixture(t))
	p := r.pool("openrouter", PoolOptions{})
	fail(t, p, "home", Failure{Code: 429, Reason: "rate_limited", Message: "slow down"})
	after := r.text()
	for _, written := range []string{
		`"text": "a\/b\u00e9\ud800"`, `"big": 123456789012345678901234567890`, `2.50`, `1e3`, `0.1000000000000000055`,
		`"plan": "plus \u2014 <b>"`, `12345678901234567890`, `"an entry that is no object"`, `"secret_source": "op://vault/item"`,
		`"kept-by-a-later-version"`, `"id_token": "id.tok.en"`, `"env:ANTHROPIC_TOKEN"`, `"something_new"`, `"empty": []`,
	} {
		if !strings.Contains(after, written) {
			t.Errorf("%s is not in the file any more:\n%s", written, after)
		}
	}
	wantSame(t, fixture(t), after, "credential_pool")
	before, now := compactMembers(t, fixture(t)), compactMembers(t, after)
	if !reflect.DeepEqual(before.order, now.order) {
		t.Errorf("order %v, want %v", now.order, before.order)
	}
	if got := r.row("openrouter", "d4e5f6"); got["last_status"] != "exhausted" || got["last_error_code"] != json.Number("429") {
		t.Errorf("row %v", got)
	}
	if got := r.row("openrouter", "a1b2c3"); !reflect.DeepEqual(got, rowOfFixture(t)) {
		t.Errorf("the other row changed: %v", got)
	}
}

type ordered struct{ order []string }

func compactMembers(t *testing.T, s string) ordered {
	t.Helper()
	o, err := parseObject([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	var out ordered
	for _, m := range o.members {
		out.order = append(out.order, m.name)
	}
	return out
}

func rowOfFixture(t *testing.T) map[string]any {
	t.Helper()
	pools, _ := decoded(t, fixture(t))["credential_pool"].(map[string]any)
	list, _ := pools["openrouter"].([]any)
	row, _ := list[0].(map[string]any)
	return row
}

func TestNothingChangedNothingWritten(t *testing.T) {
	r := newRig(t, fixture(t))
	p := r.pool("openrouter", PoolOptions{})
	l := pick(t, p, Want{})
	if err := l.Succeeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Reset(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if r.text() != fixture(t) {
		t.Error("the file was written")
	}
}

func TestNewFile(t *testing.T) {
	r := newRig(t, "")
	p := r.pool("openrouter", PoolOptions{})
	if _, err := os.Stat(r.file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening made a file: %v", err)
	}
	c, err := p.Add(t.Context(), New{Label: "mine", Key: " sk-new-key-123456 ", BaseURL: "https://openrouter.ai/api/v1"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Key() != "sk-new-key-123456" || len(c.ID) != 6 || c.Label != "mine" || c.Type != APIKey || c.Source != "manual" {
		t.Errorf("added %+v", c)
	}
	info, err := os.Stat(r.file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	top := decoded(t, r.text())
	if top["version"] != json.Number("1") || top["providers"] == nil || top["updated_at"] != "2026-06-17T12:00:00.000000+00:00" {
		t.Errorf("top level %v", top)
	}
	row := r.row("openrouter", c.ID)
	for _, name := range []string{"label", "auth_type", "priority", "source", "access_token", "request_count", "base_url"} {
		if row[name] == nil {
			t.Errorf("the row has no %s: %v", name, row)
		}
	}
	for _, name := range []string{"last_status", "last_status_at", "last_error_code", "last_error_reason", "last_error_message", "last_error_reset_at"} {
		if v, has := row[name]; !has || v != nil {
			t.Errorf("%s is %v, %v", name, v, has)
		}
	}
}

// What cannot be understood is an error that names the file, and stays as it is.
func TestBrokenFiles(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		problem Problem
		says    string
	}{
		"cut":            {`{"version": 1, "credential_pool": {"openrouter": [`, ProblemCorrupt, "line 1, column 50"},
		"second line":    {"{\n \"version\": 1,\n oops\n}", ProblemCorrupt, "line 3, column 2"},
		"empty":          {"", ProblemCorrupt, "empty"},
		"blank":          {" \n\t", ProblemCorrupt, "empty"},
		"zeros":          {"\x00\x00\x00\x00", ProblemCorrupt, "line 1"},
		"trailing":       {`{"version":1} {"version":1}`, ProblemCorrupt, "line 1, column 15"},
		"list":           {`[]`, ProblemCorrupt, "no JSON object"},
		"latin-1":        {"{\"label\": \"caf\xe9\"}", ProblemCorrupt, "UTF-8"},
		"pools a list":   {`{"version":1,"credential_pool":[]}`, ProblemCorrupt, "credential_pool is no object"},
		"providers text": {`{"version":1,"providers":"x"}`, ProblemCorrupt, "providers is no object"},
		"newer":          {`{"version":2,"credential_pool":{}}`, ProblemNewer, "version 2"},
		"legacy":         {`{"systems":{"nous_portal":{"access_token":"t"}}}`, ProblemLegacy, "early version"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "auth.json")
			if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(Options{File: file})
			wantFileError(t, err, file, c.problem, c.says)
			if read(t, file) != c.content {
				t.Error("the file was changed")
			}
		})
	}
}

func wantFileError(t *testing.T, err error, file string, problem Problem, says string) {
	t.Helper()
	e, ok := errors.AsType[*FileError](err)
	if !ok || e.Problem != problem || !strings.Contains(e.Error(), file) || !strings.Contains(e.Error(), says) {
		t.Errorf("error %T %v, want %s with %q", err, err, problem, says)
	}
}

// A file that breaks while it is in use keeps what was read before, is reported
// once, and is never written.
func TestFileBreaksInUse(t *testing.T) {
	r := newRig(t, twoKeys)
	p := r.pool("openrouter", PoolOptions{})
	broken := `{"version":1, oops`
	r.write(broken)
	for range 3 {
		if l := pick(t, p, Want{}); l.Label != "one" {
			t.Errorf("picked %v", l)
		}
	}
	if got := r.reports.all(); len(got) != 1 || !strings.Contains(got[0], "damaged") {
		t.Errorf("reports %q", got)
	}
	l := pick(t, p, Want{})
	err := l.Failed(t.Context(), Failure{Code: 429})
	wantFileError(t, err, r.file, ProblemCorrupt, "damaged")
	if got := pick(t, p, Want{}); got.Label != "two" {
		t.Errorf("after a failure that was not written: %v", got)
	}
	_, err = p.Add(t.Context(), New{Key: "another-key"})
	wantFileError(t, err, r.file, ProblemCorrupt, "damaged")
	if r.text() != broken {
		t.Error("the broken file was written")
	}
	r.write(twoKeys) // repaired: what was held back is written with the next operation
	if got := pick(t, p, Want{}); got.Label != "two" {
		t.Errorf("after the repair: %v", got)
	}
	if r.row("openrouter", "aaaaaa")["last_status"] != "exhausted" {
		t.Errorf("the mark was not written: %s", r.text())
	}
}

// One pool of the wrong form does not spoil the others.
func TestBrokenPool(t *testing.T) {
	r := newRig(t, `{"version":1,"credential_pool":{"bad":{"x":1},"good":[{"id":"aaaaaa","access_token":"k"}],"none":null}}`)
	_, err := r.Pool("bad", PoolOptions{})
	wantFileError(t, err, r.file, ProblemCorrupt, "credential_pool.bad is no list")
	if l := pick(t, r.pool("good", PoolOptions{}), Want{}); l.Key() != "k" || l.Source != "manual" {
		t.Errorf("picked %+v", l)
	}
	if _, err := r.pool("none", PoolOptions{}).Add(t.Context(), New{Key: "added-key"}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(r.text(), `"x": 1`) {
		t.Error("the other pool is lost")
	}
}

func TestUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(Options{File: dir})
	wantFileError(t, err, dir, ProblemRead, "no regular file")
	big := filepath.Join(dir, "big.json")
	if err := os.WriteFile(big, bytes.Repeat([]byte(" "), longestFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(Options{File: big})
	wantFileError(t, err, big, ProblemRead, "larger than 16 MB")
}

func TestByteOrderMark(t *testing.T) {
	r := newRig(t, byteOrderMark+twoKeys)
	fail(t, r.pool("openrouter", PoolOptions{}), "one", Failure{Code: 429})
	if got := r.rows("openrouter"); len(got) != 2 {
		t.Errorf("rows %v", got)
	}
}

// A file that is linked in stays linked in, and both locks are held.
func TestLinkedFile(t *testing.T) {
	r := newRig(t, "")
	real := filepath.Join(t.TempDir(), "shared.json")
	if err := os.WriteFile(real, []byte(twoKeys), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, r.file); err != nil {
		t.Skip("SKIPPED:", err)
	}
	fail(t, r.pool("openrouter", PoolOptions{}), "one", Failure{Code: 429})
	if info, err := os.Lstat(r.file); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if rowsIn(t, real, "openrouter")[0]["last_status"] != "exhausted" {
		t.Error("the file behind the link was not written")
	}
	for _, lock := range []string{filepath.Join(r.dir, "auth.lock"), filepath.Join(filepath.Dir(real), "shared.lock")} {
		if _, err := os.Stat(lock); err != nil {
			t.Error(err)
		}
	}
}

func TestObject(t *testing.T) {
	for _, s := range []string{
		`{}`, `{ "a" : 1 , "a" : 2 }`, `{"\u0061":"\ud800","b":[{ "x":1 }],"":null}`, "{\n\t\"k\":\n1e400}", `{"a":{"b":{"c":[]}}}`,
	} {
		o, err := parseObject([]byte(s))
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(s)); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := json.Compact(&got, o.encode()); err != nil || got.String() != want.String() {
			t.Errorf("%s became %s, %v", s, got.String(), err)
		}
	}
	o, err := parseObject([]byte(`{"a":1,"b":null,"a":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if string(o.get("a")) != "2" || o.get("b") != nil || !o.has("b") || o.has("c") {
		t.Errorf("read %s", o.encode())
	}
	o.set("a", json.RawMessage("3"))
	o.set("c", quoted("<&>\n"))
	if got := string(o.encode()); got != `{"a":1,"b":null,"a":3,"c":"<&>\n"}` {
		t.Errorf("changed to %s", got)
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(twoKeys))
	f.Add([]byte(`{"credential_pool":{"openrouter":[{"id":1,"priority":"x","last_status":"exhausted","last_status_at":"2026-06-17T11:59:30","x":[1]}]}}`))
	f.Add([]byte("\xef\xbb\xbf{\"providers\":{\"openrouter\":{\"tokens\":{\"access_token\":\"t\"}}},\"version\":1.0}"))
	f.Add([]byte(`{"a":1,"a":2,"credential_pool":{"openrouter":[{}],"openrouter":[{"source":"env:X","token":"s"}]}}`))
	if b, err := os.ReadFile(filepath.Join("testdata", "auth.json")); err == nil {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := parseDocument("auth.json", data)
		if err != nil {
			if _, ok := errors.AsType[*FileError](err); !ok {
				t.Fatalf("error %T", err)
			}
			return
		}
		written, err := d.encode(noon)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseDocument("auth.json", written)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, written)
		}
		if len(again.top.members) != len(d.top.members) {
			t.Fatalf("%d members became %d", len(d.top.members), len(again.top.members))
		}
		for i, m := range d.top.members {
			if n := again.top.members[i]; !bytes.Equal(m.key, n.key) || !same(m.value, n.value) {
				t.Errorf("%s: %s became %s: %s", m.key, m.value, n.key, n.value)
			}
		}
		useEverything(t, d, written)
	})
}

// useEverything runs every operation on a document, and checks what none may
// touch.
func useEverything(t *testing.T, d *document, before []byte) {
	seed := Seed{Source: "env:X", Key: "secret-of-the-environment"}
	v, err := assemble(documents{own: d}, "openrouter", []Seed{seed}, nil, false)
	if err != nil {
		return
	}
	unknown := len(v.rows) - len(v.entries())
	for _, c := range v.credentials(noon) {
		for _, o := range []op{
			&markOp{refOf(c), c.secret.fingerprint(), Exhausted, noon, Failure{Code: 429}}, &moveOp{refOf(c)}, &usedOp{refOf(c)},
			&clearOp{refOf(c), c.secret.fingerprint(), noon}, &tokensOp{refOf(c), c.RefreshToken(), Refreshed{AccessToken: "a"}, noon},
		} {
			o.apply(v)
		}
		_ = c.String()
	}
	if err := v.store(); err != nil {
		return
	}
	after, err := d.encode(noon)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(after, []byte(seed.Key)) && !bytes.Contains(before, []byte(seed.Key)) {
		t.Error("a borrowed secret is in the file")
	}
	again, err := parseDocument("auth.json", after)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, after)
	}
	rows, err := again.rows("openrouter")
	if err != nil || len(rows) != len(v.rows) {
		t.Fatalf("%d rows, want %d: %v", len(rows), len(v.rows), err)
	}
	for _, r := range rows {
		if r.object == nil {
			unknown--
		}
	}
	if unknown != 0 {
		t.Errorf("%d entries that are not understood were lost", unknown)
	}
}
