package delegate

import (
	"encoding/json"
	"strings"
)

// Failed reports whether the result of a call reads like a failure: a JSON object
// with an error, or with a status that is one, or text whose first line says so.
// What follows a JSON object is passed over.
func Failed(content string) bool {
	content = strings.TrimSpace(content)
	if strings.HasPrefix(content, "{") {
		var fields map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(content)).Decode(&fields) == nil {
			return says(fields["error"]) || failing(fields["status"])
		}
	}
	first, _, _ := strings.Cut(content, "\n")
	first = strings.ToLower(head(first, 20))
	for _, word := range []string{"error:", "failed:", "traceback", "exception:"} {
		if strings.HasPrefix(first, word) {
			return true
		}
	}
	return false
}

// says reports whether a value of "error" reports one.
func says(raw json.RawMessage) bool {
	switch strings.TrimSpace(string(raw)) {
	case "", "null", "false", `""`, "0", "{}", "[]":
		return false
	}
	return true
}

// failing reports whether a value of "status" is that of a failure.
func failing(raw json.RawMessage) bool {
	var status string
	if json.Unmarshal(raw, &status) != nil {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(status)) {
	case "error", "failed", "failure", "timeout":
		return true
	}
	return false
}
