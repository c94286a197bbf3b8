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

// Server is what the own file keeps of a login at a server, a JSON object; nil for nothing.
func (s *Store) Server(name string) (json.RawMessage, error) {
	doc, err := s.own.read()
	if err != nil {
		return nil, err
	}
	return doc.get(topServers, name)
}

// ChangeServer changes what is kept of a login at a server, under the lock of the file: it
// proves that the file can be written, gives change what stands there now, and writes what
// that gives before the lock is given up; nil removes it. wait bounds the wait for the
// lock. What cannot be locked or written gives a [*FileError].
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
