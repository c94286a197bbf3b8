//go:build linux || darwin

package place

// byHandles calls rename with descriptors of both directories.
func byHandles(from, to dirName, rename func(a, b int) error) error {
	a, err := from.dir.Open(".")
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.dir.Open(".")
	if err != nil {
		return err
	}
	defer b.Close()
	return rename(int(a.Fd()), int(b.Fd()))
}
