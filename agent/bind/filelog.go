package bind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/store/snapshots"
	"hermes-tui/tools"
	"hermes-tui/tools/files"
	"hermes-tui/tools/place"
	"hermes-tui/tools/search"
)

// FileLogOptions are what a [FileLog] is made of.
type FileLogOptions struct {
	// Dir is where records are kept.
	Dir string
	// Own are folders of this program, which are left out.
	Own []string
	// Place and Root are the workspace.
	Place place.Place
	Root  string
	Conv  event.ConvID
	// Files and FilesLock keep file tools from a file while it is revised, see
	// [files.Registry.Hold].
	Files     *files.Registry
	FilesLock string
	Clock     func() time.Time
	Log       *slog.Logger
}

// FileLog keeps what the calls of a conversation change in files. It is opened by
// the first call that may change something. It is safe for concurrent use.
type FileLog struct {
	o FileLogOptions

	warming sync.Once
	begin   *time.Timer        // begins the first copy
	stop    context.CancelFunc // ends it
	warmed  sync.WaitGroup

	mu     sync.Mutex
	keeper *snapshots.Keeper
	closed bool
}

var _ agent.Snapshots = (*FileLog)(nil)

// NewFileLog makes a log. It touches no file.
func NewFileLog(o FileLogOptions) *FileLog { return &FileLog{o: o} }

// open gives the record of changes.
func (l *FileLog) open(ctx context.Context) (*snapshots.Keeper, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, journal.ErrClosed
	}
	if l.keeper != nil {
		return l.keeper, nil
	}
	info, disk := l.o.Place.Info(), l.o.Place.FS()
	k, err := snapshots.Open(ctx, snapshots.Options{
		Dir: l.o.Dir, Conv: string(l.o.Conv), Files: SnapshotFiles(l.o.Place),
		Place: strings.TrimSpace(info.Name + " " + info.Target), Root: l.o.Root, Home: info.Home,
		Ignored: func() snapshots.Ignored { return leftOut(search.Ignored(disk, l.o.Root, info.Home)) },
		Own:     l.o.Own, Clock: l.o.Clock, Watch: l.watch,
	})
	if err != nil {
		return nil, err
	}
	l.keeper = k
	return k, nil
}

// watch begins to watch what else changes files, on this machine.
func (l *FileLog) watch() snapshots.Watch {
	if _, remote := l.o.Place.(*place.Remote); remote {
		return nil
	}
	if w := place.WatchPrograms(l.o.Root); w != nil {
		return w
	}
	return nil
}

// leftOut adds what a killed write leaves behind to what ignore files name.
func leftOut(ignored func(path string, dir bool) bool) snapshots.Ignored {
	return func(path string, dir bool) bool {
		name := filepath.Base(path)
		return !dir && strings.HasPrefix(name, ".hermes-") && strings.HasSuffix(name, ".tmp") || ignored(path, dir)
	}
}

// warmAfter is when the first copy begins: an answer that is there sooner may be all that
// is asked for, as of a script that asks one question after the other.
const warmAfter = 250 * time.Millisecond

// Warm soon makes the first copy of the workspace while nothing waits for it, and takes
// away what is too old to be kept. It returns at once.
func (l *FileLog) Warm() {
	l.warming.Do(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.begin = time.AfterFunc(warmAfter, l.warm)
	})
}

func (l *FileLog) warm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(context.Background())
	l.warmed.Go(func() { l.prepare(ctx) })
}

func (l *FileLog) prepare(ctx context.Context) {
	k, err := l.open(ctx)
	if err == nil {
		err = k.Warm(ctx)
	}
	if err == nil {
		_, err = snapshots.Prune(ctx, l.o.Dir, snapshots.Limits{}, l.o.Clock())
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, journal.ErrClosed) {
		l.o.Log.Warn("first copy of the workspace", "err", err) // the first call tries again and says so
	}
}

// Close ends the first copy and closes the record.
func (l *FileLog) Close() error {
	l.mu.Lock()
	l.closed = true
	stop := l.stop
	if l.begin != nil {
		l.begin.Stop()
	}
	l.mu.Unlock()
	if stop != nil {
		stop()
	}
	l.warmed.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keeper == nil {
		return nil
	}
	return l.keeper.Close()
}

// Begin implements [agent.Snapshots].
func (l *FileLog) Begin(ctx context.Context, c agent.SnapshotCall) error {
	k, err := l.open(ctx)
	if err != nil {
		return err
	}
	if l.gone(c.Paths) {
		return fmt.Errorf("%w: %s was moved or deleted", agent.ErrFolderGone, l.o.Root)
	}
	return k.Begin(ctx, snapshots.Call{ID: string(c.ID), Turn: string(c.Turn), Agent: string(c.Agent), Paths: c.Paths})
}

// gone reports whether the workspace is no longer where a call would act: a call that names
// its paths acts there alone.
func (l *FileLog) gone(paths []string) bool {
	inside := func(path string) bool { return tools.Within(path, l.o.Root) }
	if len(paths) > 0 && !slices.ContainsFunc(paths, inside) {
		return false
	}
	_, err := l.o.Place.FS().Stat(l.o.Root)
	return errors.Is(err, fs.ErrNotExist)
}

// End implements [agent.Snapshots].
func (l *FileLog) End(ctx context.Context, id event.CallID) ([]string, error) {
	k, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := k.End(ctx, string(id))
	var paths []string
	for _, c := range changes {
		if isFile(c.Before) || isFile(c.After) { // folders are undone as well, but are no files
			paths = append(paths, c.Path)
		}
	}
	return paths, err
}

func isFile(s snapshots.State) bool { return s.Kind == snapshots.File || s.Kind == snapshots.Link }

func filter(turns []event.TurnID) snapshots.Filter {
	f := snapshots.Filter{}
	for _, t := range turns {
		f.Turns = append(f.Turns, string(t))
	}
	return f
}

// Plan implements [agent.Snapshots].
func (l *FileLog) Plan(ctx context.Context, turns []event.TurnID) (api.RewindPlan, error) {
	k, err := l.open(ctx)
	if err != nil {
		return api.RewindPlan{}, err
	}
	p, err := k.Plan(ctx, filter(turns))
	if err != nil {
		return api.RewindPlan{}, err
	}
	return api.RewindPlan{
		Restored: l.files(p.Restore), Doubtful: l.files(p.Doubtful), Conflicts: l.files(p.Conflicts), Impossible: l.files(p.Impossible),
		Unwatched: l.unwatched(p),
	}, nil
}

// Apply implements [agent.Snapshots].
func (l *FileLog) Apply(ctx context.Context, turns []event.TurnID, o api.RewindOptions, note string) (string, api.RewindPlan, error) {
	k, err := l.open(ctx)
	if err != nil {
		return "", api.RewindPlan{}, err
	}
	p, err := k.Plan(ctx, filter(turns))
	if err != nil {
		return "", api.RewindPlan{}, err
	}
	return l.apply(ctx, k, p, snapshots.Choice{Doubtful: o.Doubtful, All: o.Overwrite, Note: note})
}

// Undo implements [agent.Snapshots].
func (l *FileLog) Undo(ctx context.Context, name, note string) (string, api.RewindPlan, error) {
	k, err := l.open(ctx)
	if err != nil {
		return "", api.RewindPlan{}, err
	}
	p, err := k.Undo(ctx, name)
	if err != nil {
		return "", api.RewindPlan{}, err
	}
	return l.apply(ctx, k, p, snapshots.Choice{Note: note})
}

// apply carries a plan out and says what came of it.
func (l *FileLog) apply(ctx context.Context, k *snapshots.Keeper, p *snapshots.Plan, c snapshots.Choice) (string, api.RewindPlan, error) {
	res, err := k.Apply(ctx, p, c)
	if err != nil {
		return res.ID, api.RewindPlan{}, err
	}
	left := func(of []snapshots.Item) (list []snapshots.Item) {
		for _, i := range of {
			at := slices.IndexFunc(res.Left, func(r snapshots.Item) bool { return r.Path == i.Path })
			if at >= 0 {
				list = append(list, res.Left[at])
				res.Left = slices.Delete(res.Left, at, at+1)
			}
		}
		return list
	}
	done := api.RewindPlan{Unwatched: l.unwatched(p), Restored: l.files(res.Restored), Doubtful: l.files(left(p.Doubtful)), Conflicts: l.files(left(p.Conflicts))}
	done.Impossible = l.files(res.Left)
	return res.ID, done, nil
}

// Finish implements [agent.Snapshots].
func (l *FileLog) Finish(ctx context.Context) (name, note string, restored []api.RewoundFile, err error) {
	if !l.Unsettled() {
		return "", "", nil, nil
	}
	k, err := l.open(ctx)
	if err != nil {
		return "", "", nil, err
	}
	p, err := k.Pending(ctx)
	if err != nil || p == nil {
		return "", "", nil, err
	}
	r, err := k.Finish(ctx)
	return p.ID, p.Note, l.files(r.Restored), err
}

// Settle implements [agent.Snapshots].
func (l *FileLog) Settle(ctx context.Context, name string) error {
	k, err := l.open(ctx)
	if err != nil {
		return err
	}
	return k.Settle(ctx, name)
}

// Unsettled reports whether a rewind may have been cut off. It is quick where none
// was.
func (l *FileLog) Unsettled() bool {
	return snapshots.Unsettled(l.o.Dir, string(l.o.Conv))
}

// files describes the items of a plan.
func (l *FileLog) files(items []snapshots.Item) []api.RewoundFile {
	var list []api.RewoundFile
	for _, i := range items {
		note := i.Why
		if note == "" {
			note = string(i.Kind())
		}
		if i.Note != "" {
			note += "; " + i.Note
		}
		list = append(list, api.RewoundFile{Path: l.short(i.Path), Note: note})
	}
	return list
}

// unwatched says in words of what a plan knows no change.
func (l *FileLog) unwatched(p *snapshots.Plan) []string {
	for i := range p.Unwatched {
		for j, name := range p.Unwatched[i].Names {
			p.Unwatched[i].Names[j] = l.short(name)
		}
	}
	return phrases(p.Unwatched)
}

// short names a file within the workspace by its path there.
func (l *FileLog) short(path string) string {
	if rel, err := filepath.Rel(l.o.Root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// Recorded reports whether anything was kept of the conversation so far.
func (l *FileLog) Recorded() bool { return snapshots.Recorded(l.o.Dir, string(l.o.Conv)) }

// Between is a unified diff from what agents have left in some turns to what those of
// another log of the same workspace have in theirs. Without turns nothing was changed.
func (l *FileLog) Between(ctx context.Context, turns []event.TurnID, other *FileLog, theirs []event.TurnID) (diff string, err error) {
	k, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	mine, err := k.Changes(ctx, filter(turns))
	if err != nil {
		return "", err
	}
	var there *snapshots.Keeper
	var changes []snapshots.Change
	if other.Recorded() {
		if there, err = other.open(ctx); err == nil {
			f := filter(theirs)
			f.Undone = true // what was put back when it was left is what it has done
			changes, err = there.Changes(ctx, f)
		}
		if err != nil {
			return "", err
		}
	}
	d, err := k.Between(ctx, mine, there, changes, snapshots.DiffLimits{})
	if err == nil && d.Omitted > 0 {
		d.Text += fmt.Sprintf("\n%d more files differ.\n", d.Omitted)
	}
	return d.Text, err
}

// Diff is a unified diff of what agents have changed in some turns, or in all without
// any. notes say what it leaves out.
func (l *FileLog) Diff(ctx context.Context, turns []event.TurnID) (diff string, notes []string, err error) {
	k, err := l.open(ctx)
	if err != nil {
		return "", nil, err
	}
	f := filter(turns)
	f.All = len(turns) == 0
	list, err := k.Changes(ctx, f)
	if err != nil {
		return "", nil, err
	}
	d, err := k.Diff(ctx, list, snapshots.DiffLimits{})
	if err != nil {
		return "", nil, err
	}
	notes, err = exclusions(ctx, k)
	var doubtful []string
	for _, change := range list {
		if change.Unsure || change.Doubt != "" {
			doubtful = append(doubtful, l.short(change.Path))
		}
	}
	if n := len(doubtful); n > 0 {
		what := snapshots.Exclusion{Count: n, Names: doubtful, Why: "may have been changed by someone else while a command ran"}
		notes = append(phrases([]snapshots.Exclusion{what}), notes...)
	}
	if d.Omitted > 0 {
		notes = append(notes, fmt.Sprintf("%d more files were changed that are too much to show.", d.Omitted))
	}
	return d.Text, notes, err
}

// maxNames is how many names a note lists.
const maxNames = 5

// exclusions say in words what is not watched.
func exclusions(ctx context.Context, k *snapshots.Keeper) ([]string, error) {
	list, err := k.Excluded(ctx)
	notes := phrases(list)
	for i := range notes {
		notes[i] = "Not watched: " + notes[i]
	}
	return notes, err
}

// phrases say in words what is left out, a group each.
func phrases(list []snapshots.Exclusion) (notes []string) {
	for _, e := range list {
		names := e.Names[:min(len(e.Names), maxNames)]
		note := fmt.Sprintf("%d %s", e.Count, e.Why)
		if len(names) > 0 {
			note += " (" + strings.Join(names, ", ")
			if e.Count > len(names) {
				note += ", …"
			}
			note += ")"
		}
		notes = append(notes, note)
	}
	return notes
}
