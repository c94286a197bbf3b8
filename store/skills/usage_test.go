package skills_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/store/skills"
)

// TestNote holds that no note is lost and that fields of other programs stay.
func TestNote(t *testing.T) {
	home := t.TempDir()
	write(t, home, ".usage.json", `{"x":{"use_count":1,"state":"stale","custom":{"a":1},"last_used_at":"2026-06-01T10:00:00.123456+00:00"},"y":{"pinned":true}}`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if err := skills.Note(t.Context(), home, "x", func(u *skills.Use) { u.Views++ }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	if err := skills.Note(t.Context(), home, "x", func(u *skills.Use) { u.State, u.Viewed = "", &now }); err != nil {
		t.Fatal(err)
	}
	all, err := skills.Usage(home)
	if err != nil || all["x"].Views != 40 || all["x"].Uses != 1 || all["x"].State != "" || !all["x"].Last().Equal(now) || !all["y"].Pinned {
		t.Errorf("%+v, %v", all, err)
	}
	text, err := os.ReadFile(home + "/.usage.json")
	if err != nil || !strings.Contains(string(text), `"custom"`) || strings.Contains(string(text), "stale") {
		t.Errorf("%s, %v", text, err)
	}
	for _, bad := range []string{"[", `{"x":[]}`, "null", ""} {
		write(t, home, ".usage.json", bad)
		err := skills.Note(t.Context(), home, "x", func(u *skills.Use) { u.Views++ })
		if (err != nil) != (bad == "[") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
