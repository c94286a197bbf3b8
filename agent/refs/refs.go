// Package refs finds what the user names with an @ in a message, and gives its text to
// go to the model with the message: files and folders, ranges of lines, what git says,
// other sessions, resources of servers. What is sent is sent once, when the turn begins, and stays as it was.
package refs

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a reference names.
type Kind string

// The kinds.
const (
	File    Kind = "file"
	Folder  Kind = "folder"
	Path    Kind = "" // a file or a folder; only if it is there
	Diff    Kind = "diff"
	Staged  Kind = "staged"
	Log     Kind = "log" // also @git:N
	Session Kind = "session"
	URL     Kind = "url" // also by its address alone
	// Resource is data of a server, SERVER:ADDRESS. [Find] takes it for a path.
	Resource Kind = "resource"
)

// Ref is a reference in a message.
type Ref struct {
	Kind Kind
	// Name is a path, the id or title of a session, or empty.
	Name string
	// From and To are the lines of a file, counted from 1; 0 is all of it, or to its
	// end. Of a log From is the number of commits.
	From, To int
	// Word is how it is written, without the @.
	Word string
}

// mostRefs are how many references of a message are looked at.
const mostRefs = 50

// Find finds the references of a message, each one once. An @ begins one at the start of
// a word only; names with blanks stand in quotes; marks that end a sentence or close a
// bracket do not belong to it.
func Find(text string) []Ref {
	var list []Ref
	seen := map[string]bool{}
	for i := 0; i < len(text) && len(list) < mostRefs; i++ {
		if text[i] != '@' || !begins(text[:i]) {
			continue
		}
		word, n := word(text[i+1:])
		i += n
		if r, ok := read(word); ok && !seen[word] {
			seen[word] = true
			list = append(list, r)
		}
	}
	return list
}

// begins reports whether a word can begin behind a text.
func begins(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || unicode.IsSpace(r) || r >= 0x2e80 || strings.ContainsRune("([{,\"'", r)
}

// word reads the word at the beginning of a text, and how long it is. Quotes may stand
// around all of a name, or behind its prefix.
func word(text string) (word string, length int) {
	quote := strings.IndexByte(text, '"')
	if end := strings.IndexFunc(text, unicode.IsSpace); quote >= 0 && (end < 0 || quote < end) && (quote == 0 || text[quote-1] == ':') {
		closing := strings.IndexAny(text[quote+1:], "\"\n")
		if closing >= 0 && text[quote+1+closing] == '"' {
			name := text[quote+1 : quote+1+closing]
			rest := text[quote+closing+2:]
			lines := rest[:len(rest)-len(strings.TrimLeft(rest, ":-0123456789"))]
			if _, _, _, ok := cutLines("x" + strings.TrimRight(lines, ":-")); !ok || !strings.HasPrefix(lines, ":") {
				lines = ""
			}
			lines = strings.TrimRight(lines, ":-")
			return text[:quote] + name + lines, quote + closing + 2 + len(lines)
		}
	}
	n := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	if n < 0 {
		n = len(text)
	}
	word = strings.TrimRight(text[:n], ".,;:!?)]}'\"»”’")
	return word, len(word)
}

// read says what a word names.
func read(word string) (Ref, bool) {
	r := Ref{Word: word}
	switch prefix, rest, both := strings.Cut(word, ":"); {
	case word == "diff" || word == "staged":
		r.Kind = Kind(word)
	case both && rest != "" && (prefix == "log" || prefix == "git"):
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > 50 {
			return r, false
		}
		r.Kind, r.From = Log, n
	case both && rest != "" && prefix == "session":
		r.Kind, r.Name = Session, rest
	case both && rest != "" && prefix == "folder":
		r.Kind, r.Name = Folder, rest
	case both && rest != "" && prefix == "file":
		r.Kind = File
		r.Name, r.From, r.To, _ = cutLines(rest)
	case both && (prefix == "http" || prefix == "https") && strings.HasPrefix(rest, "//") && len(rest) > 2:
		r.Kind, r.Name = URL, word
	case both && prefix == "url":
		if r.Kind, r.Name = URL, rest; !strings.Contains(rest, "://") {
			r.Name = "https://" + rest
		}
		return r, rest != ""
	case utf8.RuneCountInString(word) < 1 || strings.HasPrefix(word, "/") && strings.HasPrefix(word, "//"):
		return r, false
	default:
		r.Name, r.From, r.To, _ = cutLines(word)
	}
	return r, r.Kind == Diff || r.Kind == Staged || r.Kind == Log || r.Name != ""
}

// cutLines takes the lines off a name: :10 or :10-40. ok is false when there are none,
// and then the name is all of it.
func cutLines(word string) (name string, from, to int, ok bool) {
	i := strings.LastIndexByte(word, ':')
	if i <= 0 {
		return word, 0, 0, false
	}
	first, last, both := strings.Cut(word[i+1:], "-")
	from, err := strconv.Atoi(first)
	to = from
	if err == nil && both {
		to, err = strconv.Atoi(last)
	}
	if err != nil || from < 1 || to < from {
		return word, 0, 0, false
	}
	return word[:i], from, to, true
}
