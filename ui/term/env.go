package term

import "strings"

// Program is a terminal emulator whose abilities are known.
type Program string

// The known terminal emulators. Unknown ones get what every terminal takes.
const (
	ProgramUnknown Program = ""
	ProgramITerm   Program = "iterm2"
	ProgramKitty   Program = "kitty"
	ProgramGhostty Program = "ghostty"
	ProgramWezTerm Program = "wezterm"
	ProgramFoot    Program = "foot"
	ProgramRxvt    Program = "rxvt"
)

// Env is what the environment tells about the terminal.
type Env struct {
	// OS is the operating system, as runtime.GOOS names it.
	OS string
	// Program is the outermost terminal, as far as it can be told.
	Program Program
	// Tmux and Screen say that a multiplexer stands between.
	Tmux, Screen bool
	// SSH says that the terminal is on another machine.
	SSH bool
	// Wayland and X11 say that a display of this machine can be reached.
	Wayland, X11 bool
	// WSL says that this is Linux inside Windows, whose programs can be started.
	WSL bool
}

// DetectEnv reads an environment, given as "NAME=value" entries.
func DetectEnv(environ []string, goos string) Env {
	vars := make(map[string]string, len(environ))
	for _, e := range environ {
		if name, value, ok := strings.Cut(e, "="); ok {
			vars[name] = value
		}
	}
	set := func(name string) bool { return vars[name] != "" }
	e := Env{
		OS:      goos,
		Program: program(vars),
		Tmux:    set("TMUX"),
		SSH:     set("SSH_TTY") || set("SSH_CONNECTION") || set("SSH_CLIENT"),
		Wayland: set("WAYLAND_DISPLAY"),
		X11:     set("DISPLAY"),
		WSL:     set("WSL_DISTRO_NAME"),
	}
	e.Screen = set("STY") && !e.Tmux
	return e
}

// SelectKey names the key that is held to select text while a program has the
// mouse.
func (e Env) SelectKey() string {
	switch {
	case e.Program == ProgramITerm:
		return "option"
	case e.OS == "darwin" && e.Program == ProgramUnknown && !e.SSH:
		return "option or fn"
	}
	return "shift"
}

// program finds the terminal. Inside a multiplexer TERM and TERM_PROGRAM name
// the multiplexer, but variables of the terminal it was started in are often
// still there.
func program(vars map[string]string) Program {
	switch {
	case vars["KITTY_WINDOW_ID"] != "":
		return ProgramKitty
	case vars["GHOSTTY_RESOURCES_DIR"] != "":
		return ProgramGhostty
	case vars["WEZTERM_PANE"] != "":
		return ProgramWezTerm
	case vars["LC_TERMINAL"] == "iTerm2", vars["ITERM_SESSION_ID"] != "":
		return ProgramITerm
	}
	switch strings.ToLower(vars["TERM_PROGRAM"]) {
	case "iterm.app":
		return ProgramITerm
	case "ghostty":
		return ProgramGhostty
	case "wezterm":
		return ProgramWezTerm
	}
	name := vars["TERM"]
	switch {
	case strings.HasPrefix(name, "xterm-kitty"):
		return ProgramKitty
	case strings.HasPrefix(name, "xterm-ghostty"):
		return ProgramGhostty
	case strings.HasPrefix(name, "wezterm"):
		return ProgramWezTerm
	case strings.HasPrefix(name, "foot"):
		return ProgramFoot
	case strings.HasPrefix(name, "rxvt"):
		return ProgramRxvt
	}
	return ProgramUnknown
}
