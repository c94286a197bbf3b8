package redact

import "strings"

// prefix describes tokens that begin with a fixed text.
type prefix struct {
	text string
	// body tells the bytes that may follow.
	body func(byte) bool
	// wordy marks prefixes that also begin ordinary identifiers. What follows
	// them must have a digit or a capital.
	wordy bool
}

// shortest is the least number of bytes after a prefix. Shorter ones are
// examples or identifiers.
const shortest = 10

// The token prefixes by their last byte.
var (
	dashTokens = []prefix{
		{text: "sk-", body: isName}, // OpenAI, Anthropic, OpenRouter and many others
		{text: "csk-", body: isName, wordy: true},
		{text: "xai-", body: isName, wordy: true},
		{text: "tvly-", body: isName, wordy: true},
		{text: "pplx-", body: isName, wordy: true},
		{text: "nvapi-", body: isName, wordy: true},
		{text: "glpat-", body: isName},
		{text: "gldt-", body: isName, wordy: true},
		{text: "glrt-", body: isName, wordy: true},
		{text: "xoxa-", body: isName},
		{text: "xoxb-", body: isName},
		{text: "xoxc-", body: isName},
		{text: "xoxd-", body: isName},
		{text: "xoxe-", body: isName},
		{text: "xoxo-", body: isName},
		{text: "xoxp-", body: isName},
		{text: "xoxr-", body: isName},
		{text: "xoxs-", body: isName},
		{text: "xapp-", body: isName, wordy: true},
		{text: "pypi-", body: isName, wordy: true},
		{text: "GOCSPX-", body: isName},
		{text: "tskey-", body: isName, wordy: true},
		{text: "sq0atp-", body: isName},
		{text: "sq0csp-", body: isName},
		{text: "PMAK-", body: isName},
		{text: "AGE-SECRET-KEY-", body: isAlnum},
	}
	underTokens = []prefix{
		{text: "ghp_", body: isAlnum},
		{text: "gho_", body: isAlnum},
		{text: "ghu_", body: isAlnum},
		{text: "ghs_", body: isAlnum},
		{text: "ghr_", body: isAlnum},
		{text: "github_pat_", body: isName},
		{text: "sk_live_", body: isAlnum},
		{text: "sk_test_", body: isAlnum},
		{text: "rk_live_", body: isAlnum},
		{text: "rk_test_", body: isAlnum},
		{text: "sk_", body: isAlnum, wordy: true},
		{text: "whsec_", body: isAlnum},
		{text: "hf_", body: isAlnum, wordy: true},
		{text: "r8_", body: isAlnum, wordy: true},
		{text: "npm_", body: isAlnum, wordy: true},
		{text: "gsk_", body: isAlnum, wordy: true},
		{text: "exa_", body: isAlnum, wordy: true},
		{text: "tgp_v1_", body: isName, wordy: true},
		{text: "dop_v1_", body: isAlnum},
		{text: "doo_v1_", body: isAlnum},
		{text: "dor_v1_", body: isAlnum},
		{text: "dckr_pat_", body: isName},
		{text: "shpat_", body: isAlnum},
		{text: "shpca_", body: isAlnum},
		{text: "shppa_", body: isAlnum},
		{text: "shpss_", body: isAlnum},
		{text: "lin_api_", body: isAlnum},
		{text: "figd_", body: isName, wordy: true},
		{text: "ntn_", body: isAlnum, wordy: true},
		{text: "bb_live_", body: isName, wordy: true},
		{text: "rubygems_", body: isAlnum, wordy: true},
		{text: "sntrys_", body: isName, wordy: true},
		{text: "sntryu_", body: isName, wordy: true},
	}
	dotTokens = []prefix{
		{text: "SG.", body: isNameOrDot},
		{text: "hvs.", body: isName, wordy: true},
		{text: "hvb.", body: isName, wordy: true},
		{text: "ya29.", body: isNameOrDot},
	}
)

// What may stand before the last byte of a prefix. It rejects most anchors with
// one look-up.
var (
	beforeDash  = tails(dashTokens)
	beforeUnder = tails(underTokens)
	beforeDot   = tails(dotTokens)
)

// tails collects the two bytes before the last one of each prefix.
func tails(list []prefix) *pairs {
	p := &pairs{}
	for _, t := range list {
		p.add(t.text[len(t.text)-3:])
	}
	return p
}

// pairs is a set of two bytes.
type pairs [1 << 10]uint64

// add takes the first two bytes of s.
func (p *pairs) add(s string) {
	k := uint16(s[0])<<8 | uint16(s[1])
	p[k>>6] |= 1 << (k & 63)
}

// before reports whether the two bytes before i are in the set.
func (p *pairs) before(s string, i int) bool {
	if i < 2 {
		return false
	}
	k := uint16(s[i-2])<<8 | uint16(s[i-1])
	return p[k>>6]&(1<<(k&63)) != 0
}

func isNameOrDot(c byte) bool { return isName(c) || c == '.' }

// matchToken finds a token, web token or key block with its anchor at i.
func matchToken(s string, i int) (span, bool) {
	switch s[i] {
	case '-':
		if i+1 < len(s) && s[i+1] == '-' {
			return matchKeyBlock(s, i)
		}
		if beforeDash.before(s, i) {
			return matchPrefix(s, i, dashTokens)
		}
	case '_':
		if beforeUnder.before(s, i) {
			return matchPrefix(s, i, underTokens)
		}
	case '.':
		if beforeDot.before(s, i) {
			return matchPrefix(s, i, dotTokens)
		}
	case 'J':
		return matchWebToken(s, i-2)
	case 'K':
		return matchFixed(s, i-1, "AKIA", isUpperOrDigit, 16, 16)
	case 'S':
		return matchFixed(s, i-1, "ASIA", isUpperOrDigit, 16, 16)
	case 'T':
		return matchFixed(s, i-1, "ATATT3", isToken, 30, len(s))
	case 'z':
		if m, ok := matchFixed(s, i-2, "AIza", isName, 30, len(s)); ok {
			return m, true
		}
		return matchKeyBody(s, i-keyOpenSSHz)
	case 'M':
		return matchKeyBody(s, i)
	}
	return span{}, false
}

func isUpperOrDigit(c byte) bool { return isUpper(c) || isDigit(c) }

// isToken tells the bytes of tokens that end in a checksum after an equals sign.
func isToken(c byte) bool { return isName(c) || c == '=' }

// matchPrefix finds a token whose prefix is in the list and ends at i.
func matchPrefix(s string, i int, list []prefix) (span, bool) {
	for _, p := range list {
		if !strings.HasSuffix(s[:i+1], p.text) {
			continue
		}
		start := i + 1 - len(p.text)
		if !leftFree(s, start) {
			continue
		}
		end := runEnd(s, i+1, p.body)
		for end > i+1 && s[end-1] == '.' {
			end--
		}
		body := s[i+1 : end]
		if len(body) < shortest || end < len(s) && isName(s[end]) {
			continue
		}
		if !random(body, p.wordy) {
			continue
		}
		return span{start, end, mask(s[start:end])}, true
	}
	return span{}, false
}

// matchFixed finds a token that begins with text at start and goes on with least
// to most bytes of body.
func matchFixed(s string, start int, text string, body func(byte) bool, least, most int) (span, bool) {
	if start < 0 || !strings.HasPrefix(s[start:], text) || !leftFree(s, start) {
		return span{}, false
	}
	from := start + len(text)
	end := runEnd(s, from, body)
	if n := end - from; n < least || n > most || end < len(s) && isName(s[end]) {
		return span{}, false
	}
	return span{start, end, mask(s[start:end])}, true
}

// matchWebToken finds a JSON web token that begins at start: a header that is a
// JSON object in base64, and at least a payload.
func matchWebToken(s string, start int) (span, bool) {
	if start < 0 || !strings.HasPrefix(s[start:], "eyJ") || !leftFree(s, start) {
		return span{}, false
	}
	end := runEnd(s, start, isName)
	if end-start < 3+shortest {
		return span{}, false
	}
	parts, longest := 1, 0
	for parts < 5 && end+1 < len(s) && s[end] == '.' {
		next := runEnd(s, end+1, isName)
		if next == end+1 && s[next] != '.' {
			break
		}
		longest = max(longest, next-end-1)
		end = next
		parts++
	}
	if longest < 4 {
		return span{}, false
	}
	end = runEnd(s, end, func(c byte) bool { return c == '=' })
	return span{start, end, mask(s[start:end])}, true
}

// leftFree reports whether a token may begin at i: not in the middle of a word. A
// letter that belongs to an escape before the token is no part of a word.
func leftFree(s string, i int) bool {
	if i == 0 || !isName(s[i-1]) {
		return true
	}
	switch c := s[i-1]; {
	case (c == 'n' || c == 'r' || c == 't') && i >= 2 && s[i-2] == '\\':
		return true // \n
	case i >= 3 && s[i-3] == '%' && isHex(c) && isHex(s[i-2]):
		return true // %3D
	case c == 'm':
		return colour(s, i-1)
	}
	return false
}

// colour reports whether the m at i ends a terminal colour sequence.
func colour(s string, i int) bool {
	for n := 0; i > 1 && n < 20; n++ {
		i--
		if s[i] == '[' {
			return s[i-1] == 0x1b
		}
		if !isDigit(s[i]) && s[i] != ';' {
			return false
		}
	}
	return false
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// random reports whether the rest of a token looks like one: it has a digit or a
// capital or, unless the prefix is wordy, a piece too long for the words that
// identifiers are made of.
func random(body string, wordy bool) bool {
	piece := 0
	for i := range len(body) {
		switch c := body[i]; {
		case isUpperOrDigit(c):
			return true
		case c == '-' || c == '_':
			piece = 0
		default:
			if piece++; piece >= shortest && !wordy {
				return true
			}
		}
	}
	return false
}
