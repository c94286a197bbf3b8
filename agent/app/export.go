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
// are masked unless raw is set. Of one that another program has compressed it is what was
// said since.
func (a *App) Export(ctx context.Context, ref, format string, raw bool, w io.Writer) error {
	if !slices.Contains(ExportFormats(), format) {
		return &FormatError{format}
	}
	info, err := a.db.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	s, err := a.held(ctx, info.Session)
	if err != nil {
		return err
	}
	if s.Folder == "" {
		s.Folder = info.Workspace
	}
	if !raw {
		s = s.Masked(a.masker().Text)
	}
	return s.Write(w, export.Format(format))
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

// ExportTo is [App.Export] to a file that must not be there yet. What fails leaves none.
func (a *App) ExportTo(ctx context.Context, ref, format string, raw bool, name string) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(a.Export(ctx, ref, format, raw, file), file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
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
	info, err := a.db.Resolve(ctx, session)
	if err != nil {
		return "", err
	}
	dir := a.o.Home.Exports()
	if err := atomicfile.MkdirPrivate(dir); err != nil {
		return "", err
	}
	var b strings.Builder
	if err := a.Export(ctx, session, string(export.HTML), false, &b); err != nil {
		return "", err
	}
	file = filepath.Join(dir, fileName(sessionInfo(info))+".html")
	return file, atomicfile.Write(file, []byte(b.String()), 0o600)
}

// fileName makes the name of a file of what a session is called.
func fileName(i SessionInfo) string {
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

// Import makes a session of one that was exported as JSON, and returns its id.
func (a *App) Import(ctx context.Context, r io.Reader) (string, error) {
	s, err := export.Read(r)
	if err != nil {
		return "", err
	}
	rows, err := s.Rows(func() string { return string(a.o.IDs.Message()) })
	if err != nil {
		return "", err
	}
	title, err := sessions.CleanTitle(s.Title)
	if err != nil {
		title = ""
	}
	folder := s.Folder
	if st, err := os.Stat(folder); err != nil || !st.IsDir() {
		folder = a.o.Dir // that of another machine
	}
	b := sessions.Batch{
		Conv: string(a.o.IDs.Conv()), Session: string(a.o.IDs.Session()), Messages: rows,
		Create: &sessions.NewSession{Source: "cli", Workspace: folder, Model: s.Model, Provider: s.Provider, Title: title, At: s.Started},
	}
	return b.Session, a.db.Commit(ctx, b)
}
