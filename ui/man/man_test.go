package man

import (
	"strings"
	"testing"
)

// TestRoff writes all forms of text as macros; nothing that stands in the text is one.
func TestRoff(t *testing.T) {
	got := Page{Name: "x-y", Section: 7, About: "it's a page", Source: "x 1", Text: `# Title

Begins with **bold ` + "`code`" + ` and** *more*,
.SH is no request, 'neither' is \\this.

## A part

- one
- two, <https://a.example/b-c> and [text](https://a.example/)
  - below

1. first

   again

| | |
|---|---|
| ` + "`--flag`" + ` | what it does |

| a | b | c |
|---|---|---|
| x | y |  |

### Smaller

` + "```sh\n$ run --it\n.not a request\n```\n> said\n\n<b>no</b>\n"}.Roff()
	want := `.TH "X\-Y" 7 "" "x 1"
.nh
.ad l
.SH NAME
x\-y \- it\(aqs a page
.SH "DESCRIPTION"
.PP
Begins with \fBbold \fBcode\fB and\fR \fImore\fR,
\&.SH is no request, \(aqneither\(aq is \ethis.
.SH "A PART"
.IP \(bu 2
one
.IP \(bu 2
two, https://a.example/b\-c and text <https://a.example/>
.RS 4
.IP \(bu 2
below
.RE
.IP 1. 4
first
.IP
again
.TP
\fB\-\-flag\fR
what it does
.TP
x
b: y
.SS "Smaller"
.PP
.RS 4
.nf
$ run \-\-it
\&.not a request
.fi
.RE
.RS 4
.PP
said
.RE
.PP
no
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if f := (Page{Name: "x", Section: 1}).File(); f != "man1/x.1" || strings.Contains(got, "Title") {
		t.Error(f)
	}
}
