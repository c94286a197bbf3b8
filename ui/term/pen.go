package term

import (
	"strings"
)

// Run is a piece of text in one style.
type Run struct {
	// End is the offset behind the piece.
	End int
	// Open is the sequence that switches the style on, empty for none.
	Open string
}

// SplitStyles takes sanitised text apart into the bare text and the runs that
// colour it. Runs cover the text without gaps; however many colour sequences
// the text holds, each Open is short.
func SplitStyles(s string) (string, []Run) {
	i := strings.IndexByte(s, esc)
	if i < 0 {
		if s == "" {
			return "", nil
		}
		return s, []Run{{End: len(s)}}
	}
	var b strings.Builder
	var runs []Run
	var p pen
	for {
		b.WriteString(s[:i])
		if n := b.Len(); n > 0 && (len(runs) == 0 || runs[len(runs)-1].End < n) {
			runs = appendRun(runs, Run{End: n, Open: p.open()})
		}
		s = s[i:]
		if s == "" {
			return b.String(), runs
		}
		end := strings.IndexByte(s, 'm')
		if end < 0 || !strings.HasPrefix(s, "\x1b[") {
			end = 0 // not sanitised: the escape itself is dropped
		} else {
			p.apply(s[2:end])
		}
		s = s[end+1:]
		if i = strings.IndexByte(s, esc); i < 0 {
			i = len(s)
		}
	}
}

func appendRun(runs []Run, r Run) []Run {
	if n := len(runs); n > 0 && runs[n-1].Open == r.Open {
		runs[n-1].End = r.End
		return runs
	}
	return append(runs, r)
}

// pen is what colour sequences add up to. Blinking, fonts and frames are not
// kept.
type pen struct {
	fg, bg, line string // parameters, empty for the default
	bits         uint16 // bit n: attribute n is on
}

const penBits = 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<7 | 1<<9

// open is the sequence that makes the pen out of the default.
func (p pen) open() string {
	if p == (pen{}) {
		return ""
	}
	var args []string
	for n := range 10 {
		if p.bits>>n&1 == 1 {
			args = append(args, string(rune('0'+n)))
		}
	}
	for _, c := range []string{p.fg, p.bg, p.line} {
		if c != "" {
			args = append(args, c)
		}
	}
	return "\x1b[" + strings.Join(args, ";") + "m"
}

// apply changes the pen as a colour sequence with these parameters does.
func (p *pen) apply(params string) {
	args := strings.Split(params, ";")
	for i := 0; i < len(args); i++ {
		head := paramValue([]byte(args[i]))
		switch head {
		case "38", "48", "58":
			raw := [][]byte{[]byte(args[i])}
			if i+1 < len(args) {
				raw = append(raw, []byte(args[i+1]))
			}
			n := min(1+colorArgs(raw), len(args)-i)
			p.color(head[0], strings.Join(args[i:i+n], ";"), n > 1 || strings.Contains(args[i], ":"))
			i += n - 1
		default:
			p.attribute(head, args[i])
		}
	}
}

// color takes a selected colour. Only complete selections, of the lengths
// programs write, are kept.
func (p *pen) color(which byte, params string, known bool) {
	if !known || len(params) > 32 {
		return
	}
	switch which {
	case '3':
		p.fg = params
	case '4':
		p.bg = params
	case '5':
		p.line = params
	}
}

func (p *pen) attribute(n, full string) {
	switch n {
	case "":
		*p = pen{}
	case "1", "2", "3", "7", "9":
		p.bits |= 1 << (n[0] - '0')
	case "4":
		if p.bits |= 1 << 4; full == "4:0" {
			p.bits &^= 1 << 4
		}
	case "21":
		p.bits |= 1 << 4
	case "22":
		p.bits &^= 1<<1 | 1<<2
	case "23", "24", "27", "29":
		p.bits &^= 1 << (n[1] - '0')
	case "39":
		p.fg = ""
	case "49":
		p.bg = ""
	case "59":
		p.line = ""
	default:
		p.simpleColor(n)
	}
	p.bits &= penBits
}

// simpleColor takes one of the sixteen colours that have parameters of their
// own.
func (p *pen) simpleColor(n string) {
	switch {
	case len(n) == 2 && n[1] <= '7' && (n[0] == '3' || n[0] == '9'):
		p.fg = n
	case len(n) == 2 && n[1] <= '7' && n[0] == '4', len(n) == 3 && n[:2] == "10" && n[2] <= '7':
		p.bg = n
	}
}
