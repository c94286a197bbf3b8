package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hermes-tui/docs"
	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/ui/format"
	"hermes-tui/ui/man"
	"hermes-tui/ui/term"
)

// newMan makes the command that writes the pages of the manual.
func newMan(s *sys) *cobra.Command {
	return &cobra.Command{
		Use: "man [FOLDER]", Short: "Write the pages of the manual, for man", Args: words(0, 1),
		Long: "man writes a page of section 1 for the program and for each of its commands, and the documentation as section 7,\n" +
			"into man1 and man7 of a folder, such as ~/.local/share/man. Without one it prints the page of the program.",
		Example: "  hermes-tui man ~/.local/share/man\n  hermes-tui man | man -l -",
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := manual(cmd.Root())
			if len(args) == 0 {
				if _, out := s.terminal(); out {
					return usageError{errors.New("name a folder, or read the page with: hermes-tui man | man -l -")}
				}
				_, err := fmt.Fprint(s.out, pages[0].Roff())
				return err
			}
			names, err := s.absolute("man", args)
			if err != nil {
				return err
			}
			for _, p := range pages {
				file := filepath.Join(names[0], filepath.FromSlash(p.File()))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { // others read them
					return err
				}
				if err := atomicfile.Write(file, []byte(p.Roff()), 0o644); err != nil {
					return err
				}
			}
			fmt.Fprintf(s.out, "Wrote %s into %s.\n", format.Count(len(pages), "page", "pages"), term.Line(names[0]))
			return nil
		},
	}
}

// manual are the pages of the program: that of the program itself, those of its commands and
// those of the documentation.
func manual(root *cobra.Command) []man.Page {
	of := versions()
	date, _, _ := strings.Cut(of["date"], "T")
	page := func(name string, section int, about, text string) man.Page {
		return man.Page{Name: name, Section: section, About: strings.TrimSuffix(about, "."), Source: root.Name() + " " + of["version"], Date: date, Text: text}
	}
	pages := []man.Page{page(root.Name(), 1, root.Short, programPage(root))}
	for _, c := range root.Commands() {
		if !c.Hidden {
			pages = append(pages, page(root.Name()+"-"+c.Name(), 1, c.Short, commandPage(c)))
		}
	}
	for _, t := range docs.Topics() {
		text, _ := docs.Page(t.Name, root.Name()+" help")
		pages = append(pages, page(root.Name()+"-"+t.Name, 7, t.Title, text))
	}
	return pages
}

// programPage is the page of the program.
func programPage(root *cobra.Command) string {
	var b strings.Builder
	describe(&b, root, "##")
	b.WriteString("## COMMANDS\n\n| | |\n|---|---|\n")
	for _, c := range root.Commands() {
		if !c.Hidden {
			fmt.Fprintf(&b, "| **%s-%s**(1) | %s |\n", root.Name(), c.Name(), asIs(c.Short))
		}
	}
	b.WriteString("\n## SEE ALSO\n\n| | |\n|---|---|\n")
	for _, t := range docs.Topics() {
		fmt.Fprintf(&b, "| **%s-%s**(7) | %s |\n", root.Name(), t.Name, asIs(t.Title))
	}
	return b.String()
}

// commandPage is the page of a command, with those below it.
func commandPage(c *cobra.Command) string {
	var b strings.Builder
	describe(&b, c, "##")
	if c.HasAvailableSubCommands() {
		b.WriteString("## COMMANDS\n\n")
		below(&b, c)
	}
	fmt.Fprintf(&b, "## SEE ALSO\n\n**%s**(1), for the flags of every command.\n", c.Root().Name())
	return b.String()
}

func below(b *strings.Builder, c *cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.Hidden {
			continue
		}
		fmt.Fprintf(b, "### %s\n\n", asIs(strings.TrimPrefix(sub.UseLine(), sub.Root().Name()+" ")))
		describe(b, sub, "")
		below(b, sub)
	}
}

// describe writes what --help says of a command: on a page of its own under headings, else
// as paragraphs.
func describe(b *strings.Builder, c *cobra.Command, heading string) {
	head := func(title string) {
		if heading != "" {
			fmt.Fprintf(b, "%s %s\n\n", heading, title)
		}
	}
	if heading != "" {
		head("SYNOPSIS")
		fmt.Fprintf(b, "%s\n\n", asIs(c.UseLine()))
		head("DESCRIPTION")
	}
	about := c.Long
	if about == "" {
		about = strings.TrimSuffix(c.Short, ".") + "."
	}
	for line := range strings.SplitSeq(about, "\n") {
		if !strings.HasPrefix(line, "    ") { // which is code
			line = asIs(line)
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("\n")
	var rows strings.Builder
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, value, usage := flagWords(f)
		name = "**" + strings.ReplaceAll(name, ", ", "**, **") + "**"
		if word := strings.TrimSpace(value); word != "" {
			name += strings.TrimSuffix(value, word) + "*" + asIs(word) + "*"
		}
		fmt.Fprintf(&rows, "| %s | %s |\n", name, asIs(usage))
	})
	if rows.Len() > 0 {
		head("OPTIONS")
		b.WriteString("| | |\n|---|---|\n" + rows.String() + "\n")
	}
	if c.Example != "" {
		head("EXAMPLES")
		fmt.Fprintf(b, "```\n%s\n```\n\n", strings.ReplaceAll(strings.TrimPrefix(c.Example, "  "), "\n  ", "\n"))
	}
}

var markup = lazyregexp.New("[\\\\`*_{}\\[\\]<>#|&!~]")

// asIs is text that Markdown draws as it is.
func asIs(text string) string { return markup.ReplaceAllString(text, `\$0`) }
