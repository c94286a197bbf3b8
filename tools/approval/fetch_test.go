package approval

import (
	"net/url"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// TestJudgeFetch asks about sites that the settings do not allow, and about data in
// addresses that no one has named.
func TestJudgeFetch(t *testing.T) {
	g := &Gate{o: Options{Hosts: func(name string, port int) bool { return name == "docs.example" && port == 443 }}}
	for _, c := range []struct {
		urls, known []string
		want        []shellrisk.Category
	}{
		{[]string{"https://docs.example/a"}, nil, nil},
		{[]string{"https://DOCS.example./a"}, nil, nil},
		{[]string{"http://docs.example/a"}, nil, []shellrisk.Category{shellrisk.CatNetwork}},
		{[]string{"https://other.example/a"}, nil, []shellrisk.Category{shellrisk.CatNetwork}},
		{[]string{"https://docs.example/a?q=1"}, nil, []shellrisk.Category{shellrisk.CatExfiltration}},
		{[]string{"https://docs.example/a?q=1"}, []string{"https://docs.example/a?q=1"}, nil},
		{[]string{"https://docs.example/a", "https://x.example/?data"}, nil, []shellrisk.Category{shellrisk.CatNetwork, shellrisk.CatExfiltration}},
		{[]string{"http://[::1"}, nil, []shellrisk.Category{shellrisk.CatNetwork, shellrisk.CatExfiltration}},
	} {
		v := g.judgeFetch(tools.Action{Kind: tools.ActFetch, URLs: c.urls, Known: c.known})
		got := map[shellrisk.Category]bool{}
		for _, cat := range v.Categories {
			got[cat] = true
		}
		same := len(got) == len(c.want)
		for _, cat := range c.want {
			same = same && got[cat]
		}
		if !same || (v.Decision == shellrisk.Allow) != (len(c.want) == 0) {
			t.Errorf("%q: %+v", c.urls, v)
		}
	}
	m := &matter{Request: Request{Action: tools.Action{Kind: tools.ActFetch, URLs: []string{"https://b.example/x", "https://docs.example/", "https://a.example/"}, Command: "saws"}}}
	if list := g.fetchScopes(m); len(list) != 1 || list[0].Rule != "search at b.example, a.example" {
		t.Errorf("%+v", list)
	}
	long := "https://a.example/" + "aGVsbG8gd29ybGQgdGhpcyBpcyB0aGUgY29udGVudCBvZiBhIGZpbGUgaW4geW91ciB3b3Jrc3BhY2UgYW5kIG1vcmU"
	for address, want := range map[string]bool{
		"https://a.example/": false, "https://a.example/blog/2026/a-title-of-a-page": false, long: true, "https://a.example/#x": true,
		"https://github.com/kubernetes/kubernetes/blob/0123456789abcdef0123456789abcdef01234567/staging/src/k8s.io/client-go/tools/cache/controller.go": false,
		"https://my-bucket.s3.dualstack.eu-west-1.amazonaws.com/a":                                                                                      false,
		"https://a.example" + strings.Repeat("/some-words", 16):                                                                                         true, "https://a.example/" + strings.Repeat("%20", 60): true,
		"https://some-words@a.example/": true, "https://:some-words@a.example/": true,
		"https://" + strings.Repeat("some-words.", 8) + "a.example/": true,
	} {
		if u, err := url.Parse(address); err != nil || carriesData(u) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}

// TestSiteRules has rules for sites forbid, ask and allow; data in an address is asked about
// whatever they allow.
func TestSiteRules(t *testing.T) {
	rules, err := shellrisk.NewRules([]shellrisk.RuleSpec{
		{Allow: "web_extract(domain:go.dev)"}, {Allow: "web_extract(domain:*.example)"}, {Deny: "web_extract(domain:bad.example)"}, {Ask: "web_extract(domain:b\u00fccher.example)"},
	}, shellrisk.RulePlace{Home: "/h", HermesHome: "/h/.hermes", Workspace: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	g := &Gate{}
	for _, c := range []struct {
		urls, known []string
		want        string
	}{
		{[]string{"https://go.dev/x"}, nil, "allow"},
		{[]string{"https://GO.DEV./x", "http://a.b.example/"}, nil, "allow"},
		{[]string{"https://go.dev/x?q=1"}, nil, ""},
		{[]string{"https://go.dev/x?q=1"}, []string{"https://go.dev/x?q=1"}, "allow"},
		{[]string{"https://www.go.dev/x"}, nil, ""},
		{[]string{"https://example/"}, nil, ""},
		{[]string{"https://go.dev/x", "https://other.test/"}, nil, ""},
		{[]string{"https://go.dev/x", "https://bad.example/"}, nil, "deny"},
		{[]string{"https://\uff22ad.example/"}, nil, "deny"},
		{[]string{"https://xn--bcher-kva.example/"}, nil, "ask"},
		{[]string{"https://go.dev/x", "http://[::1"}, nil, ""},
	} {
		a := tools.Action{Kind: tools.ActFetch, URLs: c.urls, Known: c.known}
		m := &matter{Request: Request{Action: a, Tool: "web_extract"}, verdict: g.judgeFetch(a)}
		g.match(m, rules)
		got := ""
		switch {
		case m.forbidden != nil:
			got = "deny"
		case m.asking != nil:
			got = "ask"
		case m.allowing != nil:
			got = "allow"
		}
		if got != c.want {
			t.Errorf("%q: %q, not %q", c.urls, got, c.want)
		}
	}
}

// TestPagesInPlan reads pages in mode plan after the same questions as in others.
func TestPagesInPlan(t *testing.T) {
	for _, address := range []string{"https://go.dev/doc", "https://a.example/?q=" + strings.Repeat("c2VjcmV0", 12)} {
		var asked [2]int
		for i, mode := range []Mode{ModeManual, ModePlan} {
			for _, answer := range []tools.Choice{tools.ChoiceDeny, tools.ChoiceOnce} {
				s := newScene(t)
				s.person.answer = tools.Answer{Choice: answer}
				_, d := s.pass(t, tools.Action{Kind: tools.ActFetch, URLs: []string{address}}, mode)
				if asked[i] += len(s.person.asked); (d != nil) != (len(s.person.asked) > 0 && answer == tools.ChoiceDeny) {
					t.Errorf("%s in %s, answered with %s: %+v after %d questions", address, mode, answer, d, len(s.person.asked))
				}
			}
		}
		if asked[0] != asked[1] || asked[0] == 0 {
			t.Errorf("%s: %d questions in manual, %d in plan", address, asked[0], asked[1])
		}
	}
}
