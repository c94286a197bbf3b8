package place

import (
	"path/filepath"
	"slices"
	"strings"
)

// cacheVariables say where caches are that may be anywhere, by a folder below a
// private one. They are set where the real ones cannot have layers over them.
var cacheVariables = [][2]string{
	{"GOCACHE", "go-build"}, {"npm_config_cache", "npm"}, {"PIP_CACHE_DIR", "pip"}, {"XDG_CACHE_HOME", "xdg"},
}

// cacheEnv makes programs keep their caches in a private folder.
func cacheEnv(env []string, folder string) []string {
	env = slices.Clone(env)
	for _, v := range cacheVariables {
		env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, v[0]+"=") })
		env = append(env, v[0]+"="+filepath.Join(folder, v[1]))
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
