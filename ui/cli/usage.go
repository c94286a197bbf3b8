package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	xterm "golang.org/x/term"

	"hermes-tui/ui/rows"
)

// The width of help, in cells: what it has where no terminal tells one, and at most.
const (
	helpWidth    = 80
	maxHelpWidth = 100
)

// printUsage prints what --help says of a command, in lines that fit the terminal.
func (s *sys) printUsage(cmd *cobra.Command, _ []string) {
	width := helpWidth
	if file, ok := s.file.(*os.File); ok {
		if cols, _, err := xterm.GetSize(int(file.Fd())); err == nil && cols > 0 {
			width = min(max(cols, 40), maxHelpWidth)
		}
	}
	fmt.Fprint(s.out, usage(cmd, width))
}

// usage is what --help says of a command.
func usage(cmd *cobra.Command, width int) string {
	var b strings.Builder
	about := cmd.Long
	if about == "" {
		about = strings.TrimSuffix(cmd.Short, ".") + "."
	}
	for i, part := range strings.Split(about, "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		if !strings.HasPrefix(part, "    ") { // which is code
			part = strings.Join(filled(part, width), "\n")
		}
		b.WriteString(part + "\n")
	}
	b.WriteString("\nUsage:\n")
	if !cmd.HasAvailableSubCommands() || strings.Contains(cmd.Use, " ") {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	var list [][2]string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			list = append(list, [2]string{"  " + sub.Name(), sub.Short})
		}
	}
	columns(&b, "Commands", list, width)
	columns(&b, "Flags", flagRows(cmd.LocalFlags()), width)
	columns(&b, "Flags of every command", flagRows(cmd.InheritedFlags()), width)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help says more of one.\n", cmd.CommandPath())
	}
	return b.String()
}

// flagRows are the flags of a set, each with what it does.
func flagRows(set *pflag.FlagSet) (list [][2]string) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, value, usage := flagWords(f)
		if f.Shorthand == "" {
			name = "    " + name
		}
		switch {
		case f.Name == "help":
			usage = "print this"
		case f.Name == "version":
			usage = "print the version"
		case !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue):
			usage += " (" + f.DefValue + " without it)"
		}
		list = append(list, [2]string{"  " + name + value, usage})
	})
	return list
}

// flagWords are the names of a flag, what stands behind them, with what is between, and what
// the flag does.
func flagWords(f *pflag.Flag) (name, value, usage string) {
	value, usage = pflag.UnquoteUsage(f)
	name = "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	switch {
	case value != "" && f.NoOptDefVal != "":
		value = "[=" + value + "]"
	case value != "":
		value = " " + value
	}
	return name, value, usage
}

// columns writes rows of two columns under a heading, the second one filled. One that would
// be narrow begins on a line of its own.
func columns(b *strings.Builder, heading string, list [][2]string, width int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", heading)
	left := 0
	for _, row := range list {
		left = max(left, rows.Width(row[0])+2)
	}
	if left > width/2 {
		left = 8
	}
	indent := strings.Repeat(" ", left)
	for _, row := range list {
		text := strings.Join(filled(row[1], width-left), "\n"+indent)
		if gap := left - rows.Width(row[0]); gap >= 2 {
			fmt.Fprintf(b, "%s%*s%s\n", row[0], gap, "", text)
		} else {
			fmt.Fprintf(b, "%s\n%s%s\n", row[0], indent, text)
		}
	}
}

// filled are the words of a text in lines of a width, where they are not longer themselves.
func filled(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case rows.Width(line)+1+rows.Width(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}
