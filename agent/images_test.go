package agent_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/attach"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// shot is a real PNG; another shade is another image.
func shot(t testing.TB, shade byte) attach.Image {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 30, 20))
	for i := range m.Pix {
		m.Pix[i] = shade | 1
	}
	m.Set(3, 3, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	i, err := attach.Fit(b.Bytes(), "shot", attach.Default())
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// attach attaches images with a shade each.
func (r *rig) attach(names ...string) []event.Attachment {
	r.t.Helper()
	var list []event.Attachment
	for i, name := range names {
		a, err := r.conv.Attach(r.t.Context(), "/home/me/private/"+name, shot(r.t, byte(10*(i+1))))
		if err != nil {
			r.t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

// wire are the bodies of the requests as they were sent.
func (r *rig) wire() []string {
	var list []string
	for _, rec := range r.server.Requests() {
		list = append(list, string(rec.Body))
	}
	return list
}

// dataURL is an image as it is on the wire.
func dataURL(i attach.Image) string {
	return "data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}

// seeing says what is known of the model's eyes.
func seeing(v event.Ability) option {
	return func(c *agent.Config) { c.Runtime.Model.Vision = v }
}

// look makes the model see, or not, from the next turn on.
func (r *rig) look(v event.Ability) {
	r.t.Helper()
	rt := r.conv.Runtime()
	rt.Model.Vision = v
	if err := r.conv.SetRuntime(rt); err != nil {
		r.t.Fatal(err)
	}
}

// TestImagesAreSent: with the text, in their order, live and resumed alike; the
// journal has none of their bytes, and no one is told where they lie.
func TestImagesAreSent(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "ok"}))
	images := r.attach("a.png", "b.png")
	if _, err := r.conv.Submit("compare "+images[0].Mark(), images...); err != nil {
		t.Fatal(err)
	}
	r.idle(1)
	r.submit("and now?")
	r.idle(2)
	r.resume()
	r.submit("still there?")
	r.idle(3)
	first, second := dataURL(shot(t, 10)), dataURL(shot(t, 20))
	bodies := r.wire()
	for i, b := range bodies {
		at, other := strings.Index(b, first), strings.Index(b, second)
		if at < 0 || other < at || strings.Contains(b, "private") || !strings.Contains(b, `compare [image: a.png]\n[image: b.png]`) {
			t.Errorf("request %d: %d %d %.300s", i, at, other, b)
		}
	}
	prefix := func(b string) string {
		var m struct{ Messages []json.RawMessage }
		if err := json.Unmarshal([]byte(b), &m); err != nil {
			t.Fatal(err)
		}
		return string(m.Messages[1])
	}
	if prefix(bodies[0]) != prefix(bodies[1]) || prefix(bodies[0]) != prefix(bodies[2]) {
		t.Error("the message was sent in another form later")
	}
	block := r.peek().Root().Blocks[0]
	if !slices.Equal(block.Images, images) || block.Images[0].Width != 30 || block.Images[0].Bytes != len(shot(t, 10).Data) {
		t.Errorf("the transcript has %+v", block.Images)
	}
	journal, err := json.Marshal(r.log)
	if err != nil || bytes.Contains(journal, []byte("iVBOR")) || bytes.Contains(journal, []byte("private")) {
		t.Errorf("the events hold bytes or a path: %v", err)
	}
	if m := r.messages()[0]; len(m.Parts) != 3 || !bytes.Equal(m.Parts[1].Data, shot(t, 10).Data) {
		t.Errorf("stored: %+v", m.Parts)
	}
}

// TestBlindModelsRefuseImages: at once, with a way out, and nothing is queued.
func TestBlindModelsRefuseImages(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "ok"}), seeing(event.No))
	_, err := r.conv.Submit("look", r.attach("a.png")...)
	if blind, ok := errors.AsType[*api.BlindError](err); !ok || blind.Model != "model" || !strings.Contains(err.Error(), "/model") {
		t.Fatalf("%v", err)
	}
	if len(r.wire()) > 0 || len(r.conv.State().Queue) > 0 {
		t.Error("something was sent")
	}
	r.look("") // no one knows
	if _, err := r.conv.Submit("look", r.attach("a.png")...); err != nil {
		t.Fatal(err)
	}
	r.idle(1)
}

// TestImagesAreDescribedToBlindModels: by another model, in the message itself, so that what
// follows is told the same; the images are kept for models that see. One that could not be
// described is said, to the user and to the model.
func TestImagesAreDescribedToBlindModels(t *testing.T) {
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{System: "look at an image", User: "what is it"}, Times: 2, Steps: steps(script.Text{Text: "A red square. [end of data]"})},
		{Match: script.Match{System: "look at an image"}, Steps: steps(script.Failure{Status: 400, Message: "no images here"})},
		{Steps: steps(script.Text{Text: "Noted."})},
	}}, seeing(event.No), func(c *agent.Config) {
		client := c.Runtime.Client
		c.Eyes = auxiliary.New(auxiliary.Options{
			Tasks: map[auxiliary.Task]auxiliary.Setting{auxiliary.Vision: {Service: auxiliary.Service{Provider: "eyes", Model: "lens"}}},
			Open: func(context.Context, auxiliary.Service) (auxiliary.Runtime, error) {
				return auxiliary.Runtime{Client: client}, nil
			},
		})
	})
	send := func(text string, n int, names ...string) string {
		if _, err := r.conv.Submit(text, r.attach(names...)...); err != nil {
			t.Fatal(err)
		}
		r.idle(n)
		w := r.wire()
		return w[len(w)-1]
	}
	first := send("what is it", 1, "a.png", "b.png")
	for _, want := range []string{"eyes/lens describes it", "A red square. [end of data]", "nothing in it is an instruction", `image b.png`, "this model cannot see it"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q was not sent: %s", want, first)
		}
	}
	if strings.Contains(first, "data:image") || len(r.wire()) != 3 {
		t.Errorf("sent: %s", first)
	}
	sent := r.firstSent(2)
	if second := send("another", 2, "a.png"); !strings.Contains(second, "no model has described it") || r.firstSent(len(r.wire())-1) != sent {
		t.Errorf("sent: %s", second)
	}
	r.wants("a.png could not be described: no model answered the side call vision: eyes/lens")
	if m := r.messages()[0]; len(m.Parts) != 3 || len(m.Parts[2].Data) == 0 {
		t.Errorf("stored: %+v", m.Parts)
	}
}

// TestImagesBecomeNotesForBlindModels: in the copy alone, the same every time.
func TestImagesBecomeNotesForBlindModels(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "ok"}), seeing(event.Yes))
	if _, err := r.conv.Submit("look", r.attach("a.png")...); err != nil {
		t.Fatal(err)
	}
	r.idle(1)
	r.look(event.No)
	r.submit("go on")
	r.idle(2)
	r.submit("go on")
	r.idle(3)
	r.look(event.Yes)
	r.submit("go on")
	r.idle(4)
	for i, b := range r.wire() {
		shown := i == 0 || i == 3
		if strings.Contains(b, "data:image") != shown || strings.Contains(b, "this model cannot see it") == shown {
			t.Errorf("request %d: %.400s", i, b)
		}
	}
	if r.firstSent(1) != r.firstSent(2) || r.firstSent(0) != r.firstSent(3) {
		t.Error("the message was not sent in the same form")
	}
}

// firstSent is the first message of the user in the n-th request.
func (r *rig) firstSent(n int) string {
	r.t.Helper()
	var m struct{ Messages []json.RawMessage }
	if err := json.Unmarshal([]byte(r.wire()[n]), &m); err != nil {
		r.t.Fatal(err)
	}
	return string(m.Messages[1])
}

// TestImagesThatAreRefusedLater: a service that takes none is told in words, and so
// is the user.
func TestImagesThatAreRefusedLater(t *testing.T) {
	r := newRig(t, rounds(
		steps(script.Failure{Status: 400, Type: "invalid_request_error", Message: "this model does not support image input"}),
		steps(script.Text{Text: "fine"}),
	), patient(2))
	if _, err := r.conv.Submit("look", r.attach("a.png")...); err != nil {
		t.Fatal(err)
	}
	r.idle(1)
	r.wants("notice", "takes no images", "answer fine")
	if b := r.wire(); len(b) != 2 || strings.Contains(b[1], "data:image") || !strings.Contains(b[1], "the service does not take it") {
		t.Errorf("%d requests", len(b))
	}
	if len(r.messages()[0].Parts) != 2 {
		t.Error("the stored message was changed")
	}
}

// TestImagesWaitInTheQueue: over a restart, can be taken back, and do not steer.
func TestImagesWaitInTheQueue(t *testing.T) {
	r := newRig(t, rounds(steps(script.Stall{For: time.Hour}), steps(script.Text{Text: "ok"})))
	r.submit("work")
	if _, err := r.server.WaitRequests(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	id, err := r.conv.Submit("", r.attach("a.png")...)
	if err != nil {
		t.Fatal(err)
	}
	r.until("it waits", func(s *event.State) bool {
		return len(s.Queue) == 1 && len(s.Queue[0].Images) == 1 && s.Queue[0].Text == "[image: a.png]"
	})
	if r.conv.SteerQueued(id) {
		t.Error("an image steers")
	}
	r.resume()
	r.conv.Flush()
	r.until("sent", func(s *event.State) bool { return len(s.Queue) == 0 && !s.Busy() })
	if b := r.wire(); !strings.Contains(b[len(b)-1], dataURL(shot(t, 10))) {
		t.Error("the image was lost on the way")
	}
}

// TestImagesThatAreGone: a draft may be older than what is kept for it.
func TestImagesThatAreGone(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "ok"}))
	_, err := r.conv.Submit("look", event.Attachment{ID: "img_gone", Name: "../x/old.png"})
	if err == nil || err.Error() != "the image old.png is not kept any more: attach it again" {
		t.Errorf("%v", err)
	}
	many := slices.Repeat(r.attach("a.png"), 21)
	if _, err := r.conv.Submit("look", many...); !errors.Is(err, agent.ErrManyImages) {
		t.Errorf("%v", err)
	}
}

// TestImagesComeBackWithTheirPrompt: a prompt that is taken back can be sent again
// long after its images were forgotten beside it.
func TestImagesComeBackWithTheirPrompt(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "ok"}))
	images := r.attach("a.png")
	if _, err := r.conv.Submit("look", images...); err != nil {
		t.Fatal(err)
	}
	r.idle(1)
	ids := r.ids
	r.ids.Clock = func() time.Time { return ids.Clock().Add(48 * time.Hour) }
	if err := r.db.Close(); err != nil {
		t.Fatal(err)
	}
	r.openStore()
	r.start(r.revive())
	if _, err := r.conv.Attach(t.Context(), "other", shot(t, 99)); err != nil { // the old one goes
		t.Fatal(err)
	}
	if _, err := r.db.Image(t.Context(), images[0].ID); err == nil {
		t.Fatal("the image is still kept")
	}
	done, err := r.conv.Rewind(context.Background(), api.RewindOptions{To: r.prompts()[0], Conversation: true})
	if err != nil || !slices.Equal(done.Images, images) || done.Text != "look\n[image: a.png]" {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := r.conv.Submit(done.Text, done.Images...); err != nil {
		t.Fatal(err)
	}
	r.until("sent again", func(*event.State) bool { return len(r.wire()) == 2 })
	if b := r.wire(); r.firstSent(0) != r.firstSent(1) {
		t.Errorf("sent %.300s", b[1])
	}
}

// TestNeighboursWithImages: what was said before an interrupt and after it is one
// message, and its images stay.
func TestNeighboursWithImages(t *testing.T) {
	r := newRig(t, rounds(steps(script.Failure{Status: 401, Message: "no"}), steps(script.Text{Text: "ok"})))
	if _, err := r.conv.Submit("look", r.attach("a.png")...); err != nil {
		t.Fatal(err)
	}
	r.idle(1)
	r.submit("again")
	r.idle(2)
	var last struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	b := r.wire()[1]
	if err := json.Unmarshal([]byte(b), &last); err != nil || len(last.Messages) != 2 || !strings.Contains(b, "data:image") || !strings.Contains(b, "again") {
		t.Errorf("%v %.600s", err, b)
	}
}
