package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"hermes-tui/store/atomicfile"
)

// Profiles are the names of the profiles that there are, sorted, without the default.
func (h Home) Profiles() []string {
	entries, err := os.ReadDir(filepath.Join(h.root, profiles))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && ValidProfile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// activeProfile is the file of the root that names the profile to use where no other is
// named. Hermes Agent has the same one.
func (h Home) activeProfile() string { return filepath.Join(h.root, "active_profile") }

// Remembered is the profile to use where none is named, [DefaultProfile] if no other was
// remembered. Whether it is there is not looked at.
func (h Home) Remembered() (string, error) {
	text, err := os.ReadFile(h.activeProfile())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // whoever uses the home says that it is no folder
		return DefaultProfile, nil
	}
	if err != nil {
		return "", fmt.Errorf("the profile to use cannot be read (%w): name one with --profile, or remove the file", err)
	}
	name := strings.TrimSpace(string(text))
	switch {
	case name == "":
		return DefaultProfile, nil
	case !ValidProfile(name):
		return "", fmt.Errorf("%s has no name of a profile in it: hermes-tui profile use NAME writes it again", h.activeProfile())
	}
	return name, nil
}

// Remember has the profile of this home be the one to use where none is named.
func (h Home) Remember() error {
	if h.profile != "" {
		return atomicfile.Write(h.activeProfile(), []byte(h.profile+"\n"), 0o600)
	}
	if err := os.Remove(h.activeProfile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
