package files

import (
	"errors"
	"strings"

	"hermes-tui/providers/redact"
)

// errMasked is the answer to a change that would replace secrets by their masks.
var errMasked = errors.New("the new text holds masked values (*** or abcdef...wxyz) where the file has real ones, which would be lost; " +
	"what you were shown is masked. Change other lines with patch, or leave this to the user")

// keepsSecrets refuses a new text in which lines of the old one stand as they were
// shown, with their secrets masked, and no longer as they are.
func keepsSecrets(before, after string) error {
	shown := redact.Text(before)
	if shown == before {
		return nil
	}
	had := map[string]bool{}
	for line := range strings.Lines(before) {
		had[strings.TrimSpace(line)] = true
	}
	masks := map[string]bool{}
	for line := range strings.Lines(shown) {
		if line = strings.TrimSpace(line); !had[line] {
			masks[line] = true
		}
	}
	for line := range strings.Lines(after) {
		if masks[strings.TrimSpace(line)] {
			return errMasked
		}
	}
	return nil
}
