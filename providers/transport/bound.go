package transport

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"slices"

	"hermes-tui/providers"
)

// ItemPrefix is the kind of a native item that no service has sent: the sum of what a
// request said before an answer, where thoughts are refused once that was changed.
const ItemPrefix = "hermes_prefix"

// Unbind leaves native items out of a request whose model made them behind something
// else than what the request says before them: it was shortened, left out, masked, or the
// prompt or the tools changed. Services refuse all of a request for one of those. prefix
// is the sum for the answer. What has no sum is left as it is; the messages of r are not
// changed.
func Unbind(r *providers.Request, issuer string) (prefix string) {
	own := func(i providers.Item) bool { return i.Issuer == issuer && i.Model == r.Model }
	s := summer{sha256.New()}
	s.text(r.System)
	for _, t := range r.Tools {
		s.text(t.Name, t.Description, string(t.Parameters))
	}
	messages := slices.Clone(r.Messages)
	for k := range messages {
		m := &messages[k]
		made, sums := "", 0
		for _, i := range m.Native {
			if own(i) && i.Kind == ItemPrefix && json.Unmarshal(i.Raw, &made) == nil {
				sums++
			}
		}
		// An answer of two requests is bound to what no request says any more.
		if sums > 1 || sums == 1 && made != s.sum() {
			m.Native = slices.DeleteFunc(slices.Clone(m.Native), own)
		}
		s.message(m, own)
	}
	r.Messages = messages
	return s.sum()
}

// summer sums up a request.
type summer struct{ hash.Hash }

func (s summer) sum() string { return hex.EncodeToString(s.Sum(nil)[:12]) }

// text adds texts, each with its end.
func (s summer) text(list ...string) {
	for _, text := range list {
		_, _ = io.WriteString(s, text) // a hash takes everything
		_, _ = s.Write([]byte{0})
	}
}

// message adds what is sent of a message.
func (s summer) message(m *providers.Message, own func(providers.Item) bool) {
	s.text(string(m.Role), m.CallID)
	for _, p := range m.Parts {
		s.text(p.Text)
		if p.Image != nil {
			s.text(p.Image.MediaType, string(p.Image.Data))
		}
	}
	for _, c := range m.Calls {
		s.text(c.WireID, c.Name, c.Arguments)
	}
	for _, i := range m.Native {
		if own(i) && i.Kind != ItemPrefix {
			raw, _ := json.Marshal(i.Raw) // as it is stored; what is no JSON is not sent
			s.text(i.Kind, string(raw))
		}
	}
}
