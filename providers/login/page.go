package login

import (
	"html"
	"net/http"
)

// page shows one sentence in the browser. Nothing that came with the request is
// repeated, nothing is loaded, and nothing may show the page in a frame or keep it.
func (c *callback) page(w http.ResponseWriter, status int, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	esc := html.EscapeString
	_, _ = w.Write([]byte(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<title>` + esc(title) + ` · hermes-tui</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:20vh auto;padding:0 1em;` +
		`color-scheme:light dark}</style></head><body><h1>` + esc(title) + `</h1><p>` + esc(text) + `</p></body></html>`)) // a browser that left needs no page
}
