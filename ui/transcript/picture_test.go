package transcript

import (
	"strings"
	"testing"

	"hermes-tui/agent/event"
)

// TestPictures: a text says what images it came with; marks that are all of it are
// not repeated; names cannot do anything to the screen.
func TestPictures(t *testing.T) {
	a := event.Attachment{Name: "image.png", Width: 1200, Height: 800, Bytes: 84_000}
	evil := event.Attachment{Name: "x\x1b[2J\n.png", Bytes: 10}
	cases := []struct {
		name   string
		block  event.Block
		want   []string
		unseen string
	}{
		{"text and image", event.Block{Text: event.NewText("look at " + a.Mark()), Images: []event.Attachment{a}}, []string{"❯ look at [image: image.png]", "  ▣ image.png 1200×800 84 kB"}, ""},
		{"image alone", event.Block{Text: event.NewText(a.Mark() + " "), Images: []event.Attachment{a}}, []string{"❯ ▣ image.png 1200×800 84 kB"}, "[image"},
		{"two alone", event.Block{Text: event.NewText(a.Mark() + "\n" + evil.Mark()), Images: []event.Attachment{a, evil}}, []string{"❯ ▣ image.png 1200×800 84 kB", "  ▣ x"}, "\x1b[2J"},
		{"what it names", event.Block{Text: event.NewText("read @a.go:1-2"), Named: []event.Named{{Word: "a.go:1-2", Tokens: 120, Note: "cut"}, {Word: "x\x1b[2J", Note: "not sent"}}},
			[]string{"❯ read @a.go:1-2", "  @a.go:1-2 · 120 tokens · cut", "  @x"}, "\x1b[2J"},
		{"a mark without an image", event.Block{Text: event.NewText(a.Mark())}, []string{"❯ [image: image.png]"}, "▣"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := c.block
			b.ID, b.Kind = "b", event.BlockUser
			v := newView()
			v.Sync([]*event.Block{&b})
			got := plain(v.Rows(nil, 60, 6))
			rest := got
			for _, w := range c.want {
				_, after, found := strings.Cut(rest, w)
				if !found {
					t.Fatalf("%q is not in %q", w, got)
				}
				rest = after
			}
			if c.unseen != "" && strings.Contains(got, c.unseen) {
				t.Errorf("%q is in %q", c.unseen, got)
			}
		})
	}
	if _, text := OpenText(&event.Block{Kind: event.BlockUser, Text: event.NewText("x"), Images: []event.Attachment{a}}); text != "x\n▣ image.png 1200×800 84 kB" {
		t.Errorf("opened %q", text)
	}
}
