package modelcache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/providers"
	"hermes-tui/store/atomicfile"
)

func TestGetGivesWhatWasPut(t *testing.T) {
	dir, now := t.TempDir(), newClock()
	c, k := in(dir, now.now), NewKey("https://api.example/v1", "key-1")
	if _, _, ok := c.Get(k); ok {
		t.Error("there is a list before any was put")
	}
	want := some(3)
	mustPut(t, c, k, want)
	now.at = now.at.Add(90 * time.Minute)
	for name, cache := range map[string]*Cache{"the same": c, "another": in(dir, now.now)} {
		got, age, ok := cache.Get(k)
		if !ok || age != 90*time.Minute || !reflect.DeepEqual(got, want) {
			t.Errorf("%s cache: %v, %v, %v", name, got, age, ok)
		}
		got[0].ID, got[0].Price.Input = "x", "x"
		if again, _, _ := cache.Get(k); !reflect.DeepEqual(again, want) {
			t.Errorf("%s cache was changed from outside", name)
		}
	}
	if _, _, ok := c.Get(NewKey("https://api.example/v1", "key-2")); ok {
		t.Error("another account sees the list")
	}
	mustPut(t, c, k, want[:1])
	if got, age, _ := c.Get(k); len(got) != 1 || age != 0 {
		t.Errorf("after the second put: %v, %v", got, age)
	}
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: no modes there")
	}
	dir := t.TempDir()
	c := in(dir, time.Now)
	mustPut(t, c, NewKey("https://a/v1", ""), some(1))
	mustLearn(t, c, "m", "https://a/v1", 8_192)
	for path, want := range map[string]os.FileMode{listsIn(dir): 0o600, limitsIn(dir): 0o600, filepath.Dir(listsIn(dir)): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestKeysHoldNoSecrets(t *testing.T) {
	dir := t.TempDir()
	c := in(dir, time.Now)
	const canary = "CANARY-s3cret"
	for _, base := range []string{
		"https://user:" + canary + "@a.example/v1?key=" + canary + "#" + canary, "https://a.example/v1/", canary, "", "file:///" + canary,
		"https://a.example/" + strings.Repeat("x", 600),
	} {
		k := NewKey(base, canary)
		mustPut(t, c, k, some(1))
		if _, _, ok := c.Get(k); !ok {
			t.Errorf("nothing under %s", k)
		}
		_ = c.Learn(t.Context(), "m", base, 8_192, true)
	}
	for _, path := range []string{listsIn(dir), limitsIn(dir)} {
		if text := readText(t, path); strings.Contains(text, canary) || !strings.Contains(text, "https://a.example/v1") {
			t.Errorf("%s holds %s", path, text)
		}
	}
	if a, b := NewKey("https://A.example/v1/", "x"), NewKey("https://a.example/v1", "y"); strings.SplitN(a.String(), "#", 2)[0] != strings.SplitN(b.String(), "#", 2)[0] {
		t.Errorf("%s and %s are spelt differently", a, b)
	}
}

func TestPutRefuses(t *testing.T) {
	dir := t.TempDir()
	c := in(dir, time.Now)
	k := NewKey("https://a/v1", "")
	for name, list := range map[string][]providers.Model{
		"nothing":              nil,
		"too many":             make([]providers.Model, mostModels+1),
		"no name":              {{}},
		"a long name":          {{ID: strings.Repeat("x", mostText+1)}},
		"control characters":   {{ID: "a\x1b[31m"}},
		"no text":              {{ID: "a\xff"}},
		"negative":             {{ID: "a", ContextMax: -1}},
		"beyond sense":         {{ID: "a", OutputMax: 1 << 50}},
		"an unknown answer":    {{ID: "a", Vision: 3}},
		"a long price":         {{ID: "a", Price: &providers.ListPrice{CacheWrite: strings.Repeat("9", mostText+1)}}},
		"one bad among others": append(some(2), providers.Model{}),
	} {
		err := c.Put(t.Context(), k, list)
		wantProblem(t, err, ProblemInvalid)
		if _, _, ok := c.Get(k); ok {
			t.Errorf("%s was kept", name)
		}
	}
	huge := make([]providers.Model, mostModels)
	for i := range huge {
		huge[i] = providers.Model{ID: strings.Repeat("x", mostText), Name: strings.Repeat("y", mostText)}
	}
	wantProblem(t, c.Put(t.Context(), k, huge), ProblemFull)
}

func TestOldestListsGiveWay(t *testing.T) {
	dir, now := t.TempDir(), newClock()
	c := in(dir, now.now)
	key := func(i int) Key { return NewKey(fmt.Sprintf("https://h%d/v1", i), "") }
	for i := range mostLists + 5 {
		mustPut(t, c, key(i), some(1))
		now.at = now.at.Add(time.Minute)
	}
	for i := range mostLists + 5 {
		if _, _, ok := c.Get(key(i)); ok != (i >= 5) {
			t.Errorf("list %d: %v", i, ok)
		}
	}
	// So they do when together they take too much.
	large := some(mostModels)
	for i := range large {
		large[i].Name = strings.Repeat("n", 100)
	}
	for i := range 4 {
		now.at = now.at.Add(time.Minute)
		mustPut(t, c, key(i), large)
	}
	if info, err := os.Stat(listsIn(dir)); err != nil || info.Size() > mostListBytes {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if _, _, ok := c.Get(key(3)); !ok {
		t.Error("the newest list is gone")
	}
	if _, _, ok := c.Get(key(mostLists)); ok {
		t.Error("an old list is there still")
	}
}

func TestListsOfTheFuture(t *testing.T) {
	dir, now := t.TempDir(), newClock()
	c, k := in(dir, now.now), NewKey("https://a/v1", "")
	mustPut(t, c, k, some(1))
	now.at = now.at.Add(-30 * time.Second)
	if _, age, ok := c.Get(k); !ok || age != 0 {
		t.Errorf("half a minute early: %v, %v", age, ok)
	}
	now.at = now.at.Add(-time.Hour)
	if _, _, ok := c.Get(k); ok {
		t.Error("a list of the future counts")
	}
	for i := range mostLists {
		mustPut(t, c, NewKey(fmt.Sprintf("https://h%d/v1", i), ""), some(1))
	}
	now.at = now.at.Add(24 * time.Hour)
	if _, _, ok := c.Get(k); ok {
		t.Error("a list of the future did not give way first")
	}
}

func TestDamagedListsArePutAside(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":      `{"version":1,"entries":{`,
		"empty object": `{}`,
		"a list":       `[1]`,
		"bytes":        "\x00\xff",
		"other shape":  `{"version":1,"entries":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeText(t, listsIn(dir), text)
			c, k := in(dir, time.Now), NewKey("https://a/v1", "")
			if _, _, ok := c.Get(k); ok {
				t.Error("a damaged file gives a list")
			}
			mustPut(t, c, k, some(2))
			if got, _, ok := c.Get(k); !ok || len(got) != 2 {
				t.Errorf("got %v, %v", got, ok)
			}
			if got := readText(t, listsIn(dir)+".corrupt"); got != text {
				t.Errorf("put aside was %q", got)
			}
		})
	}
}

// TestDamagedEntries: entries that no put made are not given, and the others are.
func TestDamagedEntries(t *testing.T) {
	dir, now := t.TempDir(), newClock()
	c := in(dir, now.now)
	good, bad := NewKey("https://a/v1", ""), NewKey("https://b/v1", "")
	mustPut(t, c, good, some(1))
	text := strings.Replace(readText(t, listsIn(dir)), `"entries":{`, fmt.Sprintf(`"entries":{%q:{"at":"2026-11-22T12:00:00Z","models":[{"id":""}]},`, bad), 1)
	writeText(t, listsIn(dir), text)
	if _, _, ok := c.Get(bad); ok {
		t.Error("a damaged entry is given")
	}
	if _, _, ok := c.Get(good); !ok {
		t.Error("a good entry is not given")
	}
}

func TestNewerListsAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	const text = `{"version":2,"entries":"of another form"}`
	writeText(t, listsIn(dir), text)
	c, k := in(dir, time.Now), NewKey("https://a/v1", "")
	wantProblem(t, c.Put(t.Context(), k, some(1)), ProblemNewer)
	if _, _, ok := c.Get(k); ok || readText(t, listsIn(dir)) != text {
		t.Error("a file of a later version was used or changed")
	}
}

func TestTooLargeListsAreBegunAnew(t *testing.T) {
	dir := t.TempDir()
	writeText(t, listsIn(dir), strings.Repeat(" ", mostListBytes+1))
	c, k := in(dir, time.Now), NewKey("https://a/v1", "")
	if _, _, ok := c.Get(k); ok {
		t.Error("it gives a list")
	}
	mustPut(t, c, k, some(1))
	if _, _, ok := c.Get(k); !ok {
		t.Error("it was not begun anew")
	}
}

func TestNoFileAtAll(t *testing.T) {
	c := New(Options{})
	k := NewKey("https://a/v1", "")
	mustPut(t, c, k, some(1))
	mustLearn(t, c, "m", "https://a/v1", 8_192)
	if _, _, ok := c.Get(k); ok {
		t.Error("a list was remembered nowhere")
	}
	if _, ok := c.Limit("m", "https://a/v1"); ok {
		t.Error("a window was remembered nowhere")
	}
	if err := c.Succeeded(t.Context(), "m", "https://a/v1", 1); err != nil {
		t.Error(err)
	}
}

// TestFolderInPlaceOfFile: what cannot be read gives nothing, and an error when it is
// to be written.
func TestFolderInPlaceOfFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{listsIn(dir), limitsIn(dir)} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c, k := in(dir, time.Now), NewKey("https://a/v1", "")
	if _, _, ok := c.Get(k); ok {
		t.Error("a folder gives a list")
	}
	wantProblem(t, c.Put(t.Context(), k, some(1)), ProblemWrite)
	wantProblem(t, c.Learn(t.Context(), "m", "https://a/v1", 8_192, true), ProblemWrite)
}

// TestHeldLock: someone who holds the lock for ever is given up on, and a caller who
// has no time does not wait.
func TestHeldLock(t *testing.T) {
	dir := t.TempDir()
	c, k := in(dir, time.Now), NewKey("https://a/v1", "")
	mustPut(t, c, k, some(1))
	lock, err := atomicfile.TryAcquire(listsIn(dir) + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	hasty := in(dir, time.Now)
	hasty.lists.patience = 10 * time.Millisecond
	wantProblem(t, hasty.Put(t.Context(), k, some(2)), ProblemLocked)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user left")
	waiting := make(chan error, 1)
	go func() { waiting <- c.Put(ctx, k, some(2)) }()
	// Reading does not wait for the one who writes.
	if got, _, ok := c.Get(k); !ok || len(got) != 1 {
		t.Errorf("got %v, %v", got, ok)
	}
	cancel(why)
	if err := <-waiting; !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}

// TestCacheAgrees: a cache that lives long says the same as a new one, whoever writes.
func TestCacheAgrees(t *testing.T) {
	dir, now := t.TempDir(), newClock()
	long, other := in(dir, now.now), in(dir, now.now)
	for i := range 60 {
		k := NewKey(fmt.Sprintf("https://h%d/v1", i%7), "")
		writer := []*Cache{long, other}[i%2]
		mustPut(t, writer, k, some(1+i%5))
		mustLearn(t, writer, fmt.Sprintf("m%d", i%5), "https://a/v1", 2_000+i)
		fresh := in(dir, now.now)
		for j := range 7 {
			k := NewKey(fmt.Sprintf("https://h%d/v1", j), "")
			a, ageA, okA := long.Get(k)
			b, ageB, okB := fresh.Get(k)
			if okA != okB || ageA != ageB || !reflect.DeepEqual(a, b) {
				t.Fatalf("round %d: list %d is %v, %v, not %v, %v", i, j, a, ageA, b, ageB)
			}
			m := fmt.Sprintf("m%d", j)
			x, _ := long.Limit(m, "https://a/v1")
			if y, _ := fresh.Limit(m, "https://a/v1/"); x != y {
				t.Fatalf("round %d: the window of %s is %d, not %d", i, m, x, y)
			}
		}
		now.at = now.at.Add(time.Second)
	}
}

func TestConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	c := in(dir, time.Now)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			k := NewKey(fmt.Sprintf("https://h%d/v1", i), "")
			if err := c.Put(t.Context(), k, some(20)); err != nil {
				t.Error(err)
			}
			if got, _, ok := c.Get(k); !ok || len(got) != 20 {
				t.Errorf("list %d: %d models, %v", i, len(got), ok)
			}
			m := fmt.Sprintf("m%d", i)
			if err := errors.Join(c.Learn(t.Context(), m, "https://a/v1", 4_096, false), c.Succeeded(t.Context(), m, "https://a/v1", 4_000)); err != nil {
				t.Error(err)
			}
			if n, _ := c.Limit(m, "https://a/v1"); n != 4_096 {
				t.Errorf("the window of %s is %d", m, n)
			}
		})
	}
	wg.Wait()
}

func FuzzParseLists(f *testing.F) {
	f.Add([]byte(`{"version":1,"entries":{"k#1":{"at":"2026-11-22T12:00:00Z","models":[{"id":"a","context_max":8192,"price":{"input":"1"}}]}}}`))
	f.Add([]byte(`{"version":9}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseLists(data)
		if l.Entries == nil {
			t.Fatal("no map")
		}
		for k, e := range l.Entries {
			if err != nil || checkModels("", e.Models) != nil {
				t.Errorf("%s is not fit to be kept", k)
			}
		}
		if err != nil || l.Version > listVersion {
			return
		}
		l.Entries["new"] = list{At: newClock().at, Models: some(1)}
		out, err := l.encode("new", newClock().at)
		if err != nil || !json.Valid(out) || len(out) > mostListBytes {
			t.Fatalf("encoded to %d bytes, %v", len(out), err)
		}
		again, err := parseLists(out)
		if err != nil || len(again.Entries["new"].Models) != 1 {
			t.Errorf("cannot be read again: %v", err)
		}
	})
}
