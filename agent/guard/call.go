package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"hermes-tui/tools"
)

// Call is a call as the guard sees it.
type Call struct {
	Tool   string
	Args   json.RawMessage
	Effect Effect
}

// Result is what came of a call.
type Result struct {
	Status tools.Status
	// Content is the whole result, before it is cut to what the model may see.
	Content string
}

// Effect says what a tool does to the world.
type Effect int

// The effects.
const (
	// Inward tools do nothing to the world: they keep notes or ask the user.
	Inward Effect = iota
	// Reads: the same call has the same result as long as nothing changes.
	Reads
	// MayChange: some calls change something, such as commands.
	MayChange
	// Changes: a call that succeeds has changed something.
	Changes
)

// EffectOf is the effect of a tool.
func EffectOf(t tools.Tool) Effect {
	switch t.Class {
	case tools.ReadOnly, tools.ReadsPath, tools.ReadsTree:
		return Reads
	case tools.PathScoped:
		return Changes
	case tools.Delegating: // who knows what subagents do
		return MayChange
	}
	if t.Action != nil {
		return MayChange
	}
	return Inward
}

// digest is what calls and results are compared by.
type digest [sha256.Size]byte

// signature is the digest of a call: its tool and its arguments, whatever the
// order of keys and the white space.
func signature(c Call) digest {
	return sha256.Sum256(append([]byte(c.Tool+"\x00"), canonical(c.Args)...))
}

// canonical writes JSON with sorted keys and without white space. Numbers keep
// their spelling. What is not one JSON value stays as it is.
func canonical(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return raw
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return raw
	}
	return out.Bytes()
}

// took is a length of time, as programs report it.
var took = regexp.MustCompile(`\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|minutes?)\b`)

// outcome is the digest of a result. A failure that differs from another one in
// nothing but how long something took is the same failure.
func outcome(r Result) digest {
	content := []byte(r.Content)
	if r.Status != tools.StatusOK {
		content = took.ReplaceAll(content, []byte("?"))
	}
	return sha256.Sum256(append([]byte(string(r.Status)+"\x00"), content...))
}
