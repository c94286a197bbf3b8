package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hermes-tui/tools/spelling"
	"hermes-tui/ui/format"
	"hermes-tui/ui/slash"
)

// noArgs refuses words behind a command. Where others are below it, a word is one of them
// that there is not.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasSubCommands():
		return usageError{fmt.Errorf("%s (see %s --help)", noCommand(cmd, args[0]), cmd.CommandPath())}
	}
	return words(0, 0)(cmd, args)
}

// noCommand says that a command has none of a name below it, and which may be meant.
func noCommand(cmd *cobra.Command, name string) string {
	said := fmt.Sprintf("there is no command %q", strings.TrimSpace(pathOf(cmd)+" "+name))
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	if meant := nearest(name, names); meant != "" {
		said += fmt.Sprintf(", do you mean %q?", strings.TrimSpace(pathOf(cmd)+" "+meant))
	}
	return said
}

// pathOf names a command as it is typed behind the name of the program.
func pathOf(cmd *cobra.Command) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return path
}

// nearest is the word that is written most like another one, empty if none is.
func nearest(word string, known []string) (meant string) {
	least := min(3, len(word))
	for _, one := range known {
		if d := spelling.Distance(word, one, least); d < least {
			least, meant = d, one
		}
	}
	return meant
}

// onePrompt takes one argument that is a prompt: of several words, since one word alone may
// be a command that is written wrong.
func onePrompt(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 1 && slash.IsCommand(args[0]):
		return usageError{fmt.Errorf("%q is typed in the session: a prompt is a message to the agent", args[0])}
	case len(args) == 0, len(args) == 1 && (strings.ContainsFunc(strings.TrimSpace(args[0]), unicode.IsSpace) || cmd.ArgsLenAtDash() == 0):
		return nil
	case len(args) == 1:
		return usageError{fmt.Errorf("%s: a prompt of one word needs -- before it; to run one without a screen use hermes-tui exec \"PROMPT\" (see hermes-tui --help)", noCommand(cmd, args[0]))}
	}
	return usageError{fmt.Errorf("%s: put a prompt in quotes; to run one without a screen use hermes-tui exec \"PROMPT\" (see hermes-tui --help)", noCommand(cmd, args[0]))}
}

// some wants at least one word.
func some(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if strings.TrimSpace(strings.Join(args, "")) == "" {
			return usageError{fmt.Errorf("%s needs %s (see %s --help)", pathOf(cmd), what, cmd.CommandPath())}
		}
		return nil
	}
}

// words bounds how many words stand behind a command.
func words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return usageError{fmt.Errorf("%s takes %s, not %d (see %s --help)", pathOf(cmd), span(least, most), len(args), cmd.CommandPath())}
	}
}

// span says how many words are taken.
func span(least, most int) string {
	switch {
	case most == 0:
		return "no words behind it"
	case least == most:
		return format.Count(most, "word", "words")
	}
	return fmt.Sprintf("%d to %s", least, format.Count(most, "word", "words"))
}

// flagProblem says what is wrong with a flag.
func flagProblem(cmd *cobra.Command, err error) string {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if meant := nearest(unknown.GetSpecifiedName(), names); meant != "" {
			return fmt.Sprintf("%v, do you mean --%s?", err, meant)
		}
	}
	if empty, ok := errors.AsType[*pflag.ValueRequiredError](err); ok && empty.GetFlag().Name == "resume" {
		return "--resume needs an id, its beginning or a title: hermes-tui sessions list names them, --continue goes on with the newest"
	}
	value, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err.Error()
	}
	takes := map[string]string{
		"int": "a whole number", "float64": "a number", "duration": "a time such as 90s or 10m", "bool": "true or false",
	}[value.GetFlag().Value.Type()]
	if takes == "" {
		return err.Error()
	}
	return fmt.Sprintf("--%s takes %s, not %q", value.GetFlag().Name, takes, value.GetValue())
}
