package screen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/disktest"
)

// TestRecordingOnAFullDisk records more than the disk holds: that is said once, everything
// before can be played, and the recorder goes on taking frames.
func TestRecordingOnAFullDisk(t *testing.T) {
	disktest.Run(t, "64k", func(t *testing.T, dir string) {
		name := filepath.Join(dir, "session.cast")
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Record(file, 40, 3, time.Now(), hide)
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan error, 2)
		r.OnFailure(func(err error) { told <- err })
		for range 100 {
			r.Typed(strings.Repeat("a pasted line ", 100), time.Now())
		}
		if err := <-told; err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("it is told as %v", err)
		}
		r.Show(Frame{Width: 40, Rows: []string{"a", "b", "c"}}, time.Now())
		r.Typed("more", time.Now())
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if len(told) > 0 {
			t.Errorf("it is told twice: %v", <-told)
		}
		if _, _, list := readCast(t, name); len(list) < 10 || list[0].kind != "i" {
			t.Errorf("%d events are left", len(list))
		}
	})
}
