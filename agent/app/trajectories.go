package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/export"
	"hermes-tui/agent/extend"
	"hermes-tui/store/atomicfile"
)

// The files of trajectories, named as the reference names them.
const (
	completedTrajectories = "trajectory_samples.jsonl"
	failedTrajectories    = "failed_trajectories.jsonl"
)

// trajectoryWait is how long a turn waits for other programs that add theirs.
const trajectoryWait = 5 * time.Second

// keepTrajectory adds a turn to those that are kept for training, where that is wanted.
// When it cannot, the user is told, once for each reason; the session has it all.
func (c *conversation) keepTrajectory(t extend.Trajectory) {
	a := c.app
	if !a.config().Sessions.Trajectories {
		c.noTrajectory = ""
		return
	}
	var line bytes.Buffer
	err := export.Trajectory{
		At: a.o.IDs.Now(), Model: t.Model, Completed: t.Completed, Tools: t.Tools, Messages: export.Sent(t.Messages),
	}.Masked(a.masker().Text).Write(&line)
	name := failedTrajectories
	if t.Completed {
		name = completedTrajectories
	}
	if err == nil {
		err = addLine(a.o.Home.Trajectories(), name, line.Bytes())
	}
	why := ""
	if err != nil {
		a.log.Warn("trajectory not kept", "err", err)
		why = err.Error()
		if held := (*atomicfile.HeldError)(nil); errors.As(err, &held) {
			why = held.Error()
		}
	}
	if why != "" && why != c.noTrajectory {
		c.Notify(event.LevelWarn, fmt.Sprintf("This turn is not in trajectories/%s (%s). The session has it: hermes-tui sessions export %s --format sharegpt.", name, why, c.Session()))
	}
	c.noTrajectory = why
}

// addLine adds a line to a file that other programs add lines to. A line is there as a whole
// or not at all: what could not be written is taken back, and what a killed program has
// left of one goes.
func addLine(dir, name string, line []byte) (err error) {
	if err := atomicfile.MkdirPrivate(dir); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), trajectoryWait)
	defer cancel()
	lock, err := atomicfile.Acquire(ctx, filepath.Join(dir, ".lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, tail, err := unfinished(f)
	if err != nil {
		return err
	}
	if json.Valid(tail) { // only its end is missing
		end, line = end+int64(len(tail)), append([]byte{'\n'}, line...)
	}
	_, err = f.WriteAt(line, end)
	if err == nil {
		err = f.Truncate(end + int64(len(line)))
	}
	if err == nil {
		err = f.Sync() // some file systems say only now that they are full
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}

// unfinished is where the last whole line of a file ends, and what stands behind it.
func unfinished(f *os.File) (end int64, tail []byte, err error) {
	end, err = f.Seek(0, io.SeekEnd)
	const piece = 64 << 10
	for err == nil && end > 0 {
		b := make([]byte, min(piece, end))
		if _, err = f.ReadAt(b, end-int64(len(b))); err != nil {
			break
		}
		at := bytes.LastIndexByte(b, '\n') + 1
		tail = append(b[at:], tail...)
		end -= int64(len(b) - at)
		if at > 0 {
			break
		}
	}
	return end, tail, err
}
