package screen

import (
	"bytes"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Frame is what the terminal is to show.
type Frame struct {
	// Rows are the rows from the top: as many as the screen has, each as wide as
	// it is, styled with SGR sequences and hyperlinks.
	Rows []string
	// Width is the width of the rows in cells.
	Width int
	// Cursor is where the insertion point stands; it is hidden if Hidden.
	Cursor uv.Position
	Hidden bool
	// Title is the title of the window.
	Title string
	// Mouse asks for clicks, drags and the wheel.
	Mouse bool
}

// painter turns frames into the bytes that change the terminal from one to the
// next. It belongs to one goroutine.
type painter struct {
	scr     *uv.TerminalRenderer
	profile colorprofile.Profile
	environ []string
	cells   uv.ScreenBuffer
	rows    []string // what is in the cells
	body    bytes.Buffer
	out     bytes.Buffer

	erased bool   // the renderer clears the terminal with the next frame
	on     bool   // the terminal shows frames: the modes are set
	hidden bool   // the cursor is
	title  string // of the window
	mouse  bool   // its events are asked for

	sync      bool // output can be synchronised
	graphemes bool // the terminal measures graphemes as we do, and was told to
}

func newPainter(environ []string, profile colorprofile.Profile) *painter {
	p := &painter{environ: environ, profile: profile}
	p.begin()
	return p
}

// begin forgets what the terminal shows.
func (p *painter) begin() {
	p.on, p.rows = false, nil
	p.scr = uv.NewTerminalRenderer(&p.body, p.environ)
	p.scr.SetColorProfile(p.profile)
	p.scr.SetBackspace(true)
	p.scr.SetTabStops(-1) // they are the user's
	p.scr.SetFullscreen(true)
	p.scr.SetRelativeCursor(false)
	p.measure()
}

// measure has all rows taken apart again, with the widths that they were made for.
func (p *painter) measure() {
	p.cells = uv.NewScreenBuffer(0, 0)
	p.cells.Method = rows.Method()
	p.scr.SetGraphemeWidth(p.graphemes)
}

// enter are the modes of a full screen, and quit ends them in the opposite order: the
// keyboard protocols belong to the alternate screen.
const enter = ansi.SetModeAltScreenSaveCursor +
	ansi.SetModifyOtherKeys2 +
	"\x1b[>1u" + // kitty's protocol, keys told apart
	ansi.SetModeBracketedPaste +
	ansi.SetModeFocusEvent +
	ansi.SetModeLightDark +
	ansi.ResetModeTextCursorEnable

// again are those that another terminal may lack that shows the same screen, as after a
// session of a multiplexer was attached to from elsewhere. They can be written at any
// time.
const again = ansi.SetModifyOtherKeys2 +
	"\x1b[=1u" + // kitty's protocol: set, not pushed once more
	ansi.SetModeBracketedPaste +
	ansi.SetModeFocusEvent +
	ansi.SetModeLightDark

const quit = mouseOff +
	ansi.ResetModeLightDark +
	ansi.ResetModeFocusEvent +
	ansi.ResetModeBracketedPaste +
	"\x1b[<9u" + // kitty's protocol: also what a killed program has left on this screen
	ansi.ResetModifyOtherKeys +
	ansi.ResetModeAltScreenSaveCursor +
	ansi.SetModeTextCursorEnable

const (
	mouseOn  = ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	mouseOff = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr
)

// remind sets the modes once more.
func (p *painter) remind() []byte {
	if !p.on {
		return nil
	}
	seq := again
	if p.mouse {
		seq += mouseOn
	}
	if p.graphemes {
		seq += ansi.SetModeUnicodeCore
	}
	return []byte(seq)
}

// retake sets all that frames need once more, after who had the terminal meanwhile may
// have put it back without being asked to.
func (p *painter) retake() []byte {
	seq := p.remind()
	if seq == nil {
		return nil
	}
	p.hidden, p.title = true, ""
	return append([]byte(ansi.SetModeAltScreenSaveCursor+ansi.ResetModeTextCursorEnable), seq...)
}

// leave gives the terminal back.
func (p *painter) leave() []byte {
	p.out.Reset()
	if p.graphemes {
		p.out.WriteString(ansi.ResetModeUnicodeCore)
	}
	p.out.WriteString(quit)
	p.out.WriteString(ansi.SetWindowTitle("")) // for those who keep no titles
	p.out.WriteString(term.RestoreTitle)
	p.begin()
	return p.out.Bytes()
}

// frame returns what to write for a frame, behind the sequences of before, which
// belong to no frame. The bytes are valid until the next call.
func (p *painter) frame(f *Frame, before []byte) []byte {
	p.out.Reset()
	p.out.Write(before)
	if !p.on {
		p.on, p.hidden, p.mouse, p.title = true, true, false, ""
		p.out.WriteString(term.SaveTitle + enter)
		if p.graphemes {
			p.out.WriteString(ansi.SetModeUnicodeCore)
		}
	}
	p.body.Reset()
	p.modes(f)
	if p.cells.Method != rows.Method() {
		p.measure()
	}
	p.draw(f)
	if !f.Hidden {
		p.scr.MoveTo(f.Cursor.X, f.Cursor.Y)
	}
	_ = p.scr.Flush() // into a buffer
	p.wrap(f)
	return p.out.Bytes()
}

// modes writes what differs beside the cells.
func (p *painter) modes(f *Frame) {
	if f.Mouse != p.mouse {
		p.mouse = f.Mouse
		if f.Mouse {
			p.body.WriteString(mouseOn)
		} else {
			p.body.WriteString(mouseOff)
		}
	}
	if f.Title != p.title {
		p.title = f.Title
		p.body.WriteString(ansi.SetWindowTitle(f.Title))
	}
}

// draw takes the rows that differ apart and compares their cells.
func (p *painter) draw(f *Frame) {
	w, h := f.Width, len(f.Rows)
	if b := p.cells.Bounds(); b.Dx() != w || b.Dy() != h {
		p.scr.Resize(w, h)
		p.scr.Erase()
		p.cells.Resize(w, h)
		p.cells.Touched = make([]*uv.LineData, h)
		p.rows = make([]string, h)
		for y := range p.rows {
			p.row(y, w, f.Rows[y])
		}
		p.scr.Render(p.cells.RenderBuffer)
		return
	}
	// The renderer looks at the rows that it is told of. When it scrolls it may move any
	// other, too, so it is told of all then and never scrolls otherwise.
	clear(p.cells.Touched)
	scroll := scrolls && scrolled(p.rows, f.Rows)
	p.scr.SetScrollOptim(scroll)
	changed := false
	for y, r := range f.Rows {
		if r != p.rows[y] {
			p.row(y, w, r)
			changed = true
		}
		if scroll {
			p.cells.TouchLine(0, y, w)
		}
	}
	// Nor does it stop at the first empty row when it clears the end of the screen.
	if y := p.lastWords(); changed && y < h-1 {
		p.cells.TouchLine(0, y, w)
	}
	if changed || p.erased {
		p.erased = false
		p.scr.Render(p.cells.RenderBuffer)
	}
}

// lastWords is the last row in which there is anything, the first if there is nothing.
func (p *painter) lastWords() int {
	y := p.cells.Height() - 1
	for y > 0 && !slices.ContainsFunc(p.cells.Line(y), func(c uv.Cell) bool { return !plain(&c) }) {
		y--
	}
	return y
}

// scrolledRows is how many rows must have moved together for it to pay.
const scrolledRows = 3

// scrolled reports whether rows have moved up or down together.
func scrolled(was, is []string) bool {
	for y := range len(is) - scrolledRows + 1 {
		if is[y] == was[y] || strings.TrimLeft(is[y], " ") == "" {
			continue
		}
		for from := range len(was) - scrolledRows + 1 {
			if from != y && slices.Equal(was[from:from+scrolledRows], is[y:y+scrolledRows]) {
				return true
			}
		}
	}
	return false
}

// row puts a row into the cells.
func (p *painter) row(y, w int, r string) {
	p.rows[y] = r
	uv.NewStyledString(r).Draw(p.cells, uv.Rect(0, y, w, 1))
	carry(p.cells.Line(y))
	if !p.graphemes {
		anchor(p.cells.Line(y))
	}
}

// anchor has the cursor set behind each character that terminals disagree about, so that
// the rest of the row stands where it belongs.
func anchor(line uv.Line) {
	for x := range line {
		c := &line[x]
		if next := x + c.Width; len(c.Content) > 1 && c.Width > 0 && next < len(line) &&
			ansi.StringWidth(c.Content) != ansi.StringWidthWc(c.Content) {
			c.Content += ansi.CursorHorizontalAbsolute(next + 1)
		}
	}
}

// carry gives the blanks before and between the words of a row the colour of the
// words beside them. It cannot be seen and saves going back and forth between
// styles. What it gives depends on the row alone, so that a row that scrolls stays
// the same.
func carry(line uv.Line) {
	last := len(line) - 1
	for last >= 0 && plain(&line[last]) {
		last--
	}
	first := 0
	for first < last && plain(&line[first]) {
		first++
	}
	if last < 0 {
		return
	}
	style := unseen(&line[first])
	for x := range line[:last] {
		if plain(&line[x]) {
			line[x].Style = style
		} else if line[x].Width > 0 {
			style = unseen(&line[x])
		}
	}
}

// plain reports whether a cell is a blank without any style.
func plain(c *uv.Cell) bool { return c.Content == " " && c.Style.IsZero() && c.Link.IsZero() }

// unseen is a cell's style if a blank of it looks like one without style.
func unseen(c *uv.Cell) uv.Style {
	if c.Style.Bg != nil || c.Style.Underline != 0 || !c.Link.IsZero() ||
		c.Style.Attrs&^(uv.AttrBold|uv.AttrFaint|uv.AttrItalic) != 0 {
		return uv.Style{}
	}
	return c.Style
}

// wrap appends the body to the output: as one change where the terminal can be
// told so, else without the cursor running about.
func (p *painter) wrap(f *Frame) {
	changed, hide := p.body.Len() > 0, f.Hidden && !p.hidden
	show := !f.Hidden && (p.hidden || changed && !p.sync)
	if changed && p.sync {
		p.out.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if hide || changed && !p.sync && !p.hidden && !f.Hidden {
		p.out.WriteString(ansi.ResetModeTextCursorEnable)
	}
	p.out.Write(p.body.Bytes())
	if show {
		p.out.WriteString(ansi.SetModeTextCursorEnable)
	}
	if changed && p.sync {
		p.out.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	p.hidden = f.Hidden
}

// erase draws the next frame on an empty screen.
func (p *painter) erase() {
	p.erased = true
	p.scr.Erase()
}

// setGraphemes says that the terminal knows mode 2027, and tells it to use it.
func (p *painter) setGraphemes() []byte {
	if p.graphemes {
		return nil
	}
	p.graphemes = true
	p.measure()
	return []byte(ansi.SetModeUnicodeCore)
}
