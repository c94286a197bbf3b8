package snapshots

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"time"
	"unicode/utf8"
)

// Kind says what stands at a path.
type Kind string

// The kinds. What is none of these is never touched.
const (
	None Kind = ""
	File Kind = "file"
	Link Kind = "link"
	Dir  Kind = "dir"
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Kind(text)
	if !k.known() {
		return errors.New("an unknown kind of file")
	}
	return nil
}

func (k Kind) known() bool { return k == None || k == File || k == Link || k == Dir }

// Hash is the SHA-256 of a content.
type Hash [32]byte

// MarshalText gives the hash in hexadecimal.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(h) {
		return errors.New("a hash is malformed")
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// State is what stands at a path. It is stored as JSON.
type State struct {
	Kind Kind        `json:"k,omitempty"`
	Mode fs.FileMode `json:"m,omitempty"` // permission bits of a file; those of a directory are not compared
	Size int64       `json:"s,omitempty"` // of a file
	Hash Hash        `json:"h,omitzero"`  // of a file that was read
	// Unread says in words why a file was not read; empty when it was. Such a file
	// is known by its size and time.
	Unread string `json:"u,omitempty"`
	MTime  int64  `json:"t,omitempty"` // of a file that was not read
	Target name   `json:"l,omitempty"` // of a link
}

// The reasons why a file is not read.
const (
	tooLarge   = "too large to keep"
	unreadable = "may not be read"
)

// Equal reports whether two states are the same as far as it is known.
func (s State) Equal(o State) bool {
	if s.Kind != o.Kind {
		return false
	}
	switch s.Kind {
	case File:
		return s.Mode == o.Mode && s.sameContent(o)
	case Link:
		return s.Target == o.Target
	}
	return true
}

func (s State) sameContent(o State) bool {
	read := s.Unread == ""
	if s.Size != o.Size || read != (o.Unread == "") {
		return false
	}
	return read && s.Hash == o.Hash || !read && s.MTime == o.MTime
}

// ChangeKind says in a word what happened to a path.
type ChangeKind string

// The kinds of changes.
const (
	Created  ChangeKind = "created"
	Modified ChangeKind = "modified" // the content
	Deleted  ChangeKind = "deleted"
	Mode     ChangeKind = "mode"   // nothing but the permissions
	Relinked ChangeKind = "link"   // a link leads elsewhere
	Replaced ChangeKind = "became" // one kind of thing became another
)

// Change is what happened to a path.
type Change struct {
	Path   string // absolute; links in the directories before it are resolved
	Before State
	After  State
	// By are the calls that made it; empty when it was no agent. More than one
	// means that it was one of them.
	By []CallRef
	// Unsure says that the call was cut off, so someone else may have made it.
	Unsure bool
	// Doubt says in words why someone else may have made it although a call ran;
	// empty when nothing speaks for that.
	Doubt string
}

// CallRef names a call.
type CallRef struct {
	ID    string `json:"id"`
	Turn  string `json:"turn,omitempty"`
	Agent string `json:"agent,omitempty"`
}

// Kind says what happened.
func (c Change) Kind() ChangeKind {
	switch b, a := c.Before, c.After; {
	case b.Kind == None:
		return Created
	case a.Kind == None:
		return Deleted
	case b.Kind != a.Kind:
		return Replaced
	case a.Kind == Link:
		return Relinked
	case b.sameContent(a):
		return Mode
	}
	return Modified
}

// name is a string of any bytes in JSON: text as it is, anything else as an
// object that holds it in base64.
type name string

// MarshalJSON implements json.Marshaler.
func (n name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal(map[string]string{"b64": base64.StdEncoding.EncodeToString([]byte(n))})
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *name) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*n = name(text)
		return nil
	}
	var raw struct {
		B64 []byte `json:"b64"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*n = name(raw.B64)
	return nil
}

// Limits bounds what is kept. A zero field takes the default.
type Limits struct {
	File  int64         // bytes of one file; default 10 MB
	Files int           // files and links of a workspace; default 50,000
	Total int64         // bytes of everything kept on disk; default 500 MB
	Age   time.Duration // how long what is not used is kept; default 7 days
	Names int           // names listed of what is excluded; default 20
}

func (l Limits) withDefaults() Limits {
	return Limits{File: cmp.Or(l.File, 10_000_000), Files: cmp.Or(l.Files, 50_000), Total: cmp.Or(l.Total, 500_000_000),
		Age: cmp.Or(l.Age, 7*24*time.Hour), Names: cmp.Or(l.Names, 20)}
}
