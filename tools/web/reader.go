package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

// What strangers have made is made text of in a process of its own: that can be ended,
// whatever it is busy with, and what it reads into its memory goes with it.

// Source is what text is to be made of.
type Source struct {
	Form string // what it is, one of the forms
	// Sent is the type that it was sent with, URL where it is from.
	Sent, URL string
	Body      []byte `json:"-"`
}

// Made is the text of it. Title is empty for none.
type Made struct{ Title, Text string }

// Reader begins to start a process that makes one text.
type Reader func(ctx context.Context) Making

// Making is such a process.
type Making interface {
	// Text makes the text. It is called once. An error is a sentence for a user.
	Text(ctx context.Context, s Source) (Made, error)
	// Close ends the process if it is not needed.
	Close()
}

// The forms of which text is made so.
const (
	htmlForm = "html"
	pdfForm  = "pdf"
	feedForm = "feed"
)

// forms make the text of each.
var forms = map[string]func(Source) (Made, error){htmlForm: articleOf, pdfForm: pdfOf, feedForm: feedOf}

// formOf is the form of what a site has sent, empty for what is a text as it is, or none.
func formOf(kind string, body []byte) string {
	switch {
	case kind == "text/html", kind == "application/xhtml+xml":
		return htmlForm
	case bytes.HasPrefix(body, []byte("%PDF-")):
		return pdfForm
	case isFeed(kind, body):
		return feedForm
	}
	return ""
}

// readerWord is the first argument by which this program knows that it is to make text and
// nothing else.
const readerWord = "__text"

// The bounds of that process, and how large a source may be for which its memory is not tidied:
// it ends soon.
const (
	readerTime   = 20 * time.Second
	readerMemory = 1 << 30
	fewBytes     = 2 << 20
)

// ReaderArgs are the arguments with which this program makes text of what it reads from its
// input, see [Ask] and [ReaderMain].
func ReaderArgs() []string { return []string{readerWord} }

// Ask is the input for a source.
func Ask(s Source) io.Reader {
	head, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts can be written
	}
	return io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(s.Body))
}

// Answer reads what the process has written.
func Answer(out []byte) (made Made, err error) { return made, json.Unmarshal(out, &made) }

// MaxAnswer is how much that is at most, in bytes.
const MaxAnswer = 16 * MaxText

// ReaderMain makes text where that is what the arguments ask for. It reads the input, writes
// the output, and says on the error output in a sentence why there is none. It does not
// return when that takes more than 20 seconds or 1 GB. A program calls it first of all.
func ReaderMain(args []string) (handled bool, code int) {
	if len(args) != 2 || args[1] != readerWord {
		return false, 0
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(readerMemory / 2)
	made, err := makeText(os.Stdin)
	if err == nil {
		var out []byte
		if out, err = json.Marshal(made); err == nil {
			_, err = os.Stdout.Write(out)
		}
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return true, 1
	}
	return true, 0
}

// makeText makes the text of what an input asks for.
func makeText(in io.Reader) (made Made, err error) {
	from := bufio.NewReader(in)
	head, err := from.ReadBytes('\n')
	if err != nil {
		return made, fmt.Errorf("nothing was asked for: %w", err)
	}
	var s Source
	if err := json.Unmarshal(head, &s); err != nil {
		return made, err
	}
	make := forms[s.Form]
	if make == nil {
		return made, fmt.Errorf("no text can be made of %q", s.Form)
	}
	go bound(s.Form, readerTime)
	if s.Body, err = io.ReadAll(io.LimitReader(from, MaxBytes+1)); err != nil {
		return made, err
	}
	if len(s.Body) > fewBytes {
		debug.SetGCPercent(200)
		debug.SetMemoryLimit(readerMemory)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is %s that cannot be read: %.100v", named(s.Form), p)
		}
	}()
	made, err = make(s)
	if len(made.Text) > 4*MaxText {
		made.Text = strings.ToValidUTF8(made.Text[:4*MaxText], "")
	}
	return made, err
}

// bound ends the process when it takes too much.
func bound(form string, most time.Duration) {
	used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	exit := func(why string) {
		_, _ = fmt.Fprintf(os.Stderr, "it is %s that takes more than %s to read\n", named(form), why)
		os.Exit(1)
	}
	for end := time.Now().Add(most); ; time.Sleep(20 * time.Millisecond) {
		metrics.Read(used)
		switch {
		case time.Now().After(end):
			exit(most.String())
		case used[0].Value.Uint64() > readerMemory:
			exit("1 GB of memory")
		}
	}
}

// named is a form in words.
func named(form string) string {
	return map[string]string{htmlForm: "a page", pdfForm: "a PDF", feedForm: "a feed"}[form]
}

// errReader says that a text was not made, without a reason.
var errReader = errors.New("it cannot be read")

// Refused makes an error of what the process has said on its error output.
func Refused(said string) error {
	if line, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); line != "" {
		return errors.New(line)
	}
	return errReader
}
