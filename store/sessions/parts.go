package sessions

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Part is a piece of structured content: a text, or an image when MediaType is set.
type Part struct {
	Text      string
	MediaType string // image/png and the like
	Data      []byte
}

// storedPart is a part in the forms in which it may be stored. This program writes
// the first two fields of a text and the first and third of an image.
type storedPart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`
	ImageURL json.RawMessage `json:"image_url,omitempty"`
	Source   *storedSource   `json:"source,omitempty"`
}

type storedSource struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

type storedURL struct {
	URL string `json:"url"`
}

// content is the content of a message as it is stored.
func (m *Message) content() any {
	if m.Parts == nil {
		return plain(m.Content)
	}
	list := make([]storedPart, len(m.Parts))
	for i, p := range m.Parts {
		list[i] = storedPart{Type: "text", Text: clean(p.Text)}
		if p.MediaType == "" {
			continue
		}
		url, err := json.Marshal(storedURL{"data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)})
		if err == nil {
			list[i] = storedPart{Type: "image_url", ImageURL: url}
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return plain(m.Content)
	}
	return structured + string(raw)
}

// imageParts are the parts of stored content with images whose bytes are there, nil
// for any other. What is neither text nor such an image becomes a word in brackets.
func imageParts(s string) []Part {
	raw, ok := strings.CutPrefix(s, structured)
	if !ok || !strings.Contains(raw, "image") {
		return nil
	}
	var stored []storedPart
	if json.Unmarshal([]byte(raw), &stored) != nil {
		return nil
	}
	var parts []Part
	images := 0
	for _, p := range stored {
		part := p.part()
		if part.MediaType != "" {
			images++
		}
		if part.MediaType != "" || part.Text != "" {
			parts = append(parts, part)
		}
	}
	if images == 0 {
		return nil
	}
	return parts
}

// part is what a stored part holds.
func (p *storedPart) part() Part {
	if p.Source != nil && imageType(p.Source.MediaType) && len(p.Source.Data) > 0 {
		return Part{MediaType: p.Source.MediaType, Data: p.Source.Data}
	}
	if media, data, ok := p.inline(); ok {
		return Part{MediaType: media, Data: data}
	}
	switch {
	case p.Type == "text" || p.Text != "":
		return Part{Text: p.Text}
	case strings.Contains(p.Type, "image"):
		return Part{Text: "[image]"}
	}
	return Part{Text: "[attachment]"}
}

// inline reads an image out of the address of a part.
func (p *storedPart) inline() (media string, data []byte, ok bool) {
	if len(p.ImageURL) == 0 {
		return "", nil, false
	}
	var at storedURL
	if json.Unmarshal(p.ImageURL, &at) != nil && json.Unmarshal(p.ImageURL, &at.URL) != nil {
		return "", nil, false
	}
	rest, ok := strings.CutPrefix(at.URL, "data:")
	if !ok {
		return "", nil, false
	}
	media, encoded, ok := strings.Cut(rest, ";base64,")
	if !ok || !imageType(media) {
		return "", nil, false
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	return media, data, err == nil && len(data) > 0
}

// imageType reports whether images of a media type are kept.
func imageType(media string) bool {
	switch media {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}
