package term

import (
	"context"
	"os/exec"
	"strings"
)

// Copy tries the steps of a plan until one works and returns it, nil if none
// did. A step that is a sequence counts as working; the caller writes it to the
// terminal. A command that has not ended when ctx does is killed.
func Copy(ctx context.Context, p CopyPlan) *CopyStep {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Sequence != "" {
			return s
		}
		cmd := exec.CommandContext(ctx, s.Argv[0], s.Argv[1:]...)
		cmd.Stdin = strings.NewReader(p.Text)
		if cmd.Run() == nil {
			return s
		}
	}
	return nil
}
