package place

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// remoteInfo describes a file of a place.
type remoteInfo struct {
	name    string
	size    int64
	mode    fs.FileMode
	changed time.Time
	id      string // device and number, which tell it from any other file
}

func (i *remoteInfo) Name() string       { return i.name }
func (i *remoteInfo) Size() int64        { return i.size }
func (i *remoteInfo) Mode() fs.FileMode  { return i.mode }
func (i *remoteInfo) ModTime() time.Time { return i.changed }
func (i *remoteInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *remoteInfo) Sys() any           { return nil }

// parseStat reads the line that stat prints: mode in hexadecimal, size, seconds,
// device, number, owner, group, and the time once more with its fraction.
func parseStat(name, line string) (*remoteInfo, error) {
	f := strings.SplitN(line, " ", 8)
	if len(f) < 8 {
		return nil, fmt.Errorf("the place described the file as %q", line)
	}
	raw, err := strconv.ParseUint(f[0], 16, 32)
	if err != nil {
		return nil, fmt.Errorf("the place gave the mode %q", f[0])
	}
	size, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the place gave the size %q", f[1])
	}
	seconds, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the place gave the time %q", f[2])
	}
	return &remoteInfo{
		name: name, size: size, mode: fileMode(uint32(raw)),
		changed: time.Unix(seconds, fraction(f[7])), id: f[3] + " " + f[4],
	}, nil
}

// fraction finds the nanoseconds in a time with at most nine digits of them.
func fraction(s string) int64 {
	_, s, _ = strings.Cut(s, ".")
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		s = s[:end]
	}
	n, err := strconv.ParseInt((s + "000000000")[:9], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// fileMode converts a mode as stat(2) gives it.
func fileMode(raw uint32) fs.FileMode {
	mode := fs.FileMode(raw & 0o777)
	switch raw & 0o170000 {
	case 0o040000:
		mode |= fs.ModeDir
	case 0o120000:
		mode |= fs.ModeSymlink
	case 0o010000:
		mode |= fs.ModeNamedPipe
	case 0o140000:
		mode |= fs.ModeSocket
	case 0o020000:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case 0o060000:
		mode |= fs.ModeDevice
	case 0o100000:
	default:
		mode |= fs.ModeIrregular
	}
	if raw&0o4000 != 0 {
		mode |= fs.ModeSetuid
	}
	if raw&0o2000 != 0 {
		mode |= fs.ModeSetgid
	}
	if raw&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
