package snapshots

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"

	"hermes-tui/store/atomicfile"
)

// An index file is a row of frames: length, checksum, operations. Additions are
// appended; what follows the first damaged frame does not count.
const (
	frameHead = 8
	frameSize = 1 << 20 // a frame is ended when it is longer
	frameMax  = 64 << 20
	indexMark = "hermes snapshot index 1"
)

// The operations of a frame.
const (
	opMark    = 'M' // format, root of the workspace
	opDir     = 'D' // path, flags: the directory of what follows
	opSet     = 'S' // name, entry
	opDel     = 'X' // name
	opWhole   = 'W' // everything in the workspace is known
	dirIgnore = 1
	entryRacy = 1 // the flags in the order in which set gathers them
	entryOver = 2
	entrySeed = 4
)

// ops are operations being gathered.
type ops struct {
	buf  []byte
	dir  string
	some bool // dir is set
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func (o *ops) mark(root string) {
	o.buf = appendText(appendText(append(o.buf, opMark), indexMark), root)
}
func (o *ops) whole() { o.buf = append(o.buf, opWhole) }

func (o *ops) in(dir string, n *node) {
	if o.some && o.dir == dir {
		return
	}
	o.enter(dir, n)
}

// enter names the directory also when it is the present one.
func (o *ops) enter(dir string, n *node) {
	o.dir, o.some = dir, true
	flags := byte(0)
	if n != nil && n.ignored {
		flags = dirIgnore
	}
	o.buf = append(appendText(append(o.buf, opDir), dir), flags)
}

func (o *ops) del(dir, base string, n *node) {
	o.in(dir, n)
	o.buf = appendText(append(o.buf, opDel), base)
}

func (o *ops) set(dir, base string, n *node, e *entry) {
	o.in(dir, n)
	b := appendText(append(o.buf, opSet), base)
	flags := byte(0)
	for i, set := range [...]bool{e.racy, e.over, e.seeded} {
		if set {
			flags |= entryRacy << i
		}
	}
	b = append(b, byte(e.skip), flags)
	b = binary.AppendUvarint(b, uint64(e.st.mode))
	for _, v := range [...]int64{e.st.size, e.st.mtime, e.st.ctime} {
		b = binary.AppendVarint(b, v)
	}
	b = binary.AppendUvarint(b, e.st.inode)
	s := e.state
	b = appendText(b, string(s.Kind))
	b = binary.AppendUvarint(b, uint64(s.Mode))
	b = binary.AppendVarint(b, s.Size)
	b = append(b, s.Hash[:]...)
	b = appendText(b, s.Unread)
	b = binary.AppendVarint(b, s.MTime)
	o.buf = appendText(b, string(s.Target))
}

// frame gives the operations as a frame and begins again.
func (o *ops) frame() []byte {
	if len(o.buf) == 0 {
		return nil
	}
	f := binary.LittleEndian.AppendUint32(nil, uint32(len(o.buf)))
	f = binary.LittleEndian.AppendUint32(f, crc32.ChecksumIEEE(o.buf))
	f = append(f, o.buf...)
	*o = ops{}
	return f
}

// reader takes values off a frame; after the first fault it gives zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	t := r.b[:n]
	r.b = r.b[n:]
	return t
}

func (r *reader) byte() byte {
	if t := r.take(1); t != nil {
		return t[0]
	}
	return 0
}

func (r *reader) uint() uint64 { return number(r, binary.Uvarint) }
func (r *reader) int() int64   { return number(r, binary.Varint) }

func number[T uint64 | int64](r *reader, decode func([]byte) (T, int)) T {
	v, n := decode(r.b)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) text() string { return string(r.take(r.uint())) }

func (r *reader) entry() *entry {
	e := &entry{skip: skip(r.byte())}
	flags := r.byte()
	e.racy, e.over, e.seeded = flags&entryRacy != 0, flags&entryOver != 0, flags&entrySeed != 0
	e.st.mode = fs.FileMode(r.uint())
	e.st.size, e.st.mtime, e.st.ctime = r.int(), r.int(), r.int()
	e.st.inode = r.uint()
	e.state.Kind = Kind(r.text())
	e.state.Mode = fs.FileMode(r.uint())
	e.state.Size = r.int()
	copy(e.state.Hash[:], r.take(uint64(len(e.state.Hash))))
	e.state.Unread = r.text()
	e.state.MTime = r.int()
	e.state.Target = name(r.text())
	r.bad = r.bad || e.skip >= skips || !e.state.Kind.known()
	return e
}

// loaded is what an index file holds.
type loaded struct {
	index *index
	whole bool
	good  int64 // bytes of undamaged frames
}

// decodeIndex reads an index file of a workspace. A file of another format or
// workspace holds nothing.
func decodeIndex(data []byte, root string, join func(string, string) string) loaded {
	l := loaded{index: newIndex()}
	for first := true; len(data) >= frameHead; first = false {
		size, sum := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if size > frameMax || uint64(size) > uint64(len(data)-frameHead) {
			return l
		}
		body := data[frameHead : frameHead+size]
		if crc32.ChecksumIEEE(body) != sum || !l.apply(&reader{b: body}, first, root, join) {
			return l
		}
		data = data[frameHead+size:]
		l.good += int64(frameHead + size)
	}
	return l
}

// apply carries the operations of a frame out; false when they make no sense.
func (l *loaded) apply(r *reader, first bool, root string, join func(string, string) string) bool {
	if first && (r.byte() != opMark || r.text() != indexMark || r.text() != root) {
		return false
	}
	dir, some := "", false
	for len(r.b) > 0 && !r.bad {
		switch op := r.byte(); {
		case op == opWhole:
			l.whole = true
		case op == opDir:
			dir, some = r.text(), true
			if flags := r.byte(); !r.bad {
				l.index.node(dir).ignored = flags&dirIgnore != 0
			}
		case op == opSet && some:
			if base, e := r.text(), r.entry(); !r.bad && base != "" {
				l.index.set(dir, base, e)
			}
		case op == opDel && some:
			if base := r.text(); !r.bad && base != "" {
				l.index.del(dir, base, join(dir, base), join, nil)
			}
		default:
			return false
		}
	}
	return !r.bad
}

// encodeIndex gives a whole index as the contents of a file.
func encodeIndex(x *index, root string, whole bool) []byte {
	var out []byte
	var o ops
	o.mark(root)
	for dir, n := range x.nodes {
		o.enter(dir, n)
		for base, e := range n.entries {
			o.set(dir, base, n, e)
			if len(o.buf) > frameSize {
				out = append(out, o.frame()...)
			}
		}
	}
	if whole {
		o.whole()
	}
	return append(out, o.frame()...)
}

// indexFile is an index file that is appended to.
type indexFile struct {
	path string
	f    *os.File
	size int64
	// extra are the bytes appended since the file was written whole.
	extra int64
}

// write replaces the file.
func (i *indexFile) write(data []byte) error {
	if err := i.close(); err != nil {
		return err
	}
	if err := atomicfile.Write(i.path, data, 0o600); err != nil && !errors.Is(err, atomicfile.ErrUnsynced) {
		return err
	}
	i.size, i.extra = int64(len(data)), 0
	return nil
}

// append adds a frame. It is not flushed to the disk: after a power failure the
// journal tells what the index lacks.
func (i *indexFile) append(frame []byte) error {
	if len(frame) == 0 {
		return nil
	}
	if i.f == nil {
		f, err := os.OpenFile(i.path, os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		i.f = f
	}
	if _, err := i.f.WriteAt(frame, i.size); err != nil {
		_ = i.f.Truncate(i.size) // else the next frame overwrites it
		return err
	}
	i.size += int64(len(frame))
	i.extra += int64(len(frame))
	return nil
}

func (i *indexFile) close() error {
	if i.f == nil {
		return nil
	}
	err := i.f.Close()
	i.f = nil
	return err
}
