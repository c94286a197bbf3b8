package cachediff

import (
	"encoding/binary"
	"hash/maphash"
	"time"

	"hermes-tui/providers"
)

// kind is a kind of part of a message.
type kind int

// The kinds, in the order in which they travel.
const (
	reasoning kind = iota
	text
	images
	calls
	items
	kinds
)

// Endpoint is what has a cache of its own.
type Endpoint struct{ Provider, Host, Model string }

// settings are what else of a request providers make their cache keys of.
type settings struct {
	effort  string
	session string
	keep    time.Duration
}

// fingerprint is the fingerprint of a request.
type fingerprint struct {
	at       time.Time
	endpoint Endpoint
	keep     time.Duration
	settings settings
	system   string
	tools    []providers.ToolDef // the request's own list, which no one changes
	messages []message
	// prompt is what the provider counted for it, 0 while no one knows.
	prompt int64
	// cached reports whether the provider had or took some of it into a cache.
	cached bool
}

// message is the fingerprint of a message.
type message struct {
	id   string // empty for one that travels with a single request
	role providers.Role
	// tool is the tool that a result is of.
	tool string
	// call is the call that it answers.
	call string
	// calls counts its calls.
	calls int
	sums  [kinds]uint64 // 0 for what it has none of
	bytes int
	// refs are the texts that sums were made of, where a kind has just one: the same
	// text needs no other sum.
	refs [kinds]string
}

// imageBytes is what an image is taken for, in bytes of text.
const imageBytes = 6000

// hasher makes sums. Zero means nothing to make a sum of.
type hasher struct{ seed maphash.Seed }

func (h hasher) text(s string) uint64 {
	if s == "" {
		return 0
	}
	return maphash.String(h.seed, s) | 1
}

func (h hasher) bytes(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	return maphash.Bytes(h.seed, b) | 1
}

// join adds a sum to others. Their order counts.
func (h hasher) join(sum, next uint64) uint64 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], sum)
	binary.LittleEndian.PutUint64(b[8:], next)
	return maphash.Bytes(h.seed, b[:]) | 1
}

// one is the sum of a kind that is a single text. When it was made before of the
// same text, it is taken from there. Comparing a text with itself does not read it.
func (h hasher) one(m *message, k kind, s string, was *message) {
	m.refs[k] = s
	if was != nil && s != "" && was.refs[k] == s {
		m.sums[k] = was.sums[k]
		return
	}
	m.sums[k] = h.text(s)
}

// read fingerprints a message into m. was is the message that stood in its place,
// nil if there was none.
func (h hasher) read(m *message, from *providers.Message, was *message) {
	*m = message{id: from.ID, role: from.Role, tool: from.CallName, call: from.CallID, calls: len(from.Calls)}
	h.one(m, reasoning, from.Reasoning, was)
	m.bytes = len(from.Reasoning)
	h.parts(m, from.Parts, was)
	for i := range from.Calls {
		c := &from.Calls[i]
		m.bytes += len(c.Name) + len(c.Arguments) + len(c.Extra)
		sum := h.join(h.text(c.Name), h.text(c.WireID))
		sum = h.join(h.join(sum, h.text(c.Arguments)), h.bytes(c.Extra))
		m.sums[calls] = h.join(m.sums[calls], sum)
	}
	for i := range from.Native {
		n := &from.Native[i]
		m.bytes += len(n.Raw)
		m.sums[items] = h.join(m.sums[items], h.join(h.text(n.Issuer), h.bytes(n.Raw)))
	}
}

// parts fingerprints the content of a message.
func (h hasher) parts(m *message, parts []providers.Part, was *message) {
	if len(parts) == 1 && parts[0].Image == nil {
		m.bytes += len(parts[0].Text)
		h.one(m, text, parts[0].Text, was)
		return
	}
	for i := range parts {
		p := &parts[i]
		if p.Image != nil {
			m.bytes += imageBytes
			m.sums[images] = h.join(m.sums[images], h.join(h.text(p.Image.MediaType), h.bytes(p.Image.Data)))
			continue
		}
		m.bytes += len(p.Text)
		m.sums[text] = h.join(m.sums[text], h.text(p.Text))
	}
}

// same reports whether two messages are sent alike. Our own ids do not travel.
func (m *message) same(o *message) bool {
	return m.role == o.role && m.tool == o.tool && m.call == o.call && m.sums == o.sums
}

// take fingerprints a request into p, whose room is used again. was is the print of
// the one before.
func (p *fingerprint) take(h hasher, r *providers.Request, was *fingerprint) {
	list := p.messages[:0]
	if cap(list) < len(r.Messages) {
		list = make([]message, 0, len(r.Messages)+len(r.Messages)/4+8)
	}
	list = list[:len(r.Messages)]
	for i := range r.Messages {
		var old *message
		if i < len(was.messages) {
			old = &was.messages[i]
		}
		h.read(&list[i], &r.Messages[i], old)
	}
	*p = fingerprint{
		settings: settings{r.Effort, r.Session, r.CacheFor}, system: r.System, tools: r.Tools, messages: list,
	}
}

// forget drops what a print refers to and keeps its room.
func (p *fingerprint) forget() {
	room := p.messages[:cap(p.messages)]
	clear(room)
	*p = fingerprint{messages: room[:0]}
}

// toolBytes is the size of a list of tools.
func toolBytes(list []providers.ToolDef) int {
	n := 0
	for i := range list {
		n += len(list[i].Name) + len(list[i].Description) + len(list[i].Parameters)
	}
	return n
}

// bytes is the size of the whole request.
func (p *fingerprint) bytes() int {
	n := toolBytes(p.tools) + len(p.system)
	for i := range p.messages {
		n += p.messages[i].bytes
	}
	return n
}
