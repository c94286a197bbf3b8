package flight

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"hermes-tui/tools/lazyregexp"
)

// Version is that of the format. A recording of a later one is refused.
const Version = 1

// Head is the first line of a recording.
type Head struct {
	Flight  int       `json:"flight"` // Version
	Program string    `json:"program"`
	System  string    `json:"system"`
	Start   time.Time `json:"start"`
	// Zone and Offset are the time zone, its name and seconds east of UTC.
	Zone   string `json:"zone"`
	Offset int    `json:"offset"`
	Cols   int    `json:"cols"`
	Rows   int    `json:"rows"`
	Theme  string `json:"theme"`
	// Seed is what all identifiers come from.
	Seed []byte `json:"seed"`
	// Home is the user's home, Dir the folder of the session.
	Home string `json:"home"`
	Dir  string `json:"dir"`
	// Settings are config.yaml, Set what the command line sets, Environ the variables that
	// matter; secrets in them are masked.
	Settings string            `json:"settings"`
	Set      map[string]string `json:"set,omitempty"`
	Environ  []string          `json:"environ"`
	Prompt   string            `json:"prompt,omitempty"`
}

// Kind is what an item of a recording is.
type Kind string

// The kinds. What belongs to a request or to a call has its ID.
const (
	KindInput    Kind = "input"    // of the terminal: Name is its type, Value what it holds
	KindRequest  Kind = "request"  // Name is method and address, Text or Bytes the body
	KindResponse Kind = "response" // Status and Header
	KindChunk    Kind = "chunk"    // of the body: Text or Bytes
	KindEnd      Kind = "end"      // of a request: Error if it did not succeed
	KindAsked    Kind = "asked"    // of a tool before its call: Name, Value
	KindCall     Kind = "call"     // Name is the tool, Value its arguments
	KindOutput   Kind = "output"   // of a running call: Text
	KindResult   Kind = "result"   // Value, or Error
	KindSeen     Kind = "seen"     // like a mark, before input that came while something was under way
	KindMark     Kind = "mark"     // Rows of the screen that are not those of the mark before
	KindStop     Kind = "stop"     // the recording was ended in order
)

// Item is a line of a recording behind its head.
type Item struct {
	// T is when it came, in microseconds since the start.
	T    int64           `json:"t"`
	Kind Kind            `json:"k"`
	ID   int             `json:"id,omitempty"`
	Name string          `json:"name,omitempty"`
	Key  string          `json:"key,omitempty"` // what a call is found by beside Name
	Text string          `json:"text,omitempty"`
	Byte []byte          `json:"bytes,omitempty"` // what is not text
	Val  json.RawMessage `json:"value,omitempty"`
	// Like is the request whose body has the same first and last bytes as this one's, as
	// many as Shares says; Text is what lies between.
	Like   int               `json:"like,omitempty"`
	Shares [2]int            `json:"shares,omitzero"`
	Status int               `json:"status,omitempty"`
	Header map[string]string `json:"header,omitempty"`
	Error  *Failure          `json:"error,omitempty"`
	// Size is how many rows the screen has; Rows are those that changed, by their number.
	Size int            `json:"size,omitempty"`
	Rows map[int]string `json:"rows,omitempty"`
}

// Failure is an error that can be made again.
type Failure struct {
	Kind string `json:"kind,omitempty"` // refused, reset, eof, host, cancelled
	Text string `json:"text"`
}

// setText puts bytes into an item.
func (i *Item) setText(b []byte) {
	if utf8.Valid(b) {
		i.Text = string(b)
	} else {
		i.Byte = b
	}
}

// text is what [Item.setText] has put there.
func (i *Item) text() []byte {
	if i.Byte != nil {
		return i.Byte
	}
	return []byte(i.Text)
}

// bounds gives how many bytes two texts share at their beginning and at their end.
func bounds(a, b string) (first, last int) {
	n := min(len(a), len(b))
	for first < n && a[first] == b[first] {
		first++
	}
	for first > 0 && first < len(b) && !utf8.RuneStart(b[first]) {
		first--
	}
	for last < n-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	for last > 0 && !utf8.RuneStart(b[len(b)-last]) {
		last--
	}
	return first, last
}

// Same reports whether two rows show the same, but for what moves with time.
func Same(a, b string) bool { return a == b || still(a) == still(b) }

// still is a row without what moves with time.
func still(row string) string {
	row = strings.ReplaceAll(times.ReplaceAllString(row, " "), "·", " ")
	return strings.Join(strings.Fields(row), " ")
}

// times are durations, rates and turning glyphs. A number of something else stays.
var times = lazyregexp.New(`(?:\d+(?:\.\d+)?(?:ms|s|m|h)\b ?)+|\d+ tok/s|\d\d:\d\d(?::\d\d)?|[◐◓◑◒]|[⠁-⣿]`)

// Diff tells in which rows two screens differ, as a difference of lines.
func Diff(want, got []string) string {
	var b strings.Builder
	for i := range max(len(want), len(got)) {
		w, g := at(want, i), at(got, i)
		if Same(w, g) {
			continue
		}
		fmt.Fprintf(&b, "%3d - %s\n    + %s\n", i+1, w, g)
	}
	return b.String()
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}
