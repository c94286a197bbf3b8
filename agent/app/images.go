package app

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"hermes-tui/agent/attach"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/place"
)

// NoImage reports whether an error of attaching says that there is no such file, or
// that it is no image: what names it may be meant as a text.
func NoImage(err error) bool {
	if e, ok := errors.AsType[*attach.Error](err); ok {
		return e.Kind == attach.NotImage
	}
	return Missing(err)
}

// Missing reports whether an error of attaching says that there is nothing to read
// under that name.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, place.ErrNotRegular) || errors.Is(err, fs.ErrInvalid)
}

// AttachFile implements [Conversation].
func (c *conversation) AttachFile(ctx context.Context, name string) (event.Attachment, error) {
	info := c.place.Info()
	clean := path.Clean
	if c.remote == nil {
		clean = filepath.Clean
	}
	switch rest, home := strings.CutPrefix(name, "~/"); {
	case home && info.Home != "":
		name = info.Home + "/" + rest
	case !path.IsAbs(name) && !(c.remote == nil && filepath.IsAbs(name)):
		name = c.dir + "/" + name
	}
	return c.attach(ctx, c.place.FS(), clean(name))
}

// AttachLocal implements [Conversation].
func (c *conversation) AttachLocal(ctx context.Context, name string) (event.Attachment, error) {
	if rest, home := strings.CutPrefix(name, "~/"); home {
		name = filepath.Join(c.app.place.Info().Home, rest)
	}
	return c.attach(ctx, c.app.place.FS(), filepath.Clean(name))
}

// attach reads an image through a file system, as a tool that reads files does.
func (c *conversation) attach(ctx context.Context, files place.FS, name string) (event.Attachment, error) {
	f, err := files.Open(name)
	if err != nil {
		return event.Attachment{}, openError(name, err)
	}
	defer f.Close()
	i, err := attach.Read(f, name, attach.Default())
	if err != nil {
		return event.Attachment{}, err
	}
	return c.Attach(ctx, name, i)
}

// openError says in a sentence why a file cannot be opened.
func openError(name string, err error) error {
	var what string
	switch name := attach.Name(name); {
	case errors.Is(err, fs.ErrNotExist):
		what = "there is no file " + name
	case errors.Is(err, fs.ErrPermission):
		what = "the file " + name + " may not be read: change its permissions, or attach a copy"
	case errors.Is(err, place.ErrNotRegular):
		what = "the file " + name + " is a pipe or a device and not a file"
	default:
		what = "the file " + name + " cannot be read"
	}
	return &fileError{what, err}
}

// fileError is a sentence with its cause.
type fileError struct {
	what string
	err  error
}

// Error implements error.
func (e *fileError) Error() string { return e.what }

// Unwrap gives the cause.
func (e *fileError) Unwrap() error { return e.err }

// AttachData implements [Conversation].
func (c *conversation) AttachData(ctx context.Context, name string, data []byte) (event.Attachment, error) {
	i, err := attach.Fit(data, name, attach.Default())
	if err != nil {
		return event.Attachment{}, err
	}
	return c.Attach(ctx, name, i)
}

// eyes look at images for the agents of a conversation.
type eyes struct{ c *conversation }

// Sees implements [vision.Eyes].
func (e eyes) Sees() bool { return e.c.side.Sees() }

// Kept implements [vision.Eyes].
func (e eyes) Kept(ctx context.Context, id string) ([]byte, error) {
	i, err := e.c.app.db.Image(ctx, id)
	if _, none := errors.AsType[*sessions.NotFoundError](err); none {
		err = errors.New("there is no image " + id)
	}
	return i.Data, err
}

// Analyze implements [vision.Eyes].
func (e eyes) Analyze(ctx context.Context, question string, data []byte, name string) (text, model string, err error) {
	i, err := attach.Fit(data, name, attach.Default())
	if err != nil {
		return "", "", err
	}
	return e.c.side.Look(ctx, question, providers.Image{MediaType: i.MediaType, Data: i.Data})
}
