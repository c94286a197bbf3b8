package prompt

import "strings"

// Keys are the names of keys that the panel mentions, as the user has set them.
type Keys struct {
	Enter, Escape string
	Tab           string // takes the keys, and puts a question off
	Up, Down      string // scroll the content
}

// usualKeys are they as long as no others are set.
func usualKeys() Keys {
	return Keys{Enter: "enter", Escape: "esc", Tab: "tab", Up: "pgup", Down: "pgdown"}
}

// SetKeys sets the names of keys. One that is empty keeps its usual name.
func (p *Panel) SetKeys(k Keys) {
	now := usualKeys()
	for _, n := range []struct {
		to   *string
		name string
	}{{&now.Enter, k.Enter}, {&now.Escape, k.Escape}, {&now.Tab, k.Tab}, {&now.Up, k.Up}, {&now.Down, k.Down}} {
		if n.name != "" {
			*n.to = n.name
		}
	}
	*p.keys = now
	p.body = bodyCache{}
	for _, v := range p.views {
		v.say(v.hint)
	}
}

// in puts the names into a text.
func (k *Keys) in(text string) string {
	return strings.NewReplacer("{enter}", k.Enter, "{esc}", k.Escape).Replace(text)
}
