package tools

import "strings"

// programNote begins what the program puts behind, or in the place of, what a user wrote;
// as [Attach] does, notes of what has changed and of what could not be sent.
const programNote = "[note from the program"

// notTyped begin messages of the role user that no user wrote: notices of this program,
// and those of the reference in sessions of its own.
var notTyped = []string{
	programNote, "[Notice of the program,", "[ASYNC DELEGATION COMPLETE", "[IMPORTANT: Background process", "[System note:", "[CONTEXT COMPACTION",
}

// Wrote gives back what the user wrote of a stored message of the role user, without what
// the program put behind it. It reports false for a message that they did not write.
func Wrote(content string) (text string, ok bool) {
	for _, begins := range notTyped {
		if strings.HasPrefix(content, begins) {
			return "", false
		}
	}
	text, _, _ = strings.Cut(content, "\n"+programNote)
	text = strings.TrimRight(text, " \n")
	return text, text != ""
}
