package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

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
		Use: "profile", Short: "List, show, make and choose profiles", Args: noArgs,
		Long: "A profile is a folder below profiles in HERMES_HOME with settings, sessions, memory and skills of its own. The flag\n" +
			"--profile NAME uses it for one run; so does HERMES_HOME when it names that folder. Where neither does, the one counts\n" +
			"that profile use has chosen. Keys of the default profile are used in one that has none of the same service.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list := &cobra.Command{
		Use: "list", Short: "List the profiles; a star marks the one in use", Args: words(0, 0),
		RunE: func(*cobra.Command, []string) error {
			root, err := s.find(&flags{profile: store.DefaultProfile})
			if err != nil {
				return err
			}
			used := ""
			home, err := s.find(f)
			switch {
			case err == nil:
				used = home.Profile()
			case f.profile != "":
				return err
			default: // what was chosen is not there, which the list helps with
				s.complain(err.Error())
			}
			shown := []shownProfile{}
			for _, name := range append([]string{store.DefaultProfile}, root.Profiles()...) {
				p, err := s.profile(name, used)
				if err != nil {
					return err
				}
				shown = append(shown, p)
			}
			if asJSON {
				return s.printJSON(shown)
			}
			w := s.grid()
			for _, p := range shown {
				mark := " "
				if p.Used {
					mark = "*"
				}
				fmt.Fprintf(w, "%s %s\t%s\t%s", mark, p.Name, term.Line(p.model()), term.Line(p.Folder))
				if p.marked() {
					fmt.Fprint(w, "\t"+whereNoneIsNamed)
				}
				fmt.Fprintln(w)
			}
			return w.Flush()
		},
	}
	show := &cobra.Command{
		Use: "show [NAME]", Short: "Show where a profile is, what answers in it and how large it is", Args: words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			home, err := s.find(f)
			if err != nil {
				return err
			}
			name := home.Profile()
			if len(args) > 0 {
				name = args[0]
			}
			p, err := s.profile(name, home.Profile())
			if err != nil {
				return err
			}
			if asJSON {
				return s.printJSON(p)
			}
			fmt.Fprintf(s.out, "%s, %s\nmodel: %s\n", p.Name, term.Line(p.Folder), term.Line(p.model()))
			if p.marked() {
				fmt.Fprintln(s.out, whereNoneIsNamed)
			}
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
		Use: "create NAME", Short: "Make a profile", Args: words(1, 1),
		Example: "  hermes-tui profile create work\n  hermes-tui profile create trial --like work",
		RunE:    func(_ *cobra.Command, args []string) error { return s.createProfile(args[0], like) },
	}
	create.Flags().StringVar(&like, "like", "", "begin with the settings of the profile `NAME`")
	use := &cobra.Command{
		Use: "use NAME", Short: "Use a profile where none is named", Args: words(1, 1),
		Long:    "use remembers a profile for all runs to come in which neither --profile nor HERMES_HOME names one. The name default\ngoes back to the default profile.",
		Example: "  hermes-tui profile use work\n  hermes-tui profile use default",
		RunE:    func(_ *cobra.Command, args []string) error { return s.useProfile(args[0]) },
	}
	cmd.AddCommand(list, show, create, use)
	return cmd
}

// whereNoneIsNamed marks the profile that was chosen with profile use.
const whereNoneIsNamed = "used where none is named"

// useProfile remembers a profile.
func (s *sys) useProfile(name string) error {
	home, err := s.find(&flags{profile: name})
	if err != nil {
		return err
	}
	if err := home.Remember(); err != nil {
		return startError{err}
	}
	fmt.Fprintf(s.out, "The profile %s is used from now on, where none is named.\n", home.Profile())
	if now, err := s.find(&flags{}); err == nil && now.Profile() != home.Profile() {
		s.complain(fmt.Sprintf("HERMES_HOME names the profile %s, which counts more", now.Profile()))
	}
	return nil
}

// shownProfile is a profile as JSON has it.
type shownProfile struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Used   bool   `json:"used"`
	// Remembered says that it is used where none is named.
	Remembered bool   `json:"remembered"`
	Provider   string `json:"provider,omitempty"`
	Model      string `json:"model,omitempty"`
	// Problem says why its settings, or one of them, cannot be used.
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

// marked reports whether it was chosen to be used where none is named.
func (p shownProfile) marked() bool { return p.Remembered && p.Name != store.DefaultProfile }

// profile looks at a profile. used is the name of the one in use.
func (s *sys) profile(name, used string) (shownProfile, error) {
	of := &flags{profile: name}
	home, err := s.find(of)
	if err != nil {
		return shownProfile{}, err
	}
	p := shownProfile{Name: home.Profile(), Folder: home.Dir(), Used: home.Profile() == used}
	remembered, err := home.Remembered()
	p.Remembered = err == nil && remembered == p.Name
	if _, c, _, err := s.load(of); err == nil {
		p.Provider, p.Model = c.Model.Provider, c.Model.Default
		if i := slices.IndexFunc(of.warnings, wrong); i >= 0 {
			p.Problem = of.warnings[i].String()
		}
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
	fmt.Fprintf(s.out, "Made in %s. Use it with hermes-tui --profile %s, or from now on with hermes-tui profile use %s\n", term.Line(home.Dir()), home.Profile(), home.Profile())
	return nil
}
