package flight

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// secret is what must be in no recording; hide masks it.
const secret = "s3cr3t-of-the-test"

func hide(text string) string { return strings.ReplaceAll(text, secret, "(masked)") }

// head is the head of recordings that begin now.
func head() Head {
	return Head{Program: "test", Start: time.Now(), Cols: 40, Rows: 3, Settings: "key: " + secret + "\n", Prompt: "use " + secret}
}

// recorded is what a recording holds of what f records.
func recorded(t *testing.T, f func(*Recorder)) (name string, text []byte) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "session")
	r, err := Record(name, false, head(), hide)
	if err != nil {
		t.Fatal(err)
	}
	f(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	return name, text
}

// read reads a recording of some bytes.
func read(t *testing.T, text []byte) (*Tape, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "session")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(name)
}

// whole is a short recording that was ended in order.
func whole(t *testing.T) []byte {
	t.Helper()
	_, text := recorded(t, func(r *Recorder) {
		for i := range 4 {
			r.Input("KeyPressMsg", []byte(`{"Text":"a"}`), []string{fmt.Sprint("row ", i), "below"})
		}
	})
	return text
}

// TestSecretsAreMasked records a secret in every kind of item, in pieces where what comes
// in pieces can cut it.
func TestSecretsAreMasked(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Given", secret)
		w.Header().Set("Set-Cookie", "a="+secret)
		for _, part := range []string{"data: ", secret[:7], secret[7:], "\n", secret[:3]} {
			_, _ = io.WriteString(w, part)
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, secret[3:])
	}))
	defer server.Close()
	_, text := recorded(t, func(r *Recorder) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/"+secret+"?key="+secret, strings.NewReader(`{"messages":[{"content":"`+secret+`"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+secret)
		resp, err := r.Wrap(http.DefaultTransport).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || !strings.HasSuffix(string(got), secret+"\n"+secret) {
			t.Errorf("the program got %q, %v", got, err)
		}
		_ = resp.Body.Close()
		r.Input("PasteMsg", []byte(`{"Content":"`+secret+`"}`), []string{"❯ " + secret})
		r.Asked("terminal", secret, map[string]string{"command": secret}, fmt.Errorf("not %s", secret))
		c := r.Begin("terminal", json.RawMessage(`{"command":"echo `+secret+`"}`))
		_, _ = io.WriteString(c, secret+"\n")
		c.End(t.Context(), map[string]string{"out": secret}, fmt.Errorf("failed: %s", secret))
		r.Rest([]string{"❯ " + secret, "below: " + secret})
	})
	if bytes.Contains(text, []byte(secret)) {
		t.Errorf("the secret is in it:\n%s", text)
	}
	tape, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{KindRequest, KindChunk, KindInput, KindSeen, KindMark, KindAsked, KindCall, KindOutput, KindResult, KindResponse} {
		at := slices.IndexFunc(tape.items, func(i Item) bool { return i.Kind == kind })
		if at < 0 {
			t.Errorf("there is no %s", kind)
			continue
		}
		if line, _ := json.Marshal(tape.items[at]); !bytes.Contains(line, []byte("(masked)")) {
			t.Errorf("in %s there is no trace of it: %s", kind, line)
		}
	}
	if strings.Contains(tape.Head.Settings+tape.Head.Prompt, secret) {
		t.Errorf("the head is %+v", tape.Head)
	}
}

// TestTornFile cuts a recording at every byte: what was written whole is read, and only a
// recording that was ended in order says so.
func TestTornFile(t *testing.T) {
	text := whole(t)
	all, err := read(t, text)
	if err != nil || !all.Whole || len(all.items) == 0 {
		t.Fatalf("%d items, whole: %t, %v", len(all.items), all.Whole, err)
	}
	first := bytes.IndexByte(text, '\n') + 1
	for cut := first; cut < len(text); cut++ {
		tape, err := read(t, text[:cut])
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", cut, len(text), err)
		}
		if want := bytes.Count(text[first:cut], []byte("\n")); len(tape.items) != want || tape.Whole {
			t.Errorf("cut at %d it has %d items of %d, whole: %t", cut, len(tape.items), want, tape.Whole)
		}
	}
	for _, cut := range []int{0, 1, first / 2} {
		if _, err := read(t, text[:cut]); err == nil || !strings.Contains(err.Error(), "this is no recording") {
			t.Errorf("cut at %d, in the head, it is read: %v", cut, err)
		}
	}
	hole := bytes.Replace(text, []byte("\n{"), []byte("\n\x00\x00{"), 1)
	if _, err := read(t, hole); err == nil || !strings.Contains(err.Error(), "line 2 is damaged") {
		t.Errorf("with a hole: %v", err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text)
	_ = z.Close()
	if tape, err := read(t, b.Bytes()); err != nil || !tape.Whole {
		t.Errorf("compressed: %v", err)
	}
	if _, err := read(t, b.Bytes()[:b.Len()-12]); err == nil {
		t.Error("a compressed one that is torn is read as if it were whole")
	}
}

// TestLaterVersion refuses what it may misunderstand, and takes kinds that it does not know
// in a version that it does.
func TestLaterVersion(t *testing.T) {
	text := whole(t)
	later := bytes.Replace(text, fmt.Appendf(nil, `"flight":%d`, Version), fmt.Appendf(nil, `"flight":%d`, Version+1), 1)
	if _, err := read(t, later); err == nil || !strings.Contains(err.Error(), "update hermes-tui") || !strings.Contains(err.Error(), fmt.Sprint("format ", Version+1)) {
		t.Errorf("a later version: %v", err)
	}
	more := bytes.Replace(text, []byte("\n{"), []byte("\n"+`{"t":1,"k":"smell","of":"roses"}`+"\n{"), 1)
	tape, err := read(t, more)
	if err != nil || tape.items[0].Kind != "smell" {
		t.Fatal(err)
	}
	s := &stage{}
	if err := NewPlayer(tape, nil).Play(t.Context(), s, true); err != nil || s.inputs != 4 {
		t.Errorf("%d inputs were played: %v", s.inputs, err)
	}
}

// stage shows the rows that [whole] has recorded.
type stage struct{ inputs int }

func (s *stage) Input(string, []byte) error { s.inputs++; return nil }
func (*stage) Fire(timer func())            { timer() }
func (s *stage) Look() ([]string, bool)     { return []string{fmt.Sprint("row ", s.inputs), "below"}, true }

// TestPlayedAnswers plays what a service said, an error in the middle of it included, to a
// program that asks again.
func TestPlayedAnswers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "some of it\n")
		w.(http.Flusher).Flush()
		if r.URL.Path == "/breaks" {
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	ask := func(through http.RoundTripper, path string) (string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(`{"messages":[1]}`))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := through.RoundTrip(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return string(text), err
	}
	name, _ := recorded(t, func(r *Recorder) {
		through := r.Wrap(http.DefaultTransport)
		if text, err := ask(through, "/whole"); text != "some of it\n" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if text, err := ask(through, "/breaks"); text != "some of it\n" || err == nil {
			t.Errorf("%q, %v", text, err)
		}
	})
	tape, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(tape, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Play(ctx, &stage{}, true) }()
	defer func() { cancel(); <-done }()
	through := p.Wrap(nil) // there is no network
	if text, err := ask(through, "/whole"); text != "some of it\n" || err != nil {
		t.Errorf("played: %q, %v", text, err)
	}
	if text, err := ask(through, "/breaks"); text != "some of it\n" || err == nil {
		t.Errorf("played: %q, %v", text, err)
	}
	if _, err := ask(through, "/other"); err == nil || !strings.Contains(err.Error(), "not in the recording") {
		t.Errorf("what was never asked: %v", err)
	}
}
