package sessions

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// maxRetries is how often a locked database is tried again.
	maxRetries = 15
	// The pause before a retry is drawn evenly from this range.
	minPause, maxPause = 20 * time.Millisecond, 150 * time.Millisecond
	// checkpointEvery is after how many transactions the write-ahead log is
	// moved into the database. The first one behind it writes the log from its
	// beginning, which waits for the disk: with 200, fewer than one in a hundred do.
	checkpointEvery = 200
)

// writer is the one connection that writes. Whoever uses it holds DB.gate. Its
// statements do not listen to a context: a transaction is short, and one that is
// cut off in the middle of its commit would leave the caller in doubt.
type writer struct {
	pool   *sql.DB
	conn   *sql.Conn // nil after trouble; made again by connect
	setup  string    // what every connection runs first, may be empty
	stmts  map[string]*sql.Stmt
	writes int // transactions, but for those that were undone
	newer  *Error
}

// mayChange refuses to change a session that others have written to in a database whose
// layout is not known.
func (w *writer) mayChange(session string) error {
	if w.newer == nil || session == "" {
		return nil
	}
	others := false
	err := w.first(`SELECT NOT EXISTS (SELECT 1 FROM tui_links WHERE session = ?1) OR EXISTS (SELECT 1 FROM messages m
		LEFT JOIN tui_messages o ON o.row = m.id WHERE m.session_id = ?1 AND o.row IS NULL)
		FROM (SELECT 1) WHERE EXISTS (SELECT 1 FROM sessions WHERE id = ?1)`, []any{session}, &others)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // it is said elsewhere that there is none
	}
	if err == nil && others {
		return w.newer
	}
	return err
}

func newWriter(pool *sql.DB) *writer {
	pool.SetMaxOpenConns(1)
	pool.SetMaxIdleConns(-1) // what is given up is closed
	return &writer{pool: pool, stmts: map[string]*sql.Stmt{}}
}

func (w *writer) connect() error {
	if w.conn != nil {
		return nil
	}
	conn, err := w.pool.Conn(context.Background())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if w.setup != "" {
		if _, err := conn.ExecContext(context.Background(), w.setup); err != nil {
			return errors.Join(fmt.Errorf("set up connection: %w", err), conn.Close())
		}
	}
	w.conn = conn
	return nil
}

// disconnect gives the connection up.
func (w *writer) disconnect() error {
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	clear(w.stmts)
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
		w.conn = nil
	}
	return errors.Join(errs...)
}

// close ends the writer, with the log moved into the database if no one is in
// the way.
func (w *writer) close() error {
	if w.conn != nil {
		_ = w.checkpoint()
	}
	return errors.Join(w.disconnect(), w.pool.Close())
}

// prepare returns the statement for a text, prepared once per connection. Only
// constant texts may be given.
func (w *writer) prepare(query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	w.stmts[query] = s
	return s, nil
}

// exec runs a statement.
func (w *writer) exec(query string, args ...any) (sql.Result, error) {
	s, err := w.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.Exec(args...)
}

// affect runs a statement and returns how many rows it changed.
func (w *writer) affect(query string, args ...any) (int64, error) {
	r, err := w.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// first reads the first row of a query; sql.ErrNoRows says that there is none.
func (w *writer) first(query string, args []any, dest ...any) error {
	s, err := w.prepare(query)
	if err != nil {
		return err
	}
	return s.QueryRow(args...).Scan(dest...)
}

// transaction runs do within BEGIN IMMEDIATE and COMMIT. After an error nothing
// of it is stored, except that after an error of COMMIT itself it is unknown.
func (w *writer) transaction(do func(*writer) error) error {
	if err := w.connect(); err != nil {
		return err
	}
	if _, err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	err := do(w)
	if err == nil {
		if _, err = w.exec("COMMIT"); err == nil {
			w.writes++
			return nil
		}
		err = fmt.Errorf("commit: %w", err)
	}
	// SQLite ends the transaction by itself after some errors; the rollback is
	// refused then, and a fresh connection is the safe way on.
	if _, undo := w.exec("ROLLBACK"); undo != nil {
		_ = w.disconnect()
	}
	return err
}

// checkpoint moves the log into the database and cuts it to nothing, if no one is in the
// way. It keeps writers waiting meanwhile.
func (w *writer) checkpoint() error {
	_, err := w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// retry runs do until the database is free, at most [maxRetries] times more.
func retry(ctx context.Context, random io.Reader, do func() error) error {
	for tries := 0; ; tries++ {
		err := do()
		if !isBusy(err) || tries == maxRetries {
			return err
		}
		pause, randErr := jitter(random)
		if randErr != nil {
			return errors.Join(err, randErr)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ended(ctx)
		}
	}
}

// ended is the error of a context that is over, with its cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// jitter draws a pause.
func jitter(random io.Reader) (time.Duration, error) {
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return 0, fmt.Errorf("draw a pause: %w", err)
	}
	span := uint64(maxPause-minPause) + 1
	return minPause + time.Duration(binary.LittleEndian.Uint64(b[:])%span), nil
}
