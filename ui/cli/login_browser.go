package cli

import (
	"os/exec"
	"runtime"
	"strings"

	"hermes-tui/tools/place"
)

// openBrowser opens a web page with the program that the system has for it, and reports
// whether that could be started. The browser outlives this program.
func openBrowser(s *sys, address string) bool {
	name := opener(runtime.GOOS, s.env)
	if name == "" || !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return false
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return false
	}
	cmd := exec.Command(path, address) //nolint:noctx // it is not ended with the login
	cmd.Env = place.Settled(s.environ) // it is a script itself
	if cmd.Start() != nil {
		return false
	}
	go func() { _ = cmd.Wait() }() // how the browser ends is its own affair
	return true
}

// opener is the program that opens web pages, "" where there is no screen for one.
func opener(system string, env func(string) (string, bool)) string {
	switch system {
	case "darwin":
		return "open"
	case "linux", "freebsd", "openbsd", "netbsd":
		if set(env, "DISPLAY") || set(env, "WAYLAND_DISPLAY") {
			return "xdg-open"
		}
	}
	return ""
}
