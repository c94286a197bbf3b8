package sessions

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// seconds is how times are stored. The zero time is stored as NULL.
func seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return float64(t.UnixMicro()) / 1e6
}

// moment is the inverse of seconds. What is no sensible time is the zero time.
func moment(s sql.NullFloat64) time.Time {
	const limit = 1e11 // some three thousand years
	if !s.Valid || math.IsNaN(s.Float64) || math.Abs(s.Float64) > limit {
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(s.Float64 * 1e6))).UTC()
}

// or is t unless that is zero.
func or(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// null stores empty text as NULL.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// shared is null for the tables of the reference, which can't read text that is
// not UTF-8.
func shared(s string) any { return null(clean(s)) }

// clean makes text valid UTF-8.
func clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// structured begins content that is a list or object of parts.
const structured = "\x00json:"

// plain stores text so that it is never read as structured content.
func plain(s string) any {
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, structured) {
		s = "\ufffd" + s[1:]
	}
	return clean(s)
}

// flatten gives the text of stored content.
func flatten(s string) string {
	raw, ok := strings.CutPrefix(s, structured)
	if !ok {
		return s
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal([]byte(raw), &parts) != nil {
		return raw
	}
	var all []string
	for _, p := range parts {
		switch {
		case p.Text != "":
			all = append(all, p.Text)
		case strings.Contains(p.Type, "image"):
			all = append(all, "[image]")
		default:
			all = append(all, "[attachment]")
		}
	}
	return strings.Join(all, "\n")
}

// foreignPrefix begins the ids of messages the reference wrote.
const foreignPrefix = "m_row"

// foreignID is the id of a message that has none of ours.
func foreignID(row int64) string { return foreignPrefix + strconv.FormatInt(row, 10) }

// Foreign reports whether an id is that of a message the reference wrote.
func Foreign(id string) bool {
	_, theirs := foreignRow(id)
	return theirs
}

// foreignRow is the row in such an id.
func foreignRow(id string) (int64, bool) {
	digits, ok := strings.CutPrefix(id, foreignPrefix)
	if !ok {
		return 0, false
	}
	row, err := strconv.ParseInt(digits, 10, 64)
	return row, err == nil && row > 0 && foreignID(row) == id
}

// orEmpty reads a column into text, NULL as the empty text.
type orEmpty struct{ to *string }

// Scan implements sql.Scanner.
func (o orEmpty) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*o.to = ""
	case string:
		*o.to = v
	case []byte:
		*o.to = string(v)
	default:
		*o.to = fmt.Sprint(v) // a number where the reference keeps text
	}
	return nil
}
