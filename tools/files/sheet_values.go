package files

import (
	"context"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"time"
)

// show gives the text of a cell. kind is its t, style its s, value what is
// stored.
func (b *workbook) show(kind, style, value string) string {
	switch kind {
	case "s":
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n >= 0 && n < len(b.shared) {
			return b.shared[n]
		}
		return "#REF!"
	case "b":
		if strings.TrimSpace(value) == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "str", "inlineStr", "e", "d":
		return value
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return value
	}
	if i, err := strconv.Atoi(style); err == nil && i >= 0 && i < len(b.dates) && b.dates[i] {
		if date, ok := b.date(n); ok {
			return date
		}
	}
	if len(value) > 15 { // stored with more digits than a spreadsheet shows
		return strconv.FormatFloat(n, 'g', 15, 64)
	}
	return value
}

// date gives the day and time that a number of days stands for.
func (b *workbook) date(days float64) (string, bool) {
	if math.IsNaN(days) || days < 0 || days > 2_958_466 { // the end of the year 9999
		return "", false
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case b.from1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60: // spreadsheets take 1900 for a leap year
		epoch = epoch.AddDate(0, 0, 1)
	}
	whole, part := math.Modf(days)
	at := epoch.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86400)) * time.Second)
	switch {
	case days < 1 && !b.from1904:
		return at.Format("15:04:05"), true
	case part == 0:
		return at.Format("2006-01-02"), true
	}
	return at.Format("2006-01-02 15:04:05"), true
}

// dateFormats tells of each cell format whether it shows a date or time.
func (a *archive) dateFormats(ctx context.Context) ([]bool, error) {
	custom := map[string]bool{}
	var dates []bool
	in := false
	err := a.each(ctx, "xl/styles.xml", func(_ *markup, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			custom[attr(e, "numFmtId")] = dateCode(attr(e, "formatCode"))
		case "cellXfs":
			in = true
		case "cellStyles", "dxfs":
			in = false
		case "xf":
			if in {
				id := attr(e, "numFmtId")
				n, err := strconv.Atoi(id)
				dates = append(dates, custom[id] || err == nil && (n >= 14 && n <= 22 || n >= 45 && n <= 47))
			}
		}
		return nil
	})
	return dates, err
}

// dateCode reports whether a format code shows a date or time: it has one of the
// letters for it outside of quotes, brackets and escapes.
func dateCode(code string) bool {
	code, _, _ = strings.Cut(strings.ToLower(code), ";")
	var quoted, bracket, escaped bool
	for _, c := range code {
		switch {
		case escaped:
			escaped = false
		case c == '\\' || c == '_' || c == '*':
			escaped = !quoted
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case bracket:
		case strings.ContainsRune("ydhms", c):
			return true
		}
	}
	return false
}
