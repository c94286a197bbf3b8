package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hermes-tui/agent/api"
	"hermes-tui/agent/export"
	"hermes-tui/store/atomicfile"
	"hermes-tui/store/sessions"
)

// ExportFormats are how a session can be written: md, html, json and sharegpt.
func ExportFormats() []string {
	var list []string
	for _, f := range export.Formats() {
		list = append(list, string(f))
	}
	return list
}

// Export writes a session, named as for [App.Resume], in one of [ExportFormats]. Secrets
// are masked unless raw is set. What was said before another program compressed it is part
// of it, except of turns for training.
func (a *App) Export(ctx context.Context, ref, format string, raw bool, w io.Writer) error {
	if !slices.Contains(ExportFormats(), format) {
		return &FormatError{format}
	}
	session, way, _ := refParts(ref)
	info, err := a.db.Resolve(ctx, session)
	if err != nil {
		return err
	}
	var s export.Session
	if way != "" {
		s, err = a.heldAt(ctx, info.Session+wayMark+way)
	} else if s, err = a.held(ctx, info.Session); err == nil {
		err = a.addEarlier(ctx, info.Session, &s)
	}
	if err != nil {
		return err
	}
	if s.Folder == "" {
		s.Folder = info.Workspace
	}
	if !raw {
		s = s.Masked(a.masker().Text)
	}
	return s.Painted(a.o.Highlight).Write(w, export.Format(format))
}

// held is what the store holds of a session.
func (a *App) held(ctx context.Context, session string) (export.Session, error) {
	row, err := a.db.Session(ctx, session)
	if err != nil {
		return export.Session{}, err
	}
	messages, err := a.db.Messages(ctx, session)
	if err != nil {
		return export.Session{}, err
	}
	return export.Of(row, messages)
}

// addEarlier adds what was said before a session was compressed by another program.
func (a *App) addEarlier(ctx context.Context, session string, s *export.Session) error {
	before, err := a.db.Before(ctx, session)
	if err != nil {
		return err
	}
	for _, id := range before {
		one, err := a.held(ctx, id)
		if err != nil {
			return err
		}
		if len(one.Messages) > 0 {
			s.Earlier = append(s.Earlier, export.Part{Title: one.Title, Started: one.Started, Messages: one.Messages})
		}
	}
	return nil
}

// ExportTo is [App.Export] to a file that must not be there yet, and is only when it is whole.
func (a *App) ExportTo(ctx context.Context, ref, format string, raw bool, name string) error {
	return atomicfile.Create(name, func(w io.Writer) error { return a.Export(ctx, ref, format, raw, w) })
}

// FormatError is a format that there is not.
type FormatError struct{ format string }

// Error names those there are.
func (e *FormatError) Error() string {
	return fmt.Sprintf("there is no format %q: %s", e.format, strings.Join(ExportFormats(), ", "))
}

// Share writes a session as one HTML file with secrets masked, which only the user can
// read, and returns its name. Nothing leaves the machine.
func (a *App) Share(ctx context.Context, session string) (file string, err error) {
	return a.ExportFile(ctx, session, string(export.HTML))
}

// ExportFile writes a session with secrets masked to a file of the home, in place of what
// was written of it before, and returns its name.
func (a *App) ExportFile(ctx context.Context, session, format string) (file string, err error) {
	id, way, _ := refParts(session)
	info, err := a.db.Resolve(ctx, id)
	if err != nil {
		return "", err
	}
	dir := a.o.Home.Exports()
	if err := atomicfile.MkdirPrivate(dir); err != nil {
		return "", err
	}
	var b strings.Builder
	if err := a.Export(ctx, session, format, false, &b); err != nil {
		return "", err
	}
	if way != "" {
		info.Session += "-" + way
	}
	end := format
	if end == string(export.ShareGPT) {
		end = "jsonl"
	}
	file = filepath.Join(dir, fileName(sessionInfo(info))+"."+end)
	return file, atomicfile.Write(file, []byte(b.String()), 0o600)
}

// fileName makes the name of a file of what a session is called.
func fileName(i api.SessionInfo) string {
	const most = 60
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '-'
	}, i.Title)
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	r := []rune(strings.Trim(name, "-"))
	if name = strings.Trim(string(r[:min(len(r), most)]), "-"); name != "" {
		name += "-"
	}
	return name + i.Session
}

// Import makes a session of one that was exported as JSON, and returns its id. What was
// said before another program compressed it becomes sessions that it goes on from.
func (a *App) Import(ctx context.Context, r io.Reader) (string, error) {
	s, err := export.Read(r)
	if err != nil {
		return "", err
	}
	folder := s.Folder
	if st, err := os.Stat(folder); err != nil || !st.IsDir() {
		folder = a.o.Dir // that of another machine
	}
	conv, first, last := string(a.o.IDs.Conv()), "", ""
	for _, p := range append(s.Earlier, export.Part{Title: s.Title, Started: s.Started, Messages: s.Messages}) {
		rows, err := export.Rows(p.Messages, func() string { return string(a.o.IDs.Message()) })
		title, long := sessions.CleanTitle(p.Title)
		if long != nil {
			title = ""
		}
		b := sessions.Batch{
			Conv: conv, Session: string(a.o.IDs.Session()), Messages: rows,
			Create: &sessions.NewSession{Source: "cli", Workspace: folder, Model: s.Model, Provider: s.Provider, Title: title, At: p.Started},
		}
		if last != "" {
			b.Create.Parent, b.Create.Why = last, sessions.WhyCompression
		}
		if err == nil {
			err = a.db.Commit(ctx, b)
		}
		if err != nil {
			if first != "" {
				err = errors.Join(err, a.db.Delete(context.WithoutCancel(ctx), first))
			}
			return "", err
		}
		if last = b.Session; first == "" {
			first = last
		}
	}
	return last, nil
}
