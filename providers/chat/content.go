package chat

import (
	"encoding/base64"
	"fmt"
	"strings"

	"hermes-tui/providers"
)

// part is a piece of a content that is a list.
type part struct {
	Type  string    `json:"type"`
	Text  *string   `json:"text,omitempty"`
	Image *imageURL `json:"image_url,omitempty"`
	Cache *mark     `json:"cache_control,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// mark tells a cache to keep everything up to its part.
type mark struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

func textPart(s string) part { return part{Type: "text", Text: &s} }

func imagePart(i *providers.Image) part {
	return part{Type: "image_url", Image: &imageURL{
		URL: "data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Data),
	}}
}

// userContent is the content of a message of the user: a text, or a list where
// there are images.
func userContent(m providers.Message) any {
	if !hasImages(m) {
		return m.Text()
	}
	var out []part
	for _, p := range m.Parts {
		switch {
		case p.Image != nil:
			out = append(out, imagePart(p.Image))
		case p.Text != "":
			out = append(out, textPart(p.Text))
		}
	}
	return out
}

func hasImages(m providers.Message) bool {
	for _, p := range m.Parts {
		if p.Image != nil {
			return true
		}
	}
	return false
}

// wordsOnly is the text of a message whose role cannot have images, with a note in
// the place of each.
func wordsOnly(m providers.Message, note func(n int, i *providers.Image) string) string {
	if !hasImages(m) {
		return m.Text()
	}
	var b strings.Builder
	n := 0
	for _, p := range m.Parts {
		if p.Image == nil {
			b.WriteString(p.Text)
			continue
		}
		n++
		if text := b.String(); text != "" && !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(note(n, p.Image) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// notSent stands for an image that cannot be sent where it is.
func notSent(_ int, i *providers.Image) string {
	return fmt.Sprintf("[an image (%s, %d KB) that cannot be shown here]", i.MediaType, (len(i.Data)+1023)/1024)
}

// shownBelow stands for an image that follows behind the results.
func shownBelow(n int, i *providers.Image) string {
	return fmt.Sprintf("[image %d of this result (%s) is shown below]", n, i.MediaType)
}

// gallery collects the images of results, which the protocol has no place for, until
// the last result of a turn is through. Then they follow in a message of their own.
type gallery struct {
	parts []part
	// apart tells that a word of the model stands between the results and that message.
	apart bool
}

// add takes the images of a result.
func (g *gallery) add(m providers.Message, callID string) {
	n := 0
	for _, p := range m.Parts {
		if p.Image == nil {
			continue
		}
		n++
		g.parts = append(g.parts, textPart(fmt.Sprintf("Image %d of the result of %s (%s):", n, m.CallName, callID)), imagePart(p.Image))
	}
}

// flush gives the message with the images, if there are any.
func (g *gallery) flush(out []message) []message {
	if len(g.parts) == 0 {
		return out
	}
	if g.apart {
		out = behindResults(out)
	}
	out = append(out, message{Role: "user", Content: g.parts})
	g.parts = nil
	return out
}

// asList makes a list of a content that is a text.
func asList(content any) any {
	if text, ok := content.(string); ok {
		return []part{textPart(text)}
	}
	return content
}
