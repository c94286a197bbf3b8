package failure

import (
	"html"
	"strings"

	"hermes-tui/providers/redact"
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/tools/shorten"
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
		if t := shorten.Join(html.UnescapeString(m[1])); t != "" {
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
	return shorten.Runes(shorten.Join(redact.Text(shorten.Runes(s, 16*longestMessage))), most)
}
