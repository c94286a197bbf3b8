package clipboard

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hermes-tui/ui/term"
)

// Patience is how long a read may take.
const Patience = 5 * time.Second

// MaxBytes is the size of the largest image that is read, in bytes.
const MaxBytes = 20 << 20

// Kind says why there is no image.
type Kind int

// The kinds.
const (
	// NoTool: nothing is installed that reads images off the clipboard.
	NoTool Kind = iota
	// NoImage: the clipboard holds something else, or nothing.
	NoImage
	// Unreachable: the clipboard is on another machine, or there is none.
	Unreachable
	// TooLarge: the image has more than [MaxBytes].
	TooLarge
	// Failed: a tool did not do its work.
	Failed
)

// Error is why there is no image: a sentence that says what to do.
type Error struct {
	Kind Kind
	// Tools are those that are missing, or the one that failed.
	Tools []string
}

// Error implements error.
func (e *Error) Error() string {
	switch tools := strings.Join(e.Tools, " or "); e.Kind {
	case NoTool:
		return "no program is installed that reads images off the clipboard: install " + tools + ", or attach a file with @"
	case NoImage:
		return "there is no image on the clipboard: copy one first, or attach a file with @; text is pasted by the terminal's own key"
	case Unreachable:
		return "the clipboard cannot be reached from here: save the image on this machine and attach it with @"
	case TooLarge:
		return "the image on the clipboard is too large: save it smaller and attach it with @"
	default:
		return tools + " could not read the clipboard: try again, or attach a file with @"
	}
}

// tool is a way to read the clipboard.
type tool struct {
	program string
	// types lists what the clipboard holds, one a line; nil asks for nothing.
	types []string
	// read gives the arguments that bring an image of a type, the usual one where
	// types is nil.
	read func(media string) []string
	// unpack makes bytes of what the tool writes, nil for those themselves.
	unpack func([]byte) []byte
}

// wanted are the types of images, best first.
func wanted() []string { return []string{"image/png", "image/jpeg", "image/webp", "image/gif"} }

// Read reads an image off the clipboard.
func Read(ctx context.Context, e term.Env) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	tools := toolsFor(e)
	if len(tools) == 0 {
		return nil, &Error{Kind: Unreachable}
	}
	var missing []string
	var failed error
	for _, t := range tools {
		data, err := t.image(ctx)
		if err == nil {
			return data, nil
		}
		none, known := errors.AsType[*Error](err)
		switch {
		case known && none.Kind == NoTool:
			missing = append(missing, t.program)
		case failed == nil || known && none.Kind != Failed:
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, &Error{NoTool, missing}
}

// image reads an image with a tool.
func (t tool) image(ctx context.Context) ([]byte, error) {
	media := wanted()[0]
	if t.types != nil {
		list, err := run(ctx, t.program, t.types)
		if err != nil {
			return nil, err
		}
		held := strings.Fields(string(list))
		i := slices.IndexFunc(wanted(), func(w string) bool { return slices.Contains(held, w) })
		if i < 0 {
			return nil, &Error{Kind: NoImage}
		}
		media = wanted()[i]
	}
	data, err := run(ctx, t.program, t.read(media))
	if err == nil && t.unpack != nil {
		data = t.unpack(data)
	}
	switch {
	case err != nil:
		return nil, err
	case len(data) == 0:
		return nil, &Error{Kind: NoImage}
	case len(data) > MaxBytes:
		return nil, &Error{TooLarge, []string{t.program}}
	}
	return data, nil
}
