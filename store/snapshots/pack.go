package snapshots

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

const (
	packEnd, indexEnd = ".pack", ".idx"
	packRoll          = 64 << 20 // size at which the next pack is begun
	packBuffer        = 1 << 20  // bytes gathered before they are written
	indexEntry        = 32 + 8 + 4 + 4 + 4 + 4
)

// errMissing says that a content is not kept, or no longer.
var errMissing = errors.New("its content was not kept, or is kept no longer")

// pack is a file of contents, one behind the other. Beside it lies an index of
// fixed entries: hash, offset, stored size, raw size, form, checksum. An entry is
// written after what it points to.
type pack struct {
	name        string // without ending
	data, index *os.File
	size, isize int64 // what is written
}

// loc says where a content lies.
type loc struct {
	pack        *pack
	off         int64
	stored, raw uint32
	deflated    bool
}

// packs keeps contents by their hash in a directory. Every opener writes a pack
// of its own and sees those that were there when it opened; contents once seen
// stay readable until it closes, also when the pack is removed. It is safe for
// concurrent use.
type packs struct {
	dir  string
	name func() (string, error) // gives a new pack's name
	pool *deflaters

	mu      sync.Mutex
	where   map[Hash]loc
	list    []*pack
	cur     *pack // the one being written, nil before the first
	buf     []byte
	entries []byte
	pending []Hash // in buf
	dirty   bool   // written, but not flushed to the disk
	fresh   bool   // the directory has a new name that is not flushed
	total   int64  // bytes of all packs and indexes
}

// openPacks opens a directory.
func openPacks(dir string, pool *deflaters, newName func() (string, error)) (*packs, error) {
	p := &packs{dir: dir, name: newName, pool: pool, where: map[Hash]loc{}}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		base, ok := strings.CutSuffix(d.Name(), indexEnd)
		if !ok || !d.Type().IsRegular() {
			continue
		}
		if err := p.load(base); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, p.close())
		}
	}
	return p, nil
}

// load opens a pack for reading. Entries that are damaged or point beyond its end
// are passed over.
func (p *packs) load(base string) error {
	index, err := os.ReadFile(filepath.Join(p.dir, base+indexEnd))
	if err != nil {
		return err
	}
	data, err := os.Open(filepath.Join(p.dir, base+packEnd))
	if err != nil {
		return err
	}
	st, err := data.Stat()
	if err != nil {
		return errors.Join(err, data.Close())
	}
	k := &pack{name: base, data: data, size: st.Size(), isize: int64(len(index))}
	p.list = append(p.list, k)
	p.total += k.size + k.isize
	for ; len(index) >= indexEntry; index = index[indexEntry:] {
		if h, l, ok := parseEntry(index[:indexEntry]); ok && l.off >= 0 && l.off+int64(l.stored) <= k.size {
			l.pack = k
			p.where[h] = l
		}
	}
	return nil
}

func parseEntry(b []byte) (h Hash, l loc, ok bool) {
	le := binary.LittleEndian
	if crc32.ChecksumIEEE(b[:indexEntry-4]) != le.Uint32(b[indexEntry-4:]) {
		return h, l, false
	}
	copy(h[:], b)
	l = loc{off: int64(le.Uint64(b[32:])), stored: le.Uint32(b[40:]), raw: le.Uint32(b[44:]), deflated: b[48] == 1}
	return h, l, true
}

func appendEntry(b []byte, h Hash, l loc) []byte {
	le, at := binary.LittleEndian, len(b)
	b = append(b, h[:]...)
	b = le.AppendUint64(b, uint64(l.off))
	b = le.AppendUint32(b, l.stored)
	b = le.AppendUint32(b, l.raw)
	form := uint32(0)
	if l.deflated {
		form = 1
	}
	b = le.AppendUint32(b, form)
	return le.AppendUint32(b, crc32.ChecksumIEEE(b[at:]))
}

func (p *packs) has(h Hash) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.where[h]
	return ok
}

func (p *packs) size() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total + int64(len(p.buf)+len(p.entries))
}

// put keeps a content. It may stay in memory until flush.
func (p *packs) put(h Hash, data []byte) error {
	if p.has(h) {
		return nil
	}
	stored, deflated := p.pool.encode(data)
	return p.add(h, stored, loc{stored: uint32(len(stored)), raw: uint32(len(data)), deflated: deflated})
}

// add keeps a content in the form in which it is stored.
func (p *packs) add(h Hash, stored []byte, l loc) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.addLocked(h, stored, l)
}

func (p *packs) addLocked(h Hash, stored []byte, l loc) error {
	if _, ok := p.where[h]; ok {
		return nil
	}
	if p.cur != nil && p.cur.size+int64(len(p.buf)) >= packRoll {
		if err := p.syncLocked(); err != nil {
			return err
		}
		p.cur = nil
	}
	if p.cur == nil {
		if err := p.begin(); err != nil {
			return err
		}
	}
	l.pack, l.off = p.cur, p.cur.size+int64(len(p.buf))
	p.buf = append(p.buf, stored...)
	p.entries = appendEntry(p.entries, h, l)
	p.pending = append(p.pending, h)
	p.where[h] = l
	if len(p.buf) >= packBuffer {
		return p.flushLocked()
	}
	return nil
}

// begin makes a new pack.
func (p *packs) begin() error {
	base, err := p.name()
	if err != nil {
		return err
	}
	data, err := createPrivate(filepath.Join(p.dir, base+packEnd))
	if err != nil {
		return err
	}
	index, err := createPrivate(filepath.Join(p.dir, base+indexEnd))
	if err != nil {
		return errors.Join(err, data.Close(), os.Remove(data.Name()))
	}
	p.cur = &pack{name: base, data: data, index: index}
	p.list = append(p.list, p.cur)
	p.fresh = true
	return nil
}

// createPrivate makes a new file for reading and writing that only its owner can
// open, whatever the umask is.
func createPrivate(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

// flushLocked writes what is gathered. When it fails, that is forgotten and the
// pack is as it was.
func (p *packs) flushLocked() error {
	if len(p.pending) == 0 {
		return nil
	}
	k := p.cur
	_, err := k.data.WriteAt(p.buf, k.size)
	if err == nil {
		_, err = k.index.WriteAt(p.entries, k.isize)
	}
	if err != nil {
		for _, h := range p.pending {
			delete(p.where, h)
		}
		// What cannot be cut off lies beyond every entry, or is overwritten next.
		_ = k.index.Truncate(k.isize)
		_ = k.data.Truncate(k.size)
	} else {
		k.size += int64(len(p.buf))
		k.isize += int64(len(p.entries))
		p.total += int64(len(p.buf) + len(p.entries))
		p.dirty = true
	}
	p.buf, p.entries, p.pending = p.buf[:0], p.entries[:0], p.pending[:0]
	return err
}

// flush writes what is gathered, so that it survives the end of the process.
func (p *packs) flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flushLocked()
}

// sync also lets it survive a power failure.
func (p *packs) sync() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.syncLocked()
}

func (p *packs) syncLocked() error {
	if err := p.flushLocked(); err != nil || !p.dirty {
		return err
	}
	if err := errors.Join(p.cur.data.Sync(), p.cur.index.Sync()); err != nil {
		return err
	}
	if p.fresh {
		syncDir(p.dir)
	}
	p.dirty, p.fresh = false, false
	return nil
}

// syncDir flushes the names in a directory; not every file system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// raw gives a content in the form in which it is stored.
func (p *packs) raw(h Hash) ([]byte, loc, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rawLocked(h)
}

func (p *packs) rawLocked(h Hash) ([]byte, loc, error) {
	l, ok := p.where[h]
	if !ok {
		return nil, loc{}, errMissing
	}
	if l.pack == p.cur && l.off >= p.cur.size {
		if err := p.flushLocked(); err != nil {
			return nil, loc{}, err
		}
	}
	b := make([]byte, l.stored)
	if _, err := l.pack.data.ReadAt(b, l.off); err != nil {
		return nil, loc{}, fmt.Errorf("read a kept content: %w", err)
	}
	return b, l, nil
}

// get gives a content. What is damaged is as good as missing, and forgotten.
func (p *packs) get(h Hash) ([]byte, error) {
	b, l, err := p.raw(h)
	if err != nil {
		return nil, err
	}
	data, err := p.pool.decode(b, l)
	if err != nil || sha256.Sum256(data) != h {
		p.mu.Lock()
		delete(p.where, h)
		p.mu.Unlock()
		return nil, fmt.Errorf("%w (what is kept of it is damaged)", errMissing)
	}
	return data, nil
}

func (k *pack) close() error {
	err := k.data.Close()
	if k.index != nil {
		err = errors.Join(err, k.index.Close())
	}
	return err
}

func (p *packs) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.flushLocked()
	for _, k := range p.list {
		err = errors.Join(err, k.close())
	}
	p.list, p.cur, p.where = nil, nil, nil
	return err
}
