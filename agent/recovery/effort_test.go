package recovery

import (
	"testing"

	"hermes-tui/providers"
	"hermes-tui/providers/failure"
)

// A service that names an effort it refuses is asked for the nearest that it takes, and
// then for none, and that is remembered for the effort.
func TestEffortRefused(t *testing.T) {
	for _, c := range []struct{ wanted, said, want string }{
		{"none", "Unsupported value: 'none' is not supported with the 'gpt-6.2-sol' model. Supported values are: 'low', 'medium', 'high', 'xhigh', and 'max'.", "low"},
		{"max", "output_config.effort: Input should be 'low', 'medium' or 'high'; 'max' is not supported", ""},
		{"xhigh", "reasoning_effort must be one of low, medium, high", "high"},
		{"max", "Invalid effort 'xhigh'. supported: high|low|medium", "high"},
		{"minimal", "thinking_level minimal is not supported; expected LOW or HIGH", "low"},
		{"high", "Unrecognized request argument supplied: reasoning_effort", ""},
	} {
		err := &providers.Error{Kind: providers.ErrorStatus, Status: 400, Message: c.said}
		s := Start(Means{}, Shape{})
		f := Read(err, Sent{Context: failure.Context{Provider: "p"}, Effort: c.wanted})
		a, s := Defaults(nil).Next(f, s)
		if r, ok := a.(Reshape); !ok || r.Change != OtherEffort || c.want != "" && s.Shape().EffortFor(c.wanted) != c.want {
			t.Errorf("%s: %+v, %q", c.said, a, s.Shape().EffortFor(c.wanted))
		}
		if again := Start(Means{}, s.Shape()).Shape(); again.EffortFor(c.wanted) != s.Shape().EffortFor(c.wanted) || again.EffortFor("other") != "other" {
			t.Errorf("%s: the next turn asks for %q", c.said, again.EffortFor(c.wanted))
		}
		for range 3 {
			if a, s = Defaults(nil).Next(f, s); s.Shape().EffortFor(c.wanted) != "" {
				t.Errorf("%s: refused again, asked for %q", c.said, s.Shape().EffortFor(c.wanted))
			}
		}
		if r, ok := a.(Reshape); ok && r.Change == OtherEffort {
			t.Errorf("%s: sent again without end", c.said)
		}
	}
	f := Read(&providers.Error{Kind: providers.ErrorStatus, Status: 400, Message: "in an effort to help, this is invalid"}, Sent{})
	if a, _ := Defaults(nil).Next(f, Start(Means{}, Shape{})); a == (Reshape{Change: OtherEffort}) {
		t.Error("nothing was asked for, and less of it")
	}
}
