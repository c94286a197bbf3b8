package tools

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// HiddenPaths are the files and folders of this machine that confined programs
// must not read: those of [Secrets], the agent's own home, and the homes of other
// users, of which those that PATH leads into are left but for their secrets. env is
// the environment of the user. Settings files that may hold a key among other
// things are read, and are in the list if they do. Most of the paths need not
// exist; none of them is home or a folder above it.
func HiddenPaths(home, hermesHome string, env []string) []string {
	getenv := func(name string) (string, bool) { return Variable(env, name) }
	list := slices.Concat(agentHomes([]string{home}, []string{hermesHome}), movedSecrets([]string{home}, getenv), slices.DeleteFunc(slices.Clone(secretsOfSystem), unreadable))
	list = append(list, runtimeFolders)
	search, _ := getenv("PATH")
	for _, other := range otherHomes(home) {
		if strings.Contains(search, other+"/") {
			list = append(list, secretsBelow(other)...)
		} else {
			list = append(list, other)
		}
	}
	if home != "" {
		list = append(list, secretsBelow(home)...)
	}
	for i, file := range list {
		list[i] = filepath.Clean(filepath.FromSlash(file))
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(file string) bool {
		return !filepath.IsAbs(file) || home != "" && Within(filepath.Clean(home), file)
	})
}

// runtimeFolders holds those of the users of a system, in which their programs are met by
// sockets: agents that hold keys, terminals, containers, also when they are started later.
const runtimeFolders = "/run/user"

// secretsBelow are the secrets of a home directory.
func secretsBelow(home string) []string {
	var list []string
	for _, name := range secretsAtHome {
		file := path.Join(home, name)
		if !slices.Contains(settingsWithSecrets, name) || holdsKey(file) {
			list = append(list, file)
		}
	}
	return list
}

// keyInSettings finds a key or password in a settings file, of whatever form.
var keyInSettings = lazyregexp.New(`(?i)(_auth|authtoken|token|password|passwd|secret|access_key|cleartext)[a-z_-]*["']?\s*[=:>]|<password>|://[^/\s:@]+:[^/\s@]+@`)

// maxSettings bounds what is read of a settings file.
const maxSettings = 1 << 20

// holdsKey reports whether a settings file seems to hold a key. One that cannot be
// judged does.
func holdsKey(file string) bool {
	st, err := os.Stat(file)
	if err != nil {
		return false
	}
	if !st.Mode().IsRegular() || st.Size() > maxSettings {
		return true
	}
	text, err := os.ReadFile(file)
	return err != nil || keyInSettings.MatchString(string(text))
}

// unreadable reports whether a file or folder is not there, or is one that the user
// cannot read either.
func unreadable(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return true
	}
	return f.Close() != nil
}

// otherHomes are the home directories of other users of this machine, and folders
// that stand among them, but for those that hold programs for everyone.
func otherHomes(home string) []string {
	list := []string{"/root", "/var/root"}
	for _, dir := range []string{"/home", "/Users"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // there is none
		}
		for _, e := range entries {
			if name := e.Name(); e.IsDir() && name != "linuxbrew" && name != "Shared" {
				list = append(list, path.Join(dir, name))
			}
		}
	}
	own := realPath(home)
	return slices.DeleteFunc(list, func(dir string) bool { return Within(own, realPath(dir)) })
}

// realPath is a path behind links, or the path itself.
func realPath(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return filepath.Clean(file)
}

// Variable gives the value of a variable in an environment, and whether it is
// there. The last one counts.
func Variable(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
