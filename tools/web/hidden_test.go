package web

import (
	"fmt"
	"strings"
	"testing"
)

// TestHidden tells what a reader of a page sees from what it hides, by styles of elements,
// classes and colours.
func TestHidden(t *testing.T) {
	t.Parallel()
	for page, sees := range map[string]bool{
		`<p style="display:none">W</p>`: false, `<p style="DISPLAY : NONE !important;">W</p>`: false, `<p style="visibility: hidden">W</p>`: false, `<p style="opacity:0">W</p>`: false,
		`<p style="opacity:0.0;color:red">W</p>`: false, `<p style="font-size:0">W</p>`: false, `<p style="font-size:1px">W</p>`: false, `<p style="font-size:.1em">W</p>`: false,
		`<p style="position:absolute;left:-9999px">W</p>`: false, `<p style="text-indent:-5000px">W</p>`: false, `<p style="color: transparent">W</p>`: false,
		`<p style="color:rgba(0,0,0,0)">W</p>`: false, `<p style="position:absolute; clip: rect(0 0 0 0)">W</p>`: false, `<p style="transform: scale(0)">W</p>`: false,
		`<p style="width:1px;height:1px;overflow:hidden">W</p>`: false, `<p style="max-height:0;overflow:hidden">W</p>`: false,
		`<p style="color:white">W</p>`: false, `<p style="color:#fff">W</p>`: false, `<p style="color:#fefefe">W</p>`: false, `<p style="color:rgb(255, 255, 255)">W</p>`: false,
		`<font color="#FFFFFF">W</font>`: false, `<div style="background:#123"><p style="color:#123">W</p></div>`: false, `<body bgcolor="black"><p>W</p>`: false,
		`<div style="color:white"><span>W</span></div>`: false, `<style>.x{display:none}</style><p class="y x">W</p>`: false, `<style>p.x , b { color : #FFF }</style><p class="x">W</p>`: false,
		`<style>div > p.x{font-size:1px}</style><div><p class="x">W</p></div>`: false, `<style>#x{visibility:hidden}</style><p id="x">W</p>`: false, `<style>[data-x]{display:none}</style><p data-x>W</p>`: false,
		`<style>/* } */ @media screen { .x { display: none } }</style><p class="x">W</p>`: false, `<style>@import "a.css"; @font-face{src:url(x)} .x{opacity:0}</style><p class="x">W</p>`: false,
		`<style>.x{display:none !important}</style><p class="x" style="display:block">W</p>`: false, `<input type="hidden" value="W">`: false, `<noscript>W</noscript>`: false,
		`<p hidden>W</p>`: false, `<!-- W -->`: false, `<p aria-hidden="true">W</p>`: false, `<style>W</style>`: false,

		`<p>W</p>`: true, `<p style="font-size:0.9em">W</p>`: true, `<p style="opacity:0.5">W</p>`: true, `<p style="margin-left:-5px;left:10px;clip:rect(0 0 0 0);color:red;font-size:larger">W</p>`: true,
		`<p style=":">W</p>`: true, `<div style="background:#000"><p style="color:white">W</p></div>`: true, `<body style="background-color:navy"><p style="color:#fff">W</p>`: true,
		`<div style="background:url(a.png)"><p style="color:white">W</p></div>`: true, `<div style="font-size:0"><p style="font-size:16px">W</p></div>`: true, `<div style="color:white"><p style="color:black">W</p></div>`: true,
		`<style>.x{display:none}.x.y{display:block}</style><p class="x y">W</p>`: true, `<style>.x{display:none}</style><p class="x" style="display:block">W</p>`: true, `<style>.x{display:none}</style><p class="xx">W</p>`: true,
		`<style>@media print{.x{display:none}}</style><p class="x">W</p>`: true, `<style>@media (max-width: 600px){.x{display:none}}</style><p class="x">W</p>`: true, `<style>.x:hover{display:none}</style><p class="x">W</p>`: true,
		`<style>.x::before{display:none}</style><p class="x">W</p>`: true, `<style>.hero{background:#111}</style><div class="hero"><h1 style="color:#fff">W</h1></div>`: true, `<style>{{{{.x{</style><p class="x">W</p>`: true,
		`<p style="width:1px">W</p>`: true, `<p style="height:1em;overflow:hidden">W</p>`: true, `<table><tr><td bgcolor="black"><font color="white">W</font></td></tr></table>`: true,
	} {
		made, err := articleOf(Source{URL: "https://a.example/", Sent: "text/html", Body: []byte(page)})
		if err != nil || strings.Contains(made.Text, "W") != sees {
			t.Errorf("%s: %q, %v", page, made.Text, err)
		}
	}
}

// TestStylesAreBounded reads a page that is made of rules, and one whose elements each have
// many of them.
func TestStylesAreBounded(t *testing.T) {
	t.Parallel()
	var rules, classes strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&rules, ".c%d, p > .d%d, *:nth-child(%d) {color:#%06x}", i, i, i+1, i)
		fmt.Fprintf(&classes, "c%d d%d ", i, i)
	}
	page := "<style>" + rules.String() + strings.Repeat("{", 100_000) + "</style>" + strings.Repeat(`<p class="`+classes.String()[:20_000]+`">W`, 100)
	if made, err := articleOf(Source{URL: "https://a.example/", Sent: "text/html", Body: []byte(page)}); err != nil || !strings.Contains(made.Text, "W") {
		t.Errorf("%.100q, %v", made.Text, err)
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
