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
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hermes-tui/store/atomicfile"

	_ "modernc.org/sqlite" // the driver
)

// Key names a text: where it is kept, and under which name there.
type Key struct{ Source, Ref string }

// Doc is a text.
type Doc struct {
	Key
	Text string
	// Project is what it is about, empty for everything.
	Project string
	At      time.Time // when it was written
	Uses    int       // how often it was of use, besides what [Index.Used] counts
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
	at INTEGER NOT NULL, uses INTEGER NOT NULL, project TEXT NOT NULL DEFAULT '', grams TEXT NOT NULL DEFAULT '', UNIQUE (source, ref));
CREATE VIRTUAL TABLE IF NOT EXISTS docs_fts USING fts5(text, grams, content='docs', content_rowid='id');
CREATE TABLE IF NOT EXISTS used (source TEXT NOT NULL, ref TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (source, ref)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, doc INTEGER NOT NULL, model TEXT NOT NULL, v BLOB NOT NULL, UNIQUE (doc, model));
CREATE TRIGGER IF NOT EXISTS docs_ai AFTER INSERT ON docs BEGIN INSERT INTO docs_fts(rowid, text, grams) VALUES (new.id, new.text, new.grams); END;
CREATE TRIGGER IF NOT EXISTS docs_ad AFTER DELETE ON docs BEGIN
	INSERT INTO docs_fts(docs_fts, rowid, text, grams) VALUES ('delete', old.id, old.text, old.grams); DELETE FROM vectors WHERE doc = old.id; END;
CREATE TRIGGER IF NOT EXISTS docs_au AFTER UPDATE OF text, grams ON docs BEGIN
	INSERT INTO docs_fts(docs_fts, rowid, text, grams) VALUES ('delete', old.id, old.text, old.grams);
	INSERT INTO docs_fts(rowid, text, grams) VALUES (new.id, new.text, new.grams);
	DELETE FROM vectors WHERE doc = old.id AND old.text <> new.text; END;
PRAGMA user_version = 2;`

// upgrade adds what the first version has not; the vectors of its texts stay.
const upgrade = `DROP TRIGGER docs_ai; DROP TRIGGER docs_ad; DROP TRIGGER docs_au; DROP TABLE docs_fts;
ALTER TABLE docs ADD COLUMN project TEXT NOT NULL DEFAULT ''; ALTER TABLE docs ADD COLUMN grams TEXT NOT NULL DEFAULT '';
` + schema + `
INSERT INTO docs_fts(docs_fts) VALUES ('rebuild');`

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
	// Made here, it is for the user alone, and so is what SQLite puts beside it.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = errors.Join(file.Chmod(0o600), file.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("open the index of texts: %w", err)
	}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(2000)&_txlock=immediate"
	if atomicfile.OnNetwork(filepath.Dir(path)) {
		dsn += "&_pragma=journal_mode(DELETE)"
	} else {
		dsn += "&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open the index of texts: %w", err)
	}
	db.SetMaxOpenConns(2)
	if err = prepare(ctx, db); err == nil {
		_, err = db.ExecContext(ctx, "SELECT doc, model, v, grams FROM vectors JOIN docs ON docs.id = doc LIMIT 1")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the index of texts: %w", err), db.Close())
	}
	return &Index{db: db}, nil
}

// version is that of the tables.
const version = 2

// prepare makes the tables, or adds to those of the first version. It writes nothing where
// they are there, since that costs a disk three syncs.
func prepare(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	var has int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&has); err != nil || has == version {
		return err
	}
	if _, err = conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err = conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&has); err == nil {
		change := schema
		if has == 1 {
			change = upgrade
		}
		_, err = conn.ExecContext(ctx, change)
	}
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	_, err2 := conn.ExecContext(context.WithoutCancel(ctx), end)
	return errors.Join(err, err2)
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
	pairs := grams(d.Text)
	_, err := tx.ExecContext(ctx, `INSERT INTO docs (source, ref, text, project, grams, at, uses) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (source, ref) DO UPDATE SET at = excluded.at, uses = excluded.uses, project = excluded.project`,
		d.Source, d.Ref, d.Text, d.Project, pairs, d.At.Unix(), d.Uses)
	if err == nil {
		_, err = tx.ExecContext(ctx, "UPDATE docs SET text = ?, grams = ? WHERE source = ? AND ref = ? AND (text <> ? OR grams <> ?)", d.Text, pairs, d.Source, d.Ref, d.Text, pairs)
	}
	return err
}

// Without gives those texts that have no vector of a model yet, at most so many.
func (x *Index) Without(ctx context.Context, model string, limit int) ([]Doc, error) {
	return x.docs(ctx, "SELECT "+read+` FROM docs WHERE text <> '' AND
		NOT EXISTS (SELECT 1 FROM vectors WHERE doc = docs.id AND model = ?) ORDER BY id DESC LIMIT ?`, model, limit)
}

// Model returns the model that made the newest vector, empty for none.
func (x *Index) Model(ctx context.Context) (model string, err error) {
	err = x.db.QueryRowContext(ctx, "SELECT COALESCE((SELECT model FROM vectors ORDER BY id DESC LIMIT 1), '')").Scan(&model)
	return model, err
}

// Reach gives the least and the greatest name of the texts with vectors of a source whose
// names are numbers, 0 for none, and how many there are.
func (x *Index) Reach(ctx context.Context, source, model string) (oldest, newest int64, count int, err error) {
	var least, most sql.NullInt64
	err = x.db.QueryRowContext(ctx, `SELECT MIN(CAST(ref AS INTEGER)), MAX(CAST(ref AS INTEGER)), COUNT(*) FROM docs WHERE source = ? AND
		EXISTS (SELECT 1 FROM vectors WHERE doc = docs.id AND model = ?)`, source, model).Scan(&least, &most, &count)
	return least.Int64, most.Int64, count, err
}

// Used counts that texts were of use, also such as the index does not hold.
func (x *Index) Used(ctx context.Context, keys []Key) error {
	return x.within(ctx, "count uses", func(tx *sql.Tx) error {
		for _, k := range keys {
			if _, err := tx.ExecContext(ctx, "INSERT INTO used VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1", k.Source, k.Ref); err != nil {
				return err
			}
		}
		return nil
	})
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
