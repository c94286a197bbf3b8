package files

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// zipped makes an archive of names and contents in turn.
func zipped(t testing.TB, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err == nil {
			_, err = f.Write([]byte(parts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const wordHead = `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w" xmlns:wp="wp" xmlns:mc="mc"><w:body>`

func wordFile(t testing.TB, body string) string {
	return zipped(t, "word/document.xml", wordHead+body+"</w:body></w:document>",
		"word/styles.xml", `<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>`+
			`<w:style w:styleId="Mine"><w:basedOn w:val="berschrift1"/></w:style></w:styles>`,
		"word/numbering.xml", `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>`+
			`<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`)
}

func par(props, text string) string {
	if props != "" {
		props = "<w:pPr>" + props + "</w:pPr>"
	}
	return "<w:p>" + props + "<w:r><w:t>" + text + "</w:t></w:r></w:p>"
}

func item(list, level int, text string) string {
	return par(fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, level, list), text)
}

func TestWordDocument(t *testing.T) {
	b := newBench(t)
	data := wordFile(t, par(`<w:pStyle w:val="berschrift1"/><w:tabs><w:tab w:val="left"/></w:tabs>`, "Title &amp; more")+
		par(`<w:pStyle w:val="Mine"/><w:outlineLvl w:val="1"/>`, "Second")+par("", "")+
		"<w:p><w:r><w:t xml:space=\"preserve\">one </w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"+
		item(3, 0, "first")+item(3, 1, "below")+item(3, 0, "second")+item(9, 0, "bullet")+
		"<w:tbl><w:tr><w:tc>"+par("", "a")+par("", "b")+"</w:tc><w:tc><w:tbl><w:tr><w:tc>"+par("", "x")+"</w:tc><w:tc>"+par("", "y")+
		"</w:tc></w:tr></w:tbl>"+par("", "")+"</w:tc></w:tr><w:tr><w:tc>"+par("", "c")+"</w:tc><w:tc>"+par("", "")+"</w:tc></w:tr></w:tbl>"+
		`<w:p><w:r><mc:AlternateContent><mc:Choice><wp:docPr name="P 1" descr="a chart"/><w:txbxContent>`+par("", "boxed")+
		`</w:txbxContent></mc:Choice><mc:Fallback><w:t>again</w:t></mc:Fallback></mc:AlternateContent><w:t>after</w:t></w:r></w:p>`)
	b.put("d.DOCX", data)
	a := b.read("d.DOCX")
	want := []string{
		"1|# Title & more", "2|## Second", "3|", "4|one \ttwo", "5|three", "6|1. first", "7|  - below", "8|2. second", "9|- bullet",
		"10|| a / b | x | y |", "11|| c |  |", "12|", "13|boxed", "14|[picture: a chart]after",
	}
	if got := a.text("content"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if a.fields["extracted_document"] != true || a.num("file_size") != len(data) || a.num("total_lines") != 14 {
		t.Errorf("got %s", a.Content)
	}
	if a := b.read("d.DOCX"); a.text("status") != "unchanged" {
		t.Errorf("read again: %s", a.Content)
	}
	b.wantError(b.write("d.DOCX", "x"), "Word document")
	if _, err := b.Text("d.DOCX"); err == nil {
		t.Error("a document can be edited as text")
	}
	if b.content("d.DOCX") != data {
		t.Error("the document was changed")
	}
}

func bookFile(t testing.TB, sheet string) string {
	return zipped(t,
		"xl/workbook.xml", `<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="Data &amp; co" sheetId="1" r:id="rId1"/>`+
			`<sheet name="No" state="hidden" sheetId="2" r:id="rId2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="rId1" Target="/xl/worksheets/s.xml"/><Relationship Id="rId2" Target="worksheets/../../../etc/passwd"/></Relationships>`,
		"xl/sharedStrings.xml", `<sst><si><t>plain</t></si><si><r><t>ri</t></r><r><t xml:space="preserve">ch </t></r><rPh><t>reading</t></rPh></si></sst>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="0.0&quot;days&quot;[Red]"/></numFmts>`+
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="21"/></cellXfs></styleSheet>`,
		"xl/worksheets/s.xml", `<worksheet><sheetData>`+sheet+`</sheetData></worksheet>`)
}

func TestSpreadsheet(t *testing.T) {
	b := newBench(t)
	b.put("b.xlsx", bookFile(t, `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c><c r="D1" t="s"><v>99</v></c></row>`+
		`<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" t="e"><v>#DIV/0!</v></c><c r="C3" t="inlineStr"><is><t>in	line
text</t></is></c><c r="D3" t="str"><f>A1&amp;"x"</f><v>formula</v></c><c r="E3"><f>1+1</f><v>2</v></c></row>`+
		`<row r="100"><c r="A100" s="1"><v>45000</v></c><c r="B100" s="2"><v>45000.75</v></c><c r="C100" s="3"><v>45000</v></c><c s="4"><v>0.5</v></c>`+
		`<c s="1"><v>59</v></c><c s="1"><v>-1</v></c><c><v>0.30000000000000004</v></c><c r="IW100"><v>7</v></c></row>`+
		`<row><c><v>next</v></c></row>`))
	a := b.read("b.xlsx")
	want := "1|Sheet 1 of 2: \"Data & co\"\n2|plain\t\trich\t#REF!\n3|\n4|TRUE\t#DIV/0!\tin line text\tformula\t2\n5|(rows 4-99 are empty)\n" +
		"6|2023-03-15\t2023-03-15 18:00:00\t45000\t12:00:00\t1900-02-28\t-1\t0.3\n7|next\n8|(columns after the 256th are not shown)\n" +
		"9|\n10|Sheet 2 of 2: \"No\" (hidden)\n11|(its content is missing)"
	if got := a.text("content"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a.fields["extracted_document"] != true {
		t.Errorf("got %s", a.Content)
	}
	b.put("long.xlsx", bookFile(t, strings.Repeat(`<row><c><v>1</v></c></row>`, maxRows+5)))
	a = b.read("long.xlsx", "offset", 5000)
	if !strings.Contains(a.text("content"), "(rows after row 5000 are not shown)") {
		t.Errorf("got %s", a.Content)
	}
}

func TestNotebook(t *testing.T) {
	b := newBench(t)
	b.put("n.ipynb", `{"metadata":{"a":[1]},"cells":[
		{"cell_type":"markdown","source":["# Title\n","text"]},
		{"cell_type":"code","execution_count":3,"source":"x = 1\nx","outputs":[
			{"output_type":"stream","name":"stdout","text":["a\n","b\n"]},
			{"output_type":"display_data","data":{"image/png":"`+strings.Repeat("A", 400)+`","text/plain":["<Figure>"]}},
			{"output_type":"execute_result","data":{"application/json":{"a":1}}},
			{"output_type":"stream","name":"stderr","text":"`+strings.Repeat("e", maxOutput+7)+`"},
			{"output_type":"error","ename":"E","evalue":"v","traceback":["\u001b[31mTrace\u001b[0m back"]}]}],"nbformat":4}`)
	a := b.read("n.ipynb")
	want := "1|[cell 1: markdown]\n2|# Title\n3|text\n4|\n5|[cell 2: code, run 3]\n6|x = 1\n7|x\n8|[output stdout]\n9|a\n10|b\n" +
		"11|[image/png, 301 bytes, not shown]\n12|[output]\n13|<Figure>\n14|[application/json, 7 bytes, not shown]\n15|[output stderr]\n16|eee"
	if got := a.text("content"); !strings.HasPrefix(got, want) ||
		!strings.HasSuffix(got, "\n17|[7 more bytes of this output are not shown]\n18|[error]\n19|Trace back") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.put("old.ipynb", `{"worksheets":[{"cells":[{"cell_type":"code","input":["y"],"outputs":[{"output_type":"pyout","png":"AAAA"}]}]}]}`)
	if got := b.read("old.ipynb").text("content"); got != "1|[cell 1: code]\n2|y\n3|[image/png, 3 bytes, not shown]" {
		t.Errorf("got\n%s", got)
	}
	for _, broken := range []string{"{}", "", "[1]", `{"cells":[{"cell`, "no JSON"} {
		b.put("bad.ipynb", broken)
		b.ResetRepeats()
		a := b.read("bad.ipynb")
		if a.Status != tools.StatusOK || !strings.Contains(a.text("_warning"), "plain text") || a.fields["extracted_document"] != nil {
			t.Errorf("%q: %s", broken, a.Content)
		}
	}
	if a := b.write("bad.ipynb", `{"cells":[],"nbformat":4}`); a.Status != tools.StatusOK {
		t.Errorf("got %s", a.Content)
	}
}

func TestMaliciousDocuments(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<w:x>", 100_000)
	entities := `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>`
	word := func(xml string) string { return zipped(t, "word/document.xml", xml) }
	lying := []byte(word(wordHead))
	i := bytes.LastIndex(lying, []byte("PK\x05\x06"))
	binary.LittleEndian.PutUint32(lying[i+16:], 0xFFFFFFFF)
	twice := zipped(t, "../../word/document.xml", "x", "/word/document.xml", "x", "word/document.xml",
		wordHead+par("", "real")+"</w:body></w:document>", "word/document.xml", wordHead+par("", "second")+"</w:body></w:document>")
	corrupt := []byte(word(wordHead + par("", strings.Repeat("text ", 100)) + "</w:body></w:document>"))
	corrupt[60] ^= 0xFF
	for name, c := range map[string]struct{ file, data, want string }{
		"bomb":             {"a.docx", word(wordHead + strings.Repeat("<a>"+strings.Repeat(" ", 5000)+"</a>", 12<<10)), "unpacks to far more"},
		"bomb of tags":     {"a.docx", word(wordHead + strings.Repeat(`<w:p w:a="`+strings.Repeat("x", 5000)+`"/>`, 12<<10)), "unpacks to far more"},
		"bomb of strings":  {"a.xlsx", zipped(t, "xl/workbook.xml", `<w xmlns:r="r"><sheet name="a" r:id="1"/></w>`, "xl/sharedStrings.xml", "<sst>"+strings.Repeat("<si><t>"+strings.Repeat("a", 5000)+"</t></si>", 12<<10)), "unpacks to far more"},
		"deep":             {"a.docx", word(wordHead + deep), "deep in each other"},
		"entities":         {"a.docx", word(entities + wordHead + "&b;"), "declares a document type"},
		"unknown entity":   {"a.docx", word(wordHead + "<w:p>&xxe;</w:p>"), "damaged"},
		"huge token":       {"a.docx", word(wordHead + "<w:p a=\"" + strings.Repeat("xy", 3<<20)), "too long"},
		"cut XML":          {"a.docx", word(wordHead + "<w:p>"), "damaged"},
		"other charset":    {"a.docx", word(`<?xml version="1.0" encoding="utf-7"?><w/>`), "damaged"},
		"no part":          {"a.docx", zipped(t, "other", "x"), "no part word/document.xml"},
		"no archive":       {"a.docx", "Dear all,", "no zip archive"},
		"empty":            {"a.xlsx", "", "no zip archive"},
		"empty archive":    {"a.xlsx", zipped(t), "names a sheet"},
		"legacy":           {"a.xlsx", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "no zip archive"},
		"lying directory":  {"a.docx", string(lying), "list of entries"},
		"corrupt":          {"a.docx", string(corrupt), "damaged"},
		"cut archive":      {"a.docx", twice[:len(twice)-30], "no zip archive"},
		"too many sheets":  {"a.xlsx", zipped(t, "xl/workbook.xml", "<w>"+strings.Repeat("<sheet/>", 300)), "too many sheets"},
		"names, but first": {"a.docx", twice, ""},
		"many entries":     {"a.docx", manyEntries(t, 120_000), "list of entries"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.put(c.file, c.data)
			a := b.read(c.file)
			if c.want == "" {
				if a.text("content") != "1|real" {
					t.Errorf("got %s", a.Content)
				}
				return
			}
			b.wantError(a, c.want)
		})
	}
}

// TestUnpackingIsBounded holds that the parts of a document are bounded together
// as well, each of them being bearable.
func TestUnpackingIsBounded(t *testing.T) {
	part := strings.Repeat("x", freeRatio)
	data := zipped(t, "a", part)
	a, err := openArchive(strings.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxUnpacked/freeRatio + 1 {
		r, ok, err := a.open("a")
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		n, err := io.Copy(io.Discard, r)
		if last := i == maxUnpacked/freeRatio; last != errors.Is(err, errBomb) || !last && n != freeRatio {
			t.Errorf("round %d: %d bytes, %v", i, n, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func manyEntries(t testing.TB, n int) string {
	parts := make([]string, 0, 2*n)
	for i := range n {
		parts = append(parts, fmt.Sprint(i), "")
	}
	return zipped(t, parts...)
}

func TestLongDocument(t *testing.T) {
	b := newBench(t)
	var text strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 16_000 {
		words := ""
		for range 40 {
			words += fmt.Sprintf(" %x", r.Uint64())
		}
		text.WriteString(par("", fmt.Sprintf("paragraph %d%s", i, words)))
	}
	b.put("a.docx", wordFile(t, text.String()))
	a := b.read("a.docx", "limit", 100)
	if !strings.Contains(a.text("_hint"), "more text than is taken") || !strings.HasPrefix(a.text("content"), "1|paragraph 0 ") {
		t.Errorf("got %.300s", a.Content)
	}
	f, err := os.Create(b.put("big.xlsx", ""))
	if err == nil {
		err = f.Truncate(maxDocument + 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b.wantError(b.read("big.xlsx"), "documents of at most")
}

// FuzzDocuments holds that no document, however broken, makes the readers panic,
// hang or give more than they may.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte(wordFile(f, par("", "x")+item(3, 0, "y"))), 0)
	f.Add([]byte(bookFile(f, `<row r="1"><c r="A1" t="s"><v>0</v></c></row>`)), 1)
	f.Add([]byte(`{"cells":[{"cell_type":"code","source":["x"],"outputs":[{"text":1}]}]}`), 2)
	f.Fuzz(func(t *testing.T, data []byte, kind int) {
		for _, read := range []extractor{extractWord, extractSheets, extractNotebook}[max(kind%3, 0):] {
			var out extract
			if err := read(t.Context(), bytes.NewReader(data), int64(len(data)), &out); err == nil && out.Len() > maxExtract {
				t.Fatalf("%d bytes", out.Len())
			}
		}
	})
}

// FuzzMarkup feeds XML to the readers of its parts, which a broken archive would
// keep it from.
func FuzzMarkup(f *testing.F) {
	f.Add(wordHead + par(`<w:pStyle w:val="berschrift1"/>`, "x") + "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl></w:body></w:document>")
	f.Add(`<worksheet><sheetData><row r="9"><c r="ZZ9" t="s"><v>1</v></c></row></sheetData></worksheet>`)
	f.Add(`</w:tr><w:tc></w:p></w:tbl>`)
	f.Fuzz(func(t *testing.T, xml string) {
		files := []string{
			zipped(t, "word/document.xml", xml, "word/styles.xml", xml, "word/numbering.xml", xml),
			zipped(t, "xl/workbook.xml", `<w xmlns:r="r"><sheet name="a" r:id="1"/></w>`, "xl/_rels/workbook.xml.rels",
				`<a><Relationship Id="1" Target="s.xml"/></a>`, "xl/s.xml", xml, "xl/sharedStrings.xml", xml, "xl/styles.xml", xml),
		}
		for i, read := range []extractor{extractWord, extractSheets} {
			var out extract
			_ = read(t.Context(), strings.NewReader(files[i]), int64(len(files[i])), &out)
		}
	})
}
