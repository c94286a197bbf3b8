package repair

import (
	"strings"
	"testing"

	"hermes-tui/providers"
)

// TestAlternate makes histories of roles that take turns, calls and results aside.
func TestAlternate(t *testing.T) {
	said := func(role providers.Role, text string) providers.Message {
		return providers.Message{Role: role, Parts: providers.TextParts(text)}
	}
	call := providers.Message{Role: providers.Assistant, Calls: []providers.Call{{ID: "k", Name: "look"}}}
	seen := providers.Message{Role: providers.Tool, CallID: "k", CallName: "look", Parts: []providers.Part{{Text: "there"}, {Image: &providers.Image{}}}}
	for name, c := range map[string]struct {
		in   []providers.Message
		want string
	}{
		"in order":              {[]providers.Message{said("user", "a"), said("assistant", "b"), said("user", "c")}, "user a|assistant b|user c"},
		"user behind a result":  {[]providers.Message{said("user", "a"), call, said("tool", "r"), said("user", "b")}, "user a|assistant|tool r|assistant (no answer)|user b"},
		"image of a result":     {[]providers.Message{call, seen}, "user (the session goes on)|assistant|tool there|assistant (no answer)|user An image of the result of look:\n+image"},
		"image, then the user":  {[]providers.Message{call, seen, said("user", "b")}, "user (the session goes on)|assistant|tool there|assistant (no answer)|user An image of the result of look:\n+imageb"},
		"image, then an answer": {[]providers.Message{call, seen, said("assistant", "b")}, "user (the session goes on)|assistant|tool there|assistant (no answer)|user An image of the result of look:\n+image|assistant b"},
		"two answers":           {[]providers.Message{said("user", "a"), said("assistant", "b"), said("assistant", "c")}, "user a|assistant b\n\nc"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, m := range Alternate(c.in) {
				text := string(m.Role)
				for i, p := range m.Parts {
					if i == 0 {
						text += " "
					}
					if text += p.Text; p.Image != nil {
						text += "+image"
					}
				}
				got = append(got, text)
			}
			if g := strings.Join(got, "|"); g != c.want {
				t.Errorf("got  %s\nwant %s", g, c.want)
			}
		})
	}
}
