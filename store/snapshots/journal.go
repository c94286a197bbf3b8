package snapshots

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"time"
)

// The kinds of records in a journal.
const (
	recBegin   = "begin"   // a call is about to run
	recChanges = "changes" // what changed, and whose it is
	recEnd     = "end"     // a call has ended and its changes are recorded
	recRewind  = "rewind"  // a part of what a rewind is about to do
	recGo      = "go"      // that was all of it; it begins
	recRewound = "rewound" // a rewind has ended
	recSettled = "settled" // whoever asked for a rewind knows that it has ended
)

// rowsPerRecord is how many changes one record holds at most.
const rowsPerRecord = 1000

// record is a line of the journal.
type record struct {
	N       uint64      `json:"n"` // counts up from 1
	At      time.Time   `json:"at"`
	Kind    string      `json:"kind"`
	Call    *CallRef    `json:"call,omitempty"`    // begin, end
	Tree    bool        `json:"tree,omitempty"`    // begin: anything may change
	Paths   []name      `json:"paths,omitempty"`   // begin: what may change; rewound: what was not done
	Calls   []CallRef   `json:"calls,omitempty"`   // changes: whose; none is someone else's
	Unsure  bool        `json:"unsure,omitempty"`  // changes
	Doubt   string      `json:"doubt,omitempty"`   // changes
	ID      string      `json:"id,omitempty"`      // rewind, go, rewound, settled
	Undoes  string      `json:"undoes,omitempty"`  // rewind: the one it takes back
	Note    string      `json:"note,omitempty"`    // go: of who asked for it
	Changes []changeRow `json:"changes,omitempty"` // changes, rewind
}

// changeRow is a change in the journal. Back is the number of the record to which
// a rewind goes back: the first that it undoes for this path.
type changeRow struct {
	Path   name   `json:"p"`
	Before State  `json:"b"`
	After  State  `json:"a"`
	Back   uint64 `json:"back,omitempty"`
}

// line is the record as it stands in the file: checksum, blank, JSON, newline.
func (r *record) line() ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	b := fmt.Appendf(nil, "%08x ", crc32.ChecksumIEEE(body))
	return append(append(b, body...), '\n'), nil
}

// parseLine reads a line without its newline.
func parseLine(b []byte) (*record, error) {
	if len(b) < 9 || b[8] != ' ' {
		return nil, errors.New("not a record")
	}
	sum, err := strconv.ParseUint(string(b[:8]), 16, 32)
	if err != nil || uint32(sum) != crc32.ChecksumIEEE(b[9:]) {
		return nil, errors.New("the checksum is wrong")
	}
	var r record
	if err := json.Unmarshal(b[9:], &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// parseJournal reads a journal. A last line without end was never completed; other
// lines that cannot be read are counted and passed over.
func parseJournal(data []byte) (records []*record, good int64, damaged int) {
	for {
		line, rest, ok := bytes.Cut(data, []byte{'\n'})
		if !ok {
			return records, good, damaged
		}
		r, err := parseLine(line)
		if err != nil || len(records) > 0 && r.N <= records[len(records)-1].N {
			damaged++
		} else {
			records = append(records, r)
		}
		good += int64(len(line) + 1)
		data = rest
	}
}

// journal is the file of records.
type journal struct {
	f    *os.File
	size int64
	next uint64
	now  func() time.Time
	dir  string
}

// openJournal opens a journal, or makes one.
func openJournal(dir, path string, now func() time.Time) (*journal, []*record, int, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, 0, err
	}
	fail := func(err error) (*journal, []*record, int, error) { return nil, nil, 0, errors.Join(err, f.Close()) }
	if err := f.Chmod(0o600); err != nil {
		return fail(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fail(err)
	}
	records, good, damaged := parseJournal(data)
	if err := f.Truncate(good); err != nil {
		return fail(err)
	}
	j := &journal{f: f, size: good, next: 1, now: now, dir: dir}
	if n := len(records); n > 0 {
		j.next = records[n-1].N + 1
	} else {
		syncDir(dir)
	}
	return j, records, damaged, nil
}

// append writes records in one piece and flushes them to the disk. After an error
// none of them is there.
func (j *journal) append(records ...*record) error {
	if len(records) == 0 {
		return nil
	}
	var all []byte
	next := j.next
	for _, r := range records {
		r.N, r.At = next, j.now().UTC()
		next++
		line, err := r.line()
		if err != nil {
			return fmt.Errorf("record a file change: %w", err)
		}
		all = append(all, line...)
	}
	_, err := j.f.WriteAt(all, j.size)
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		_ = j.f.Truncate(j.size) // else the next record overwrites it
		return storeError(j.dir, "record a file change", err)
	}
	j.size += int64(len(all))
	j.next = next
	return nil
}

func (j *journal) close() error { return j.f.Close() }
