package redact

import "strings"

const (
	keyBegin = "-----BEGIN "
	keyEnd   = "-----END "
	keyDash  = "-----"
	// leastKey is how much base64 makes a block a key and not a mention of one.
	leastKey = 16
	// fullLine is a base64 line that another may follow; the encodings in use
	// break at 64, 70 or 76.
	fullLine = 60
	// leadLines bounds the header lines between the first line and the key.
	leadLines = 16
)

// matchKeyBlock finds a private key block that begins at i, on one line or on
// several. A block whose end is missing reaches as far as its lines look like a
// key.
func matchKeyBlock(s string, i int) (span, bool) {
	from, ok := keyHeader(s, i)
	if !ok {
		return span{}, false
	}
	line, next, open := keyRest(s, from)
	if !open {
		n := sameLine(line)
		return span{i, from + n, keyMark}, n > 0
	}
	end, w := from, keyWalk{}
	for next < len(s) {
		start := next
		line, next = cutLine(s, start)
		step, n := w.next(line)
		if step == keyDone {
			return span{i, start + n, keyMark}, w.enough()
		}
		if step == keyOver {
			break
		}
		if n > 0 {
			end = start + n
		}
	}
	return span{i, end, keyMark}, w.enough()
}

// keyHeader checks for the first line of a private key block at i and returns
// where it ends.
func keyHeader(s string, i int) (int, bool) {
	if !strings.HasPrefix(s[i:], keyBegin) {
		return 0, false
	}
	from := i + len(keyBegin)
	label := s[from:min(len(s), from+48)]
	n := strings.Index(label, keyDash)
	if n < 0 || !strings.Contains(label[:n], "PRIVATE KEY") || strings.Contains(label[:n], "\n") {
		return 0, false
	}
	return from + n + len(keyDash), true
}

// cutLine returns the line at i without its newline, and where the next begins.
func cutLine(s string, i int) (line string, next int) {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return s[i : i+n], i + n + 1
	}
	return s[i:], len(s)
}

// keyRest returns what follows the first line of a block on the same line, but
// not beyond the next block, and where the next line begins. open says that the
// key can only be on the lines below.
func keyRest(s string, i int) (rest string, next int, open bool) {
	rest = s[i:]
	if n := strings.Index(rest, keyBegin); n >= 0 {
		rest = rest[:n]
	}
	n := strings.IndexByte(rest, '\n')
	if n < 0 {
		return rest, len(s), i+len(rest) == len(s) && junk(rest)
	}
	return rest[:n], i + n + 1, junk(rest[:n])
}

// junk tells what may stand between the first line of a block and its line
// break: the break itself as an escape, the quotes and commas of a program.
func junk(rest string) bool { return strings.Trim(rest, ` \nr"',;+`+"\t\r`") == "" }

// sameLine looks for the key in the rest of the line that begins the block, as
// in JSON, where the line breaks are escaped. It returns where the block ends, 0
// if there is no key.
func sameLine(rest string) int {
	if n := strings.Index(rest, keyEnd); n >= 0 {
		if base64Run(rest[:n]) < leastKey {
			return 0
		}
		tail := rest[n+len(keyEnd):]
		if m := strings.Index(tail, keyDash); m >= 0 {
			return n + len(keyEnd) + m + len(keyDash)
		}
		return n
	}
	n := runEnd(rest, 0, func(c byte) bool { return isBase64(c) || c == '\\' || c == ' ' })
	if base64Run(rest[:n]) < leastKey {
		return 0
	}
	return n
}

// base64Run measures the longest run of base64.
func base64Run(s string) int {
	best, n := 0, 0
	for i := range len(s) {
		if !isBase64(s[i]) {
			n = 0
			continue
		}
		n++
		best = max(best, n)
	}
	return best
}

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

// keyStep says what a line means for an open key block.
type keyStep int

const (
	keyLine keyStep = iota // belongs to the block
	keyDone                // ends it
	keyOver                // does not belong to it any more
)

// keyWalk follows the lines of a key block below its first. The zero value is
// ready.
type keyWalk struct {
	size  int // base64 so far
	need  int // base64 in all, where that is known; negative: the end is a guess
	lead  int // lines before the key
	short bool
}

// enough reports whether what was seen is a key.
func (w *keyWalk) enough() bool { return w.size >= leastKey }

// next takes a line and says what it means. n is how much of the line belongs to
// the block, 0 for lines before the key.
func (w *keyWalk) next(line string) (step keyStep, n int) {
	if i := strings.Index(line, keyEnd); i >= 0 {
		tail := line[i+len(keyEnd):]
		if m := strings.Index(tail, keyDash); m >= 0 && strings.Contains(tail[:m], "PRIVATE KEY") {
			return keyDone, i + len(keyEnd) + m + len(keyDash)
		}
		return keyOver, 0
	}
	core := strings.TrimLeft(line, " \t>|:*'\"`#")
	core = strings.TrimRight(core, " \t\r\n\"'`,;\\")
	if core == "" || w.size == 0 && keyField(core) {
		if w.lead++; w.size > 0 || w.lead > leadLines {
			return keyOver, 0
		}
		return keyLine, 0
	}
	body := bare(core)
	if w.short || runEnd(body, 0, isBase64) != len(body) || w.need > 0 && w.size+len(body) > w.need || w.need < 0 && wordy(body) {
		return keyOver, 0
	}
	w.size += len(body)
	w.short = len(body) < fullLine || w.size == w.need || w.need < 0 && strings.HasSuffix(body, "=")
	return keyLine, len(line)
}

// bare removes line numbers, the marks of a diff and escaped line breaks from
// around a line of base64.
func bare(core string) string {
	if n := runEnd(core, 0, isDigit); n < len(core) && n > 0 {
		if c := core[n]; c == '|' || c == ':' || c == '\t' || c == ' ' {
			core = strings.TrimLeft(core[n+1:], " \t\"'+")
		}
	}
	core = strings.TrimPrefix(core, "- ")
	core = strings.TrimPrefix(core, "-")
	core = strings.TrimSuffix(core, " +")
	core = strings.TrimRight(core, "\"'")
	core = strings.TrimSuffix(core, `\n`)
	return strings.TrimSuffix(core, `\r`)
}

// keyField tells the header lines that may stand before an encrypted key.
func keyField(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	if !ok {
		return false
	}
	switch name {
	case "Proc-Type", "DEK-Info", "Comment", "Version", "Hash", "Charset", "MessageID", "Key-Info", "Content-Domain":
		return true
	}
	return false
}
