package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// sum is the hash of all that a folder holds: names, whether they are executable, content.
// It is empty for a folder that cannot be read whole, or that holds what is no plain file.
func sum(dir string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	h := sha256.New()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || !st.Mode().IsRegular() {
			return fmt.Errorf("%q is no plain file", name)
		}
		_, err = fmt.Fprintf(h, "%d:%s %t %d:", len(name), name, st.Mode().Perm()&0o111 != 0, st.Size())
		if err == nil {
			_, err = io.Copy(h, f)
		}
		return err
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
