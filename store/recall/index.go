package recall

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Key names a text: where it is kept, and under which name there.
type Key struct{ Source, Ref string }

// Doc is a text.
type Doc struct {
	Key
	Text string
	At   time.Time // when it was written
	Uses int       // how often it was of use
}

// Index finds texts.
type Index struct {
	db *sql.DB

	mu     sync.Mutex
	model  string // of the vectors in matrix
	matrix *Matrix
	newest int64 // row of the last vector in it
}

const schema = `
CREATE TABLE IF NOT EXISTS docs (id INTEGER PRIMARY KEY, source TEXT NOT NULL, ref TEXT NOT NULL, text TEXT NOT NULL,
	at INTEGER NOT NULL, uses INTEGER NOT NULL, UNIQUE (source, ref));
CREATE VIRTUAL TABLE IF NOT EXISTS docs_fts USING fts5(text, content='docs', content_rowid='id');
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, doc INTEGER NOT NULL, model TEXT NOT NULL, v BLOB NOT NULL, UNIQUE (doc, model));
CREATE TRIGGER IF NOT EXISTS docs_ai AFTER INSERT ON docs BEGIN INSERT INTO docs_fts(rowid, text) VALUES (new.id, new.text); END;
CREATE TRIGGER IF NOT EXISTS docs_ad AFTER DELETE ON docs BEGIN
	INSERT INTO docs_fts(docs_fts, rowid, text) VALUES ('delete', old.id, old.text); DELETE FROM vectors WHERE doc = old.id; END;
CREATE TRIGGER IF NOT EXISTS docs_au AFTER UPDATE OF text ON docs BEGIN
	INSERT INTO docs_fts(docs_fts, rowid, text) VALUES ('delete', old.id, old.text); INSERT INTO docs_fts(rowid, text) VALUES (new.id, new.text);
	DELETE FROM vectors WHERE doc = old.id; END;
PRAGMA user_version = 1;`

// Open opens the index in a file, and makes it when it is missing or damaged. The
// folder must exist.
func Open(ctx context.Context, path string) (*Index, error) {
	x, err := open(ctx, path)
	if err == nil || ctx.Err() != nil || !damaged(err) {
		return x, err
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if e := os.Remove(path + end); e != nil && !errors.Is(e, os.ErrNotExist) {
			return nil, errors.Join(err, e)
		}
	}
	return open(ctx, path)
}

// damaged reports whether an error says that a file is no sound database.
func damaged(err error) bool {
	text := err.Error()
	return strings.Contains(text, "malformed") || strings.Contains(text, "not a database") || strings.Contains(text, "no such column")
}

func open(ctx context.Context, path string) (*Index, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(2000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open the index of texts: %w", err)
	}
	db.SetMaxOpenConns(2)
	if _, err = db.ExecContext(ctx, schema); err == nil {
		_, err = db.ExecContext(ctx, "SELECT doc, model, v FROM vectors LIMIT 1")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the index of texts: %w", err), db.Close())
	}
	return &Index{db: db}, nil
}

// Close closes the index.
func (x *Index) Close() error { return x.db.Close() }

// Put makes a source hold exactly these texts. A text that is the same as before keeps
// its vectors.
func (x *Index) Put(ctx context.Context, source string, docs []Doc) error {
	return x.within(ctx, "keep texts", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "CREATE TEMP TABLE IF NOT EXISTS now_there (ref TEXT PRIMARY KEY)"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM now_there"); err != nil {
			return err
		}
		for _, d := range docs {
			d.Source = source
			if err := put(ctx, tx, d); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO now_there VALUES (?)", d.Ref); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM docs WHERE source = ? AND ref NOT IN (SELECT ref FROM now_there)", source)
		return err
	})
}

// put inserts a text or brings it up to date. Only a text that differs is written.
func put(ctx context.Context, tx *sql.Tx, d Doc) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO docs (source, ref, text, at, uses) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (source, ref) DO UPDATE SET at = excluded.at, uses = excluded.uses`, d.Source, d.Ref, d.Text, d.At.Unix(), d.Uses)
	if err == nil {
		_, err = tx.ExecContext(ctx, "UPDATE docs SET text = ? WHERE source = ? AND ref = ? AND text <> ?", d.Text, d.Source, d.Ref, d.Text)
	}
	return err
}

// Without gives those texts that have no vector of a model yet, at most so many.
func (x *Index) Without(ctx context.Context, model string, limit int) ([]Doc, error) {
	rows, err := x.db.QueryContext(ctx, `SELECT source, ref, text, at, uses FROM docs WHERE text <> '' AND
		NOT EXISTS (SELECT 1 FROM vectors WHERE doc = docs.id AND model = ?) ORDER BY id DESC LIMIT ?`, model, limit)
	if err != nil {
		return nil, fmt.Errorf("look for texts without vectors: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Doc
	for rows.Next() {
		d, at := Doc{}, int64(0)
		if err := rows.Scan(&d.Source, &d.Ref, &d.Text, &at, &d.Uses); err != nil {
			return nil, err
		}
		d.At = time.Unix(at, 0)
		list = append(list, d)
	}
	return list, rows.Err()
}

// Newest gives the greatest name of a source whose names are numbers, 0 for none.
func (x *Index) Newest(ctx context.Context, source, model string) (int64, error) {
	var n sql.NullInt64
	err := x.db.QueryRowContext(ctx, `SELECT MAX(CAST(ref AS INTEGER)) FROM docs WHERE source = ? AND
		EXISTS (SELECT 1 FROM vectors WHERE doc = docs.id AND model = ?)`, source, model).Scan(&n)
	return n.Int64, err
}

// Learn keeps vectors of texts, in the order of the texts. A text that is not known
// yet is kept without its words, as of a source that has them.
func (x *Index) Learn(ctx context.Context, model string, docs []Doc, vectors [][]float32) error {
	if len(docs) != len(vectors) {
		return fmt.Errorf("keep vectors: there are %d for %d texts", len(vectors), len(docs))
	}
	return x.within(ctx, "keep vectors", func(tx *sql.Tx) error {
		for i, d := range docs {
			if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO docs (source, ref, text, at, uses) VALUES (?, ?, '', ?, ?)", d.Source, d.Ref, d.At.Unix(), d.Uses); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO vectors (doc, model, v) SELECT id, ?, ? FROM docs WHERE source = ? AND ref = ? AND (text = '' OR text = ?)`,
				model, blob(vectors[i]), d.Source, d.Ref, d.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

// within runs a transaction.
func (x *Index) within(ctx context.Context, what string, f func(*sql.Tx) error) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err = f(tx); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", what, err), tx.Rollback())
	}
	if err = tx.Commit(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// blob and numbers convert a vector to and from how it is stored.
func blob(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

func numbers(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
