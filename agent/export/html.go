package export

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"hermes-tui/themes"
	"hermes-tui/tools"
)

// page is what the template gets.
type page struct {
	Title, Model, Folder, Started string
	Style                         template.CSS
	Blocks                        []block
}

// block is a part of the page: what the user said, an answer, reasoning, or a call with
// what came of it.
type block struct {
	Kind   string
	Text   string
	Body   template.HTML
	Name   string
	Result string
	Lines  int
	Images []template.URL
}

var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{{.Title}}</title><style>{{.Style}}</style></head><body><main>
<header><h1>{{.Title}}</h1><p>{{.Model}}{{if .Folder}} · {{.Folder}}{{end}}{{if .Started}} · {{.Started}}{{end}}</p></header>
{{range .Blocks}}{{if eq .Kind "user"}}<section class="user"><pre>❯ {{.Text}}</pre>{{range .Images}}<img alt="picture" src="{{.}}">{{end}}</section>
{{else if eq .Kind "answer"}}<section class="answer">{{.Body}}</section>
{{else if eq .Kind "reasoning"}}<details class="reasoning"><summary>Thought</summary><pre>{{.Text}}</pre></details>
{{else}}<details class="tool"><summary><b>{{.Name}}</b> <code>{{.Text}}</code>{{if .Lines}} <i>{{.Lines}} lines</i>{{end}}</summary><pre>{{.Result}}</pre></details>
{{end}}{{end}}</main></body></html>
`))

// markup turns answers into HTML. Raw HTML in them is left out, and so are links that
// run something.
var markup = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))

// html writes one file that needs nothing else, in the colours of the screen: those of
// the dark theme, or of the light one where the reader prefers that. Calls and reasoning
// are folded.
func (s Session) html(w io.Writer) error {
	p := page{Title: tools.ClipLine(s.title(), 200), Model: s.Model, Folder: s.Folder, Style: style()}
	if !s.Started.IsZero() {
		p.Started = s.Started.Format("2 January 2006, 15:04")
	}
	open := map[string]int{} // calls without a result, by id: where they stand
	for _, m := range s.Messages {
		switch m.Role {
		case "user":
			b := block{Kind: "user", Text: strings.TrimSpace(said(m))}
			for _, i := range m.Images {
				b.Images = append(b.Images, template.URL("data:"+i.MediaType+";base64,"+i.Data)) //nolint:gosec // a type and characters that Read and Of allow
			}
			p.Blocks = append(p.Blocks, b)
		case "assistant":
			if text := strings.TrimSpace(m.Reasoning); text != "" {
				p.Blocks = append(p.Blocks, block{Kind: "reasoning", Text: text})
			}
			if strings.TrimSpace(m.Text) != "" {
				var body bytes.Buffer
				if err := markup.Convert([]byte(m.Text), &body); err != nil {
					return fmt.Errorf("write an answer as HTML: %w", err)
				}
				p.Blocks = append(p.Blocks, block{Kind: "answer", Body: template.HTML(body.String())}) //nolint:gosec // goldmark leaves raw HTML out
			}
			for _, c := range m.Calls {
				open[c.ID] = len(p.Blocks)
				p.Blocks = append(p.Blocks, block{Kind: "tool", Name: c.Name, Text: tools.ClipLine(argument(c), 200)})
			}
		case "tool":
			text, _ := tools.Unfence(m.Text)
			i, known := open[m.CallID]
			if !known {
				i = len(p.Blocks)
				p.Blocks = append(p.Blocks, block{Kind: "tool", Name: m.Tool})
			}
			delete(open, m.CallID)
			p.Blocks[i].Result, p.Blocks[i].Lines = text, strings.Count(strings.TrimRight(text, "\n"), "\n")+1
		}
	}
	return pageTemplate.Execute(w, p)
}

// style are the rules of the page.
func style() template.CSS {
	colours := func(t themes.Theme, paper string) string {
		return fmt.Sprintf("--paper:%s;--text:%s;--strong:%s;--muted:%s;--faint:%s;--border:%s;--accent:%s;--user:%s;--link:%s;--code:%s;--box:%s",
			paper, t.Text, t.Strong, t.Muted, t.Faint, t.Border, t.Accent, t.User, t.Link, t.Code, t.SelectedBg)
	}
	return template.CSS(":root{color-scheme:dark light;" + colours(themes.Dark(), "#16181d") + "}\n" + //nolint:gosec // colours of our own
		"@media (prefers-color-scheme:light){:root{" + colours(themes.Light(), "#fdfdfb") + "}}\n" + `
body{margin:0;background:var(--paper);color:var(--text);font:15px/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
main{max-width:60rem;margin:0 auto;padding:2rem 1rem}
header{border-bottom:1px solid var(--border);margin-bottom:1.5rem}
h1,h2,h3,h4{color:var(--strong);font-size:1.1em}
header p,summary i{color:var(--muted)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:inherit}
.user pre{color:var(--user);font-weight:bold}
section,details{margin:1rem 0}
.answer pre{background:var(--box);padding:.6rem .8rem;border-radius:.3rem;font-weight:normal}
code{color:var(--code)}
.answer pre code{color:inherit}
a{color:var(--link)}
table{border-collapse:collapse}
td,th{border:1px solid var(--border);padding:.2rem .6rem;text-align:left}
blockquote{margin-left:0;padding-left:1rem;border-left:.2rem solid var(--border);color:var(--muted)}
details{border-left:.2rem solid var(--border);padding-left:.8rem}
summary{cursor:pointer;color:var(--muted);overflow-wrap:anywhere}
summary b{color:var(--accent);font-weight:normal}
details pre{margin-top:.5rem;color:var(--muted)}
img{max-width:100%;margin-top:.5rem}
`)
}
