package cachediff

import (
	"reflect"
	"testing"
	"time"

	"hermes-tui/providers"
)

// TestNothingIsKept holds that of requests before the newest one nothing is left,
// whatever became shorter, and that room is used again.
func TestNothingIsKept(t *testing.T) {
	var x Tracker
	send := func(n int) {
		r := providers.Request{System: "system"}
		for range n {
			r.Messages = append(r.Messages, providers.Message{ID: "m", Parts: providers.TextParts("text")})
		}
		x.Sent(Endpoint{}, 0, &r, time.Time{})
		x.Answered(&providers.Usage{Input: 1})
	}
	for _, n := range []int{100, 3, 50, 0, 7} {
		send(n)
		for i, m := range x.next.messages[:cap(x.next.messages)] {
			if m != (message{}) {
				t.Fatalf("after %d messages: number %d of an older request is still there", n, i)
			}
		}
		if len(x.last.messages) != n || x.next.system != "" || x.next.tools != nil {
			t.Fatalf("after %d messages: %d", n, len(x.last.messages))
		}
	}
	before := cap(x.next.messages)
	send(2)
	send(2)
	if cap(x.next.messages) != before || before < 7 {
		t.Errorf("room for %d became room for %d", before, cap(x.next.messages))
	}
	if size := reflect.TypeFor[message]().Size(); size > 256 {
		t.Errorf("a message takes %d bytes", size)
	}
}
