//go:build !unix

package approval

import "io/fs"

// linkCount is how many names a file has; 1 when that is not known.
func linkCount(fs.FileInfo) uint64 { return 1 }
