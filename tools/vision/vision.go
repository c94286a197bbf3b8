// Package vision holds the tool by which an agent asks what an image shows: a model that
// sees looks at it, and its answer is text. It keeps no state.
package vision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hermes-tui/tools"
)

// Name is the name of the tool, Toolset its toolset.
const (
	Name    = "vision_analyze"
	Toolset = "vision"
)

// maxBytes is how large the file of an image may be.
const maxBytes = 20 << 20

// Files reads the files of the place.
type Files interface {
	// ReadAction puts the reading of a path to the gate, see [tools.Tool].Action.
	ReadAction(path string) (tools.Action, error)
	// Bytes reads a file of at most so many bytes, as it is. outside says that it lies
	// outside the workspace. An error is a sentence for the model.
	Bytes(path string, permit tools.Permit, most int64) (data []byte, name string, outside bool, err error)
}

// Eyes look at images.
type Eyes interface {
	// Sees reports whether there is a model that can be asked.
	Sees() bool
	// Kept gives an image that goes with a message of the session, by its id.
	Kept(ctx context.Context, id string) ([]byte, error)
	// Analyze answers a question about an image of any format that can be sent. name is for messages.
	Analyze(ctx context.Context, question string, data []byte, name string) (text, model string, err error)
}

// KeptPrefix begins the ids of images that go with messages.
const KeptPrefix = "img_"

const parameters = `{"type":"object","properties":{
"image_url":{"type":"string","description":"path of the file, or the id of an image of this session"},
"question":{"type":"string","description":"what to find out; ask for all that matters at once"}},
"required":["image_url","question"]}`

type args struct {
	Image    string `json:"image_url"`
	Question string `json:"question"`
}

// New makes vision_analyze.
func New(files Files, eyes Eyes) tools.Tool {
	return tools.Tool{
		Name: Name, Toolset: Toolset,
		Description: "Ask what an image file shows: PNG, JPEG, GIF or WebP. A model that sees looks at it and answers in words.",
		Parameters:  json.RawMessage(parameters),
		Class:       tools.ReadOnly, ReadsOnly: true,
		Available: func(context.Context) error {
			if !eyes.Sees() {
				return errors.New("no model that sees images is set (auxiliary.vision)")
			}
			return nil
		},
		Preview: func(raw json.RawMessage) tools.View {
			a := read(raw)
			return tools.View{Kind: tools.KindRead, Subject: a.Image}
		},
		Action: func(raw json.RawMessage) (tools.Action, error) {
			a := read(raw)
			if kept(a.Image) || remote(a.Image) {
				return tools.Action{}, nil
			}
			return files.ReadAction(a.Image)
		},
		Summarise: func(in, _ tools.Members) (string, string) { return "looked at " + in.Text("image_url"), "" },
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return run(ctx, files, eyes, c)
		},
	}
}

func read(raw json.RawMessage) (a args) {
	_ = json.Unmarshal(raw, &a) // Run reports what is wrong
	return a
}

func kept(image string) bool {
	return strings.HasPrefix(image, KeptPrefix) && !strings.ContainsAny(image, "/.")
}

func remote(image string) bool {
	return strings.Contains(image, "://") || strings.HasPrefix(image, "data:")
}

func run(ctx context.Context, files Files, eyes Eyes, c tools.Call) (tools.Result, error) {
	view := tools.View{Kind: tools.KindRead, Subject: read(c.Args).Image}
	var a args
	if err := c.Decode(&a); err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	if a.Question = strings.TrimSpace(a.Question); a.Question == "" {
		return tools.Failure(view, "question is empty: say what you want to know of the image"), nil
	}
	if remote(a.Image) {
		return tools.Failure(view, "only files are looked at: fetch the image into a file first, then name that"), nil
	}
	var data []byte
	var err error
	name, outside := a.Image, false
	if kept(a.Image) {
		data, err = eyes.Kept(ctx, a.Image)
	} else {
		data, name, outside, err = files.Bytes(a.Image, c.Permit, maxBytes)
	}
	if err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	text, model, err := eyes.Analyze(ctx, a.Question, data, name)
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, context.Cause(ctx)
	case err != nil:
		return tools.Failure(view, err.Error()), nil
	}
	view.Body, view.Summary = text, fmt.Sprintf("seen by %s", model)
	r := tools.Result{View: view, Content: tools.JSON(struct {
		Success  bool   `json:"success"`
		Analysis string `json:"analysis"`
	}{true, text})}
	if outside {
		r.Untrusted = "an image outside the workspace"
	}
	return r, nil
}
