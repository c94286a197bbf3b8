package sessions

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// noise is what does not compress, as the bytes of images.
func noise(n int) []byte {
	data := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// TestImagesOfMessages: what is stored with images comes back byte for byte, is the
// list form of the reference, and can be found by its text alone.
func TestImagesOfMessages(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	parts := []Part{{Text: "look at\nthe login <window>"}, {MediaType: "image/png", Data: noise(1 << 20)}, {Text: "修复登录问题"}, {MediaType: "image/webp", Data: []byte("RIFF")}}
	b := say("c", 1)
	b.Messages[0].Role, b.Messages[0].Parts = "user", parts
	mustCommit(t, d, b)
	mustCommit(t, d, b) // whose outcome was not known
	for name, read := range map[string]func() ([]Message, error){
		"messages": func() ([]Message, error) { return d.Messages(t.Context(), "s-c") },
		"context":  func() ([]Message, error) { return d.Context(t.Context(), "s-c") },
	} {
		got, err := read()
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0].Parts, parts) {
			t.Fatalf("%s: %d, %v", name, len(got), err)
		}
		if want := "look at\nthe login <window>\n[image]\n修复登录问题\n[image]"; got[0].Content != want {
			t.Errorf("%s: content %q", name, got[0].Content)
		}
	}
	wantValue(t, path, "SELECT substr(CAST(content AS BLOB), 7, 8) = CAST('[{\"type\"' AS BLOB) FROM messages", "1")
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'login window'", "1")
	wantValue(t, path, `SELECT count(*) FROM messages_fts_trigram WHERE messages_fts_trigram MATCH '"登录问"'`, "1")
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'base64'", "0")
	mustClose(t, d)
	if st, err := os.Stat(path); err != nil || st.Size() > 2<<20 {
		t.Errorf("the database has %d bytes, %v", st.Size(), err)
	}
}

// TestImagesOfTheReference reads the forms in which images are stored elsewhere.
func TestImagesOfTheReference(t *testing.T) {
	data := base64.StdEncoding.EncodeToString([]byte("pixels"))
	image := Part{MediaType: "image/png", Data: []byte("pixels")}
	cases := []struct {
		name, json string
		want       []Part
		content    string
	}{
		{"chat", `[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `","detail":"high"}}]`, []Part{{Text: "a"}, image}, "a\n[image]"},
		{"responses", `[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:image/png;base64,` + data + `"}]`, []Part{{Text: "a"}, image}, "a\n[image]"},
		{"messages", `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}},{"type":"file"}]`, []Part{image, {Text: "[attachment]"}}, "[image]\n[attachment]"},
		{"elsewhere", `[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]`, nil, "[image]"},
		{"another type", `[{"type":"image_url","image_url":{"url":"data:text/html;base64,` + data + `"}}]`, nil, "[image]"},
		{"no base64", `[{"type":"image_url","image_url":{"url":"data:image/png;base64,%%%"}}]`, nil, "[image]"},
		{"cut off", `[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data, nil, `[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data},
		{"an object", `{"image":1}`, nil, `{"image":1}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := imageParts(structured + c.json); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v", got)
			}
			if got := flatten(structured + c.json); got != c.content {
				t.Errorf("content %q", got)
			}
		})
	}
}

// TestImagesInADatabaseOfTheReference: its triggers stay, and do not get to see what
// would take them seconds.
func TestImagesInADatabaseOfTheReference(t *testing.T) {
	path := newPath(t)
	raw(t, path, reference("9")...)
	d := mustOpen(t, path)
	const trigger = "SELECT sql FROM sqlite_master WHERE name = 'messages_fts_trigram_insert'"
	before := value(t, path, trigger)
	begin(t, d, "c")
	b := say("c", 1)
	b.Messages[0].Parts = []Part{{Text: "the login window 漢字仮"}, {MediaType: "image/png", Data: noise(1 << 20)}}
	mustCommit(t, d, b)
	if after := value(t, path, trigger); after != before {
		t.Errorf("the trigger is now %s", after)
	}
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'login'", "1")
	wantValue(t, path, `SELECT count(*) FROM messages_fts_trigram WHERE messages_fts_trigram MATCH '"漢字仮"'`, "1")
	raw(t, path, "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('r1', 'user', 'said afterwards', 5)")
	wantValue(t, path, "SELECT count(*) FROM messages_fts_trigram WHERE messages_fts_trigram MATCH 'afterw'", "1")
	mustClose(t, d)
	if st, err := os.Stat(path); err != nil || st.Size() > 2<<20 {
		t.Errorf("the database has %d bytes, %v", st.Size(), err)
	}
}

// TestKeptImages: an image waits until a message holds it, and then for a day.
func TestKeptImages(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	d := openWith(t, newPath(t), Options{Clock: func() time.Time { return now }})
	keep := func(id string) {
		t.Helper()
		mustCommit(t, d, Batch{Effects: []Effect{KeepImage{ID: id, MediaType: "image/gif", Data: []byte(id)}}})
	}
	there := func(id string, want bool) {
		t.Helper()
		p, err := d.Image(t.Context(), id)
		if !want {
			as[*NotFoundError](t, err)
			return
		}
		if err != nil || p.MediaType != "image/gif" || !bytes.Equal(p.Data, []byte(id)) {
			t.Errorf("%s: %+v, %v", id, p, err)
		}
	}
	keep("waits")
	keep("sent")
	keep("again")
	mustCommit(t, d, Batch{Effects: []Effect{ImagesSent{IDs: []string{"sent", "again", "unknown"}}}})
	there("sent", true)
	now = now.Add(23 * time.Hour)
	keep("again")
	now = now.Add(2 * time.Hour)
	keep("new")
	there("sent", false)
	there("again", true)
	there("waits", true)
	now = now.Add(31 * 24 * time.Hour)
	keep("newer")
	there("waits", false)
	there("new", false)
	for _, bad := range []Effect{KeepImage{ID: "x", MediaType: "text/plain", Data: []byte("x")}, KeepImage{ID: "x", MediaType: "image/png"}, KeepImage{MediaType: "image/png", Data: []byte("x")}} {
		if err := d.Commit(t.Context(), Batch{Effects: []Effect{bad}}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	begin(t, d, "c")
	b := say("c", 1)
	b.Messages[0].Parts = []Part{{MediaType: "image/tiff", Data: []byte("x")}}
	if err := d.Commit(t.Context(), b); err == nil || !strings.Contains(err.Error(), "tiff") {
		t.Errorf("a TIFF was taken: %v", err)
	}
}
