package auxiliary

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// fenced writes data for a model between two tags that cannot occur in it: it is
// one JSON object, in which every < is written as an escape.
func fenced(tag string, data any) (string, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return "", fmt.Errorf("write the data of a side call: %w", err)
	}
	return "<" + tag + ">\n" + string(text) + "\n</" + tag + ">", nil
}

// beginning is the start of a text, of so many characters.
func beginning(s string, points int) string {
	if utf8.RuneCountInString(s) <= points {
		return s
	}
	n := 0
	for i := range s {
		if n == points {
			return strings.TrimRight(s[:i], " \n\t") + " …"
		}
		n++
	}
	return s
}
