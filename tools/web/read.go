// Package web reads pages of the web as text for an agent.
//
// Guarantees:
//
//   - Connections are made by the client that is given, which judges where they lead.
//   - Scripts, comments and elements that a page marks as hidden, by an attribute or a style
//     of their own, are not in its text.
//   - A page is bounded by [MaxBytes] before, and its text by [MaxText] after it was made
//     readable. What is sent packed is bounded by [MaxBytes] twice: packed and unpacked.
//   - Text is made in a process of its own (see [Reader]), which is bounded in time and
//     memory and ends when the call does.
package web

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/tools/unseen"
)

// The bounds of a page, in bytes as it is sent and in characters as text.
const (
	MaxBytes = 8 << 20
	MaxText  = 1_000_000
)

// Client makes requests to the outside.
type Client interface {
	Do(r *http.Request) (*http.Response, error)
}

// Page is a page as text.
type Page struct {
	// URL is where it was found, behind all redirects.
	URL   string
	Title string
	// Text is Markdown where the page is HTML, otherwise what was sent.
	Text string
	// Cut says that the end is missing.
	Cut bool
}

// ParseURL checks an address that a user or a model gives.
func ParseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("this is not a web address: write one as https://example.com/page")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("only pages at http:// or https:// are read: write the whole address, as https://example.com/page")
	case u.Hostname() == "":
		return nil, errors.New("this address has no host: write the whole address, as https://example.com/page")
	case u.User != nil:
		return nil, errors.New("this address holds a user name or password, which is not sent: leave out what stands before the @")
	}
	return u, nil
}

// Read fetches a page and has the reader make text of it. Its errors are sentences for a
// user.
func Read(ctx context.Context, client Client, agent, address string, reader Reader) (Page, error) {
	u, err := ParseURL(address)
	if err != nil {
		return Page{}, err
	}
	u.Fragment = ""
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, err
	}
	r.Header.Set("User-Agent", agent)
	r.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1")
	making := reader(ctx) // it starts while the site answers
	defer making.Close()
	resp, err := client.Do(r)
	if err != nil {
		if wrong, ok := errors.AsType[*url.Error](err); ok {
			err = wrong.Err // the address is known
		}
		return Page{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return Page{}, fmt.Errorf("%s answered %s", resp.Request.URL.Host, status(resp))
	}
	sent, err := unpacked(resp)
	if err != nil {
		return Page{}, err
	}
	body, err := io.ReadAll(io.LimitReader(sent, MaxBytes+1))
	if err != nil {
		return Page{}, fmt.Errorf("it broke off: %w", err)
	}
	p := Page{URL: resp.Request.URL.String()}
	if p.Cut = len(body) > MaxBytes; p.Cut {
		body = body[:MaxBytes]
	}
	return p, p.fill(ctx, making, resp.Header.Get("Content-Type"), body, resp.Request.URL)
}

// unpacked is the body of an answer. Some servers send what they have stored packed, whether
// that was asked for or not.
func unpacked(resp *http.Response) (r io.Reader, err error) {
	packed := io.LimitReader(resp.Body, MaxBytes+1)
	switch e := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); e {
	case "", "identity":
		return resp.Body, nil
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(packed)
	case "deflate": // with the header of zlib by the standard, and without it by habit
		in := bufio.NewReader(packed)
		if head, _ := in.Peek(2); len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			r, err = zlib.NewReader(in)
		} else {
			r = flate.NewReader(in)
		}
	default:
		return nil, fmt.Errorf("%s sent it packed (%.20q), which was not asked for", resp.Request.URL.Host, e)
	}
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	return r, nil
}

// status is how a request was answered, in words of the standard in place of the server's.
func status(r *http.Response) string {
	return strings.TrimSpace(strconv.Itoa(r.StatusCode) + " " + http.StatusText(r.StatusCode))
}

// fill makes text of what was sent.
func (p *Page) fill(ctx context.Context, making Making, sent string, body []byte, u *url.URL) error {
	kind, _, err := mime.ParseMediaType(sent)
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	switch is := formOf(kind, body); {
	case is != "":
		if is == pdfForm && p.Cut {
			return fmt.Errorf("it is a PDF of more than %d MB, and only whole ones can be read", MaxBytes>>20)
		}
		made, err := making.Text(ctx, Source{is, sent, u.String(), body})
		if err != nil {
			return err
		}
		p.Title, p.Text = made.Title, made.Text
	case strings.HasPrefix(kind, "text/"), kind == "application/json", kind == "application/xml", kind == "application/javascript",
		strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"), kind == "application/x-ndjson", kind == "application/yaml":
		in, err := decoded(body, sent)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		p.Text = string(text)
	default:
		return fmt.Errorf("it is %.60q, of which no text can be made here", kind)
	}
	p.Text = strings.TrimSpace(visible(p.Text))
	p.Title = strings.Join(strings.Fields(visible(p.Title)), " ")
	if utf8.RuneCountInString(p.Text) > MaxText {
		p.Text, p.Cut = string([]rune(p.Text)[:MaxText]), true
	}
	if p.Text == "" {
		return errors.New("there is no text in it; maybe it is made by a script")
	}
	return nil
}

// visible drops what drives terminals or cannot be seen.
func visible(text string) string {
	return unseen.Strip(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text))
}
