package sessions

import (
	"context"
	"errors"
	"time"
)

// How long an image is kept beside the messages: one that waits to be sent, and one
// that was sent and may be sent again after the text was taken back.
const (
	keepWaiting = 30 * 24 * time.Hour
	keepSent    = 24 * time.Hour
)

// KeepImage keeps an image that is attached to a draft or a queued text, until its
// message holds it. Keeping the same id again begins its time again. Images whose
// time is over go.
type KeepImage struct {
	ID        string
	MediaType string
	Data      []byte
	At        time.Time // zero means now
}

func (e KeepImage) check(*Batch) error {
	if !imageType(e.MediaType) || len(e.Data) == 0 {
		return errors.New("no image")
	}
	return needID(e.ID)
}

func (e KeepImage) apply(w *writer, _ *Batch, now time.Time) error {
	at := or(e.At, now)
	if err := w.forgetImages(at); err != nil {
		return err
	}
	_, err := w.exec(`INSERT INTO tui_images (id, media, data, kept_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET kept_at = excluded.kept_at, sent_at = NULL`, e.ID, e.MediaType, e.Data, seconds(at))
	return err
}

// forgetImages drops the images whose time is over.
func (w *writer) forgetImages(at time.Time) error {
	_, err := w.exec("DELETE FROM tui_images WHERE COALESCE(sent_at < ?, kept_at < ?)", seconds(at.Add(-keepSent)), seconds(at.Add(-keepWaiting)))
	return err
}

// ImagesSent says that messages hold these images now. One that is not kept is
// passed over.
type ImagesSent struct {
	IDs []string
	At  time.Time // zero means now
}

func (e ImagesSent) check(*Batch) error {
	for _, id := range e.IDs {
		if err := needID(id); err != nil {
			return err
		}
	}
	return nil
}

func (e ImagesSent) apply(w *writer, _ *Batch, now time.Time) error {
	for _, id := range e.IDs {
		if _, err := w.exec("UPDATE tui_images SET sent_at = ? WHERE id = ?", seconds(or(e.At, now)), id); err != nil {
			return err
		}
	}
	return w.forgetImages(or(e.At, now))
}

// Image is an image that [KeepImage] keeps; a [*NotFoundError] says that there is
// none.
func (d *DB) Image(ctx context.Context, id string) (Part, error) {
	var p Part
	found, err := d.one(ctx, "read image", "SELECT media, data FROM tui_images WHERE id = ?", []any{id}, orEmpty{&p.MediaType}, &p.Data)
	if err == nil && !found {
		err = &NotFoundError{What: "image", Ref: id}
	}
	return p, err
}
