package redact

import (
	"encoding/base64"
	"strings"
)

// keyOpenSSH begins the base64 of a private key of OpenSSH; keyOpenSSHz is where a z
// stands in it.
const (
	keyOpenSSH  = "b3BlbnNzaC1rZXktdjE"
	keyOpenSSHz = 7
)

// leastBody is how much base64 makes a private key without its first line: that of
// an Ed25519 key.
const leastBody = 64

// keyStarts are how the base64 of private keys in DER begins: a sequence, its
// length, and a version, which neither certificates nor public keys have. Dots stand
// for any character of the length.
var keyStarts = []string{
	"MII...IBAAK", "MII...IBADAN", // RSA and DSA, bare and in PKCS #8
	"MHcCAQEEI", "MGgCAQEEH", "MHQCAQEEI", "MIGkAgEBBD", "MIHcAgEBBE", // elliptic curves
	"MIGHAgEAMB", "MIGEAgEAMB", "MIG2AgEAMB", "MIHuAgEAMB", "MEECAQAwEw", // the same in PKCS #8
	"MC4CAQAwBQYDK2V", "MFECAQEwBQYDK2V", "MEcCAQAwBQYDK2V", // Ed25519 and the like
}

// keyStart reports whether the base64 of a private key begins at i.
func keyStart(s string, i int) bool {
	if i < 0 || i > 0 && isBase64(s[i-1]) && !escapedBreak(s, i) {
		return false
	}
	if s[i] == keyOpenSSH[0] {
		return strings.HasPrefix(s[i:], keyOpenSSH)
	}
	if s[i] != 'M' || len(s)-i < leastBody {
		return false
	}
	for _, start := range keyStarts {
		if s[i+1] != start[1] {
			continue
		}
		n := 2
		for n < len(start) && (start[n] == s[i+n] || start[n] == '.' && isBase64(s[i+n])) {
			n++
		}
		if n == len(start) {
			return true
		}
	}
	return false
}

// escapedBreak reports whether the character before i is the end of an escaped line
// break.
func escapedBreak(s string, i int) bool { return i > 1 && s[i-1] == 'n' && s[i-2] == '\\' }

// matchKeyBody finds a private key without its first line that begins at i, on one
// line or on several.
func matchKeyBody(s string, i int) (span, bool) {
	if !keyStart(s, i) {
		return span{}, false
	}
	w, end, next := bodyStart(s, i)
	for !w.short && next < len(s) {
		start := next
		var line string
		line, next = cutLine(s, start)
		step, n := w.next(line)
		if step == keyDone {
			end = start + n
		}
		if step != keyLine || n == 0 {
			break
		}
		end = start + n
	}
	return span{i, end, keyMark}, w.size >= leastBody
}

// longLine is the longest line that another may follow.
const longLine = 80

// bodyStart reads the first line of a private key that begins at i, with all that is
// escaped on it. It returns the walk over the lines below it, where what is on this
// line ends, and where the next line begins; the walk is short where none belongs to
// it.
func bodyStart(s string, i int) (w keyWalk, end, next int) {
	w.need = keySize(s, i)
	for end = i; end < len(s) && (w.need < 0 || w.size < w.need); {
		switch {
		case isBase64(s[end]):
			w.size++
			end++
		case s[end] == '\\' && end+1 < len(s) && (s[end+1] == 'n' || s[end+1] == 'r'):
			end += 2
		default:
			rest, next := cutLine(s, end)
			w.short = !junk(rest) || w.size < fullLine || w.size > longLine || w.size == w.need
			return w, end, next
		}
	}
	w.short = true
	return w, end, len(s)
}

// wordy tells a line that may be a word rather than the last one of a key.
func wordy(line string) bool {
	return len(line) < fullLine && (len(line)%4 != 0 || strings.ToLower(line) == line && strings.IndexByte(line, '=') < 0)
}

// keySize is how much base64 a private key in DER has that begins at i, negative for
// one that does not say.
func keySize(s string, i int) int {
	head, err := base64.StdEncoding.DecodeString(s[i : i+8])
	if err != nil || head[0] != 0x30 {
		return -1
	}
	size := int(head[1]) + 2
	switch head[1] {
	case 0x81:
		size = int(head[2]) + 3
	case 0x82:
		size = int(head[2])<<8 + int(head[3]) + 4
	}
	return (size + 2) / 3 * 4
}

// openBody finds a private key without its first line that is still open at the end
// of s, which ends with a line.
func openBody(s string) (from int, walk keyWalk, open bool) {
	at := len(s) // where the lines that look like a key begin
	for at > 0 {
		line := strings.LastIndexByte(s[:at-1], '\n') + 1
		core := strings.TrimRight(s[line:at], " \t\r\n\"'`,;\\+")
		if n := len(core); n < fullLine || base64Tail(core) < fullLine {
			break
		}
		whole := s[line:at] // the base64 itself may end with a plus
		at = line
		if i := keyIn(whole); i >= 0 {
			w, _, next := bodyStart(s, line+i)
			if w.short {
				return 0, keyWalk{}, false
			}
			for next < len(s) {
				text, after := cutLine(s, next)
				if step, _ := w.next(text); step != keyLine {
					return 0, keyWalk{}, false
				}
				next = after
			}
			return line + i, w, true
		}
	}
	return 0, keyWalk{}, false
}

// base64Tail measures the base64 at the end of a line.
func base64Tail(s string) int {
	n := 0
	for n < len(s) && isBase64(s[len(s)-1-n]) {
		n++
	}
	return n
}

// keyIn finds where in a line the base64 of a private key begins, -1 for nowhere.
func keyIn(line string) int {
	for i := range len(line) {
		if (line[i] == 'M' || line[i] == keyOpenSSH[0]) && keyStart(line, i) {
			return i
		}
	}
	return -1
}
