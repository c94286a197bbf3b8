package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/store/config"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

func newConfig(s *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Read, change and check the settings",
		Long: "Settings come from the command line, the environment, config.yaml and built-in defaults, in this order.\n" +
			"docs/config.md lists all of them.",
		Example: "  hermes-tui config show display\n  hermes-tui config set display.theme dark\n  hermes-tui config check",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigShow(s, f), newConfigGet(s, f), newConfigSet(s, f),
		&cobra.Command{
			Use: "edit", Short: "Open config.yaml in your editor, and check it afterwards", Args: words(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error { return s.editConfig(cmd.Context(), f) },
		},
		&cobra.Command{
			Use: "path", Short: "Print where config.yaml is", Args: words(0, 0),
			RunE: func(*cobra.Command, []string) error {
				home, err := s.find(f)
				if err == nil {
					fmt.Fprintln(s.out, home.Config())
				}
				return err
			},
		},
		&cobra.Command{
			Use: "check [FILE]", Short: "Say what is wrong with config.yaml, or with another file of settings", Args: words(0, 1),
			Long: "check reads the settings as the program does and names what is wrong with them, each with its line. It ends with 2\n" +
				"when the file, or a value in it, cannot be used; keys that are ignored are named only.",
			RunE: func(_ *cobra.Command, args []string) error { return s.checkConfig(f, args) },
		},
		&cobra.Command{
			Use: "schema", Short: "Print the form of config.yaml as a JSON Schema, for your editor", Args: words(0, 0),
			Long: "schema prints a JSON Schema (draft 2020-12). Editors with a YAML language server check config.yaml by it and\n" +
				"complete its keys once the file begins with the line\n\n    # yaml-language-server: $schema=PATH",
			RunE: func(*cobra.Command, []string) error {
				text, err := config.JSONSchema()
				if err == nil {
					fmt.Fprintf(s.out, "%s\n", text)
				}
				return err
			},
		})
	return cmd
}

// shownSetting is a setting as JSON has it.
type shownSetting struct {
	Name    string       `json:"name"`
	Value   string       `json:"value"`
	Source  string       `json:"source"`
	Default string       `json:"default"`
	Effect  config.Class `json:"takes_effect"`
	Doc     string       `json:"doc"`
}

// shownSettings are settings as JSON has them.
func shownSettings(list []config.Setting) []shownSetting {
	shown := make([]shownSetting, len(list))
	for i, one := range list {
		shown[i] = shownSetting{one.Name, one.Value, one.Source, one.Default, one.Class, one.Doc}
	}
	return shown
}

func newConfigShow(s *sys, f *flags) *cobra.Command {
	var changed, asJSON bool
	cmd := &cobra.Command{
		Use: "show [NAME]", Short: "List the settings with their values and where each comes from", Args: words(0, 1),
		Long: "show lists all settings, those of a section (display), or one (display.theme): name, value, and where the value\n" +
			"comes from: default, a line of config.yaml, an environment variable or a flag. Secrets are masked.",
		Example: "  hermes-tui config show --changed\n  hermes-tui config show model --json",
		RunE: func(_ *cobra.Command, args []string) error {
			_, c, _, err := s.load(f)
			if err != nil {
				return err
			}
			s.warn(f)
			list, err := c.Under(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if changed {
				list = fromElsewhere(list)
			}
			return s.printSettings(list, asJSON)
		},
	}
	cmd.Flags().BoolVar(&changed, "changed", false, "only what is not at its default")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	f.choosing(cmd.Flags())
	f.working(cmd.Flags())
	return cmd
}

// warn prints what is wrong with the settings but keeps nothing from working.
func (s *sys) warn(f *flags) {
	for _, w := range f.warnings {
		s.complain(w.String())
	}
}

// wrong reports whether a warning is of a value that cannot be used.
func wrong(w config.Warning) bool { return w.Wrong }

// fromElsewhere are the settings that have not their default.
func fromElsewhere(list []config.Setting) []config.Setting {
	var set []config.Setting
	for _, one := range list {
		if one.Source != "default" {
			set = append(set, one)
		}
	}
	return set
}

func (s *sys) printSettings(list []config.Setting, asJSON bool) error {
	if asJSON {
		return s.printJSON(shownSettings(list))
	}
	w := s.grid()
	for _, one := range list {
		value := term.Line(one.Value)
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", term.Line(one.Name), value, term.Line(one.Source))
	}
	return w.Flush()
}

func newConfigGet(s *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "get NAME", Short: "Print the value of a setting", Args: words(1, 1),
		Long:    "get prints the value that counts, wherever it comes from. Secrets are masked.",
		Example: "  hermes-tui config get model.default",
		RunE: func(_ *cobra.Command, args []string) error {
			_, c, _, err := s.load(f)
			if err != nil {
				return err
			}
			list, err := c.Under(args[0])
			if err != nil {
				return err
			}
			if len(list) != 1 || list[0].Name != args[0] {
				return usageError{fmt.Errorf("%s is a section: hermes-tui config show %s lists what is in it", args[0], args[0])}
			}
			fmt.Fprintln(s.out, term.Line(list[0].Value))
			return nil
		},
	}
	f.choosing(cmd.Flags())
	f.working(cmd.Flags())
	return cmd
}

func newConfigSet(s *sys, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "set NAME VALUE", Short: "Write a setting into config.yaml", Args: words(2, 2),
		Long: "set writes one setting. Comments and the order of the file are kept. Lists are separated by commas; - as the\n" +
			"value reads it from the standard input, which keeps a secret out of the history of your shell.",
		Example: "  hermes-tui config set model.default NAME\n  hermes-tui config set providers.work.base_url https://llm.example/v1\n" +
			"  hermes-tui config set model.api_key - <key.txt",
		RunE: func(cmd *cobra.Command, args []string) error { return s.setConfig(cmd.Context(), f, args[0], args[1]) },
	}
}

func (s *sys) setConfig(ctx context.Context, f *flags, key, text string) error {
	home, _, env, err := s.load(f)
	if err != nil {
		return err
	}
	if text == "-" {
		if text, err = s.secretLine(); err != nil {
			return err
		}
	}
	value, err := config.Value(key, text)
	if err != nil {
		return err
	}
	if err := home.Ensure(); err != nil {
		return startError{err}
	}
	o := f.loading(home, env)
	if err := config.Set(ctx, o, key, value); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Written to %s.\n", term.Line(home.Config()))
	c, _, err := config.Load(o)
	if err != nil {
		return err
	}
	if list, err := c.Under(key); err == nil && len(list) == 1 && list[0].Source != "default" && !strings.HasPrefix(list[0].Source, home.Config()) {
		s.complain(fmt.Sprintf("%s comes from the %s, which counts more than the file", key, list[0].Source))
	}
	return nil
}

// secretLine reads a value from the standard input.
func (s *sys) secretLine() (string, error) {
	const limit = 64 << 10
	line, err := bufio.NewReader(io.LimitReader(s.in, limit)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", startError{fmt.Errorf("the value could not be read: %w", err)}
	}
	if line = strings.TrimSpace(line); line == "" {
		return "", usageError{errors.New("no value came on the standard input: nothing was changed")}
	}
	return line, nil
}

// editConfig opens the file in an editor.
func (s *sys) editConfig(ctx context.Context, f *flags) error {
	home, err := s.find(f)
	if err != nil {
		return err
	}
	if in, out := s.terminal(); !in || !out {
		return usageError{errors.New("config edit needs a terminal: hermes-tui config set changes one setting without it")}
	}
	if err := home.Ensure(); err != nil {
		return startError{err}
	}
	if err := config.Create(home.Config()); err != nil {
		return startError{err}
	}
	if err := term.Edit(ctx, s.in, s.file, s.environ, home.Config()); err != nil {
		return err
	}
	return s.checkConfig(f, nil)
}

// checkConfig reads the settings, or those of another file, and says what of them is
// not right.
func (s *sys) checkConfig(f *flags, args []string) error {
	home, err := s.find(f)
	if err != nil {
		return err
	}
	env, file := s.env, home.Config()
	if len(args) > 0 {
		names, err := s.absolute("config check", args)
		if err != nil {
			return err
		}
		file = names[0]
		if _, err := os.Stat(file); err != nil {
			return usageError{err}
		}
	} else {
		more, err := config.LoadEnv(home.Env())
		if err != nil {
			return err
		}
		env = config.Layered(s.env, more)
	}
	o := f.loading(home, env)
	o.File = file
	c, warnings, err := config.Load(o)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		s.complain(w.String())
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(s.out, "There is no %s yet: all settings are at their defaults, or come from elsewhere.\n", term.Line(file))
		return nil
	}
	if slices.ContainsFunc(warnings, wrong) {
		return usageError{fmt.Errorf("not all settings of %s can be used", term.Line(file))}
	}
	set := 0
	for _, one := range c.Settings() {
		if strings.HasPrefix(one.Source, file+":") {
			set++
		}
	}
	fmt.Fprintf(s.out, "%s can be used and sets %s.\n", term.Line(file), format.Count(set, "setting", "settings"))
	return nil
}
