package tools

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Why a file is one of the secret ones, each to follow "it".
const (
	secretKeys    = "holds keys or passwords"
	secretAgent   = "holds credentials of this program"
	secretProject = "is an environment file, which holds credentials"
)

// Secrets tells by name which files hold keys or passwords: in a home directory,
// whoever's it is, in the system, in the agent's own home, and where the
// environment says that programs keep theirs. Names are compared without case, since
// some file systems do. It does not change and is safe for concurrent use. Paths
// are absolute and clean, with slashes; a caller asks for the path as it was given
// and for the one behind links.
type Secrets struct {
	homes  []string        // of the user, folded
	agents []string        // of the agent, folded
	moved  map[string]bool // folded
}

// NewSecrets makes the list for a user. homes are their home directory and agents the
// agent's own, each by all of its names; empty ones do not count. The usual place of
// the agent's home is added. getenv gives variables; nil: there are none.
func NewSecrets(homes, agents []string, getenv func(string) (string, bool)) *Secrets {
	s := &Secrets{moved: map[string]bool{}}
	for _, home := range homes {
		if home = fold(home); home != "" && home != "/" {
			s.homes = append(s.homes, home)
		}
	}
	for _, dir := range agentHomes(homes, agents) {
		s.agents = append(s.agents, fold(dir))
	}
	for _, file := range movedSecrets(homes, getenv) {
		s.moved[fold(file)] = true
	}
	return s
}

// Holds tells why a file is a secret one, to follow "it"; empty when it is not.
// A folder that holds nothing else is one, too.
func (s *Secrets) Holds(file string) string {
	if EnvironmentFile(path.Base(file)) {
		return secretProject
	}
	return s.Keys(file)
}

// Keys is [Secrets.Holds] but for the environment files of projects, which the
// programs of the project read.
func (s *Secrets) Keys(file string) string {
	file = fold(file)
	for _, home := range s.agents {
		if inside, ok := belowFolded(file, home); ok && secretOfAgent(inside) {
			return secretAgent
		}
	}
	if inAny(ofSystem, file) || inAny(s.moved, file) {
		return secretKeys
	}
	if rest, ok := s.homeOf(file); ok && secretAtHome(rest) {
		return secretKeys
	}
	return ""
}

// secretAtHome judges a folded path below a home directory.
func secretAtHome(rest string) bool {
	for dir, open := range openAtHome {
		if name, ok := belowFolded(rest, dir); ok {
			first, _, _ := strings.Cut(name, "/")
			return !open[first] && !strings.HasSuffix(name, ".pub")
		}
	}
	return inAny(atHome, rest)
}

// secretOfAgent judges a folded path below the agent's home, where profiles/NAME
// has the same layout.
func secretOfAgent(inside string) bool {
	if parts := strings.SplitN(inside, "/", 3); len(parts) == 3 && parts[0] == "profiles" {
		inside = parts[2]
	}
	return inAny(ofAgent, inside) || EnvironmentFile(path.Base(inside))
}

// homeOf gives the part of a folded path below a home directory: the user's, or
// anyone's.
func (s *Secrets) homeOf(file string) (string, bool) {
	for _, home := range s.homes {
		if rest, ok := belowFolded(file, home); ok {
			return rest, true
		}
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(file, "/"), "/")
	switch first {
	case "root":
		return rest, rest != ""
	case "home", "users":
		_, rest, ok := strings.Cut(rest, "/")
		return rest, ok
	case "var": // of macOS
		return strings.CutPrefix(rest, "root/")
	}
	return "", false
}

// EnvironmentFile reports whether a file of this name holds the settings of a
// project's environment, which often are secrets. Examples of one do not count.
func EnvironmentFile(name string) bool {
	name = FoldName(name)
	if name == ".env" || name == ".envrc" {
		return true
	}
	kind, ok := strings.CutPrefix(name, ".env.")
	if !ok {
		return false
	}
	switch kind[strings.LastIndexByte(kind, '.')+1:] {
	case "example", "sample", "template", "tmpl", "dist", "defaults", "schema":
		return false
	}
	return true
}

// inAny reports whether a path or a folder above it is in a set.
func inAny(set map[string]bool, file string) bool {
	for at := file; ; {
		if set[at] {
			return true
		}
		i := strings.LastIndexByte(at, '/')
		if i <= 0 {
			return false
		}
		at = at[:i]
	}
}

// belowFolded gives a path relative to a folder that it is below; both folded.
func belowFolded(file, dir string) (string, bool) {
	if dir == "" {
		return "", false
	}
	return strings.CutPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}

// fold makes a path one to compare. macOS keeps its /etc, /tmp and /var below
// /private.
func fold(file string) string {
	file = FoldName(filepath.ToSlash(file))
	if rest, ok := strings.CutPrefix(file, "/private/"); ok {
		switch first, _, _ := strings.Cut(rest, "/"); first {
		case "etc", "tmp", "var":
			return "/" + rest
		}
	}
	return file
}

// agentHomes are the folders with the layout of the agent's home: its own, the
// usual one, and the one that keeps its own as a profile.
func agentHomes(homes, agents []string) []string {
	var list []string
	for _, home := range homes {
		if home != "" {
			list = append(list, path.Join(home, ".hermes"))
		}
	}
	for _, dir := range agents {
		if dir == "" {
			continue
		}
		dir = path.Clean(dir)
		list = append(list, dir)
		if profiles := path.Dir(dir); path.Base(profiles) == "profiles" {
			list = append(list, path.Dir(profiles))
		}
	}
	return list
}

// movedSecrets are the files and folders to which the environment moves secrets.
func movedSecrets(homes []string, getenv func(string) (string, bool)) []string {
	if getenv == nil {
		return nil
	}
	var list []string
	for name, files := range secretsMoved {
		value, _ := getenv(name)
		for at := range strings.SplitSeq(value, ":") {
			if files == nil {
				list = appendAbs(list, at)
			}
			for _, file := range files {
				list = appendAbs(list, at, file)
			}
		}
	}
	for name, base := range map[string]string{"XDG_CONFIG_HOME": ".config/", "XDG_DATA_HOME": ".local/share/"} {
		dir, _ := getenv(name)
		if dir == "" || slices.ContainsFunc(homes, func(home string) bool { return path.Clean(dir) == path.Join(home, base) }) {
			continue
		}
		for _, file := range secretsAtHome {
			if rest, ok := strings.CutPrefix(file, base); ok {
				list = appendAbs(list, dir, rest)
			}
		}
	}
	return list
}

// appendAbs adds a path of several parts if it is absolute.
func appendAbs(list []string, parts ...string) []string {
	if file := path.Join(parts...); path.IsAbs(file) && file != "/" {
		return append(list, file)
	}
	return list
}
