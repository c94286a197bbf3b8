package markdown

import (
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// hyperlink begins the sequence that begins a link on a terminal.
const (
	hyperlink    = "\x1b]8;"
	hyperlinkEnd = hyperlink + ";\a"
)

// maxTarget is the longest address that terminals take, in bytes.
const maxTarget = 2083

// target is the sequence that begins a link to an address of the web or of mail;
// empty for any other. Rows that it is broken into have one name, by which a
// terminal knows that they belong together.
func target(to string) string {
	u, err := url.Parse(to)
	if err != nil || len(to) > maxTarget {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
	case "mailto":
	default:
		return ""
	}
	to = u.String()
	if strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(to))
	return ansi.SetHyperlink(to, "id="+strconv.FormatUint(uint64(h.Sum32()), 36))
}
