package app

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"hermes-tui/store/sessions"
)

// TestParseSearch tells words from what narrows a search down.
func TestParseSearch(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for query, want := range map[string]sessions.Search{
		"two words":                        {Text: "two words"},
		`"in:. stays" x role:user`:         {Text: `"in:. stays" x`, Roles: []string{"user"}},
		"a role:tool role:assistant":       {Text: "a", Roles: []string{"tool", "assistant"}},
		"in:. after:2d b":                  {Text: "b", Folder: "/work", From: now.Add(-48 * time.Hour)},
		"in:sub in:~/x c":                  {Text: "c", Folder: "/home/u/x"},
		"in:/a/../b d before:2026-11-01":   {Text: "d", Folder: "/b", To: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		"sort:oldest http://e.example/ f:": {Text: "http://e.example/ f:", Sort: sessions.Oldest},
	} {
		got, err := parseSearch(query, now, "/work", "/home/u")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v, want %+v", query, got, err, want)
		}
	}
	for _, query := range []string{"role:boss", "after:soon", "before:d", "after:-1d", "sort:up"} {
		_, err := parseSearch(query, now, "/work", "/home/u")
		if _, ok := errors.AsType[*SearchError](err); !ok {
			t.Errorf("%q: %v", query, err)
		}
	}
}

// TestUnmark finds the offsets of what was found.
func TestUnmark(t *testing.T) {
	text, marks := unmark("a\n  \x02é\x03 of \x02it\x03\x03")
	if text != "a é of it" || !reflect.DeepEqual(marks, []int{2, 8, 9}) {
		t.Errorf("%q %v", text, marks)
	}
}
