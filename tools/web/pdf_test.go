package web

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	takesTooMuch()
	if handled, code := ReaderMain(os.Args); handled {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// document makes a PDF of pages that draw with these operators.
func document(packed bool, pages ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(text string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), text)
	}
	b.WriteString("%PDF-1.4\n")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, ops := range pages {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i))
		filter := ""
		if packed {
			var z bytes.Buffer
			w := zlib.NewWriter(&z)
			_, _ = w.Write([]byte(ops))
			_ = w.Close()
			ops, filter = z.String(), "/Filter /FlateDecode "
		}
		object(fmt.Sprintf("<< %s/Length %d >>\nstream\n%s\nendstream", filter, len(ops), ops))
	}
	begin := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, begin)
	return b.Bytes()
}

const drawn = "BT /F1 12 Tf 14 TL 50 700 Td (Teeth of saws) Tj T* (are set to both sides.) Tj 0 -40 Td (Caf\351) Tj ET"

// TestPDF makes text of PDFs in a process of its own, and a sentence of what is none.
func TestPDF(t *testing.T) {
	good := document(false, drawn, "BT /F1 12 Tf 50 700 Td (Second) Tj ET")
	for name, c := range map[string]struct {
		data []byte
		want string
		bad  bool
	}{
		"good":    {good, "[page 1]\nTeeth of saws\nare set to both sides.\n\nCafé\n\n[page 2]\nSecond\n\n", false},
		"packed":  {document(true, drawn), "[page 1]\nTeeth of saws\n", false},
		"nothing": {document(false, "0 0 m 9 9 l S"), "a PDF without text; maybe it is made of pictures", true},
		"half":    {good[:len(good)/2], "a PDF that cannot be read", true},
		"junk":    {[]byte("%PDF-1.7\n" + strings.Repeat("junk ", 1000)), "a PDF that cannot be read", true},
		"bad ops": {document(false, "BT /F1 12 Tf (x"), "without text", true},
	} {
		made, err := Own(t.Context()).Text(t.Context(), Source{Form: pdfForm, Body: c.data})
		if (err != nil) != c.bad || !c.bad && !strings.Contains(made.Text, c.want) || c.bad && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.300q, %v", name, made.Text, err)
		}
	}
}

func FuzzPDF(f *testing.F) {
	f.Add(document(false, drawn))
	f.Add(document(true, drawn))
	f.Add([]byte("%PDF-1.7"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := pdfText(data)
		if (err == nil) == (text == "") {
			t.Errorf("%q, %v", text, err)
		}
	})
}

func BenchmarkPDF(b *testing.B) {
	line := "0 -14 Td (Another line about the teeth of saws, which are set to one side and the other.) Tj "
	page := "BT /F1 12 Tf 50 780 Td " + strings.Repeat(line, 50) + "ET"
	pages := make([]string, 50)
	for i := range pages {
		pages[i] = page
	}
	data := document(true, pages...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pdfText(data); err != nil {
			b.Fatal(err)
		}
	}
}
