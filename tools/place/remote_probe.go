package place

import (
	"strconv"
	"strings"

	"hermes-tui/tools/shorten"
)

// facts are what a place says about itself.
type facts struct {
	os, arch, host, user   string
	home, temp, shell, own string // own is the connection's directory
	boot                   string // tells one run of the machine from another
	mask                   uint32
	folds, proc            bool
	env                    []string
}

const factCount = 12

// parseFacts reads the answer to hSetup.
func parseFacts(place string, payload []byte, status int) (facts, error) {
	switch status {
	case 0:
	case 30:
		return facts{}, &UnavailableError{
			Place: place, What: "programs are missing there: " + string(payload),
			Next: "install them, or choose an image that has them (busybox and coreutils do)",
		}
	default:
		return facts{}, &UnavailableError{
			Place: place, What: "no directory for temporary files can be used there", Said: shorten.Join(string(payload)),
			Next: "make /tmp writable for the user, and see that the disk is not full",
		}
	}
	parts := strings.Split(string(payload), "\x00")
	if len(parts) <= factCount {
		return facts{}, &UnavailableError{
			Place: place, What: "its /bin/sh does not behave like a POSIX shell", Said: shorten.Join(string(payload)),
			Next: "choose a place with dash, bash or busybox as /bin/sh",
		}
	}
	mask, err := strconv.ParseUint(parts[7], 8, 32)
	if err != nil {
		mask = 0o022
	}
	f := facts{
		os: systemName(parts[0]), arch: archName(parts[1]), host: parts[2], user: parts[3],
		home: parts[4], temp: parts[5], shell: parts[6], mask: uint32(mask),
		folds: parts[8] == "1", proc: parts[9] == "1", boot: parts[10], own: parts[11],
	}
	rest := parts[factCount:]
	if len(rest) == 1 {
		rest = strings.Split(rest[0], "\n") // from env, which has no zero bytes
	}
	for _, kv := range rest {
		name, _, ok := strings.Cut(kv, "=")
		if ok && name != markName && !shellsOwn(name) {
			f.env = append(f.env, kv)
		}
	}
	return f, nil
}

// shellsOwn names variables that a shell sets for itself.
func shellsOwn(name string) bool {
	return name == "_" || name == "PWD" || name == "OLDPWD" || name == "SHLVL"
}

// systemName is runtime.GOOS for what uname -s says.
func systemName(s string) string { return strings.ToLower(s) }

// archName is runtime.GOARCH for what uname -m says.
func archName(s string) string {
	switch {
	case s == "x86_64" || s == "amd64":
		return "amd64"
	case s == "aarch64" || s == "arm64":
		return "arm64"
	case len(s) == 4 && s[0] == 'i' && s[2:] == "86":
		return "386"
	case strings.HasPrefix(s, "arm"):
		return "arm"
	case s == "loongarch64":
		return "loong64"
	}
	return s
}
