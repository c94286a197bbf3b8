//go:build unix

package uitest

// Hangup takes the terminal away, as it happens when its window is closed or the
// line drops: the program gets SIGHUP, and what it reads and writes from then on
// fails. Nothing can be said about the terminal afterwards.
func (d *Driver) Hangup() *Driver {
	d.t.Helper()
	if err := d.ready(); err != nil {
		d.fail("%v before the program had drawn its first frame", err)
	}
	d.console.close()
	return d
}
