package cli

import (
	"os/exec"
	"strings"
	"testing"
)

// TestManual has groff draw every page of the manual, which it does without a warning.
func TestManual(t *testing.T) {
	root := newRoot(&sys{})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	pages := manual(root)
	if len(pages) < 45 {
		t.Errorf("there are %d pages only", len(pages))
	}
	seen := map[string]bool{}
	for _, p := range pages {
		if seen[p.File()] {
			t.Errorf("%s is there twice", p.File())
		}
		seen[p.File()] = true
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("SKIPPED: groff is not here, so that no page is drawn")
	}
	for _, p := range pages {
		t.Run(p.File(), func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), groff, "-k", "-man", "-Tutf8", "-rLL=80n", "-P-cbou", "-ww")
			var said strings.Builder
			cmd.Stdin, cmd.Stderr = strings.NewReader(p.Roff()), &said
			drawn, err := cmd.Output()
			if err != nil || said.Len() > 0 || !strings.Contains(string(drawn), "NAME") {
				t.Errorf("%v: %s", err, said.String())
			}
		})
	}
}
