package agent

import (
	"fmt"
	"hermes-tui/agent/api"
	"strings"
)

// rewoundText says what a rewind did.
func rewoundText(o api.RewindOptions, files api.RewindPlan) string {
	known := len(files.Restored)+len(files.Doubtful)+len(files.Conflicts)+len(files.Impossible) > 0
	text := "Files were put back to before this point."
	switch {
	case o.Files && !known: // as in a branch, of what was done before it was made
		text = "No file changes to undo."
		if o.Conversation {
			text = "Rewound. " + text
		}
	case o.Conversation && o.Files:
		text = "Rewound, and files too."
	case o.Conversation:
		text = "Rewound; files stay as they are."
	}
	if o.Files && known {
		text += " " + filesText(files) + "."
	}
	if o.Files && len(files.Unwatched) > 0 {
		text += " Not watched, so left as they are: " + strings.Join(files.Unwatched, "; ") + "."
	}
	return text + " /rewind undo takes this back."
}

// filesText counts what became of files and names those that were left.
func filesText(files api.RewindPlan) string {
	parts := []string{fmt.Sprintf("%d restored", len(files.Restored))}
	for _, rest := range []struct {
		list []api.RewoundFile
		what string
	}{
		{files.Doubtful, "left alone because someone else may have changed them"},
		{files.Conflicts, "changed by someone else and left alone"},
		{files.Impossible, "could not be restored"},
	} {
		if len(rest.list) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(rest.list), rest.what, names(rest.list)))
		}
	}
	return strings.Join(parts, ", ")
}

// maxNamed is how many files a notice names.
const maxNamed = 5

func names(list []api.RewoundFile) string {
	text := ""
	for i, f := range list {
		if i == maxNamed {
			return text + fmt.Sprintf(" and %d more", len(list)-i)
		}
		if i > 0 {
			text += ", "
		}
		text += f.Path
	}
	return text
}
