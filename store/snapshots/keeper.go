package snapshots

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
)

// Options say what a Keeper keeps, and where.
type Options struct {
	// Dir is the directory of all snapshots on this machine; it is made when it is
	// missing.
	Dir string
	// Conv is the conversation: up to 128 letters, digits, "-", "_" and ".".
	Conv string
	// Files is the file system of the workspace, Place says which one it is
	// ("local", "ssh example.org"): workspaces of the same place and root share
	// copies.
	Files Files
	Place string
	// Root is the workspace. When it is "/" or holds the Home of the user, only
	// files that calls name are watched.
	Root string
	Home string
	// Ignored gives the rules by which files are left out, read again: it is called
	// before the first walk and whenever a .gitignore, a .ignore or git's
	// info/exclude has changed. Nil ignores nothing.
	Ignored func() Ignored
	// Own are more paths of the workspace to leave out. Dir always is.
	Own []string
	// Watch begins to watch what programs do, while calls run that may change
	// anything; nil, also as its result, when nothing is known of them.
	Watch func() Watch
	// Clock and Rand default to the system's.
	Clock  func() time.Time
	Rand   io.Reader
	Limits Limits

	step func(string) // told before each step that reaches the disk, for tests
}

// Keeper records what the agents of a conversation change. It is safe for
// concurrent use; Close ends it.
type Keeper struct {
	opt     Options
	root    string
	sep     string
	dir     string // of the conversation
	own     []string
	watched bool // the whole workspace, not just named files
	step    func(string)
	pool    *deflaters
	lock    *atomicfile.Lock
	warming chan struct{} // holds a token while the first copy is made
	sem     chan struct{} // holds a token while what follows is used

	closed  bool
	conv    *packs
	base    *packs
	journal *journal
	history *history
	damaged int // lines of the journal that could not be read
	x       *index
	file    *indexFile
	delta   ops
	unsaved []byte
	whole   bool // everything in the workspace is known
	gen     uint32
	ignored Ignored
	rules   map[string]stat
	running []*running
	named   map[string]bool // files that a walk does not come to
	trees   int             // running calls that may change anything
	since   time.Time       // the beginning of the first of them
	watch   Watch           // while there are some; may be nil
	others  others
}

// running is a call that has begun.
type running struct {
	ref     CallRef
	tree    bool     // it may change anything
	watch   []string // else these
	cut     bool     // it was cut off by the end of an earlier process
	changes []Change
}

// pruneWait is how long the lock of a conversation is waited for: pruning holds it
// for a moment.
const pruneWait = 300 * time.Millisecond

// objects is the directory of what the conversations of a workspace share.
const objects = "objects"

// Open opens the record of a conversation, or begins one. A record that is open
// elsewhere is a [*HeldError]. The workspace is only looked at for its root: what
// else there is to do is done by [Keeper.Warm] or the first call.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	if !fileName(o.Conv) || o.Conv == objects {
		return nil, fmt.Errorf("open snapshots: %q can't be the name of a conversation's directory", o.Conv)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("open snapshots: %w", err)
	}
	o = o.withDefaults()
	root, err := o.Files.Resolve(o.Root)
	if err != nil {
		return nil, fmt.Errorf("open snapshots: find the workspace: %w", err)
	}
	k := &Keeper{opt: o, root: root, sep: separator(root), dir: filepath.Join(o.Dir, o.Conv), step: o.step, pool: &deflaters{},
		warming: make(chan struct{}, 1), sem: make(chan struct{}, 1), named: map[string]bool{}, own: slices.Concat(o.Own, []string{o.Dir})}
	if real, err := filepath.EvalSymlinks(o.Dir); err == nil {
		k.own = append(k.own, real)
	}
	_, base := k.split(root)
	k.watched = base != "" && (o.Home == "" || !k.within(k.home(), root))
	if err := k.open(ctx); err != nil {
		return nil, errors.Join(err, k.release())
	}
	return k, nil
}

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.withDefaults()
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	if o.Ignored == nil {
		o.Ignored = func() Ignored { return func(string, bool) bool { return false } }
	}
	return o
}

func (k *Keeper) home() string {
	if real, err := k.opt.Files.Resolve(k.opt.Home); err == nil {
		return real
	}
	return k.opt.Home
}

// fileName reports whether an id can be a file's name as it is.
func fileName(id string) bool {
	const others = "0123456789_-."
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(others, r)
	}
	return id != "" && len(id) <= 128 && id[0] != '.' && !strings.ContainsFunc(id, odd)
}

// open opens what is on the disk.
func (k *Keeper) open(ctx context.Context) (err error) {
	failed := func(doing string, err error) error { return storeError(k.dir, "open snapshots: "+doing, err) }
	shared := k.baseDir()
	for _, dir := range []string{k.opt.Dir, k.dir, filepath.Dir(shared), shared, filepath.Dir(k.openMark())} {
		if err := atomicfile.MkdirPrivate(dir); err != nil {
			return failed("make the directory", err)
		}
	}
	wait, cancel := context.WithTimeout(ctx, pruneWait)
	defer cancel()
	k.lock, err = atomicfile.Acquire(wait, filepath.Join(k.dir, "lock"))
	if held := (*atomicfile.HeldError)(nil); errors.As(err, &held) {
		return &HeldError{Conv: k.opt.Conv, Holder: held.Holder}
	}
	if err != nil {
		return failed("lock", err)
	}
	if err := errors.Join(k.markUsed(k.dir), k.markUsed(shared), k.markOpen()); err != nil {
		return failed("mark as used", err)
	}
	if k.conv, err = openPacks(k.dir, k.pool, k.packName); err != nil {
		return failed("read what is kept", err)
	}
	if k.base, err = openPacks(shared, k.pool, k.packName); err != nil {
		return failed("read what is kept", err)
	}
	var records []*record
	k.journal, records, k.damaged, err = openJournal(k.dir, filepath.Join(k.dir, "journal"), k.opt.Clock)
	if err != nil {
		return failed("read the journal", err)
	}
	k.history = newHistory(records)
	if err := k.loadIndex(shared); err != nil {
		return failed("read the index", err)
	}
	k.catchUp(records)
	return nil
}

func (k *Keeper) baseDir() string {
	sum := sha256.Sum256([]byte(k.opt.Place + "\x00" + k.root))
	return filepath.Join(k.opt.Dir, objects, hex.EncodeToString(sum[:8]))
}

// usedFile tells when a directory was used last.
const usedFile = "used"

func (k *Keeper) markUsed(dir string) error {
	return atomicfile.Write(filepath.Join(dir, usedFile), []byte(k.opt.Clock().UTC().Format(time.RFC3339)+"\n"), 0o600)
}

// packName names a new pack; names sort by time.
func (k *Keeper) packName() (string, error) {
	var b [6]byte
	if _, err := io.ReadFull(k.opt.Rand, b[:]); err != nil {
		return "", err
	}
	return fmt.Sprintf("%016x-%x", k.opt.Clock().UnixNano(), b), nil
}

// loadIndex reads the index of the conversation; without one, the newest of the
// workspace is where it begins.
func (k *Keeper) loadIndex(shared string) error {
	k.file = &indexFile{path: filepath.Join(k.dir, "index")}
	data, err := os.ReadFile(k.file.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l := decodeIndex(data, k.root, k.join)
	k.whole = l.whole && k.watched
	rewrite := l.good != int64(len(data)) || l.good == 0 || len(data) > 64<<20
	if l.good == 0 {
		if data, err = os.ReadFile(filepath.Join(shared, "index")); err == nil {
			l = decodeIndex(data, k.root, k.join)
			k.seed(l.index)
		}
		l.good, k.whole = 0, false
	}
	k.x = l.index
	k.file.size = l.good
	k.distrust()
	if !rewrite {
		return nil
	}
	return k.file.write(encodeIndex(k.x, k.root, k.whole))
}

// seed marks what another conversation has told.
func (k *Keeper) seed(x *index) {
	for dir, n := range x.nodes {
		for _, e := range n.entries {
			e.seeded = true
			if !k.within(dir, k.root) && e.counts() {
				x.files--
			}
		}
		if !k.within(dir, k.root) {
			delete(x.nodes, dir)
		}
	}
}

// distrust has files read again whose content is kept nowhere.
func (k *Keeper) distrust() {
	room := k.base.size() < k.opt.Limits.Total
	for _, n := range k.x.nodes {
		for _, e := range n.entries {
			if e.counts() && (!e.over || room) && e.state.Unread == "" && !k.hasContent(e.state) {
				e.racy = true
			}
		}
	}
}

// catchUp puts into the index what the journal knows better, and finds the calls
// that were cut off.
func (k *Keeper) catchUp(records []*record) {
	for path := range k.history.paths {
		if last, ok := k.history.last(path); ok {
			dir, base := k.split(path)
			e := k.x.find(dir, base)
			switch {
			case last.Kind == None && e != nil && e.skip == kept:
				k.forget(dir, base, path)
			case last.Kind != None && !stateOf(e).Equal(last):
				k.put(cand{dir: dir, base: base}, &entry{state: last, racy: true})
			}
		}
		k.nameFile(path)
	}
	for _, r := range records {
		for _, p := range r.Paths {
			if r.Kind == recBegin {
				k.nameFile(string(p))
			}
		}
	}
	for _, b := range k.history.begun {
		lost := &running{ref: *b.Call, tree: b.Tree, cut: true}
		for _, p := range b.Paths {
			lost.watch = append(lost.watch, string(p))
		}
		k.running = append(k.running, lost)
	}
}

// nameFile remembers a file that a walk does not come to.
func (k *Keeper) nameFile(path string) {
	if !k.watched || !k.within(path, k.root) {
		k.named[path] = true
	}
}

// use takes the right to use the Keeper, and gives it back by the function it
// returns.
func (k *Keeper) use(ctx context.Context) (func(), error) {
	select {
	case k.sem <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	done := func() { <-k.sem }
	if k.closed {
		done()
		return nil, ErrClosed
	}
	if err := context.Cause(ctx); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// Close writes what is useful for the next time and gives everything back. Calls
// that are running then count as cut off.
func (k *Keeper) Close() error {
	k.sem <- struct{}{}
	defer func() { <-k.sem }()
	if k.closed {
		return nil
	}
	k.closed = true
	var err error
	if k.file.extra > 1<<20 || len(k.unsaved) > 0 {
		err = k.file.write(encodeIndex(k.x, k.root, k.whole))
	}
	if k.whole {
		err = errors.Join(err, k.share())
	}
	return storeError(k.dir, "close snapshots", errors.Join(err, k.release()))
}

// share leaves the index to the next conversation in this workspace.
func (k *Keeper) share() error {
	if err := k.base.sync(); err != nil {
		return err
	}
	err := atomicfile.Write(filepath.Join(k.baseDir(), "index"), encodeIndex(k.x, k.root, false), 0o600)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, atomicfile.ErrUnsynced) {
		return nil // it was pruned meanwhile
	}
	return err
}

// release closes what is open.
func (k *Keeper) release() error {
	k.trees = 0
	k.ignoreOthers()
	var err error
	if k.lock != nil {
		if err = os.Remove(k.openMark()); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if k.conv != nil {
		err = errors.Join(err, k.conv.close())
	}
	if k.base != nil {
		err = errors.Join(err, k.base.close())
	}
	if k.file != nil {
		err = errors.Join(err, k.file.close())
	}
	if k.journal != nil {
		err = errors.Join(err, k.journal.close())
	}
	if k.lock != nil {
		err = errors.Join(err, k.lock.Close())
	}
	return err
}
