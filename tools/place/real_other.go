//go:build !linux

package place

import "errors"

// openAtOnce is for systems that open a name without links in one call.
func openAtOnce(string) (File, error) { return nil, errors.ErrUnsupported }
