package composer

import (
	"strings"
	"testing"

	"hermes-tui/agent/event"
)

// TestEditedElsewhere changes the text around pastes and images, which stay what they are.
func TestEditedElsewhere(t *testing.T) {
	c := newTest()
	c.Insert("look at ")
	c.InsertImage(event.Attachment{ID: "1", Name: "a.png"})
	c.Insert("and ")
	c.Paste(lines(6))
	c.Insert(" or ")
	c.InsertImage(event.Attachment{ID: "2", Name: "a.png"})
	mark := event.Attachment{Name: "a.png"}.Mark()
	marked := c.Marked()
	if want := "look at " + mark + " and [paste #1] or " + mark + " "; marked != want {
		t.Fatalf("%q, want %q", marked, want)
	}
	value, draft := c.Value(), c.Draft()
	c.SetMarked(marked)
	if c.Value() != value || c.Draft() != draft {
		t.Errorf("%q became %q", draft, c.Draft())
	}
	c.SetMarked("[paste #1]\nfirst, then\t" + mark + ".\n[paste #2] is none")
	if want := lines(6) + "\nfirst, then    " + mark + ".\n[paste #2] is none"; c.Value() != want {
		t.Errorf("%q, want %q", c.Value(), want)
	}
	if got := c.Images(); len(got) != 1 || got[0].ID != "1" {
		t.Errorf("%+v", got)
	}
	c.Do(Undo)
	if c.Draft() != draft {
		t.Errorf("undone it is %q", c.Draft())
	}
	c.SetMarked(strings.Repeat(mark, 3))
	if got := c.Images(); len(got) < 2 {
		t.Errorf("%+v", got)
	}
	c.SetMarked("")
	if !c.Empty() {
		t.Errorf("%q is left", c.Value())
	}
}

func FuzzSetMarked(f *testing.F) {
	f.Add("[paste #1] x [paste #1]\x1b[31m\x00")
	f.Fuzz(func(t *testing.T, text string) {
		c := newTest()
		c.Paste(lines(6))
		c.SetMarked(text)
		if want := strings.ReplaceAll(clean(text), "[paste #1]", lines(6)); c.Value() != want {
			t.Errorf("%q, want %q", c.Value(), want)
		}
	})
}
