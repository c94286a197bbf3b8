package composer

import (
	"reflect"
	"strings"
	"testing"

	"hermes-tui/agent/event"
)

func photo(name string) event.Attachment {
	return event.Attachment{ID: "img_1", Name: name, MediaType: "image/png", Width: 1200, Height: 800, Bytes: 84_000}
}

func TestImageIsOneUnit(t *testing.T) {
	c := New(Options{})
	c.Insert("see ")
	c.InsertImage(photo("a b.png"))
	c.Insert("?")
	if got := c.Value(); got != "see [image: a b.png] ?" {
		t.Errorf("value %q", got)
	}
	if got := c.Images(); !reflect.DeepEqual(got, []event.Attachment{photo("a b.png")}) {
		t.Errorf("images %+v", got)
	}
	draft := c.Draft()
	d := New(Options{})
	d.SetDraft(draft)
	if d.Draft() != draft || d.Value() != c.Value() || !reflect.DeepEqual(d.Images(), c.Images()) {
		t.Errorf("the draft came back as %q", d.Draft())
	}
	if d.Do(ExpandChip) {
		t.Error("an image was turned into text")
	}
	c.Remember(draft)
	if got := c.Drafts(); len(got) != 1 || got[0] != draft {
		t.Errorf("history %q", got)
	}
	for range 3 {
		c.Do(Backspace)
	}
	if c.Value() != "see " || len(c.Images()) != 0 {
		t.Errorf("after deleting %q", c.Value())
	}
	c.Do(Undo)
	if len(c.Images()) != 1 {
		t.Error("undoing does not bring it back")
	}
}

func TestReplaceByImage(t *testing.T) {
	cases := []struct {
		draft, word, want string
		done              bool
	}{
		{"see @a.png and", "@a.png", "see [image: x] and", true},
		{"@a.png then @a.png", "@a.png", "@a.png then [image: x]", true},
		{"me@a.png", "@a.png", "me@a.png", false},
		{"@a.png2", "@a.png", "@a.png2", false},
		{"see @a.png.", "@a.png", "see [image: x].", true},
		{"look/tmp/a b.png now", "/tmp/a b.png", "look[image: x] now", true},
		{"gone", "@a.png", "gone", false},
		{"x", "", "x", false},
	}
	for _, k := range cases {
		c := New(Options{})
		c.Insert(k.draft)
		if got := c.ReplaceByImage(k.word, photo("x")); got != k.done || c.Value() != k.want {
			t.Errorf("%q: %v %q", k.draft, got, c.Value())
		}
		c.Insert("!")
		if want := k.want + "!"; c.Value() != want {
			t.Errorf("%q: the cursor went astray: %q", k.draft, c.Value())
		}
		c.Do(Undo)
		if c.Do(Undo); k.done && c.Value() != k.draft {
			t.Errorf("undone to %q", c.Value())
		}
	}
}

func TestMentions(t *testing.T) {
	c := New(Options{PasteLines: 1})
	c.Insert("see @a.png, (@docs/b.png) me@c.png @\"d e.png\" @ \n@f.png.")
	c.Paste("@secret.png\n@two.png")
	want := []Mention{{"a.png", "@a.png"}, {"docs/b.png", "@docs/b.png"}, {"d e.png", `@"d e.png"`}, {"f.png", "@f.png"}}
	if got := c.Mentions(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestInsertWithImages(t *testing.T) {
	c := New(Options{})
	a, b := photo("a"), photo("b")
	c.InsertWithImages("one "+a.Mark()+"\ntwo "+b.Mark(), []event.Attachment{a, photo("lost"), b})
	if c.Value() != "one [image: a]\ntwo [image: b]" || !reflect.DeepEqual(c.Images(), []event.Attachment{a, b}) {
		t.Errorf("%q %+v", c.Value(), c.Images())
	}
}

// TestDraftsWithBrokenImages: what is no image is text, without control characters.
func TestDraftsWithBrokenImages(t *testing.T) {
	for _, text := range []string{"", "a\nb", "id\nm\nx\n1\n1\nname", "id\nm\n-1\n1\n1\nname", "\nm\n1\n1\n1\nname", "id\nm\n1\n1\n1\n"} {
		c := New(Options{})
		c.SetDraft("x\x1di0\x1e" + text + "\x1fy")
		if len(c.Images()) != 0 || strings.ContainsAny(c.Value(), "\x1d\x1e\x1f") || !strings.HasPrefix(c.Value(), "x") {
			t.Errorf("%q: %q %+v", text, c.Value(), c.Images())
		}
	}
	c := New(Options{})
	c.SetDraft("\x1di0\x1eid\nimage/png\n1\n1\n1\na\x1b]0;x\ab.png\x1f")
	if v := c.Value(); strings.ContainsAny(v, "\x1b\a") || len(c.Images()) != 1 {
		t.Errorf("%q", v)
	}
}

// TestNamesStandOut draws what names something with an @ in another style than the text
// around it, and nothing else.
func TestNamesStandOut(t *testing.T) {
	c := newTest()
	c.Insert("see @a.go:1-2, me@x and @diff")
	for part, styled := range map[string]bool{"@a.go:1-2": true, "@diff": true, ", me@x and ": false, "see ": false} {
		style := c.styles.Text
		if styled {
			style = c.styles.Info
		}
		if row := strings.Join(c.Rows(nil, 60, 1), ""); !strings.Contains(row, style.Render(part)) {
			t.Errorf("%q is not drawn so: %q", part, row)
		}
	}
}

// TestPasteNames keeps a paste that names something with an @ apart from what was typed,
// also when the text comes back after it was sent.
func TestPasteNames(t *testing.T) {
	for pasted, apart := range map[string]bool{
		"see @diff": true, "x\n@a.go\n": true, "\t@Override": true, "(@a)": true, "me@example.org": false, "a @ b": false, "plain": false,
	} {
		c := newTest()
		c.Insert("look at @a.go ")
		c.Paste(pasted)
		want := ""
		if apart {
			want = "look at @a.go [paste #1]"
		}
		if got := c.Typed(); got != want {
			t.Errorf("%q: typed %q, want %q", pasted, got, want)
		}
		sent := c.Value()
		c.Remember(c.Draft())
		c.Set("")
		c.InsertWithImages(sent, nil)
		if c.Value() != sent || c.Typed() != want {
			t.Errorf("%q came back as %q, typed %q", pasted, c.Value(), c.Typed())
		}
	}
}
