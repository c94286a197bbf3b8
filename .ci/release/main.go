// Command release holds .goreleaser.yaml to what GoReleaser reads, and builds what it says
// of a build. It takes GoReleaser's own reader of the file, which is compiled in seconds;
// all of GoReleaser takes minutes.
//
//	go run . check FILE
//	go run . build FILE OS/ARCH OUT    the working directory is the repository
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "check":
		_, err := load(args[1])
		return err
	case len(args) == 4 && args[0] == "build":
		b, err := load(args[1])
		if err != nil {
			return err
		}
		return build(b, args[2], args[3])
	}
	return errors.New("usage: release check FILE, or release build FILE OS/ARCH OUT")
}

// load reads the file as GoReleaser does, which refuses what it does not know, and gives
// its one build.
func load(name string) (config.Build, error) {
	p, err := config.Load(name)
	if err != nil {
		return config.Build{}, err
	}
	if p.Version != 2 || len(p.Builds) != 1 || p.Checksum.NameTemplate != "checksums.txt" {
		return config.Build{}, fmt.Errorf("%s: version %d with %d builds; one of version 2 is expected, with checksums.txt", name, p.Version, len(p.Builds))
	}
	b := p.Builds[0]
	for _, target := range b.Targets {
		if os, arch, ok := strings.Cut(target, "_"); !ok || os == "" || arch == "" {
			return config.Build{}, fmt.Errorf("%s: the target %q is no OS_ARCH", name, target)
		}
	}
	return b, nil
}

// build makes the binary of a target as a release does, into a file.
func build(b config.Build, target, out string) error {
	goos, arch, _ := strings.Cut(target, "/")
	if !slices.Contains(b.Targets, goos+"_"+arch) {
		return fmt.Errorf("%s is none of %v", target, b.Targets)
	}
	stamp, err := git("log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	version, err := git("describe", "--tags", "--always", "--match", "v*")
	if err != nil {
		return err
	}
	fields := map[string]string{"Version": strings.TrimPrefix(version, "v"), "CommitTimestamp": stamp}
	args := append([]string{"build", "-o", out}, b.Flags...)
	var flags []string
	for _, f := range b.Ldflags {
		text, err := fill(f, fields)
		if err != nil {
			return err
		}
		flags = append(flags, text)
	}
	args = append(args, "-ldflags", strings.Join(flags, " "), b.Main)
	cmd := exec.Command("go", args...)
	cmd.Env = append(append(os.Environ(), b.Env...), "GOOS="+goos, "GOARCH="+arch)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	var seconds int64
	if _, err := fmt.Sscan(stamp, &seconds); err != nil {
		return err
	}
	at := time.Unix(seconds, 0)
	return os.Chtimes(out, at, at)
}

func fill(text string, fields map[string]string) (string, error) {
	t, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, fields)
	return b.String(), err
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	return strings.TrimSpace(string(out)), err
}
