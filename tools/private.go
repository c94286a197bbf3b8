package tools

import (
	"path/filepath"
	"slices"
	"strings"
)

// SpecialFile reports whether a path leads to a device, or to one of those files
// of a process that hold its environment, arguments, memory or open files. The
// path must be clean and absolute; as with [PrivateFile], a caller asks for the
// path given and for the one behind links.
func SpecialFile(path string) bool {
	parts := strings.Split(filepath.ToSlash(path), "/")
	if len(parts) < 3 {
		return false
	}
	switch parts[1] {
	case "dev":
		return parts[2] != "shm" // shared memory holds ordinary files
	case "proc":
		return parts[2] == "kcore" || parts[2] == "kmsg" || slices.ContainsFunc(parts[3:], func(p string) bool {
			switch p {
			case "environ", "cmdline", "maps", "smaps", "mem", "auxv", "pagemap", "fd", "map_files":
				return true
			}
			return false
		})
	}
	return false
}

// PrivateFile tells why a file must not be read for the model, empty when it
// may: it holds credentials of this program or of a project. The path must be
// clean and absolute; a caller asks for the path as it was given and for the
// path behind links. Names are compared without case, since some file systems
// do. The homes are the program's own directory (HERMES_HOME), as it is named and
// behind links; of a profile's directory the one above it is guarded too.
func PrivateFile(path string, homes ...string) string {
	switch strings.ToLower(filepath.Base(path)) {
	case ".env", ".env.local", ".env.development", ".env.production", ".env.test", ".env.staging", ".envrc":
		return "it is an environment file, which holds credentials"
	}
	for _, home := range homes {
		if home == "" {
			continue
		}
		home = filepath.Clean(home)
		parent := filepath.Dir(home)
		if privateBelow(path, home) || strings.EqualFold(filepath.Base(parent), "profiles") && privateBelow(path, filepath.Dir(parent)) {
			return "it holds credentials of this program"
		}
	}
	return ""
}

// privateBelow judges a path by a directory with the layout of HERMES_HOME,
// where profiles/NAME has the same layout.
func privateBelow(path, home string) bool {
	inside, ok := below(path, home)
	if !ok {
		return false
	}
	parts := strings.SplitN(inside, "/", 3)
	return privateInHome(inside) || len(parts) == 3 && parts[0] == "profiles" && privateInHome(parts[2])
}

// below gives a path relative to a directory, lower-case and with slashes.
func below(path, dir string) (string, bool) {
	path, dir = strings.ToLower(path), strings.ToLower(dir)
	if path == dir || !Within(path, dir) {
		return "", false
	}
	rest := strings.TrimPrefix(path[len(dir):], string(filepath.Separator))
	return filepath.ToSlash(rest), true
}

// privateInHome judges a path relative to HERMES_HOME.
func privateInHome(inside string) bool {
	switch inside {
	case "auth.json", "auth.lock", ".anthropic_oauth.json", "webhook_subscriptions.json",
		"auth/google_oauth.json", "cache/bws_cache.json":
		return true
	}
	for _, dir := range []string{"mcp-tokens", "skills/.hub"} {
		if inside == dir || strings.HasPrefix(inside, dir+"/") {
			return true
		}
	}
	return false
}
