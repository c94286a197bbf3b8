package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent/api"
	"hermes-tui/agent/attach"
	"hermes-tui/agent/event"
	"hermes-tui/agent/extend"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// The most images of one text, in number and bytes: services bound the whole request.
const (
	maxImages     = 20
	maxImageBytes = 20 << 20
)

// ErrManyImages is a text with too many images.
var ErrManyImages = fmt.Errorf("a message takes at most %d images of together %d MB: send them in several messages", maxImages, maxImageBytes>>20)

// Eyes look at images.
type Eyes interface {
	// Sees reports whether there is a model that sees.
	Sees() bool
	// Look answers a question about an image; by names the model that did. An error is a
	// sentence.
	Look(ctx context.Context, question string, image providers.Image) (text, by string, err error)
}

// Described reports whether images for a model that sees none are put into words by
// another one.
func (c *Conversation) Described() bool { return c.eyes != nil && c.eyes.Sees() }

// Attach keeps an image so that it can be submitted with a text.
func (c *Conversation) Attach(ctx context.Context, name string, i attach.Image) (event.Attachment, error) {
	a := attachment(name, i)
	err := c.store.Commit(ctx, sessions.Batch{Effects: []sessions.Effect{keep(a, i.Data)}})
	if err != nil {
		return event.Attachment{}, fmt.Errorf("keep %s: %w", a.Name, err)
	}
	return a, nil
}

// attachment describes an image.
func attachment(name string, i attach.Image) event.Attachment {
	sum := sha256.Sum256(i.Data)
	return event.Attachment{
		ID: "img_" + hex.EncodeToString(sum[:12]), Name: attach.Name(name), MediaType: i.MediaType,
		Width: i.Width, Height: i.Height, Bytes: len(i.Data),
	}
}

func keep(a event.Attachment, data []byte) sessions.Effect {
	return sessions.KeepImage{ID: a.ID, MediaType: a.MediaType, Data: data}
}

// checkImages makes sure that the images of a text are there, and that the model
// which answers next may see them. It returns the text with a mark for each.
func (c *Conversation) checkImages(text string, images []event.Attachment) (string, []event.Attachment, error) {
	if len(images) == 0 {
		return text, nil, nil
	}
	if m := c.Runtime().Model; m.Vision == event.No && !c.Described() {
		return "", nil, &api.BlindError{Model: m.Name}
	}
	total := 0
	checked := make([]event.Attachment, len(images))
	for i, a := range images {
		p, err := c.store.Image(c.ctx, a.ID)
		if errors.As(err, new(*sessions.NotFoundError)) {
			return "", nil, fmt.Errorf("the image %s is not kept any more: attach it again", attach.Name(a.Name))
		}
		if err != nil {
			return "", nil, fmt.Errorf("read %s: %w", attach.Name(a.Name), err)
		}
		size, _ := attach.Measure(p.Data)
		checked[i] = attachment(a.Name, size)
		checked[i].ID, checked[i].MediaType = a.ID, p.MediaType
		if total += len(p.Data); i >= maxImages || total > maxImageBytes {
			return "", nil, ErrManyImages
		}
	}
	return marked(text, checked), checked, nil
}

// marked adds the marks that are missing in a text to its end.
func marked(text string, images []event.Attachment) string {
	rest := text
	for _, a := range images {
		_, after, found := strings.Cut(rest, a.Mark())
		if found {
			rest = after
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += a.Mark()
	}
	return text
}

// lostImage stands for an image that could not be read again.
const lostImage = "\n[note from the program: %s could not be read any more and is missing here]"

// content returns the content of an input: its text with what extensions add, and its images
// behind that. lost names the images that are not there any more.
func (c *Conversation) content(ctx context.Context, in event.Queued, note string, added []tools.Attached, sent func(string) bool) (parts []providers.Part, lost []string, beside extend.Beside) {
	text := in.Text + note
	if in.Origin == "" {
		beside = c.extensions.Began(ctx, in, sent)
	}
	beside.Texts = append(beside.Texts, added...)
	var images []providers.Part
	for _, a := range in.Images {
		p, err := c.store.Image(c.ctx, a.ID)
		if err != nil {
			c.report(fmt.Errorf("image of an input: %w", err))
			lost = append(lost, a.Name)
			text += fmt.Sprintf(lostImage, a.Name)
			continue
		}
		images = append(images, providers.Part{Image: &providers.Image{MediaType: p.MediaType, Data: p.Data}})
	}
	if c.Runtime().Model.Vision == event.No && c.Described() {
		said, warn := c.describe(ctx, in, images)
		beside.Texts = append(beside.Texts, said...)
		beside.Warn = strings.TrimPrefix(beside.Warn+warn, "\n")
	}
	text += tools.Attach(beside.Texts)
	return append(providers.TextParts(text), images...), lost, beside
}

// describeQuestion is asked about each image of a message for a model that sees none.
const describeQuestion = "Describe this image, with all text in it. The user sent it with the message below; do not answer that, but what matters for it matters most.\n\n"

// describe has the images of an input put into words, all at the same time. warn is what
// the user is told of those that were not, a line each.
func (c *Conversation) describe(ctx context.Context, in event.Queued, images []providers.Part) (list []tools.Attached, warn string) {
	list = make([]tools.Attached, len(images))
	failed := make([]error, len(images))
	var looking sync.WaitGroup
	for i, p := range images {
		a := attachment("", attach.Image{MediaType: p.Image.MediaType, Data: p.Image.Data})
		for _, sent := range in.Images {
			if sent.ID == a.ID {
				a.Name = attach.Name(sent.Name)
			}
		}
		list[i].Name = "image " + a.Name
		looking.Go(func() {
			said, by, err := c.eyes.Look(ctx, describeQuestion+in.Text, *p.Image)
			switch {
			case ctx.Err() != nil:
				list[i].Text = "You cannot see it, and the user stopped before it was described."
			case err != nil:
				failed[i] = fmt.Errorf("%s could not be described: %w", a.Name, err)
				list[i].Text = "You cannot see it, and no model has described it: tell the user."
			default:
				list[i].Text = "You cannot see it. " + by + " describes it; ask more about it by its id, " + a.ID + ".\n" + tools.Fence(said, "an image", c.ids.Mark())
			}
		})
	}
	looking.Wait()
	for _, err := range failed {
		if err != nil {
			warn += "\n" + err.Error() + "."
		}
	}
	return list, warn
}

// withImages adds to a batch what goes with the images of an input.
func (t *turn) withImages(b *journal.Batch, in event.Queued, lost []string) {
	if len(in.Images) == 0 {
		return
	}
	e := sessions.ImagesSent{}
	for _, a := range in.Images {
		e.IDs = append(e.IDs, a.ID)
	}
	b.Effects = append(b.Effects, e)
	if len(lost) > 0 {
		b.Events = append(b.Events, &event.NoticeRaised{
			Block: t.conv.ids.Block(), Level: event.LevelWarn,
			Text: strings.Join(lost, ", ") + " could not be read any more, so the message went without: attach it again and send it.",
		})
	}
}

// keepAgain keeps the images of a prompt that is taken back, to be sent again.
func (t *turn) keepAgain(first *event.Block) (effects []sessions.Effect) {
	at := slices.IndexFunc(t.history, func(m providers.Message) bool { return m.ID == string(first.Message) })
	if at < 0 {
		return nil
	}
	for _, p := range t.history[at].Parts {
		if p.Image != nil {
			a := attachment("", attach.Image{MediaType: p.Image.MediaType, Data: p.Image.Data})
			effects = append(effects, keep(a, p.Image.Data))
		}
	}
	return effects
}

// hasImage reports whether a message shows something.
func hasImage(m providers.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p providers.Part) bool { return p.Image != nil })
}

// The notes in place of images. They are the same for a whole session, so that a
// prompt cache holds.
const (
	blindNote   = "[note from the program: there was an image here; this model cannot see it]"
	refusedNote = "[note from the program: there was an image here; the service does not take it]"
)

// without is a history for a model that sees no images: each one becomes a note. The
// history itself is not touched, and without images it is returned as it is.
func without(messages []providers.Message, note string) []providers.Message {
	return eachImage(messages, func(*providers.Image) providers.Part { return providers.Part{Text: "\n" + note} })
}

// shrunk is a history whose images are within limits. One that cannot be made
// smaller becomes a note.
func shrunk(messages []providers.Message, bytes, side int) []providers.Message {
	l := attach.Default()
	l.Bytes, l.Side = bytes, side
	return eachImage(messages, func(i *providers.Image) providers.Part {
		small, err := attach.Fit(i.Data, "", l)
		if err != nil {
			return providers.Part{Text: "\n" + refusedNote}
		}
		return providers.Part{Image: &providers.Image{MediaType: small.MediaType, Data: small.Data}}
	})
}

// countImages counts the images of a history.
func countImages(messages []providers.Message) (n int) {
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Image != nil {
				n++
			}
		}
	}
	return n
}

// newestImages is a history with so many images, the newest ones. Of the others, each one
// becomes a note.
func newestImages(messages []providers.Message, most int) []providers.Message {
	left := countImages(messages) - most
	return eachImage(messages, func(i *providers.Image) providers.Part {
		if left--; left >= 0 {
			return providers.Part{Text: "\n" + refusedNote}
		}
		return providers.Part{Image: i}
	})
}

// eachImage puts something in the place of every image.
func eachImage(messages []providers.Message, change func(*providers.Image) providers.Part) []providers.Message {
	if !slices.ContainsFunc(messages, hasImage) {
		return messages
	}
	out := slices.Clone(messages)
	for i, m := range out {
		if !hasImage(m) {
			continue
		}
		out[i].Parts = nil
		for _, p := range m.Parts {
			if p.Image != nil {
				p = change(p.Image)
			}
			if k := len(out[i].Parts) - 1; k >= 0 && p.Image == nil && out[i].Parts[k].Image == nil {
				out[i].Parts[k].Text += p.Text // one text, as other messages have
				continue
			}
			out[i].Parts = append(out[i].Parts, p)
		}
	}
	return out
}

// mostShown is how many pictures of a result a model is shown.
const mostShown = 8

// resultParts are the parts of a result: its text and, for a model that sees, its pictures.
func (t *turn) resultParts(r *tools.Result) []providers.Part {
	parts := providers.TextParts(r.Content)
	if t.rt.Model.Vision != event.Yes {
		return parts
	}
	limits := attach.Limits{Input: 20 << 20, Bytes: 1_000_000, Side: 1568}
	for _, p := range r.Images[:min(len(r.Images), mostShown)] {
		if i, err := attach.Fit(p.Data, "picture", limits); err == nil { // otherwise the text names its file
			parts = append(parts, providers.Part{Image: &providers.Image{MediaType: i.MediaType, Data: i.Data}})
		}
	}
	return parts
}

// addText adds to the text of a message.
func addText(m *providers.Message, text string) {
	m.Parts = slices.Clone(m.Parts)
	at := slices.IndexFunc(m.Parts, func(p providers.Part) bool { return p.Image == nil })
	if at < 0 {
		m.Parts = append(m.Parts, providers.Part{Text: text})
		return
	}
	m.Parts[at].Text += text
}

// storedParts are the parts of a message with images as they are stored, nil for
// others. Pictures in results are not: the text names their files.
func storedParts(m providers.Message) []sessions.Part {
	if m.Role != providers.User || !hasImage(m) {
		return nil
	}
	var list []sessions.Part
	for _, p := range m.Parts {
		if p.Image != nil {
			list = append(list, sessions.Part{MediaType: p.Image.MediaType, Data: p.Image.Data})
		} else {
			list = append(list, sessions.Part{Text: p.Text})
		}
	}
	return list
}

// restoredParts are the parts of a stored message. For pictures in the results of tools
// their text stands.
func restoredParts(row sessions.Message) []providers.Part {
	if row.Parts == nil || row.Role != string(providers.User) {
		return providers.TextParts(row.Content)
	}
	var list []providers.Part
	for _, p := range row.Parts {
		if p.MediaType != "" {
			list = append(list, providers.Part{Image: &providers.Image{MediaType: p.MediaType, Data: p.Data}})
		} else {
			list = append(list, providers.Part{Text: p.Text})
		}
	}
	return list
}

// imagesOf describes the images of a message that another program stored.
func imagesOf(m providers.Message) []event.Attachment {
	var list []event.Attachment
	for _, p := range m.Parts {
		if p.Image == nil {
			continue
		}
		size, _ := attach.Measure(p.Image.Data)
		a := attachment("image", size)
		a.MediaType = p.Image.MediaType
		list = append(list, a)
	}
	return list
}
