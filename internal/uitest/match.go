package uitest

import (
	"fmt"
	"image"
	"regexp"
	"strings"
)

// Matcher is something that may hold of a screen. The functions of this package
// that return one make them; they keep no state and may be used again.
type Matcher struct {
	want string
	// miss tells why it does not hold, empty if it does.
	miss func(Screen) string
}

// String says what is expected.
func (m Matcher) String() string { return m.want }

// Matches holds when holds returns true. The text says what is expected, to go
// after "the screen".
func Matches(want string, holds func(Screen) bool) Matcher {
	return Matcher{want, func(s Screen) string {
		if holds(s) {
			return ""
		}
		return "it is not so"
	}}
}

// Contains holds when all texts are on the screen. A text with line feeds spans
// rows; blanks at the ends of rows do not count.
func Contains(texts ...string) Matcher {
	return Matcher{"contains " + quoteAll(texts), func(s Screen) string {
		screen := s.Text()
		for _, text := range texts {
			if !contains(screen, text) {
				return fmt.Sprintf("%q is not there", text)
			}
		}
		return ""
	}}
}

// NotContains holds when none of the texts is on the screen.
func NotContains(texts ...string) Matcher {
	return Matcher{"does not contain " + quoteAll(texts), func(s Screen) string {
		screen := s.Text()
		for _, text := range texts {
			if !contains(screen, text) {
				continue
			}
			if x, y, ok := s.Find(text); ok {
				return fmt.Sprintf("%q is at column %d of row %d", text, x, y)
			}
			return fmt.Sprintf("%q is there", text)
		}
		return ""
	}}
}

// contains looks for a text in what [Screen.Text] gives.
func contains(screen, text string) bool {
	lines := strings.Split(text, "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	text = strings.Join(lines, "\n")
	return strings.Contains(screen, text) || strings.HasSuffix(text, " ") && strings.Contains(screen, strings.TrimRight(text, " ")+"\n")
}

// Count holds when a text is there exactly n times, within rows.
func Count(text string, n int) Matcher {
	return Matcher{fmt.Sprintf("contains %q %d times", text, n), func(s Screen) string {
		got := 0
		for _, line := range s.lines {
			got += strings.Count(line, text)
		}
		if got == n {
			return ""
		}
		return fmt.Sprintf("it is there %d times", got)
	}}
}

// LineMatches holds when a row matches a regular expression, which must be a
// valid one.
func LineMatches(expr string) Matcher {
	re := regexp.MustCompile(expr)
	return Matcher{fmt.Sprintf("has a row like /%s/", expr), func(s Screen) string {
		for _, line := range s.lines {
			if re.MatchString(line) {
				return ""
			}
		}
		return "no row is like that"
	}}
}

// LineContains holds when a row contains a text; negative rows count from the
// bottom, -1 is the last.
func LineContains(y int, text string) Matcher {
	return Matcher{fmt.Sprintf("has %q in row %d", text, y), func(s Screen) string {
		if line := s.Line(y); !strings.Contains(line, text) {
			return fmt.Sprintf("row %d is %q", y, line)
		}
		return ""
	}}
}

// CursorAt holds when the cursor is visible and at a place.
func CursorAt(x, y int) Matcher {
	return Matcher{fmt.Sprintf("has its cursor at %d,%d", x, y), func(s Screen) string {
		if s.Cursor == (Cursor{x, y, true}) {
			return ""
		}
		return s.Cursor.describe()
	}}
}

// CursorAfter holds when the cursor is visible and stands directly behind a
// text.
func CursorAfter(text string) Matcher {
	return Matcher{fmt.Sprintf("has its cursor after %q", text), func(s Screen) string {
		at := s.Cursor
		if !at.Visible || at.Y < 0 || at.Y >= s.Rows {
			return at.describe()
		}
		var before strings.Builder
		for x := range min(at.X, s.Cols) {
			before.WriteString(s.cells[at.Y][x].Text)
		}
		if strings.HasSuffix(before.String(), text) {
			return ""
		}
		return at.describe() + fmt.Sprintf(", after %q", before.String())
	}}
}

// CursorHidden holds when no cursor is shown.
func CursorHidden() Matcher {
	return Matcher{"shows no cursor", func(s Screen) string {
		if !s.Cursor.Visible {
			return ""
		}
		return s.Cursor.describe()
	}}
}

func (c Cursor) describe() string {
	if !c.Visible {
		return fmt.Sprintf("it is hidden, at %d,%d", c.X, c.Y)
	}
	return fmt.Sprintf("it is at %d,%d", c.X, c.Y)
}

// Title holds when the window title contains a text.
func Title(text string) Matcher {
	return Matcher{fmt.Sprintf("has %q in its title", text), func(s Screen) string {
		if strings.Contains(s.Title, text) {
			return ""
		}
		return fmt.Sprintf("the title is %q", s.Title)
	}}
}

// Styled holds when a text is there and every cell of its first occurrence has a
// style. The first argument names the style, for the failure.
func Styled(name, text string, holds func(Style) bool) Matcher {
	return Matcher{fmt.Sprintf("shows %q %s", text, name), func(s Screen) string {
		x, y, ok := s.Find(text)
		if !ok {
			return fmt.Sprintf("%q is not there", text)
		}
		for rest := text; rest != ""; x++ {
			c := s.Cell(x, y)
			if c.Width > 0 && !holds(c.Style) {
				return fmt.Sprintf("the style at %d,%d is %+v", x, y, c.Style)
			}
			rest, _ = cutEither(rest, c.Text)
		}
		return ""
	}}
}

// Not holds when another matcher does not.
func Not(m Matcher) Matcher {
	return Matcher{"not: " + m.want, func(s Screen) string {
		if m.miss(s) != "" {
			return ""
		}
		return "it does"
	}}
}

// Any holds when at least one of several matchers does.
func Any(all ...Matcher) Matcher {
	wants := make([]string, len(all))
	for i, m := range all {
		wants[i] = m.want
	}
	return Matcher{"either " + strings.Join(wants, " or "), func(s Screen) string {
		for _, m := range all {
			if m.miss(s) == "" {
				return ""
			}
		}
		return "none of them holds"
	}}
}

// In holds when the matchers do in a part of the screen, see [Screen.In].
func In(r image.Rectangle, all ...Matcher) Matcher {
	wants := make([]string, len(all))
	for i, m := range all {
		wants[i] = m.want
	}
	return Matcher{fmt.Sprintf("in %v %s", r, strings.Join(wants, ", ")), func(s Screen) string {
		return Explain(s.In(r), all...)
	}}
}

// Explain says which of the matchers does not hold and why, in lines; it is
// empty when all of them hold.
func Explain(s Screen, all ...Matcher) string {
	var lines []string
	for _, m := range all {
		if why := m.miss(s); why != "" {
			lines = append(lines, fmt.Sprintf("the screen %s: %s", m.want, why))
		}
	}
	return strings.Join(lines, "\n")
}

func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = fmt.Sprintf("%q", t)
	}
	return strings.Join(quoted, ", ")
}
