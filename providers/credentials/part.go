package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// topServers holds the logins at servers that are no model services, by name. Programs that
// do not know them keep them as they are.
const topServers = "mcp_logins"

// Server returns the JSON object that the own file keeps of a login at a server; nil for none.
func (s *Store) Server(name string) (json.RawMessage, error) {
	doc, err := s.own.read()
	if err != nil {
		return nil, err
	}
	return doc.get(topServers, name)
}

// ChangeServer changes what is kept of a login at a server, under the lock of the file: it
// proves that the file can be written, calls change with the present object, and writes the
// result before it releases the lock; nil removes it. wait bounds the wait for the lock. A
// file that cannot be locked or written is a [*FileError].
func (s *Store) ChangeServer(ctx context.Context, name string, wait time.Duration, change func(old json.RawMessage) (json.RawMessage, error)) (err error) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var l locks
	if err := l.lock(limited, s.own); err != nil {
		return errors.Join(err, l.unlock())
	}
	defer func() { err = errors.Join(err, l.unlock()) }()
	doc, err := s.own.read()
	if err != nil {
		return err
	}
	old, err := doc.get(topServers, name)
	if err != nil {
		return err
	}
	if err := s.own.write(doc, s.now()); err != nil {
		return err
	}
	fresh, err := change(old)
	if err != nil {
		return err
	}
	if err := doc.put(topServers, name, fresh); err != nil {
		return err
	}
	return s.own.write(doc, s.now())
}
