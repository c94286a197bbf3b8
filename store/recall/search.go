package recall

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Query is what is looked for.
type Query struct {
	// Text is looked for by its words, Vector by its direction among those of Model;
	// without one only words count.
	Text   string
	Vector []float32
	Model  string
	// Others are orders that the caller has, the best first.
	Others [][]Doc
	// Sources are where to look; nil is everywhere.
	Sources []string
	// Project leaves out texts about other projects; nil leaves out none.
	Project *string
	Limit   int
	Now     time.Time
}

// Hit is a text that was found. Text is empty for one that is kept elsewhere.
type Hit struct {
	Doc
	Score float64
	// Near is how near its vector is, from -1 to 1; 0 where that was not looked at.
	Near float64
}

// read are the columns of a text, with how often it was of use by what [Index.Used] counts.
const read = `docs.source, docs.ref, docs.text, docs.project, docs.at,
	docs.uses + COALESCE((SELECT n FROM used WHERE used.source = docs.source AND used.ref = docs.ref), 0)`

// How orders are brought together: an entry counts 1/(fuse+rank) in each of them,
// more when it is newer and when it was used. Of vectors, those count that are at
// least near.
const (
	fuse     = 60
	halfLife = 90 * 24 * time.Hour
	fresh    = 0.3 // share of the score that age takes away in the end
	near     = 0.25
	deep     = 100 // entries of an order that are looked at
)

// Search finds texts, the best first.
func (x *Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	byWords, err := x.byWords(ctx, q)
	if err != nil {
		return nil, err
	}
	byMeaning, near, err := x.byMeaning(ctx, q)
	if err != nil {
		return nil, err
	}
	if q.Others, err = x.counted(ctx, q.Others); err != nil {
		return nil, err
	}
	found := map[Key]*Hit{}
	for _, order := range append([][]Doc{byMeaning, byWords}, q.Others...) {
		for rank, d := range order {
			h := found[d.Key]
			if h == nil {
				h = &Hit{Doc: d}
				found[d.Key] = h
			}
			if h.Text == "" {
				h.Text = d.Text
			}
			h.Near = near[d.Key]
			h.Score += 1 / float64(fuse+rank+1)
		}
	}
	var list []Hit
	for _, h := range found {
		age := max(q.Now.Sub(h.At), 0)
		h.Score *= 1 - fresh + fresh*math.Exp2(-float64(age)/float64(halfLife))
		h.Score *= 1 + 0.1*math.Log1p(float64(h.Uses))
		list = append(list, *h)
	}
	slices.SortFunc(list, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At), strings.Compare(a.Ref, b.Ref))
	})
	return list[:min(len(list), q.Limit)], nil
}

// byWords is the order of the full-text index. Any word is enough; more of them, and
// rarer ones, count more.
func (x *Index) byWords(ctx context.Context, q Query) ([]Doc, error) {
	match := anyOf(q.Text)
	if match == "" {
		return nil, nil
	}
	where, args := q.where()
	return x.docs(ctx, "SELECT "+read+` FROM docs_fts JOIN docs ON docs.id = docs_fts.rowid
		WHERE docs_fts MATCH ?`+where+` ORDER BY rank LIMIT ?`, append(append([]any{match}, args...), deep)...)
}

// where restricts a statement to the sources and the project.
func (q Query) where() (sql string, args []any) {
	for _, s := range q.Sources {
		args = append(args, s)
	}
	if len(args) > 0 {
		sql = " AND docs.source IN (?" + strings.Repeat(", ?", len(args)-1) + ")"
	}
	if q.Project != nil {
		sql, args = sql+" AND docs.project IN ('', ?)", append(args, *q.Project)
	}
	return sql, args
}

// counted adds to orders of the caller how often their texts were of use.
func (x *Index) counted(ctx context.Context, orders [][]Doc) ([][]Doc, error) {
	all := make([][]Doc, len(orders))
	for i, order := range orders {
		all[i] = slices.Clone(order)
		for j := range order {
			d, n := &all[i][j], 0
			err := x.db.QueryRowContext(ctx, "SELECT n FROM used WHERE source = ? AND ref = ?", d.Source, d.Ref).Scan(&n)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, fmt.Errorf("read how often texts were used: %w", err)
			}
			d.Uses += n
		}
	}
	return all, nil
}

// docs reads texts.
func (x *Index) docs(ctx context.Context, query string, args ...any) ([]Doc, error) {
	rows, err := x.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("look for texts: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Doc
	for rows.Next() {
		var d Doc
		var at int64
		if err := rows.Scan(&d.Source, &d.Ref, &d.Text, &d.Project, &at, &d.Uses); err != nil {
			return nil, fmt.Errorf("look for texts: %w", err)
		}
		d.At = time.Unix(at, 0)
		list = append(list, d)
	}
	return list, rows.Err()
}

// byMeaning is the order of the vectors, with how near they are.
func (x *Index) byMeaning(ctx context.Context, q Query) (docs []Doc, cosines map[Key]float64, err error) {
	if len(q.Vector) == 0 {
		return nil, nil, nil
	}
	matrix, err := x.vectors(ctx, q.Model, len(q.Vector))
	if err != nil {
		return nil, nil, err
	}
	type scored struct {
		doc   Doc
		score float64
	}
	var list []scored
	for _, n := range matrix.Nearest(q.Vector, 2*deep) {
		where, args := q.where()
		var d Doc
		var at int64
		var v []byte
		err := x.db.QueryRowContext(ctx, "SELECT "+read+`, vectors.v FROM vectors JOIN docs ON docs.id = vectors.doc
			WHERE vectors.id = ?`+where, append([]any{n.ID}, args...)...).Scan(&d.Source, &d.Ref, &d.Text, &d.Project, &at, &d.Uses, &v)
		if errors.Is(err, sql.ErrNoRows) { // gone meanwhile, or of another source
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read vectors: %w", err)
		}
		d.At = time.Unix(at, 0)
		if s := exact(q.Vector, numbers(v)); s >= near {
			list = append(list, scored{d, s})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	cosines = map[Key]float64{}
	for _, s := range list[:min(len(list), deep)] {
		docs, cosines[s.doc.Key] = append(docs, s.doc), s.score
	}
	return docs, cosines, nil
}

// exact is the cosine of two vectors of one length.
func exact(a, b []float32) float64 {
	var dot, x, y float64
	for i := range min(len(a), len(b)) {
		p, q := float64(a[i]), float64(b[i])
		dot, x, y = dot+p*q, x+p*p, y+q*q
	}
	if x == 0 || y == 0 {
		return 0
	}
	return dot / math.Sqrt(x*y)
}

// maxVectors bounds those in memory, the newest; a vector of 768 numbers takes 800
// bytes.
const maxVectors = 200_000

// vectors gives those of a model, with what has come since the last time.
func (x *Index) vectors(ctx context.Context, model string, dims int) (*Matrix, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.matrix == nil || x.model != model || x.matrix.dims != dims || x.matrix.Len() > maxVectors+maxVectors/4 {
		x.matrix, x.model, x.newest = NewMatrix(dims), model, 0
	}
	rows, err := x.db.QueryContext(ctx, "SELECT id, v FROM (SELECT id, v FROM vectors WHERE model = ? AND id > ? ORDER BY id DESC LIMIT ?) ORDER BY id", model, x.newest, maxVectors)
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	defer func() { _ = rows.Close() }()
	grown := *x.matrix // a search may be under way in the other one
	for rows.Next() {
		var id int64
		var v sql.RawBytes
		if err := rows.Scan(&id, &v); err != nil {
			return nil, fmt.Errorf("read vectors: %w", err)
		}
		grown.Add(id, numbers(v))
		x.newest = id
	}
	x.matrix = &grown
	return x.matrix, rows.Err()
}
