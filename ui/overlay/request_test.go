package overlay_test

import (
	"testing"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// TestRequests has each window ask for what its keys stand for.
func TestRequests(t *testing.T) {
	type taken struct{ id string }
	choice := overlay.NewPicker(styles, overlay.PickerOptions{Chosen: func(it overlay.Item) overlay.Request { return taken{it.ID} }})
	choice.SetItems(choice.Load(), []overlay.Item{{ID: "1", Label: "one"}, {ID: "2", Label: "two", Disabled: "gone"}})
	ask := overlay.NewConfirm(styles, "Really?", nil, nil)
	ask.Yes = taken{"yes"}
	asking := overlay.NewPicker(styles, overlay.PickerOptions{Ask: func(q string) overlay.Request { return taken{"ask " + q} }})
	for _, c := range []struct {
		name string
		got  overlay.Request
		want overlay.Request
	}{
		{"an entry", choice.Act(keys.Accept), taken{"1"}},
		{"moving", overlay.Do(choice, keys.Down), nil},
		{"a search of few entries", choice.Type("o"), nil},
		{"a text to search for", asking.Type("or"), taken{"ask or"}},
		{"a shorter one", asking.Act(keys.Backspace), taken{"ask o"}},
		{"yes", ask.Act(keys.Accept), taken{"yes"}},
		{"scrolling", overlay.Do(ask, keys.PageDown), nil},
		{"the end of the help", overlay.NewHelp(styles, "Keys", nil, nil).Act(keys.Accept), overlay.Close{}},
		{"a copy", pager("text").Act(keys.Copy), overlay.Copy{Text: "text"}},
		{"a page", pager("text").Act(keys.Accept), nil},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#v, want %#v", c.name, c.got, c.want)
		}
	}
}
