package repair

import "testing"

// TestCopies takes one of the copies that gateways make of arguments, and none where they
// differ.
func TestCopies(t *testing.T) {
	const one = `{"path":"a.txt","content":"x {y} z"}`
	for in, want := range map[string]struct {
		text    string
		verdict Verdict
	}{
		one + one:                   {one, Tidied},
		one + "\n" + one:            {one, Tidied},
		"{}" + one:                  {one, Tidied},
		"{}{}" + one:                {one, Tidied},
		"{}" + one + one:            {one, Tidied},
		one + one + one:             {one, Tidied},
		`{"pa` + `{"path":"a` + one: {one, Tidied},
		one + `"{\"path\":\"a.txt\",\"content\":\"x {y} z\"}"`: {one, Tidied},
		one + `{"path":"b.txt"}`:                               {none, Rejected},
		one + `"other"`:                                        {none, Rejected},
		`{"path":"b` + one:                                     {none, Rejected},
	} {
		if got, verdict := Arguments(in); got != want.text || verdict != want.verdict {
			t.Errorf("%s: got %s, %v", in, got, verdict)
		}
	}
}
