package files

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools"
)

// sharedKey is what a real path is called in the registry.
func (f *Files) sharedKey(real string) string {
	if f.folds {
		return strings.ToLower(real)
	}
	return real
}

// lockTime is how long another instance of the program is waited for.
const lockTime = 10 * time.Second

// lock keeps the other agents from changing the files meanwhile, and the other
// instances of the program from changing any.
func (f *Files) lock(ctx context.Context, real ...string) (unlock func(), err error) {
	keys := make([]string, len(real))
	for i, path := range real {
		keys[i] = f.sharedKey(path)
	}
	return f.shared.Hold(ctx, f.lockAt, keys)
}

// Hold waits until no agent changes any of the files, and keeps the agents from changing
// them, and other instances of the program from changing any, until they are let go. Files
// are real paths, in lower case where the system does not tell letters apart. file is that
// of the lock between instances; with none, and where it cannot be written, only this
// instance is kept from them. An instance that holds it for over 10 s is an error.
func (r *Registry) Hold(ctx context.Context, file string, paths []string) (release func(), err error) {
	unlock, err := r.lock(ctx, paths)
	if err != nil || file == "" {
		return unlock, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	held, err := atomicfile.Acquire(ctx, file)
	var busy *atomicfile.HeldError
	switch {
	case errors.As(err, &busy):
		unlock()
		return nil, fmt.Errorf("another instance of this program (%s) is changing files; try again: %w", busy.Holder, err)
	case err != nil:
		return unlock, nil // a folder that cannot be written must not keep from working elsewhere
	}
	return func() {
		_ = held.Close() // the kernel releases it in any case
		unlock()
	}, nil
}

// wrote tells the other agents that this one has changed a file.
func (f *Files) wrote(real string, s sum) {
	f.shared.wrote(f.sharedKey(real), writer{member: f.member, name: f.agent, sum: s})
}

// staleNote tells the model that a file is not what it last saw. done says what
// its change did to the changes of others: "replaced" or "kept".
func (f *Files) staleNote(t target, old existing, done string) string {
	who := "someone else"
	if w, ok := f.shared.last(f.sharedKey(t.real)); ok && w.member != f.member && w.sum == old.sum {
		who = "another agent"
		if w.name != "" {
			who = fmt.Sprintf("the agent %q", w.name)
		}
	}
	what := fmt.Sprintf("%q was changed by %s since you last saw it; ", t.name, who)
	if !old.exists {
		what = fmt.Sprintf("%q was deleted by %s since you last saw it; ", t.name, who)
	}
	if done == "kept" {
		return what + "your edit was made to the file as it is now. Read it again before you go on."
	}
	return what + "that change is overwritten now. Tell the user."
}

// outside tells the model that a file is not in the workspace.
func (f *Files) outside(real string) []string {
	if f.root == "" {
		return nil
	}
	root, err := f.fs.Resolve(f.root)
	if err != nil || tools.Within(real, root) {
		return nil
	}
	return []string{fmt.Sprintf("%q is outside the workspace %s.", filepath.Clean(real), root)}
}
