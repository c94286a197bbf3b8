package cli

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/tools"
)

// openBrowser opens a web page with the program that the system has for it, and reports
// whether that could be started. The browser outlives this program.
func openBrowser(s *sys, address string) bool {
	name := opener(runtime.GOOS, s.env)
	if name == "" || !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return false
	}
	path, err := s.program(name)
	if err != nil {
		return false
	}
	cmd := exec.Command(path, address) //nolint:noctx // it is not ended with the login
	cmd.Env = s.outside()              // it is a script itself
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

// outside is the environment of programs that are started without a word about the folder.
func (s *sys) outside() []string {
	dir, err := s.dir()
	if err != nil {
		dir = string(filepath.Separator)
	}
	return app.Outside(s.environ, dir, userHome(s.env))
}

// program finds a program in the PATH of [sys.outside].
func (s *sys) program(name string) (string, error) {
	path, _ := tools.Variable(s.outside(), "PATH")
	for _, dir := range filepath.SplitList(path) {
		if file, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return file, nil
		}
	}
	return "", exec.ErrNotFound
}
