package place

import (
	"errors"
	"io"
	"os"
)

func (p *process) connectTerminal(Proc, func() (screen, line *os.File, err error)) error {
	return errors.New("terminals are not available on Windows: start the program without one")
}

// typeInto is never reached: there is no terminal to type into.
func typeInto(*os.File, io.Reader) {}
