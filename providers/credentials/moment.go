package credentials

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds of what a number can mean as a time.
const (
	// mostDelay is the largest number that is a delay in seconds (3 years) and
	// not a time since 1970.
	mostDelay = 1e8
	// leastMillis is the number above which a time since 1970 is in
	// milliseconds.
	leastMillis = 1e12
	// mostMoment is the largest number that is taken for a time, in
	// milliseconds (year 5138).
	mostMoment = 1e14
)

// epoch is a time since 1970 in seconds, or in milliseconds when it is larger
// than 1e12.
func epoch(n float64) (time.Time, bool) {
	if math.IsNaN(n) || n <= 0 || n >= mostMoment {
		return time.Time{}, false
	}
	if n > leastMillis {
		n /= 1000
	}
	whole, part := math.Modf(n)
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC(), true
}

// isoLayouts are the spellings of ISO 8601 that are understood; without a zone
// they are in UTC. Fractions of a second are read after any of them.
var isoLayouts = [...]string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
}

// iso reads a time in ISO 8601. A space may stand for the T.
func iso(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) < len("2006-01-02") || len(s) > 40 {
		return time.Time{}, false
	}
	if len(s) > 10 && (s[10] == ' ' || s[10] == 't') {
		s = s[:10] + "T" + s[11:]
	}
	s = strings.ToUpper(strings.Replace(s, " ", "", 1))
	for _, layout := range isoLayouts {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1970 && t.Year() < 5000 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// moment reads a time of the file: a number, a text that holds one, or ISO 8601.
// The zero time means that there is none.
func moment(raw json.RawMessage) time.Time {
	s := strings.TrimSpace(text(raw))
	if s == "" {
		s = string(raw)
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		t, _ := epoch(n)
		return t
	}
	t, _ := iso(s)
	return t
}

// seconds writes a time as the file's numbers do: seconds since 1970.
func seconds(t time.Time) json.RawMessage {
	micros := t.UnixMicro()
	s := strconv.FormatInt(micros/1e6, 10)
	if part := micros % 1e6; part > 0 {
		s += "." + strings.TrimRight(strconv.FormatInt(1e6+part, 10)[1:], "0")
	} else {
		s += ".0"
	}
	return json.RawMessage(s)
}

// millis writes a time as milliseconds since 1970.
func millis(t time.Time) json.RawMessage {
	return json.RawMessage(strconv.FormatInt(t.UnixMilli(), 10))
}

// stamp writes a time as the file's texts do.
func stamp(t time.Time) json.RawMessage {
	return quoted(t.UTC().Format("2006-01-02T15:04:05.000000+00:00"))
}

// tokenExpiry reads when a JSON web token expires. The signature is not looked
// at: only the service can judge it.
func tokenExpiry(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > 64<<10 {
		return time.Time{}
	}
	body, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return time.Time{}
	}
	var claims struct{ Exp json.RawMessage }
	if json.Unmarshal(body, &claims) != nil {
		return time.Time{}
	}
	return moment(claims.Exp)
}
