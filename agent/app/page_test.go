package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/providers/script"
)

// TestPagePDF reads a PDF of the web by a process of the program.
func TestPagePDF(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		if r.URL.Path == "/half" {
			fmt.Fprint(w, "%PDF-1.4\n")
			return
		}
		fmt.Fprint(w, smallPDF())
	}))
	defer server.Close()
	b := newBox(t)
	b.config("approvals: {hosts: [\"" + strings.TrimPrefix(server.URL, "http://") + "\"]}\n")
	a := b.open()
	defer closed(t, a)
	c := &conversation{app: a, place: a.place}
	if text, err := c.page(t.Context(), server.URL); err != nil || !strings.Contains(text, "[page 1]\nTeeth of saws") {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := c.page(t.Context(), server.URL+"/half"); err == nil || !strings.Contains(err.Error(), "a PDF that cannot be read") {
		t.Errorf("%q, %v", text, err)
	}
}

// smallPDF is a PDF of one page with a line on it.
func smallPDF() string {
	var b strings.Builder
	var at []int
	for i, text := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> /Contents 4 0 R >>",
		"<< /Length 43 >>\nstream\nBT /F1 12 Tf 50 700 Td (Teeth of saws) Tj ET\nendstream",
	} {
		if i == 0 {
			b.WriteString("%PDF-1.4\n")
		}
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, text)
	}
	begin := b.Len()
	b.WriteString("xref\n0 5\n0000000000 65535 f \n")
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", begin)
	return b.String()
}

// TestLocalPDF reads PDFs on the disk, by the tool and as references, as those of the web;
// for a picture the tool names the one that looks at it.
func TestLocalPDF(t *testing.T) {
	s := &script.Scenario{}
	for word, file := range map[string]string{"one": "a.pdf", "bare": "paper", "half": "half.pdf", "picture": "p.png"} {
		s.Rules = append(s.Rules, when(word, script.Call{Name: "read_file", Args: `{"path":"` + file + `"}`})...)
	}
	s.Rules = append(s.Rules, script.Rule{Steps: []script.Step{script.Text{Text: "Done."}}})
	b, server := awareBox(t, s)
	for name, text := range map[string]string{"a.pdf": smallPDF(), "paper": smallPDF(), "half.pdf": "%PDF-1.4\n", "p.png": "\x89PNG\r\n\x1a\n"} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, c := b.begin()
	defer closed(t, a)
	for _, x := range []struct{ say, want string }{
		{"one", `1|[page 1]\n2|Teeth of saws`}, {"bare", "Teeth of saws"}, {"half", "a PDF that cannot be read"}, {"picture", "vision_analyze"},
		{"look at @a.pdf", "[page 1]\nTeeth of saws"}, {"see @half.pdf", "it is a PDF that cannot be read"},
	} {
		say(t, c, x.say)
		sent := lastMessages(t, server)
		if got := strings.Join(sent[max(len(sent)-2, 0):], "\n"); !strings.Contains(got, x.want) {
			t.Errorf("%s: sent %s", x.say, got)
		}
	}
}
