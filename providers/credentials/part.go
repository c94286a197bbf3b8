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
	section, err := doc.section(topServers)
	if err != nil || section == nil {
		return nil, err
	}
	return section.get(name), nil
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
	section, err := doc.section(topServers)
	if err != nil {
		return err
	}
	if section == nil {
		section = &object{}
	}
	if err := s.own.write(doc, s.now()); err != nil {
		return err
	}
	fresh, err := change(section.get(name))
	if err != nil {
		return err
	}
	if fresh == nil {
		section.remove(name)
	} else {
		section.set(name, fresh)
	}
	doc.top.set(topServers, section.encode())
	return s.own.write(doc, s.now())
}

// serverLogins are the objects of the section.
func (d *document) serverLogins() (list []*object) {
	section, err := d.section(topServers)
	if err != nil || section == nil {
		return nil
	}
	for _, m := range section.members {
		if o, err := parseObject(m.value); err == nil {
			list = append(list, o)
		}
	}
	return list
}
