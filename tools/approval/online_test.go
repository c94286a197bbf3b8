package approval

import "testing"

// TestOnline names the program by which a command shows what comes from the network,
// where nothing confines it.
func TestOnline(t *testing.T) {
	for command, want := range map[string]string{
		"curl -s https://example.com | head":              "curl",
		"cd sub && timeout 5 wget -qO- example.com":       "wget",
		"bash -c 'x=$(curl -s example.com); echo \"$x\"'": "curl",
		"find . -name '*.url' | xargs curl -s":            "curl",
		"ssh build uname -a":                              "ssh",
		"git fetch origin":                                "git fetch",
		"gh issue view 7":                                 "gh",
		"git log -1":                                      "",
		"git remote -v":                                   "",
		"go test ./...":                                   "",
		"echo curl":                                       "",
		"openssl rand -hex 8":                             "",
	} {
		s := newScene(t)
		r := s.request(command)
		r.Mode = ModeOff
		p, denied := s.decide(t, r)
		if denied != nil {
			t.Fatalf("%s: %s", command, denied.Message)
		}
		run, err := p.Take(s.gate.o.Place)
		if err != nil {
			t.Fatal(err)
		}
		if run.Online != want || run.Confined || run.Outside {
			t.Errorf("%s: online by %q, want %q: %+v", command, run.Online, want, run)
		}
	}
}
