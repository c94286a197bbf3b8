package sessions

import (
	"context"
	"errors"
)

// errWarm ends the transaction of [DB.Warm].
var errWarm = errors.New("undone on purpose")

// Warm does what the first commit of a new session does and undoes it, so that the first
// message of a user does not wait for statements to be compiled and pages to be read.
// Nothing of it is stored. A database that cannot be written stays as it is.
func (d *DB) Warm(ctx context.Context) {
	b := Batch{
		Conv: "warm", Session: "warm", Create: &NewSession{Why: WhyNew},
		Messages: []Message{{ID: "warm", Role: "user", Content: "warm"}},
		Events:   []Event{{Seq: 1, Type: "warm", Body: []byte("{}")}},
		Effects:  []Effect{SetSystemPrompt{Text: "warm"}},
	}
	now := d.clock()
	_ = d.write(ctx, "warm up", func(w *writer) error { // only the next commit would tell
		return errors.Join(w.apply(&b, now), errWarm)
	})
}
