package bind_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/files"
	"hermes-tui/tools/place"
	"hermes-tui/tools/vision"
)

// lens tells the size of what it is shown.
type lens struct{ blind bool }

func (e lens) Sees() bool { return !e.blind }

func (lens) Kept(_ context.Context, id string) ([]byte, error) {
	if id != "img_1" {
		return nil, errors.New("there is no image " + id)
	}
	return []byte("kept"), nil
}

func (lens) Analyze(ctx context.Context, question string, data []byte, name string) (string, string, error) {
	if ctx.Err() != nil || question == "fail" {
		return "", "", errors.New("no model answered")
	}
	return fmt.Sprintf("%s: %d bytes of %s", question, len(data), name), "house/lens", nil
}

// TestAnalyze looks at files and at images of the session; what cannot be looked at is said.
func TestAnalyze(t *testing.T) {
	root, private, out := t.TempDir(), t.TempDir(), t.TempDir()
	for name, size := range map[string]int{root + "/a.png": 3, out + "/b.png": 4, private + "/auth.json": 5, root + "/large.png": 20<<20 + 1} {
		if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/zero", filepath.Join(root, "zero.png")); err != nil {
		t.Skip("SKIPPED: no links here: ", err)
	}
	here, err := place.NewLocal(place.Options{Home: root, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	tool := vision.New(files.New(files.Options{Place: here, Root: root, Private: private}), lens{})
	if tool.Available(t.Context()) != nil || vision.New(nil, lens{blind: true}).Available(t.Context()) == nil {
		t.Error("offered otherwise than there is a model that sees")
	}
	run := func(ctx context.Context, image, question string) (tools.Result, error) {
		args, err := json.Marshal(map[string]string{"image_url": image, "question": question})
		if err != nil {
			t.Fatal(err)
		}
		return tool.Run(ctx, tools.Call{Name: vision.Name, Args: args}, nil, nil)
	}
	for _, c := range []struct{ image, question, want, fence string }{
		{"a.png", "what", `"analysis":"what: 3 bytes of `, ""},
		{"img_1", "what", `what: 4 bytes of img_1`, ""},
		{out + "/b.png", "what", "what: 4 bytes of ", "an image outside the workspace"},
		{"img_2", "what", "there is no image img_2", ""},
		{"gone.png", "what", "gone.png", ""},
		{"large.png", "what", "more than the 20971520", ""},
		{"zero.png", "what", "zero", ""},
		{".", "what", "", ""},
		{"", "what", "", ""},
		{private + "/auth.json", "what", "credentials", ""},
		{"https://a.example/b.png", "what", "fetch the image into a file", ""},
		{"data:image/png;base64,AAAA", "what", "fetch the image into a file", ""},
		{"a.png", " ", "question is empty", ""},
		{"a.png", "fail", "no model answered", ""},
	} {
		r, err := run(t.Context(), c.image, c.question)
		if ok := strings.Contains(r.Content, "analysis"); err != nil || !strings.Contains(r.Content, c.want) || r.Untrusted != c.fence || ok != (r.Status == tools.StatusOK) {
			t.Errorf("%s: %+v, %v", c.image, r, err)
		}
	}
	if a, err := tool.Action(json.RawMessage(`{"image_url":"` + private + `/auth.json"}`)); err != nil || a.Kind != tools.ActRead || len(a.Paths) != 1 {
		t.Errorf("a file with a key: %+v, %v", a, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	if _, err := run(ctx, "a.png", "what"); err == nil || err.Error() != "stopped" {
		t.Errorf("stopped: %v", err)
	}
}
