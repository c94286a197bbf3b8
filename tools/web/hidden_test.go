package web

import (
	"fmt"
	"strings"
	"testing"
)

// TestHidden tells what a page shows from what it says it does not show.
func TestHidden(t *testing.T) {
	t.Parallel()
	for page, sees := range map[string]bool{
		`<p style="display:none">W</p>`: false, `<p style="DISPLAY : NONE !important;">W</p>`: false, `<p style="color:red; visibility: hidden">W</p>`: false,
		`<p style="opacity:0">W</p>`: false, `<p style="opacity:0.0;color:red">W</p>`: false, `<p style="font-size:0">W</p>`: false, `<p style="font-size:0px">W</p>`: false,
		`<p style="color: transparent">W</p>`: false, `<div style="display:none"><p>W</p></div>`: false, `<input type="hidden" value="W">`: false, `<noscript>W</noscript>`: false,
		`<p hidden>W</p>`: false, `<!-- W -->`: false, `<p aria-hidden="true">W</p>`: false, `<style>W</style>`: false,

		`<p>W</p>`: true, `<p style="font-size:0.9em">W</p>`: true, `<p style="font-size:10px">W</p>`: true, `<p style="opacity:0.5">W</p>`: true, `<p style="margin:0px;display:block">W</p>`: true,
		`<p style=":">W</p>`: true, `<style>.x{display:none}</style><p class="x">W</p>`: true, `<p aria-hidden="false">W</p>`: true,
	} {
		made, err := articleOf(Source{URL: "https://a.example/", Sent: "text/html", Body: []byte(page)})
		if err != nil || strings.Contains(made.Text, "W") != sees {
			t.Errorf("%s: %q, %v", page, made.Text, err)
		}
	}
}

// TestParts: a long page is written in parts, of which nothing is lost.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, around := range []string{"%s", "<main>%s</main>", "<div>before %s <b>after</b></div>", "<ol>%s</ol>", "<article><div>%s</div></article>"} {
		var page strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&page, "<p>word%d <i>and</i> <a href=/x>more</a> of it</p><pre>line %d</pre>", i, i)
		}
		made, err := articleOf(Source{URL: "https://a.example/", Sent: "text/html", Body: []byte(fmt.Sprintf(around, page.String()))})
		if err != nil {
			t.Fatal(err)
		}
		rest := made.Text
		for i := range 3000 {
			var ok bool
			if _, rest, ok = strings.Cut(rest, fmt.Sprintf("word%d ", i)); !ok || !strings.Contains(rest, fmt.Sprintf("line %d", i)) {
				t.Fatalf("%s: word%d is not there in its place", around, i)
			}
		}
		if strings.Contains(around, "after") && !strings.Contains(rest, "after") {
			t.Errorf("%s: the end is lost: %.200q", around, rest)
		}
	}
}
