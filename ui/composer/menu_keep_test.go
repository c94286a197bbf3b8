package composer

import (
	"strings"
	"testing"
)

// TestMarkedEntryStays offers entries for the same word again, as happens with every
// key: what is marked stays marked, wherever it stands now.
func TestMarkedEntryStays(t *testing.T) {
	c := newTest()
	c.Insert("/m")
	marked := func(want string) {
		t.Helper()
		for _, row := range c.MenuRows(nil, 40, c.MenuHeight(8)) {
			if strings.Contains(row, "▸") != strings.Contains(row, want) {
				t.Fatalf("%q should be marked, and nothing else: %q", want, row)
			}
		}
	}
	offer(t, c, "/model", "/mail")
	marked("/model")
	c.MenuDown()
	offer(t, c, "/model", "/mail")
	marked("/mail")
	offer(t, c, "/new", "/other", "/mail")
	marked("/mail")
	offer(t, c, "/new", "/other")
	marked("/new")
	c.MenuDown()
	c.Insert("o") // another word
	offer(t, c, "/new", "/other")
	marked("/new")
}
