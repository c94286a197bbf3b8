package sessions

import (
	"context"
	"time"
)

// compressionLock is how long the lock of a compression holds unless it is taken again.
const compressionLock = 300 * time.Second

// LockCompression takes the lock under which a session may be compressed, which other
// programs respect as well, for five minutes from now. It reports false while someone
// else has it. Whoever has it may take it again.
func (d *DB) LockCompression(ctx context.Context, session, holder string) (taken bool, err error) {
	now := d.clock()
	err = d.write(ctx, "lock a compression", func(w *writer) error {
		n, err := w.affect(`INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (session_id) DO UPDATE SET holder = ?2, acquired_at = ?3, expires_at = ?4
			WHERE holder = ?2 OR CAST(expires_at AS REAL) <= ?3`, session, holder, seconds(now), seconds(now.Add(compressionLock)))
		taken = n > 0
		return err
	})
	return taken, err
}

// UnlockCompression gives a lock of [DB.LockCompression] back.
func (d *DB) UnlockCompression(ctx context.Context, session, holder string) error {
	return d.write(ctx, "unlock a compression", func(w *writer) error {
		_, err := w.exec("DELETE FROM compression_locks WHERE session_id = ? AND holder = ?", session, holder)
		return err
	})
}
