package place

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cacheVariables say where build tools and package managers keep their caches, and
// where in the home directory they do without.
var cacheVariables = []struct {
	name, usual string
	keep        bool // one that is there is used even if it cannot be written
}{
	{"XDG_CACHE_HOME", ".cache", false},
	{"GOCACHE", ".cache/go-build", false},
	{"PIP_CACHE_DIR", ".cache/pip", false},
	{"npm_config_cache", ".npm", false},
	{"GOMODCACHE", "go/pkg/mod", true},
	{"CARGO_HOME", ".cargo", true},
}

// cacheEnv makes programs whose caches cannot be written keep them in a private
// folder. writable are folders that can.
func cacheEnv(env []string, home, folder string, writable []string) []string {
	env = slices.Clone(env)
	for _, v := range cacheVariables {
		dir := environ(env).get(v.name)
		if dir == "" {
			dir = filepath.Join(home, filepath.FromSlash(v.usual))
		}
		dir = realPath(dir)
		if rest, ok := strings.CutPrefix(v.usual, ".cache/"); ok && environ(env).get(v.name) == "" && environ(env).get("XDG_CACHE_HOME") != "" {
			dir = filepath.Join(environ(env).get("XDG_CACHE_HOME"), rest)
		}
		if slices.ContainsFunc(writable, func(w string) bool { return within(dir, w) }) {
			continue
		}
		if _, err := os.Stat(dir); err == nil && v.keep {
			continue
		}
		env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, v.name+"=") })
		env = append(env, v.name+"="+filepath.Join(folder, v.name))
	}
	return env
}

// realCaches are the caches that are there, without those that have to do with roots:
// they are written, or hold what is written, anyway.
func realCaches(names, roots []string) []string {
	var found []string
	for _, name := range names {
		if real, err := realRoots([]string{name}); err == nil && !slices.ContainsFunc(roots, func(r string) bool { return within(r, real[0]) || within(real[0], r) }) {
			found = append(found, real[0])
		}
	}
	if found, err := realRoots(found); err == nil {
		return found
	}
	return nil
}
