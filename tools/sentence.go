package tools

// Sentence returns the text of an error with a capital letter at its beginning and a full stop
// at its end.
func Sentence(err error) string {
	s := err.Error()
	if s == "" {
		return "Something went wrong."
	}
	if r := s[0]; r >= 'a' && r <= 'z' {
		s = string(r-'a'+'A') + s[1:]
	}
	if last := s[len(s)-1]; last != '.' && last != '!' && last != '?' {
		s += "."
	}
	return s
}
