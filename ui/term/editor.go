package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// usualEditors are looked for where none is set, in this order.
var usualEditors = []string{"editor", "nano", "vi", "emacs"}

// Edit lets the user change a file in the program that VISUAL or EDITOR of environ names,
// or else in a usual one; it has the terminal that in and out are until it ends. It is ended with ctx.
func Edit(ctx context.Context, in io.Reader, out io.Writer, environ []string, file string) error {
	values := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		values[name] = value
	}
	argv := strings.Fields(values["VISUAL"])
	if len(argv) == 0 {
		argv = strings.Fields(values["EDITOR"])
	}
	for _, name := range usualEditors {
		if path, err := exec.LookPath(name); len(argv) == 0 && err == nil {
			argv = []string{path}
		}
	}
	if len(argv) == 0 {
		return errors.New("no editor is set: put the name of one into the variable EDITOR")
	}
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], file)...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, in, out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor failed, so nothing was changed: %w", err)
	}
	return nil
}
