//go:build unix

package uitest

import "strings"

// AssertRestored waits until the program has ended and checks that the terminal
// is as it was: on the main screen, cursor visible, colours, keyboard, mouse,
// paste and focus modes as they were, no sequence left open, the title empty or
// as it was, and the line discipline unchanged.
func (d *Driver) AssertRestored() *Driver {
	d.t.Helper()
	d.Wait()
	return d.putBack(d.term.left())
}

// AssertSettings is [Driver.AssertRestored] for the line discipline alone.
func (d *Driver) AssertSettings() *Driver {
	d.t.Helper()
	d.Wait()
	return d.putBack(nil)
}

// putBack checks the line discipline, and that nothing else is left.
func (d *Driver) putBack(left []string) *Driver {
	d.t.Helper()
	state, err := d.console.termios()
	if err != nil {
		d.fail("%v", err)
	}
	left = append(left, d.console.changes(state)...)
	if len(left) > 0 {
		d.fail("the program did not put the terminal back:\n- %s", strings.Join(left, "\n- "))
	}
	return d
}
