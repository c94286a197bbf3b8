package place

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"sync"
	"syscall"
)

// Blocks of a file as they are fetched, in bytes. The first comes with opening
// the file; who goes on reading in order gets larger and larger ones.
const (
	blockUnit  = 64 << 10
	blockStart = 4 * blockUnit
	blockMost  = 32 * blockUnit
)

// errReplaced is the cause when another file has taken a file's name while it
// was read.
var errReplaced = errors.New("the file was replaced while it was read; read it again")

// Open opens a regular file or directory for reading. The first 64 KiB come
// along. The file is found by its name again for each block: a file that was
// replaced meanwhile is an error, never a mixture.
func (f remoteFS) Open(name string) (File, error) {
	if err := checkName("open", name); err != nil {
		return nil, err
	}
	payload, err := f.do(request{op: "open", name: name, code: words("hOpen", name)})
	if err != nil {
		return nil, err
	}
	line, data, _ := bytes.Cut(payload, []byte("\n"))
	info, err := parseStat(path.Base(name), string(line))
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &remoteFile{fs: f, name: name, info: info, block: data, asked: blockUnit}, nil
}

// remoteFile is an open file. It keeps one block, at most 2 MiB.
type remoteFile struct {
	fs   remoteFS
	name string
	info *remoteInfo

	mu     sync.Mutex
	closed bool
	at     int64  // of Read
	from   int64  // where block begins
	block  []byte // shorter than asked for: the file ended there
	ended  bool   // the end was told once; it may have moved since
	asked  int    // how much block was to hold
}

func (f *remoteFile) Stat() (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, pathError("stat", f.name, fs.ErrClosed)
	}
	return f.info, nil
}

func (f *remoteFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return pathError("close", f.name, fs.ErrClosed)
	}
	f.closed, f.block = true, nil
	return nil
}

func (f *remoteFile) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.read(b, f.at)
	f.at += int64(n)
	return n, err
}

// ReadAt reads at a position, independent of Read.
func (f *remoteFile) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 {
		return 0, pathError("readat", f.name, syscall.EINVAL)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for n < len(b) {
		part, err := f.read(b[n:], at+int64(n))
		n += part
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// read gives what there is of one block.
func (f *remoteFile) read(b []byte, at int64) (int, error) {
	switch {
	case f.closed:
		return 0, pathError("read", f.name, fs.ErrClosed)
	case f.info.IsDir():
		return 0, pathError("read", f.name, syscall.EISDIR)
	case len(b) == 0:
		return 0, nil
	}
	if n := f.cached(b, at); n > 0 {
		return n, nil
	}
	if f.endedAt(at) && !f.ended {
		f.ended = true
		return 0, io.EOF
	}
	if err := f.fetch(at); err != nil {
		return 0, err
	}
	if n := f.cached(b, at); n > 0 {
		return n, nil
	}
	f.ended = true
	return 0, io.EOF
}

func (f *remoteFile) cached(b []byte, at int64) int {
	if at < f.from || at >= f.from+int64(len(f.block)) {
		return 0
	}
	return copy(b, f.block[at-f.from:])
}

// endedAt reports whether the block that is kept shows that the file had ended
// there.
func (f *remoteFile) endedAt(at int64) bool {
	return len(f.block) < f.asked && at >= f.from+int64(len(f.block)) && at < f.from+int64(f.asked)
}

// fetch gets the block that holds a position.
func (f *remoteFile) fetch(at int64) error {
	begin := at / blockUnit * blockUnit
	size := blockStart
	if end := f.from + int64(len(f.block)); begin == end && len(f.block) > 0 {
		size = min(4*f.asked, blockMost)
	}
	payload, err := f.fs.do(request{
		op: "read", name: f.name,
		code: words("hRead", f.name, strconv.FormatInt(begin/blockUnit, 10), strconv.Itoa(size/blockUnit)),
	})
	if err != nil {
		return err
	}
	id, data, _ := bytes.Cut(payload, []byte("\n"))
	if string(id) != f.info.id {
		return pathError("read", f.name, errReplaced)
	}
	f.from, f.block, f.asked, f.ended = begin, data, size, false
	return nil
}
