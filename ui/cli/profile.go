package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hermes-tui/store"
	"hermes-tui/store/atomicfile"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// newProfile makes the commands about profiles.
func newProfile(s *sys, f *flags) *cobra.Command {
	var asJSON bool
	var like string
	cmd := &cobra.Command{
		Use: "profile", Short: "List, show and make profiles", Args: noArgs,
		Long: "A profile is a folder below profiles in HERMES_HOME with settings, sessions, memory and skills of its own. The flag\n" +
			"--profile NAME uses it, and so does HERMES_HOME when it names that folder. Keys of the default profile are used\n" +
			"in one that has none of the same service.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list := &cobra.Command{
		Use: "list", Short: "List the profiles; a star marks the one in use", Args: words("profile list", 0, 0),
		RunE: func(*cobra.Command, []string) error {
			home, err := s.find(f)
			if err != nil {
				return err
			}
			shown := []shownProfile{}
			for _, name := range append([]string{store.DefaultProfile}, home.Profiles()...) {
				p, err := s.profile(name)
				if err != nil {
					return err
				}
				p.Used = name == home.Profile()
				shown = append(shown, p)
			}
			if asJSON {
				return s.printJSON(shown)
			}
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			for _, p := range shown {
				mark := " "
				if p.Used {
					mark = "*"
				}
				fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, p.Name, term.Line(p.model()), term.Line(p.Folder))
			}
			return w.Flush()
		},
	}
	show := &cobra.Command{
		Use: "show [NAME]", Short: "Show where a profile is, what answers in it and how large it is", Args: words("profile show", 0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			home, err := s.find(f)
			if err != nil {
				return err
			}
			name := home.Profile()
			if len(args) > 0 {
				name = args[0]
			}
			p, err := s.profile(name)
			if err != nil {
				return err
			}
			p.Used = name == home.Profile()
			if asJSON {
				return s.printJSON(p)
			}
			fmt.Fprintf(s.out, "%s, %s\nmodel: %s\n", p.Name, term.Line(p.Folder), term.Line(p.model()))
			if p.Problem != "" {
				fmt.Fprintln(s.out, "settings: "+term.Line(p.Problem))
			}
			_, err = fmt.Fprintf(s.out, "size: %s, %s of it sessions\n", format.Bytes(p.Bytes), format.Bytes(p.Sessions))
			return err
		},
	}
	for _, c := range []*cobra.Command{list, show} {
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	create := &cobra.Command{
		Use: "create NAME", Short: "Make a profile", Args: words("profile create", 1, 1),
		Example: "  hermes-tui profile create work\n  hermes-tui profile create trial --like work",
		RunE:    func(_ *cobra.Command, args []string) error { return s.createProfile(args[0], like) },
	}
	create.Flags().StringVar(&like, "like", "", "begin with the settings of the profile `NAME`")
	cmd.AddCommand(list, show, create)
	return cmd
}

// shownProfile is a profile as JSON has it.
type shownProfile struct {
	Name     string `json:"name"`
	Folder   string `json:"folder"`
	Used     bool   `json:"used"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// Problem says why its settings cannot be used.
	Problem  string `json:"problem,omitempty"`
	Bytes    int64  `json:"bytes"`
	Sessions int64  `json:"session_bytes"`
}

// model says what answers by the settings.
func (p shownProfile) model() string {
	if text := strings.TrimSpace(p.Provider + " " + p.Model); text != "" {
		return text
	}
	return "chosen at the start"
}

// profile looks at a profile.
func (s *sys) profile(name string) (shownProfile, error) {
	of := &flags{profile: name}
	home, err := s.find(of)
	if err != nil {
		return shownProfile{}, err
	}
	p := shownProfile{Name: home.Profile(), Folder: home.Dir()}
	if _, c, _, err := s.load(of); err == nil {
		p.Provider, p.Model = c.Model.Provider, c.Model.Default
	} else {
		p.Problem = err.Error()
	}
	sizes, err := fileSizes(home.Dir())
	for _, one := range sizes {
		if one.Name == "profiles" && home.Profile() == store.DefaultProfile {
			continue
		}
		p.Bytes += one.Bytes
		if strings.HasPrefix(one.Name, "state.db") {
			p.Sessions += one.Bytes
		}
	}
	return p, err
}

func (s *sys) createProfile(name, like string) error {
	home, err := s.find(&flags{profile: name, create: true})
	if err != nil {
		return err
	}
	if _, err := os.Lstat(home.Dir()); err == nil {
		return usageError{fmt.Errorf("there is a profile %s already, in %s", home.Profile(), term.Line(home.Dir()))}
	}
	var settings []byte
	if like != "" {
		other, err := s.find(&flags{profile: like})
		if err == nil {
			settings, err = os.ReadFile(other.Config())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := home.Ensure(); err != nil {
		return startError{err}
	}
	if len(settings) > 0 {
		if err := atomicfile.Write(home.Config(), settings, 0o600); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "Made in %s. Use it with hermes-tui --profile %s\n", term.Line(home.Dir()), home.Profile())
	return nil
}
