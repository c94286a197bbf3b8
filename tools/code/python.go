package code

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"hermes-tui/tools"
)

// errNoPython says what is missing on this machine.
var errNoPython = errors.New("no python3 was found; install Python 3.8 or newer, or put it in PATH")

// noPython says what is missing, and where.
func (c *Code) noPython() error {
	info := c.o.Place.Info()
	if !c.remote() {
		return errNoPython
	}
	if _, err := c.o.Place.FS().Stat("/"); err != nil { // nothing at all can be found
		return fmt.Errorf("look for python3 in %s: %w", info.Name, err)
	}
	where := "in the container"
	if info.Name == "ssh" {
		where = "on the host"
	}
	if info.Target != "" {
		where += " " + info.Target
	}
	return fmt.Errorf("no python3 was found in %s; install python3 (3.8 or newer) %s, or put it in PATH there", info.Name, where)
}

// interpreter is a Python to run scripts with.
type interpreter struct {
	file string
	// home is the virtual environment it belongs to, empty for none.
	home string
}

// python looks for an interpreter. Nothing is run for that: looking must not
// execute what lies in the workspace. One that turns out to be older than 3.8 says
// so when it is started.
func (c *Code) python(dir string) (interpreter, error) {
	if c.o.Mode != ModeStrict {
		homes := []string{variable(c.o.Env, "VIRTUAL_ENV"), variable(c.o.Env, "CONDA_PREFIX")}
		for _, base := range []string{dir, c.o.Root} {
			if base != "" {
				homes = append(homes, path.Join(base, ".venv"), path.Join(base, "venv"))
			}
		}
		for _, home := range homes {
			if !path.IsAbs(home) || c.tooOld(home) {
				continue
			}
			for _, name := range []string{"python", "python3"} {
				if file := path.Join(home, "bin", name); c.runnable(file) {
					return interpreter{file, home}, nil
				}
			}
		}
	}
	for folder := range strings.SplitSeq(variable(environment(c.o.Env), "PATH"), ":") {
		for _, name := range []string{"python3", "python"} {
			if file := path.Join(folder, name); c.runnable(file) && !c.foreign(file) {
				return interpreter{file: file}, nil
			}
		}
	}
	return interpreter{}, c.noPython()
}

// foreign reports whether strict mode has to leave a program alone, because it lies
// in the workspace.
func (c *Code) foreign(file string) bool {
	if c.o.Mode != ModeStrict || c.o.Root == "" {
		return false
	}
	real, err := c.o.Place.FS().Resolve(file)
	root, rootErr := c.o.Place.FS().Resolve(c.o.Root)
	return err != nil || rootErr != nil || tools.Within(real, root) || tools.Within(file, path.Clean(c.o.Root))
}

// runnable reports whether there is a program of this name.
func (c *Code) runnable(file string) bool {
	st, err := c.o.Place.FS().Stat(file)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// oldest is the oldest minor version of Python 3 that scripts may use.
const oldest = 8

// tooOld reports whether a virtual environment says that its Python is older than
// 3.8.
func (c *Code) tooOld(home string) bool {
	f, err := c.o.Place.FS().Open(path.Join(home, "pyvenv.cfg"))
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return false
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name != "version" && name != "version_info" {
			continue
		}
		parts := strings.Split(strings.TrimSpace(value), ".")
		if len(parts) < 2 {
			return false
		}
		major, err1 := strconv.Atoi(parts[0])
		minor, err2 := strconv.Atoi(parts[1])
		return err1 == nil && err2 == nil && (major < 3 || major == 3 && minor < oldest)
	}
	return false
}
