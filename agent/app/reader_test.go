package app

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/bind"
	"hermes-tui/tools/place"
	"hermes-tui/tools/web"
)

// TestTextReader makes text in processes that end when they are no longer waited for, whatever
// they are busy with, and that say what is wrong.
func TestTextReader(t *testing.T) {
	here, err := place.NewLocal(place.Options{Env: []string{"PATH=/bin:/usr/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	reader := bind.TextReader(here, nil)
	made, err := reader(t.Context()).Text(t.Context(), web.Source{Form: "html", Sent: "text/html", URL: "https://a.example/", Body: []byte("<title>T</title><p>Some <b>text</b>.")})
	if err != nil || made.Title != "T" || made.Text != "Some **text**." {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := reader(t.Context()).Text(t.Context(), web.Source{Form: "pdf", Body: []byte("%PDF-junk")}); err == nil || !strings.HasPrefix(err.Error(), "it is a PDF that cannot be read") {
		t.Errorf("%v", err)
	}
	large := []byte(strings.Repeat("<div><ul><li>a <b>b</b> <a href=x>c</a></li></ul></div>", web.MaxBytes/60))
	slow := errors.New("it took too long")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, slow)
	defer cancel()
	done := make(chan error, 4)
	for range cap(done) { // of which two work and two wait
		go func() {
			_, err := reader(ctx).Text(ctx, web.Source{Form: "html", Sent: "text/html", URL: "https://a.example/", Body: large})
			done <- err
		}()
	}
	for range cap(done) {
		select {
		case err := <-done:
			if !errors.Is(err, slow) {
				t.Errorf("it ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("it goes on")
		}
	}
	idle := reader(t.Context())
	idle.Close() // and waits for its end
}
