package composer

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
)

// A draft in text form is plain text in which a collapsed paste stands as
// draftOpen, its number, draftText, its text, draftClose. The three are control
// characters, which neither plain text nor a paste can hold, so nothing needs
// to be escaped and a draft without pastes is its own text form. An image stands in
// the same way, see [writeImage].
const (
	draftOpen  = '\x1d'
	draftText  = '\x1e'
	draftClose = '\x1f'
)

// maxNumber bounds the number of a paste in a loaded draft.
const maxNumber = 999_999

// segment is a part of a draft: plain text, a paste when number is set, or an image.
// The first two have their tabs; in the buffer plain text has none.
type segment struct {
	number int
	text   string
	image  *event.Attachment
}

// parseDraft takes a text form apart. Text from outside may be anything: what is
// no paste is plain text, without its control characters.
func parseDraft(s string) []segment {
	var list []segment
	add := func(number int, text string) {
		if text = cleanPaste(text); text != "" {
			list = append(list, segment{number: number, text: text})
		}
	}
	from := 0
	for at := 0; ; {
		i := strings.IndexByte(s[at:], draftOpen)
		if i < 0 {
			add(0, s[from:])
			return list
		}
		i += at
		number, text, rest, found := cutPaste(s[i+1:])
		if rest < 0 { // no paste ends behind this place
			add(0, s[from:])
			return list
		}
		at = i + 1
		if !found {
			continue
		}
		image, ok := readImage(text)
		if number == 0 && !ok {
			continue
		}
		add(0, s[from:i])
		if number == 0 {
			list = append(list, segment{image: image})
		} else {
			add(number, text)
		}
		at += rest
		from = at
	}
}

// cutPaste takes a paste from behind its opening mark. rest is where the text
// goes on, negative when no paste is closed in s.
func cutPaste(s string) (number int, text string, rest int, found bool) {
	head, _, ok := strings.Cut(s[:min(len(s), 8)], string(draftText))
	if !ok {
		return 0, "", 0, false
	}
	number, err := strconv.Atoi(strings.TrimPrefix(head, "i"))
	if image := head == "i0"; err != nil || number > maxNumber || !image && (number < 1 || strings.HasPrefix(head, "i")) {
		return 0, "", 0, false
	}
	end := strings.IndexByte(s, draftClose)
	if end < 0 {
		return 0, "", -1, false
	}
	return number, s[len(head)+1 : end], end + 1, true
}

// writePaste writes a paste in its text form.
func writePaste(b *strings.Builder, number int, text string) {
	b.WriteByte(draftOpen)
	b.WriteString(strconv.Itoa(number))
	b.WriteByte(draftText)
	b.WriteString(text)
	b.WriteByte(draftClose)
}

// canonical is the text form of a draft without what does not belong into one,
// and the text that it stands for, with all the tabs that were in s.
func canonical(s string) (draft, value string) {
	var d, v strings.Builder
	for _, seg := range parseDraft(s) {
		v.WriteString(seg.text)
		switch {
		case seg.image != nil:
			v.WriteString(seg.image.Mark())
			writeImage(&d, seg.image)
		case seg.number > 0:
			writePaste(&d, seg.number, seg.text)
		default:
			d.WriteString(untab(seg.text))
		}
	}
	return d.String(), v.String()
}

// decode brings a text form into the form of the buffer.
func (b *buffer) decode(s string) string {
	var t strings.Builder
	for _, seg := range parseDraft(s) {
		switch {
		case seg.image != nil:
			t.WriteString(b.addChip(newImage(*seg.image)))
		case seg.number > 0:
			t.WriteString(b.addChip(newChip(seg.number, seg.text)))
		default:
			t.WriteString(untab(seg.text))
		}
	}
	return t.String()
}
