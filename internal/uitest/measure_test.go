//go:build unix

package uitest

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestTapSeesWhatIsWritten(t *testing.T) {
	var mu sync.Mutex
	var all []byte
	var first time.Time
	o := probed(t, "app", Options{Tap: func(p []byte, at time.Time) {
		mu.Lock()
		defer mu.Unlock()
		if all = append(all, p...); first.IsZero() {
			first = at
		}
	}})
	before := time.Now()
	d := Start(t, o)
	d.Type("grüße").Expect(Contains("grüße"))
	mu.Lock()
	defer mu.Unlock()
	if d.Started().Before(before) || first.Before(d.Started()) {
		t.Errorf("asked at %v, started at %v, first output at %v", before, d.Started(), first)
	}
	if n := int(d.Bytes()); n == 0 || n > len(all) || !bytes.Contains(all, []byte("ü")) {
		t.Errorf("%d bytes are on the screen, %d were seen: %q", n, len(all), all)
	}
}

func TestCPU(t *testing.T) {
	d := Start(t, probed(t, "app", Options{}))
	d.WaitIdle()
	running, ok := d.CPU()
	if ok != (runtime.GOOS == "linux") || ok && running <= 0 {
		t.Errorf("running it has used %v, %t", running, ok)
	}
	d.Kill9()
	if ended, ok := d.CPU(); !ok || ended <= 0 || ended > time.Minute {
		t.Errorf("in the end it has used %v, %t", ended, ok)
	}
}

func TestSharedFixtures(t *testing.T) {
	var f fixtures
	c, err := f.get(t.Context(), 8)
	if err != nil || c.Messages != 8 {
		t.Fatalf("%+v, %v", c, err)
	}
	again, err := f.get(t.Context(), 8)
	if err != nil || again != c {
		t.Errorf("the second time it is %+v, %v", again, err)
	}
	other, err := f.get(t.Context(), 4)
	if err != nil || other.Home == c.Home {
		t.Errorf("another size is %+v, %v", other, err)
	}
	own := c.Copy(t)
	if err := os.Remove(filepath.Join(own.Home, "state.db")); err != nil {
		t.Error(err)
	}
	if !exists(filepath.Join(c.Home, "state.db")) || own.Session != c.Session || own.Dir != c.Dir {
		t.Errorf("the copy is %+v", own)
	}
	f.remove()
	if exists(c.Home) || exists(other.Home) {
		t.Error("they are still there")
	}
}
