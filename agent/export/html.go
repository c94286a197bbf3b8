package export

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"hermes-tui/themes"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// block is a part of the page: what the user said, an answer, reasoning, or a call with
// what came of it.
type block struct {
	Kind   string
	Text   string
	Body   string // markup
	Name   string
	Result string // markup
	Lines  int
	Failed bool
	Images []string // addresses
}

// page collects markup. html/template is no part of the program: it calls methods by
// name, for which the linker keeps every exported method of everything.
type page struct{ strings.Builder }

// text writes markup in which each %s stands for one of the texts, escaped.
func (p *page) text(markup string, texts ...string) {
	for _, t := range texts {
		before, after, _ := strings.Cut(markup, "%s")
		p.WriteString(before)
		p.WriteString(html.EscapeString(t))
		markup = after
	}
	p.WriteString(markup)
}

// head writes what stands above the blocks.
func (p *page) head(s Session) {
	title := shorten.Line(s.title(), 200)
	p.WriteString(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
`)
	p.text("<title>%s</title><style>", title)
	p.WriteString(style())
	p.text("</style></head><body><main>\n<header><h1>%s</h1><p>%s", title, s.Model)
	if s.Folder != "" {
		p.text(" · %s", s.Folder)
	}
	if !s.Started.IsZero() {
		p.text(" · %s", s.Started.Format("2 January 2006, 15:04"))
	}
	p.WriteString("</p></header>\n")
}

// block writes a part of the page.
func (p *page) block(b block) {
	switch b.Kind {
	case "user":
		p.text(`<section class="user"><pre>❯ %s</pre>`, b.Text)
		for _, address := range b.Images {
			p.text(`<img alt="picture" src="%s">`, address)
		}
		p.WriteString("</section>\n")
	case "answer":
		p.WriteString(`<section class="answer">` + b.Body + "</section>\n")
	case "line":
		p.text("<p class=\"line\">%s</p>\n", b.Text)
	case "reasoning":
		p.text(`<details class="reasoning"><summary>Thought</summary><pre>%s</pre></details>`+"\n", b.Text)
	case "notice":
		p.text(`<details class="notice"><summary>Notice of the program</summary><pre>%s</pre></details>`+"\n", b.Text)
	default:
		p.text(`<details class="tool"><summary>● <b>%s</b> <code>%s</code>`, b.Name, b.Text)
		if b.Lines > 0 {
			p.text(" <i>%s</i>", tools.Plural(b.Lines, "line", "lines"))
		}
		if b.Failed {
			p.WriteString(` <span class="failed">✗</span>`)
		}
		p.WriteString("</summary><pre>" + b.Result + "</pre></details>\n")
	}
}

// markup turns answers into HTML. Raw HTML in them is left out, and so are links that
// run something.
func (s Session) markup() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(fences{s}, 100))))
}

// fences writes fenced code in colours.
type fences struct{ s Session }

// RegisterFuncs implements [renderer.NodeRenderer].
func (f fences) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, f.fence)
}

func (f fences) fence(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b, ok := n.(*ast.FencedCodeBlock)
	if !ok {
		return ast.WalkContinue, nil
	}
	lang := string(b.Language(source))
	_, err := w.WriteString(`<pre><code class="language-` + html.EscapeString(lang) + `">` + f.s.coloured(lang, string(b.Lines().Value(source))) + "</code></pre>\n")
	return ast.WalkSkipChildren, err
}

// coloured is code as markup.
func (s Session) coloured(lang, code string) string {
	if s.paint == nil {
		return html.EscapeString(code)
	}
	var p page
	s.paint(lang, code, func(class, text string) {
		if class == "" {
			p.text("%s", text)
			return
		}
		p.text(`<span class="%s">%s</span>`, class, text)
	})
	return p.String()
}

// html writes one file that needs nothing else, in the colours of the screen: those of
// the dark theme, or of the light one where the reader prefers that. Calls and reasoning
// are folded.
func (s Session) html(w io.Writer) error {
	var p page
	p.head(s)
	for i, part := range s.parts() {
		if i > 0 {
			p.block(block{Kind: "line", Text: shortened})
		}
		list, err := s.blocks(part.Messages)
		if err != nil {
			return err
		}
		for _, b := range list {
			p.block(b)
		}
	}
	p.WriteString("</main></body></html>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// blocks are the parts of the page that messages make, in order.
func (s Session) blocks(messages []Message) ([]block, error) {
	var list []block
	type opened struct {
		Call
		at int // where it stands
	}
	open := map[string]opened{} // calls without a result, by id
	markup := s.markup()
	for _, m := range messages {
		switch m.Role {
		case "user":
			text, users := said(m)
			if !users {
				list = append(list, block{Kind: "notice", Text: text})
				continue
			}
			b := block{Kind: "user", Text: text}
			for _, i := range m.Images {
				b.Images = append(b.Images, "data:"+i.MediaType+";base64,"+i.Data) // a type and characters that Read and Of allow
			}
			list = append(list, b)
		case "assistant":
			if text := strings.TrimSpace(m.Reasoning); text != "" {
				list = append(list, block{Kind: "reasoning", Text: text})
			}
			if strings.TrimSpace(m.Text) != "" {
				var body bytes.Buffer
				if err := markup.Convert([]byte(m.Text), &body); err != nil {
					return nil, fmt.Errorf("write an answer as HTML: %w", err)
				}
				list = append(list, block{Kind: "answer", Body: body.String()}) // goldmark leaves raw HTML out
			}
			for _, c := range m.Calls {
				open[c.ID] = opened{c, len(list)}
				list = append(list, block{Kind: "tool", Name: c.Name, Text: shorten.Line(argument(c), 200)})
			}
		case "tool":
			c, known := open[m.CallID]
			if !known {
				c.at = len(list)
				list = append(list, block{Kind: "tool", Name: m.Tool})
			}
			delete(open, m.CallID)
			b := &list[c.at]
			text, _ := tools.Unfence(m.Text)
			var lang string
			lang, text, b.Failed = opens(c.Call, text)
			b.Result, b.Lines = s.coloured(lang, text), tools.CountLines(text)
		}
	}
	return list, nil
}

// opens is what a call shows when it is opened, with its language: what went wrong, what a
// command printed, what was read or changed, else the result as it is.
func opens(c Call, result string) (lang, text string, failed bool) {
	r, args := tools.ParseMembers(result), tools.ParseMembers(c.Arguments)
	code, _ := r.Number("exit_code")
	said := r.Text("error")
	failed = said != "" || code != 0
	for _, part := range []struct{ lang, text string }{
		{"", r.Text("output")}, {"diff", r.Text("diff")}, {"", r.Text("content")}, {"diff", args.Text("patch")}, {"", args.Text("content")},
	} {
		if part.text != "" {
			lang, text = part.lang, part.text
			break
		}
	}
	switch {
	case text == "" && said == "":
		return "", result, failed
	case said != "" && text != "":
		return lang, said + "\n\n" + text, failed
	}
	return lang, said + text, failed
}

// style are the rules of the page.
func style() string {
	colours := func(t themes.Theme, paper string) string {
		y := t.Syntax
		return fmt.Sprintf("--keyword:%s;--name:%s;--type:%s;--string:%s;--number:%s;--comment:%s;--operator:%s;--deleted:%s;--inserted:%s;",
			y.Keyword, y.Name, y.Type, y.String, y.Number, y.Comment, y.Operator, y.Deleted, y.Inserted) + fmt.Sprintf("--paper:%s;--text:%s;--strong:%s;--muted:%s;--faint:%s;--border:%s;--accent:%s;--user:%s;--link:%s;--code:%s;--box:%s",
			paper, t.Text, t.Strong, t.Muted, t.Faint, t.Border, t.Accent, t.User, t.Link, t.Code, t.SelectedBg)
	}
	return ":root{color-scheme:dark light;" + colours(themes.Dark(), "#16181d") + "}\n" +
		"@media (prefers-color-scheme:light){:root{" + colours(themes.Light(), "#fdfdfb") + "}}\n" + `
body{margin:0;background:var(--paper);color:var(--text);font:15px/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
main{max-width:60rem;margin:0 auto;padding:2rem 1rem}
header{border-bottom:1px solid var(--border);margin-bottom:1.5rem}
h1,h2,h3,h4{color:var(--strong);font-size:1.1em}
header p,summary i,.line{color:var(--muted)}
.line{border-top:1px solid var(--border);text-align:center}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:inherit}
.user pre{color:var(--user);font-weight:bold}
section,details{margin:1rem 0}
.answer pre{background:var(--box);padding:.6rem .8rem;border-radius:.3rem;font-weight:normal}
code{color:var(--code)}
.answer pre code{color:inherit}
.keyword{color:var(--keyword)}.name{color:var(--name)}.type{color:var(--type)}.string{color:var(--string)}.number{color:var(--number)}
.comment{color:var(--comment)}.operator{color:var(--operator)}.deleted,.failed{color:var(--deleted)}.inserted{color:var(--inserted)}
a{color:var(--link)}
table{border-collapse:collapse}
td,th{border:1px solid var(--border);padding:.2rem .6rem;text-align:left}
blockquote{margin-left:0;padding-left:1rem;border-left:.2rem solid var(--border);color:var(--muted)}
details{border-left:.2rem solid var(--border);padding-left:.8rem}
summary{cursor:pointer;color:var(--muted);overflow-wrap:anywhere}
summary b{color:var(--accent);font-weight:normal}
details pre{margin-top:.5rem;color:var(--muted)}
img{max-width:100%;margin-top:.5rem}
`
}
