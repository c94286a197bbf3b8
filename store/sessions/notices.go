package sessions

import "context"

const leaveNotice = "INSERT INTO state_meta (key, value) SELECT 'tui_notice:' || (SELECT COUNT(*) + 1 FROM state_meta WHERE key LIKE 'tui_notice:%'), ?"

// LeaveNotice keeps a sentence for the next program with a user before it.
func (d *DB) LeaveNotice(ctx context.Context, text string) error {
	return d.write(ctx, "leave a notice", func(w *writer) error {
		_, err := w.exec(leaveNotice, text)
		return err
	})
}

// TakeNotices gives what [DB.LeaveNotice] has kept, and keeps it no longer.
func (d *DB) TakeNotices(ctx context.Context) (list []string, err error) {
	list, err = d.ids(ctx, "SELECT value FROM state_meta WHERE key LIKE 'tui_notice:%' ORDER BY key")
	if err != nil || len(list) == 0 || d.readOnly != nil {
		return list, err
	}
	return list, d.write(ctx, "take notices", func(w *writer) error {
		_, err := w.exec("DELETE FROM state_meta WHERE key LIKE 'tui_notice:%'")
		return err
	})
}
