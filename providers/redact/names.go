package redact

import "strings"

// longestName bounds names. Longer runs are data.
const longestName = 64

// key is the name before an assignment.
type key struct {
	name  string
	start int // of the name
	// quoted says that the name is in quotes or brackets.
	quoted bool
	// spaced says that blanks separate it from the sign.
	spaced bool
}

// keyBefore reads the name that ends at i, the place of the sign. It accepts
// name, "name", 'name', \"name\", x["name"] and x[name].
func keyBefore(s string, i int) (key, bool) {
	var k key
	j := i
	for j > 0 && (s[j-1] == ' ' || s[j-1] == '\t') && i-j < 16 {
		j--
		k.spaced = true
	}
	if j > 0 && s[j-1] == ']' {
		j--
		k.quoted = true
	}
	if j > 0 && (s[j-1] == '"' || s[j-1] == '\'') {
		j--
		k.quoted = true
		for n := 0; n < 7 && j > 0 && s[j-1] == '\\'; n++ {
			j--
		}
	}
	end := j
	for j > 0 && isName(s[j-1]) && end-j <= longestName {
		j--
	}
	for j < end && s[j] == '-' {
		j++ // --name
	}
	k.start, k.name = j, s[j:end]
	return k, end > j && end-j <= longestName
}

// secretName reports whether a name says that its value is secret. It splits the
// name at _, - and changes of case and looks at the words, so that neither a
// plural nor a longer word counts.
func secretName(name string) bool {
	if len(name) < len("token") {
		return false
	}
	qualified := false
	for rest := name; rest != ""; {
		var w string
		w, rest = nextWord(rest)
		if secretWord(w) || qualified && strings.EqualFold(w, "key") {
			return true
		}
		qualified = strings.EqualFold(w, "api") || strings.EqualFold(w, "access") || strings.EqualFold(w, "private")
	}
	return false
}

// secretWord tells the words that make a name secret on their own.
func secretWord(w string) bool {
	switch len(w) {
	case 5:
		return strings.EqualFold(w, "token")
	case 6:
		return strings.EqualFold(w, "secret") || strings.EqualFold(w, "passwd") || strings.EqualFold(w, "apikey")
	case 8:
		return strings.EqualFold(w, "password")
	case 10:
		return strings.EqualFold(w, "credential") || strings.EqualFold(w, "passphrase")
	}
	return false
}

// passwordName tells names whose value a user made up, so that it may look
// like an ordinary word.
func passwordName(name string) bool {
	for rest := name; rest != ""; {
		var w string
		w, rest = nextWord(rest)
		if strings.EqualFold(w, "password") || strings.EqualFold(w, "passwd") || strings.EqualFold(w, "passphrase") {
			return true
		}
	}
	return false
}

// nextWord cuts the first word off a name: up to a _ or -, to a capital behind a
// small letter, or to the last capital of several before a small letter.
func nextWord(name string) (w, rest string) {
	for i := range len(name) {
		c := name[i]
		if c == '_' || c == '-' {
			return name[:i], name[i+1:]
		}
		if i == 0 || !isUpper(c) {
			continue
		}
		if !isUpper(name[i-1]) || i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z' {
			return name[:i], name[i:]
		}
	}
	return name, ""
}

// upperName tells names in the style of environment variables.
func upperName(name string) bool {
	return name == strings.ToUpper(name)
}

// lineStart reports whether nothing but indentation, list marks, line numbers or
// the place that a search prints stand before i on its line.
func lineStart(s string, i int, fresh bool) bool {
	end := i
	for end-i < 64 {
		if i == 0 {
			return fresh
		}
		i--
		switch c := s[i]; {
		case c == '\n':
			return true
		case c == ' ' || c == '\t' || c == '-' || c == '+' || c == '>' || c == '<' || c == '*' || c == '#' || c == '|' || c == ':' || isDigit(c):
		default:
			return searchPlace(s[i+1 : end])
		}
	}
	return false
}

// searchPlace reports whether p begins with :12:, as behind the path in what a
// search prints.
func searchPlace(p string) bool {
	if p == "" || p[0] != ':' {
		return false
	}
	n := runEnd(p, 1, isDigit)
	return n > 1 && n < len(p) && p[n] == ':'
}
