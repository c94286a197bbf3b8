package tools

import (
	"path/filepath"
	"slices"
	"strings"
)

// cachesAtHome are folders of a home directory in which build tools and package
// managers keep what they could fetch or build again.
var cachesAtHome = strings.Fields(`.cache go/pkg .npm .yarn .pnpm-store .local/share/pnpm .bun/install/cache .deno
	.cargo/registry .cargo/git .m2/repository .gradle/caches .gradle/wrapper .gradle/daemon .gradle/native .ivy2 .sbt/boot
	.nuget/packages .composer/cache .gem .bundle/cache .pub-cache .cabal/packages .stack .hex .mix .conda/pkgs`)

// cacheSettings are variables that move such folders, and what of the folder they
// name is meant.
var cacheSettings = [][2]string{
	{"XDG_CACHE_HOME", ""}, {"GOCACHE", ""}, {"GOMODCACHE", ""}, {"GOPATH", "pkg"}, {"npm_config_cache", ""}, {"PIP_CACHE_DIR", ""},
	{"CARGO_HOME", "registry"}, {"CARGO_HOME", "git"}, {"YARN_CACHE_FOLDER", ""}, {"GRADLE_USER_HOME", "caches"},
}

// CachePaths are the folders of this machine that confined programs may use as
// caches, though not change for others. env is the environment of the user. They need
// not exist; none of them is home or a folder above it.
func CachePaths(home string, env []string) []string {
	var list []string
	for _, name := range cachesAtHome {
		list = append(list, filepath.Join(home, filepath.FromSlash(name)))
	}
	for _, s := range cacheSettings {
		for _, kv := range env {
			if value, ok := strings.CutPrefix(kv, s[0]+"="); ok && filepath.IsAbs(value) {
				list = append(list, filepath.Join(value, s[1]))
			}
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(dir string) bool { return Within(realPath(home), realPath(dir)) })
}
