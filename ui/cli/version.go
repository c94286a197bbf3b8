package cli

import (
	"runtime/debug"
	"strings"
	"time"
)

// Version names the build in a word: the version of the module that Go recorded, which is
// the tag of the revision where it has one.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// build is [Version] with the revision that the program was built from.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return described(Version(), info.Settings)
}

// described names a version with what is known of its source.
func described(version string, settings []debug.BuildSetting) string {
	if strings.HasPrefix(version, "v0.0.0-") { // only repeats the revision
		version = "dev"
	}
	vcs := map[string]string{}
	for _, s := range settings {
		vcs[s.Key] = s.Value
	}
	revision := vcs["vcs.revision"]
	if revision == "" && version == "dev" {
		return "dev, of an unknown revision: built by go run, with -buildvcs=false or outside a repository"
	}
	if revision == "" {
		return version
	}
	text := version + ", revision " + revision[:min(len(revision), 12)]
	if at, err := time.Parse(time.RFC3339, vcs["vcs.time"]); err == nil {
		text += " of " + at.UTC().Format("2006-01-02 15:04 MST")
	}
	if vcs["vcs.modified"] == "true" {
		text += ", with changes"
	}
	return text
}
