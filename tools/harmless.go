package tools

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plainSettings are settings of a repository by which git runs nothing, without the
// name between section and key.
var plainSettings = strings.Fields(`core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase
	core.precomposeunicode core.symlinks core.autocrlf core.eol remote.url remote.fetch branch.remote branch.merge branch.rebase init.defaultbranch
	user.name user.email extensions.objectformat extensions.refstorage`)

// HarmlessNew reports whether a protected path that has appeared does nothing: what
// git init and git clone make does not, as long as no hook is in it that runs and no
// setting by which git runs something.
func HarmlessNew(name string) bool {
	switch filepath.Base(name) {
	case "hooks":
		entries, err := os.ReadDir(name)
		return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			return !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".sample")
		}) && !linkTo(name)
	case "config":
		if filepath.Base(filepath.Dir(name)) != ".git" || linkTo(name) || linkTo(filepath.Dir(name)) {
			return false
		}
		st, err := os.Lstat(name)
		if err != nil || !st.Mode().IsRegular() || st.Size() > maxSettings {
			return false
		}
		text, err := os.ReadFile(name)
		return err == nil && plainConfig(string(text))
	}
	return false
}

func linkTo(name string) bool {
	st, err := os.Lstat(name)
	return err != nil || st.Mode()&fs.ModeSymlink != 0
}

// plainConfig reports whether a file of settings, as git writes them, has none but
// plain ones. What it does not understand is not plain.
func plainConfig(text string) bool {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			head, closed := strings.CutSuffix(head, "]")
			if !closed || strings.ContainsAny(head, "]\\") {
				return false
			}
			section, _, _ = strings.Cut(strings.ToLower(head), " ")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case !ok || strings.ContainsAny(value, "\\\"") || strings.Contains(value, "::"):
			return false
		case !slices.Contains(plainSettings, section+"."+strings.ToLower(strings.TrimSpace(key))):
			return false
		}
	}
	return true
}
