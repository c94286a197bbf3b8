package compress

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// TestImagesAreLeftOut: old images become a note before whole turns go, new ones
// stay; what is stored gives the same history again, and doing it twice changes
// nothing more.
func TestImagesAreLeftOut(t *testing.T) {
	var history []providers.Message
	for i := range 20 {
		history = append(history,
			providers.Message{ID: fmt.Sprint("u", i), Role: providers.User, Parts: []providers.Part{{Text: "look"}, {Image: picture(100)}}},
			providers.Message{ID: fmt.Sprint("a", i), Role: providers.Assistant, Parts: providers.TextParts("seen")},
		)
	}
	e := New(defaults(), known)
	r := e.Compress(history, Budget{History: 20_000, Tail: 6_000}, nil)
	if !r.Fits || r.Images == 0 || r.Turns != 0 || len(r.Replaced) != r.Images {
		t.Fatalf("%d images, %d turns, %d replaced, fits %v", r.Images, r.Turns, len(r.Replaced), r.Fits)
	}
	if first, last := r.History[0], r.History[38]; shows(&first) || first.Text() != "look"+imagesNote || !shows(&last) {
		t.Errorf("first %q, last %+v", first.Text(), last.Parts)
	}
	if !strings.Contains(r.Summary(), "the images of "+fmt.Sprint(r.Images)+" messages left out") {
		t.Error(r.Summary())
	}
	if !shows(&history[0]) {
		t.Error("the history was changed")
	}
	if again := e.Compress(r.History, Budget{History: 20_000, Tail: 6_000}, nil); again.Changed() {
		t.Error("changed again")
	}
	// Turns go as well, and the notice replaces the images of the first message.
	r = e.Compress(history, Budget{History: 3_500, Tail: 1_000}, nil)
	if text := r.History[0].Text(); r.Turns == 0 || shows(&r.History[0]) || !strings.Contains(text, imagesNote) || !strings.Contains(text, noticeOpen) {
		t.Errorf("%d turns, %q", r.Turns, text)
	}
}
