package bind

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"hermes-tui/store/atomicfile"
	"hermes-tui/store/sessions"
)

// Seal tells the permissions and decisions on folders that this program has stored
// from what something else has written into the database. The zero value knows none.
type Seal struct{ key []byte }

// sealSize is the length of a key in bytes.
const sealSize = 32

// OpenSeal reads the key from a file of its own, which is made, for this user alone,
// when there is none. made reports that.
func OpenSeal(ctx context.Context, file string) (s Seal, made bool, err error) {
	lock, err := atomicfile.Acquire(ctx, file+".lock")
	if err != nil {
		return Seal{}, false, fmt.Errorf("open the key of permissions: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	key, err := os.ReadFile(file)
	switch {
	case err == nil && len(key) == sealSize:
		return Seal{key}, false, nil
	case err == nil:
		return Seal{}, false, fmt.Errorf("the key of permissions %s is damaged: delete it, and give the permissions again", file)
	case !errors.Is(err, fs.ErrNotExist):
		return Seal{}, false, fmt.Errorf("read the key of permissions: %w", err)
	}
	key = make([]byte, sealSize)
	if _, err := rand.Read(key); err != nil {
		return Seal{}, false, err
	}
	if err := atomicfile.Write(file, key, 0o600); err != nil {
		return Seal{}, false, fmt.Errorf("make the key of permissions: %w", err)
	}
	return Seal{key}, true, nil
}

// mark is the MAC of a permission, one that holds or one that was taken back.
func (s Seal) mark(g sessions.Grant, revoked bool) string {
	h := hmac.New(sha256.New, s.key)
	fields := []string{
		g.ID, g.Conv, g.Kind, g.Pattern, g.Example, strconv.FormatInt(sealed(g.Created).UnixMilli(), 10), strconv.FormatBool(revoked),
	}
	if g.Pins != "" { // rows of older programs have none
		fields = append(fields, g.Pins)
	}
	for _, field := range fields {
		_, _ = io.WriteString(h, strconv.Itoa(len(field))+":"+field) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sealed is a time as exactly as the database keeps it for sure.
func sealed(at time.Time) time.Time { return at.Round(time.Millisecond) }

// Holds reports whether a permission, which was not taken back, is one that this
// program has stored.
func (s Seal) Holds(g sessions.Grant) bool {
	return s.key != nil && hmac.Equal([]byte(s.mark(g, false)), []byte(g.MAC))
}

// Revoke takes a permission back, or gives it again.
func (s Seal) Revoke(g sessions.Grant, undo bool) sessions.RevokeGrant {
	return sessions.RevokeGrant{ID: g.ID, Undo: undo, MAC: s.mark(g, !undo)}
}

// errNoSeal is why nothing can be stored that would count.
var errNoSeal = errors.New("there is no key for permissions")

// add stores a permission or a decision on a folder.
func (s Seal) add(ctx context.Context, db *sessions.DB, g sessions.Grant) error {
	if s.key == nil {
		return errNoSeal
	}
	g.Created = sealed(g.Created)
	return db.Commit(ctx, sessions.Batch{Effects: []sessions.Effect{sessions.AddGrant{
		ID: g.ID, Always: true, Kind: g.Kind, Pattern: g.Pattern, Example: g.Example, At: g.Created, MAC: s.mark(g, false), Pins: g.Pins,
	}}})
}
