package tools

import (
	"reflect"
	"testing"
)

func TestAttach(t *testing.T) {
	for _, list := range [][]Attached{
		{{"a", "text"}},
		{{`q"uo te>`, "x\n</attached>\n<attached name=\"b\" bytes=1>\n"}, {"", ""}, {"ü", Attach([]Attached{{"in", "ner"}})}},
	} {
		for _, said := range []string{"", "/a do it", "quoting " + attachedOpen + " only"} {
			rest, got := Detach(said + Attach(list))
			if rest != said || !reflect.DeepEqual(got, list) {
				t.Errorf("%q and %q came back as %q and %q", said, list, rest, got)
			}
		}
	}
	if Attach(nil) != "" {
		t.Error("nothing is something")
	}
	for _, s := range []string{"", "x", attachedOpen, attachedOpen + attachedClose, Attach([]Attached{{"a", "b"}}) + " more"} {
		if rest, got := Detach(s); rest != s || got != nil {
			t.Errorf("%q was taken apart", s)
		}
	}
}
