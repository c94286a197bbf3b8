package place

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// procs implements [programs] with /proc.
type procs struct {
	dir    string
	self   int
	exe    string           // this program: sessions elsewhere record their calls themselves
	since  uint64           // when the watching began, in ticks since the start of the system
	newest int              // the process made last before that, maybe in that very tick
	field  string           // of /proc/PID/io: what counts the bytes written
	owner  map[int]relation // whose the sessions of processes are that were seen
	wrote  map[member]int   // bytes that others have written so far
	looked uint64           // when the last look began, in ticks
	lately map[int]writer   // others that wrote files by the last look, and what they have started to finish that
	buf    [4096]byte       // what read returns; a line of stat or a table of io is shorter
}

// read returns the content of a small file of /proc, until the next call; empty where it
// cannot be read. It takes half the time of [os.ReadFile].
func (p *procs) read(name string) []byte {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	n, _ := unix.Read(fd, p.buf[:])
	_ = unix.Close(fd)
	return p.buf[:max(n, 0)]
}

// writer is a process that wrote files, or a child of one that may still move what was written
// into its place.
type writer struct {
	since uint64 // children that it started before then do not count
	ran   string // changes whenever it runs; empty where that is not known
	waits string // its name, while it waits and may still move something
}

// relation says what a process is to the commands that are watched.
type relation uint8

const (
	otherProgram relation = iota
	ours                  // one of them, or started by one
	earlier               // started by this program before
)

// foreignClock are file systems whose times are another machine's.
var foreignClock = []int64{unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC,
	unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC}

// WatchPrograms begins to watch the programs on this machine, for commands that are
// started from now on and work in a folder. It returns nil where the system does not tell
// enough.
func WatchPrograms(dir string) *Watch {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return nil
	}
	for _, magic := range foreignClock {
		if int64(fs.Type) == magic { //nolint:unconvert // its width depends on the machine
			return nil
		}
	}
	since, err := uptime()
	if err != nil {
		return nil
	}
	exe, _ := os.Readlink("/proc/self/exe") // else empty: nothing is left out
	field := "\nwrite_bytes: "
	if int64(fs.Type) == unix.TMPFS_MAGIC { //nolint:unconvert // its type differs between architectures
		field = "\nwchar: " // all that is written: the file system itself counts nothing
	}
	return newWatch(&procs{
		dir: dir, exe: exe, self: os.Getpid(), since: since, newest: newest(), field: field,
		owner: map[int]relation{}, wrote: map[member]int{},
	})
}

// uptime returns how long the system has run, in ticks of a hundredth of a second.
func uptime() (uint64, error) {
	data, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	seconds, _, _ := strings.Cut(string(data), " ")
	return strconv.ParseUint(strings.Replace(seconds, ".", "", 1), 10, 64)
}

// newest returns the process that was started last; 0 where the kernel does not tell.
func newest() int {
	data, err := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(data))
	if err != nil || len(f) < 5 {
		return 0
	}
	pid, _ := strconv.Atoi(f[4])
	return pid
}

// before reports whether a process was there when the watching began. Within the same
// tick its number decides. Numbers begin again after the highest; a tick uses far fewer.
func (p *procs) before(e proc) bool {
	const fewer = 10_000
	ago := p.newest - e.pid
	return e.start < p.since || e.start == p.since && (0 <= ago && ago < fewer || ago < -fewer)
}

// look implements programs.
func (p *procs) look() look {
	runtime.LockOSThread() // for the processor time
	defer runtime.UnlockOSThread()
	began := threadTime()
	var stamp unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &stamp) != nil {
		return look{}
	}
	l := look{begin: stamp.Nano()}
	now, _ := uptime() // else 0: what was started at any time may finish what was written
	table := p.table()
	kinds := p.kinds(table)
	var active bytes.Buffer
	known := true
	wrote, lately := map[member]int{}, map[int]writer{}
	for _, e := range table {
		switch kind := kinds[e.pid]; {
		case e.pid == p.self:
		case e.gone: // it ran until then, and is waited for only when its parent runs
			if kind == ours {
				active.WriteString(strconv.Itoa(e.pid))
				active.WriteString(" ended ")
			}
		case kind == ours:
			known = p.ran(e.pid, &active) && known
		case e.parent != 2 && e.pid != 2: // threads of the kernel write for others
			if n, ok := p.written(e.pid); ok {
				wrote[e.member] = n
				was, seen := p.wrote[e.member]
				writes := seen && n > was || !seen && n > 0 && e.start >= p.since && len(p.wrote) > 0
				ran, finishes, waits := p.finishes(e)
				if !(writes || finishes || waits) || p.same(e.pid) || kind != earlier && !p.near(e.pid) {
					break
				}
				if writes || finishes {
					l.writers = append(l.writers, p.call(e, kind))
				}
				if writes {
					lately[e.pid] = writer{since: p.looked, ran: ran}
				} else {
					lately[e.pid] = writer{since: p.lately[e.parent].since, ran: ran, waits: p.call(e, kind)}
					lately[e.parent] = p.lately[e.parent]
				}
			}
		}
	}
	for pid, was := range p.lately {
		if _, there := kinds[pid]; !there && was.waits != "" { // it has ended, and ran for that
			l.writers = append(l.writers, was.waits)
		}
	}
	p.wrote, p.lately = wrote, lately
	p.looked = now
	// Last: what was reaped after its turn in the table would be in neither.
	reaped := p.reaped()
	active.Write(reaped)
	if known && reaped != nil {
		l.active = active.String()
	}
	l.end, l.took = time.Now().UnixNano(), threadTime()-began
	return l
}

// threadTime returns the processor time that this thread has used.
func threadTime() time.Duration {
	var used unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used) // 0 has the next look come sooner
	return time.Duration(used.Nano())
}

// finishBound is how long a process may wait before it finishes what its parent wrote, in
// ticks.
const finishBound = 100

// finishes reports whether a process may be finishing what its parent has written, by
// moving a file into its place, say: it was started since and has run since the last
// look, or waits and may still do so. It also gives what changes whenever the process runs.
func (p *procs) finishes(e proc) (ran string, is, waits bool) {
	parent, ok := p.lately[e.parent]
	if !ok || e.start < parent.since {
		return "", false, false
	}
	var b bytes.Buffer
	if !p.ran(e.pid, &b) {
		return "", true, false
	}
	before, seen := p.lately[e.pid]
	is = !seen || b.String() != before.ran
	return b.String(), is, !is && p.looked < parent.since+finishBound
}

// proc is a process of the table.
type proc struct {
	entry
	name string
}

func (p *procs) table() []proc {
	var table []proc
	for _, f := range readDir("/proc") {
		pid, err := strconv.Atoi(f.Name())
		if err != nil {
			continue
		}
		data := p.read("/proc/" + f.Name() + "/stat")
		if e, ok := entryOf(pid, data); ok {
			from, to := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
			table = append(table, proc{entry: e, name: string(data[from+1 : to])})
		}
	}
	return table
}

// reaped returns a count that grows when a child that has ended is waited for; nil when it is
// not known.
func (p *procs) reaped() []byte {
	data := p.read("/proc/" + strconv.Itoa(p.self) + "/stat")
	f := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(f) <= 8 {
		return nil
	}
	return f[8]
}

// kinds returns the relation of each process: by what started it, and for one whose parent
// is gone by its session.
func (p *procs) kinds(table []proc) map[int]relation {
	parents := map[int]proc{}
	for _, e := range table {
		parents[e.pid] = e
	}
	kinds := map[int]relation{p.self: otherProgram}
	var of func(e proc, depth int) relation
	of = func(e proc, depth int) relation {
		if k, ok := kinds[e.pid]; ok {
			return k
		}
		k := otherProgram
		switch parent, ok := parents[e.parent]; {
		case e.parent == p.self && p.before(e):
			k = earlier
		case e.parent == p.self:
			k = ours
		case ok && depth < len(table):
			k = of(parent, depth+1)
		}
		if k == otherProgram {
			k = p.owner[e.session]
		}
		kinds[e.pid] = k
		return k
	}
	for _, e := range table {
		if k := of(e, 0); k != otherProgram && e.session != parents[p.self].session {
			p.owner[e.session] = k
		}
	}
	return kinds
}

// ran appends numbers that change when a process runs, and reports whether they are known.
func (p *procs) ran(pid int, to *bytes.Buffer) bool {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	for _, f := range readDir(tasks) { // none: it has just ended, which the next look finds
		id := f.Name()
		stat, err := os.ReadFile(tasks + id + "/schedstat")
		if os.IsNotExist(err) {
			if _, err := os.Stat(tasks + id); err != nil {
				continue
			}
			return false
		}
		if err != nil && os.IsPermission(err) || bytes.HasPrefix(stat, []byte("0 0 0")) {
			return false
		}
		to.WriteString(id)
		to.WriteByte(' ')
		to.Write(stat)
	}
	return true
}

// written counts the bytes that a process, and what it has waited for, have written
// to files.
func (p *procs) written(pid int) (int, bool) {
	data := p.read("/proc/" + strconv.Itoa(pid) + "/io")
	_, rest, ok := bytes.Cut(data, []byte(p.field))
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	n, err := strconv.Atoi(string(line))
	return n, ok && err == nil
}

// same reports whether a process runs this program: a helper of confined processes, which
// writes no file of the user, or a session elsewhere.
func (p *procs) same(pid int) bool {
	exe, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return err == nil && exe == p.exe
}

// near reports whether a process works in the folder or has something in it open.
func (p *procs) near(pid int) bool {
	base := "/proc/" + strconv.Itoa(pid)
	if at, err := os.Readlink(base + "/cwd"); err == nil && within(at, p.dir) {
		return true
	}
	for _, fd := range readDir(base + "/fd") {
		if at, err := os.Readlink(base + "/fd/" + fd.Name()); err == nil && within(at, p.dir) {
			return true
		}
	}
	return false
}

// call returns the name of a writer, for the user.
func (p *procs) call(e proc, kind relation) string {
	if kind == earlier {
		return "a background command"
	}
	return "another program (" + strings.ToValidUTF8(e.name, "?") + ")"
}
