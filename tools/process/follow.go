package process

import (
	"context"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"hermes-tui/tools/place"
)

const (
	// lookEvery is how often the file of a running job is looked at.
	lookEvery = 50 * time.Millisecond
	// maxLog is the size at which it is emptied.
	maxLog = 64 << 20
	// maxBehind is how far reading may be behind before output is skipped.
	maxBehind = 8 << 20
	// chunk is how much is read at once.
	chunk = 64 << 10
)

// follow reads the output of a job with a log until the job has ended or is left
// to itself. The output of one with a terminal comes by itself.
func (j *job) follow(ended <-chan struct{}) {
	if j.log == "" {
		select {
		case <-ended:
		case <-j.left:
		}
		return
	}
	f := follower{job: j, at: j.read, buf: make([]byte, chunk)}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f.look()
		case <-ended:
			f.look()
			return
		case <-j.left:
			return
		}
	}
}

// follower reads a log. It belongs to one goroutine.
type follower struct {
	job *job
	at  int64 // how far it was read
	buf []byte
}

// look reads what has been added. A file that became shorter was emptied.
func (f *follower) look() {
	fsys := f.job.all.o.Place.FS()
	st, err := fsys.Lstat(f.job.log)
	if err != nil || !st.Mode().IsRegular() || st.Size() == f.at {
		return
	}
	if st.Size() < f.at {
		f.at = 0
	}
	if behind := st.Size() - f.at; behind > maxBehind {
		skipped := behind - maxBytes
		f.job.out.skip(skipped)
		f.at += skipped
	}
	if f.read(fsys) && f.at >= maxLog {
		f.empty()
	}
}

// read reads to the end of the file, which may go on growing meanwhile.
func (f *follower) read(fsys place.FS) bool {
	file, err := openLog(fsys, f.job.log)
	if err != nil {
		return false
	}
	defer file.Close()
	for budget := maxBehind; budget > 0; {
		n, err := file.ReadAt(f.buf, f.at)
		_, _ = f.job.Write(f.buf[:n]) // it never fails
		f.at += int64(n)
		budget -= n
		if err != nil || n == 0 {
			break
		}
	}
	return true
}

// openLog opens a log, and nothing that a link leads to.
func openLog(fsys place.FS, name string) (place.File, error) {
	direct, ok := fsys.(interface {
		OpenReal(name string) (place.File, error)
	})
	if real, err := fsys.Resolve(filepath.Dir(name)); ok && err == nil {
		return direct.OpenReal(filepath.Join(real, filepath.Base(name)))
	}
	return fsys.Open(name)
}

// emptyWait bounds the time that emptying takes.
const emptyWait = 10 * time.Second

// emptyLog gives what came after the first so many bytes, up to a bound, since a job
// may write faster than that is read, and empties the file.
const emptyLog = `tail -c "+$2" "$1" | head -c "$3"; : >|"$1"`

// empty takes the rest and empties the file. The job goes on writing at its
// beginning, since the place has opened it for appending. What is written between
// the two is lost.
func (f *follower) empty() {
	if local, ok := f.job.all.o.Place.FS().(interface {
		TakeRest(name string, at int64, most int) ([]byte, error)
	}); ok {
		if rest, err := local.TakeRest(f.job.log, f.at, maxBehind); err == nil {
			_, _ = f.job.Write(rest) // it never fails
			f.at = 0
		}
		return // or it is tried again when more was written
	}
	ctx, cancel := context.WithTimeout(context.Background(), emptyWait)
	defer cancel()
	p, err := f.job.all.o.Place.Start(ctx, place.Proc{
		Argv: []string{
			f.job.all.o.Place.Info().Shell, "-c", emptyLog, "empty", f.job.log, strconv.FormatInt(f.at+1, 10), strconv.Itoa(maxBehind),
		},
		Dir: filepath.Dir(f.job.log), Env: []string{"PATH=/usr/bin:/bin"},
		Stdout: writer(func(b []byte) {
			f.at += int64(len(b))
			_, _ = f.job.Write(b) // it never fails
		}), Stderr: io.Discard,
	})
	if err != nil {
		return // it is tried again when more was written
	}
	if exit, err := p.Wait(); err == nil && exit.Code == 0 {
		f.at = 0
	}
}

// writer is a function that takes output.
type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

// removeLog deletes a log, and its folder if that is not own and empty now.
func removeLog(fsys place.FS, log, own string) {
	if st, err := fsys.Lstat(log); err != nil || !st.Mode().IsRegular() {
		return
	}
	_ = fsys.Remove(log + place.LogRef)
	_ = fsys.Remove(log) // what is left in a private folder harms no one
	if dir := filepath.Dir(log); dir != own {
		_ = fsys.Remove(dir) // it has others in it
	}
}

// lastOf reads the end of the log of an earlier run, and tells where that is.
func lastOf(fsys place.FS, log string) (text []byte, at int64) {
	file, err := openLog(fsys, log)
	if err != nil {
		return nil, 0
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, 0
	}
	from := max(0, st.Size()-maxBytes)
	text = make([]byte, st.Size()-from)
	n, _ := file.ReadAt(text, from) // as far as it can be read
	return text[:n], from + int64(n)
}
