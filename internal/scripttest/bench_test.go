package scripttest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func BenchmarkServer20kTokens(b *testing.B) {
	s := serve(b, `[{"tokens": {"n": 20000}}]`)
	c := httpClient(b)
	b.ReportAllocs()
	var n int64
	for b.Loop() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.URL()+"/chat/completions", strings.NewReader(hi))
		if err != nil {
			b.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		if n, err = io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
	b.SetBytes(n)
	b.ReportMetric(20000/(b.Elapsed().Seconds()/float64(b.N)), "tokens/s")
}
