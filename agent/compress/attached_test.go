package compress

import (
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/skill"
)

// views adds a call that reads a skill with a text of n characters.
func (s *script) views(name string, n int) *script {
	return s.calls(made{skill.ViewName, encode(map[string]any{"name": name}), encode(map[string]any{
		"success": true, "name": name, "content": strings.Repeat(name[:1], n),
	})})
}

// attachedIn lists what is attached to messages, as "u7: skill a (40)".
func attachedIn(history []providers.Message) string {
	var list []string
	for _, m := range history {
		_, attached := tools.Detach(m.Text())
		for _, a := range attached {
			list = append(list, m.ID+": "+a.Name+" "+tools.Grouped(len(a.Text)))
		}
	}
	return strings.Join(list, ", ")
}

// TestAttached holds that skills that were read or called stay before the model when a
// history is made shorter, again and again.
func TestAttached(t *testing.T) {
	called := tools.Attach([]tools.Attached{{Name: "skill called", Text: strings.Repeat("c", 400)}})
	s := (&script{}).user("/called do it" + called).says("done")
	s.user("two").views("again", 300).views("big", 60_000).views("again", 400).says("read")
	for range 6 {
		s.user("more").reads("f", 8_000).says("seen")
	}
	s.user("now").reads("g", 4_000)
	newest := s.list[len(s.list)-3].ID
	want := newest + ": skill called 400, " + newest + ": skill big 20,000, " + newest + ": skill again 400"

	r := compressTo(t, engine(), s.list, Budget{History: 18_000, Tail: 2_000})
	if got := attachedIn(r.History); got != want {
		t.Errorf("got  %s\nwant %s\n%s", got, want, texts(r.History))
	}
	if first := r.History[0].Text(); !strings.HasPrefix(first, "/called do it") || strings.Contains(first, "cccc") {
		t.Errorf("the first message: %.200q", first)
	}

	s.list = r.History // on it goes
	s.says("ok")
	for range 8 {
		s.user("more").reads("h", 8_000).says("seen")
	}
	newest = s.list[len(s.list)-4].ID
	want = newest + ": skill called 400, " + newest + ": skill big 20,000, " + newest + ": skill again 400"
	r = compressTo(t, engine(), s.list, Budget{History: 16_000, Tail: 2_000})
	if got := attachedIn(r.History); got != want || r.Turns == 0 {
		t.Errorf("again, %d turns:\ngot  %s\nwant %s\n%s", r.Turns, got, want, texts(r.History))
	}

	r = compressTo(t, engine(), s.list, Budget{History: 7_000, Tail: 1_000})
	if got := attachedIn(r.History); !r.Fits || got != newest+": skill again 400" {
		t.Errorf("with little room: %v, %s", r.Fits, got)
	}
}

// TestAttachedBounds holds how much is attached.
func TestAttachedBounds(t *testing.T) {
	s := (&script{}).user("one")
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		s.views(name, 100_000)
	}
	s.user("two").says("x").says("y").says("z").says("end")
	r := compressTo(t, engine(func(c *Config) { c.ProtectLast = 3 }), s.list, Budget{History: 100_000, Tail: 100})
	got := attachedIn(r.History)
	if strings.Count(got, "20,000") != 4 || strings.Contains(got, "skill a") || !strings.Contains(got, "skill g") {
		t.Errorf("attached: %s\n%s", got, texts(r.History))
	}
}
