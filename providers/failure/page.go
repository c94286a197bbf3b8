package failure

import (
	"html"
	"strings"
	"unicode"

	"hermes-tui/providers/redact"
	"hermes-tui/tools/lazyregexp"
)

const (
	// longestMessage bounds Failure.Message, longestQuote what a sentence repeats
	// of it, both in characters.
	longestMessage = 500
	longestQuote   = 160
)

var (
	pageTitle = lazyregexp.New(`(?is)<title[^>]*>(.{0,400}?)</title>`)
	pageRay   = lazyregexp.New(`(?i)(?:ray id|cf-ray)[:\s]*(?:<[^>]{0,80}>\s*)*([0-9a-z-]{3,40})`)
)

// isPage tells a body that is a web page.
func (e *evidence) isPage() bool {
	head := strings.ToLower(strings.TrimSpace(e.body[:min(len(e.body), 1024)]))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html") || strings.Contains(head, "<title")
}

// page sums a web page up in one line: its title and the number by which
// Cloudflare knows the request.
func (e *evidence) page() string {
	title := "an error page"
	if m := pageTitle.FindStringSubmatch(e.body); m != nil {
		if t := oneLine(html.UnescapeString(m[1])); t != "" {
			title = t
		}
	}
	ray := e.header.Get("Cf-Ray")
	if ray == "" {
		if m := pageRay.FindStringSubmatch(e.body); m != nil {
			ray = m[1]
		}
	}
	if ray != "" {
		title += " (Cloudflare ray " + ray + ")"
	}
	return title
}

// summary is the message of the failure.
func (e *evidence) summary() string {
	if e.isPage() {
		return safe(e.page(), longestMessage)
	}
	return safe(e.stated, longestMessage)
}

// safe makes a foreign text fit to be shown on one line.
func safe(s string, most int) string {
	// Masking comes before cutting, which could hide the form of a secret, and the
	// first cut only bounds the work.
	return cut(oneLine(redact.Text(cut(s, 16*longestMessage))), most)
}

// oneLine joins the lines of s and removes control and format characters.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// cut shortens s to at most n characters.
func cut(s string, n int) string {
	i := 0
	for at := range s {
		if i == n {
			return s[:at]
		}
		i++
	}
	return s
}
