package learnings

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hermes-tui/tools/unseen"
)

// Entry is one learning.
type Entry struct {
	// ID names it; it is derived from the line where that has none.
	ID string
	// Pattern is what failed: a call as it was made, or a description.
	Pattern string
	// ErrorType is the class of the failure, as "usage" or "permission denied".
	ErrorType string
	// Fix is what worked instead, or what to do.
	Fix string
	// Context is what the failure said.
	Context string
	Tags    []string
	// CreatedAt is when it was first learnt, UsedAt when it was last shown to an
	// agent or learnt again; zero where it is not known.
	CreatedAt, UsedAt time.Time
	// TimesUsed counts how often that was.
	TimesUsed int
	// Kind says what calls it is about, see [Kind]; empty where only words tell.
	Kind string
	// Project is the workspace it holds in, empty for everywhere.
	Project string

	rest map[string]json.RawMessage // members of other programs
}

// MaxText bounds each text of an entry in characters, MaxTags their number.
const (
	MaxText = 600
	MaxTags = 8
)

// newID names a new entry.
func newID() string { return strings.ToLower(rand.Text()[:10]) }

// member names, in the file.
const (
	mID, mPattern, mError, mFix, mContext, mTags = "id", "pattern", "error_type", "fix", "context", "tags"
	mCreated, mUsed, mTimes, mKind, mProject     = "created_at", "used_at", "times_used", "kind", "project"
)

// UnmarshalJSON implements [json.Unmarshaler]. A member of another kind than is
// wanted counts as missing.
func (e *Entry) UnmarshalJSON(line []byte) error {
	rest := map[string]json.RawMessage{}
	if err := json.Unmarshal(line, &rest); err != nil {
		return err
	}
	*e = Entry{rest: rest}
	take := func(name string, into any) {
		if raw, ok := rest[name]; ok && json.Unmarshal(raw, into) == nil {
			delete(rest, name)
		}
	}
	for name, into := range map[string]any{
		mID: &e.ID, mPattern: &e.Pattern, mError: &e.ErrorType, mFix: &e.Fix, mContext: &e.Context, mTags: &e.Tags,
		mCreated: (*stamp)(&e.CreatedAt), mUsed: (*stamp)(&e.UsedAt), mTimes: &e.TimesUsed, mKind: &e.Kind, mProject: &e.Project,
	} {
		take(name, into)
	}
	if e.ID == "" {
		sum := sha256.Sum256([]byte(e.Pattern + "\x00" + e.Fix))
		e.ID = hex.EncodeToString(sum[:5])
	}
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (e Entry) MarshalJSON() ([]byte, error) {
	all := map[string]any{
		mID: e.ID, mPattern: e.Pattern, mError: e.ErrorType, mFix: e.Fix, mContext: e.Context, mTags: append([]string{}, e.Tags...), mTimes: e.TimesUsed,
	}
	for name, raw := range e.rest {
		all[name] = raw
	}
	for name, text := range map[string]string{mKind: e.Kind, mProject: e.Project} {
		if text != "" {
			all[name] = text
		}
	}
	for name, at := range map[string]time.Time{mCreated: e.CreatedAt, mUsed: e.UsedAt} {
		if !at.IsZero() {
			all[name] = at.UTC().Format(time.RFC3339)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(all)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// stamp reads a time as text, with or without a zone, or as seconds since 1970.
type stamp time.Time

// UnmarshalJSON implements [json.Unmarshaler].
func (s *stamp) UnmarshalJSON(raw []byte) error {
	var seconds float64
	if json.Unmarshal(raw, &seconds) == nil {
		*s = stamp(time.UnixMilli(int64(seconds * 1000)).UTC())
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05.999999999", text)
	}
	*s = stamp(at)
	return err
}

// clean makes a text fit to be stored and shown: one line of it, without control
// and invisible characters.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return -1
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		}
		return r
	}, unseen.Strip(text))
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > MaxText {
		text = string([]rune(text)[:MaxText-1]) + "…"
	}
	return text
}
