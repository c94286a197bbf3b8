package web_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools/network"
	"hermes-tui/tools/web"
)

const article = `<html><head><title>On  saws</title><style>b{}</style></head><body>
<nav><a href="/x">Menu</a></nav>
<article><h1>Saws</h1><p>A saw is a tool with teeth that cuts wood. It is pulled or pushed, and each way has its friends, who do not agree with one another
about much, but agree that a saw has to be sharp. See <a href="/more">more</a>.</p>
<p style="display: none">HIDDEN ONE</p><p hidden>HIDDEN TWO</p><!-- HIDDEN THREE --><script>HIDDEN FOUR</script><div aria-hidden="true">HIDDEN FIVE</div>
<p>Another paragraph about the teeth of saws, which are set to one side and the other so that the blade does not stick in what it cuts.</p>
<table><tr><th>Saw</th><th>Teeth</th></tr><tr><td>rip</td><td>five</td></tr></table><pre><code>cut(wood)</code></pre></article></body></html>`

const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Saws</title><description>News of saws.</description>
<item><title>A new saw</title><link>/new</link><pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate><description>&lt;p&gt;It cuts &lt;b&gt;both&lt;/b&gt; ways.&lt;/p&gt;&lt;p style="display:none"&gt;HIDDEN&lt;/p&gt;</description></item>
<item><title>Older</title></item></channel></rss>`

func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

// TestRead makes text of what sites send.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		kind, body string
		want, not  []string
		err        string
	}{
		"article":        {"text/html; charset=utf-8", article, []string{"A saw is a tool", "[more](", "/more)", "teeth of saws", "cut(wood)", "| rip | five  |"}, []string{"HIDDEN", "Menu", "<p", "b{}"}, ""},
		"latin":          {"text/html; charset=iso-8859-1", "<p>Gr\xfc\xdfe</p>", []string{"Grüße"}, nil, ""},
		"charset inside": {"text/html", `<meta charset="windows-1251"><p>` + "\xcf\xf0\xe8\xe2\xe5\xf2</p>", []string{"Привет"}, nil, ""},
		"short":          {"text/html", "<h1>Hello</h1><p>Short.</p>", []string{"# Hello", "Short."}, nil, ""},
		"json":           {"application/json", `{"a": 1}`, []string{`{"a": 1}`}, nil, ""},
		"feed":           {"application/rss+xml", feed, []string{"News of saws.", "## A new saw", "/new", "2026-11-02", "It cuts both ways.", "## Older"}, []string{"<item>", "HIDDEN"}, ""},
		"feed as XML":    {"text/xml", `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>One</title><link href="https://a.example/1"/><updated>2026-01-02T03:04:05Z</updated><summary>Said.</summary></entry></feed>`, []string{"## One", "https://a.example/1", "2026-01-02", "Said."}, nil, ""},
		"feed as JSON":   {"application/feed+json", `{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","url":"https://a.example/1","title":"One","content_html":"<p>Said.</p>"}]}`, []string{"## One", "Said."}, nil, ""},
		"no feed":        {"application/rss+xml", "<rss><channel>", nil, nil, "it is a feed that cannot be read"},
		"empty feed":     {"application/rss+xml", `<rss version="2.0"><channel></channel></rss>`, []string{"(no entries)"}, nil, ""},
		"xml":            {"text/xml", "<a><b>c</b></a>", []string{"<a><b>c</b></a>"}, nil, ""},
		"not latin":      {"text/html; charset=iso-8859-1", "<p>Grüße</p>", []string{"Grüße"}, nil, ""},
		"not utf-8":      {"text/html; charset=utf-8", "<p>Gr\xfc\xdfe</p>", []string{"Grüße"}, nil, ""},
		"not utf-8 text": {"text/plain; charset=utf-8", "Gr\xfc\xdfe", []string{"Grüße"}, nil, ""},
		"no charset":     {"text/html; charset=klingon", "<p>Grüße</p>", []string{"Grüße"}, nil, ""},
		"wide":           {"text/html; charset=utf-16le", "<\x00p\x00>\x00H\x00i\x00", []string{"Hi"}, nil, ""},
		"plain":          {"text/plain", "a\x1b[2Jb\u202ec\x00d\U000e0041", []string{"a[2Jbcd"}, []string{"\x1b", "\u202e"}, ""},
		"no kind":        {"", "plain text", []string{"plain text"}, nil, ""},
		"picture":        {"image/png", "\x89PNG", nil, nil, `"image/png", of which no text can be made`},
		"pdf":            {"application/pdf", "%PDF-1.7", nil, nil, "it is a PDF that cannot be read"},
		"by script":      {"text/html", `<div id="app"></div><script>x()</script>`, nil, nil, "maybe it is made by a script"},
		"deep":           {"text/html", strings.Repeat("<div>", 2000) + "x", nil, nil, "512 nodes"},
		"half":           {"text/html", "<p>Begun <b>and not", []string{"Begun"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if c.kind != "" {
					w.Header().Set("Content-Type", c.kind)
				}
				fmt.Fprint(w, c.body)
			})
			p, err := web.Read(t.Context(), http.DefaultClient, "test", at, web.Own)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(p.Text, want) {
					t.Errorf("lacks %q:\n%s", want, p.Text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(p.Text, not) {
					t.Errorf("has %q:\n%s", not, p.Text)
				}
			}
			if name == "article" && p.Title != "On saws" {
				t.Errorf("title %q", p.Title)
			}
		})
	}
}

// TestHostileSites ends each in a sentence, within bounds of size and time.
func TestHostileSites(t *testing.T) {
	inside := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "secret") })
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"brotli": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "x")
		}, "which was not asked for"},
		"no gzip": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "no such header")
		}, "cannot be unpacked"},
		"twice": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip, gzip")
			fmt.Fprint(w, "x")
		}, "which was not asked for"},
		"404": {func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, "404"},
		"circle": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/"+fmt.Sprint(time.Now().UnixNano()), http.StatusFound)
		}, "more than 5 redirects"},
		"inside": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside, http.StatusFound) }, "private network"},
		"metadata": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/", http.StatusFound)
		}, "private network"},
		"file": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, "file"},
		"password": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://a:b@e.example/", http.StatusFound)
		}, "password"},
		"head": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
			fmt.Fprint(w, "x")
		}, "head"},
		"drip": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		}, "deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			at := serve(t, c.answer)
			host := strings.TrimPrefix(at, "http://")
			dialer := &network.Dialer{Private: func(name string, port int) bool { return fmt.Sprintf("%s:%d", name, port) == host }}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err := web.Read(ctx, dialer.Client(), "test", at, web.Own)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	for _, address := range []string{"", "x", "ftp://a.example", "http://", "https://a:b@e.example", "http://\x00", "http://[::1", "javascript:x"} {
		if _, err := web.Read(t.Context(), http.DefaultClient, "test", address, web.Own); err == nil {
			t.Errorf("%q is read", address)
		}
	}
}

// TestLargePage cuts a page that is larger than what is read.
func TestLargePage(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for range 50 {
			fmt.Fprint(w, strings.Repeat("x", 1<<20))
		}
	})
	p, err := web.Read(t.Context(), http.DefaultClient, "test", at, web.Own)
	if err != nil || !p.Cut || len(p.Text) != web.MaxText {
		t.Errorf("%d characters, cut %v, %v", len(p.Text), p.Cut, err)
	}
}

// TestPackedPage unpacks what a server sends packed without being asked, within bounds.
func TestPackedPage(t *testing.T) {
	packers := map[string]func(w io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"X-GZip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"Deflate": func(w io.Writer) io.WriteCloser { // without the header that belongs there
			f, err := flate.NewWriter(w, flate.DefaultCompression)
			if err != nil {
				t.Error(err)
			}
			return f
		},
	}
	for name, packer := range packers {
		t.Run(name, func(t *testing.T) {
			at := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.Header().Set("Content-Encoding", name)
				var packed bytes.Buffer
				p := packer(&packed)
				fmt.Fprint(p, "some text")
				if r.URL.Path == "/bomb" {
					for range 4 * web.MaxBytes >> 20 {
						_, _ = p.Write(make([]byte, 1<<20))
					}
				}
				p.Close()
				if r.URL.Path == "/cut" {
					packed.Truncate(packed.Len() / 2)
				}
				_, _ = w.Write(packed.Bytes())
			})
			p, err := web.Read(t.Context(), http.DefaultClient, "test", at, web.Own)
			if err != nil || p.Text != "some text" || p.Cut {
				t.Errorf("%q, cut %v, %v", p.Text, p.Cut, err)
			}
			if _, err = web.Read(t.Context(), http.DefaultClient, "test", at+"/cut", web.Own); err == nil || !strings.Contains(err.Error(), "broke off") && !strings.Contains(err.Error(), "unpacked") {
				t.Errorf("cut: %v", err)
			}
			if p, err = web.Read(t.Context(), http.DefaultClient, "test", at+"/bomb", web.Own); err != nil || !p.Cut {
				t.Errorf("bomb: cut %v, %v", p.Cut, err)
			}
		})
	}
}

// BenchmarkRead reads pages of 1 MB of HTML: one like an article of an encyclopaedia, with
// scripts, menus, classes and footnotes around its paragraphs, and one that is nothing but
// small elements.
func BenchmarkRead(b *testing.B) {
	pages := map[string]func(w *strings.Builder, i int){
		"article": func(w *strings.Builder, i int) {
			fmt.Fprintf(w, `<h2 id="part-%d" class="heading heading-small"><span class="anchor" data-target="part-%d">Part %d</span></h2>`, i, i, i)
			for j := range 4 {
				fmt.Fprintf(w, `<p class="text text-justified">A saw is a tool with teeth that cuts wood, metal or stone, and <a href="/wiki/part-%d-%d" title="Part %d" class="internal reference">it is pulled or pushed</a>, and each way has its friends, who do not agree with one another about much but that a saw has to be <b>sharp</b>, which takes a file, a clamp and patience.<sup id="note-%d-%d" class="reference"><a href="#cite-%d-%d">[%d]</a></sup> The teeth are set to one side and the other, so that the blade does not stick in what it cuts, and the set is wider the wetter the wood is.</p>`, i, j, i, i, j, i, j, j)
			}
			fmt.Fprintf(w, `<script type="application/json" class="data">{"part":%d,"points":"%s"}</script>`, i, strings.Repeat("0.123456,", 60))
		},
		"dense": func(w *strings.Builder, i int) {
			fmt.Fprintf(w, "<h2>Part %d</h2><p>Some words about <b>saws</b> and <a href=\"/x%d\">where they are</a>, with more of them.</p><ul><li>one</li><li>two</li></ul>", i, i)
		},
	}
	for name, part := range pages {
		for how, reader := range map[string]web.Reader{"here": web.Here, "process": web.Own} {
			b.Run(name+"/"+how, func(b *testing.B) {
				var page strings.Builder
				page.WriteString("<html><body><article>")
				for i := 0; page.Len() < 1<<20; i++ {
					part(&page, i)
				}
				page.WriteString("</article></body></html>")
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprint(w, page.String())
				}))
				defer s.Close()
				b.ReportAllocs()
				for b.Loop() {
					if p, err := web.Read(b.Context(), http.DefaultClient, "bench", s.URL, reader); err != nil || len(p.Text) < 1000 {
						b.Fatal(err)
					}
				}
				b.ReportMetric(80, "target-ms")
			})
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("text/html", article)
	f.Add("application/json", "{}")
	f.Fuzz(func(t *testing.T, kind, body string) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		}))
		defer s.Close()
		p, err := web.Read(t.Context(), http.DefaultClient, "fuzz", s.URL, web.Here)
		if err == nil && (p.Text == "" || strings.ContainsAny(p.Text, "\x00\x1b\u202e")) {
			t.Errorf("%q of %q", p.Text, body)
		}
	})
}
