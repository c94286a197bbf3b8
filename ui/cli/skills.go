package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

func newSkills(sys *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "skills", Short: "List skills, and install, update, check and remove those from elsewhere",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o skillFlags
	var asJSON bool
	install := &cobra.Command{
		Use: "install SOURCE [SKILL ...]", Short: "Install skills from a folder, an archive, a git repository or a web site",
		Long: "install fetches skills, shows what they are and what speaks against them, and installs them when --yes is given.\n" +
			"SOURCE is a folder, an archive (.zip, .tar, .tar.gz, .tgz), the address of a git repository with @REF for a branch, tag\n" +
			"or commit and #FOLDER for a part of it, OWNER/NAME on GitHub, or a web site with a list of skills at\n" +
			"/.well-known/skills/index.json. Without names all skills of the source are installed.",
		Example: "  hermes-tui skills install ./my-skills\n  hermes-tui skills install anthropics/skills#skills pdf --yes",
		Args:    some("SOURCE, where the skills are"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sys.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				offer, err := a.FetchSkills(ctx, args[0])
				if err != nil {
					return err
				}
				return errors.Join(sys.install(ctx, offer, args[1:], o), offer.Close())
			})
		},
	}
	update := &cobra.Command{
		Use: "update [SKILL ...]", Short: "Fetch what is new of installed skills",
		Long: "update fetches installed skills from where they came from, shows what has changed, and installs it when --yes is\n" +
			"given. Skills that you have changed are left as they are. Without names it looks at all of them.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return sys.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error { return sys.update(ctx, a, args, o) })
		},
	}
	for _, c := range []*cobra.Command{install, update} {
		c.Flags().BoolVar(&o.yes, "yes", false, "install; without it nothing is changed")
		c.Flags().BoolVar(&o.dangerous, "dangerous", false, "install also what looks dangerous; it is held back until you allow it under /skills")
	}
	list := &cobra.Command{
		Use: "list", Short: "List the skills of this machine, without those of projects", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sys.withApp(cmd.Context(), f, func(_ context.Context, a *app.App) error {
				all, problems, err := a.AllSkills()
				if err != nil {
					return err
				}
				for _, p := range problems {
					sys.complain(p.Path + ": " + p.Text)
				}
				return sys.printSkills(all, asJSON)
			})
		},
	}
	audit := &cobra.Command{
		Use: "audit", Short: "Look through the installed skills again", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sys.withApp(cmd.Context(), f, func(_ context.Context, a *app.App) error {
				all, err := a.AuditSkills()
				if err != nil {
					return err
				}
				return sys.printAudit(all, asJSON)
			})
		},
	}
	for _, c := range []*cobra.Command{list, audit} {
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	find := &cobra.Command{
		Use: "find [WORD ...]", Short: "Find skills that can be installed from the indexes of the settings (skills.indexes)",
		RunE: func(cmd *cobra.Command, args []string) error {
			return sys.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				found, notes, err := a.FindSkills(ctx, strings.Join(args, " "))
				if err != nil {
					return err
				}
				for _, n := range notes {
					sys.complain(n)
				}
				for _, k := range found {
					fmt.Fprintf(sys.out, "%s\n  %s\n  hermes-tui skills install %s\n", term.Line(k.Name), term.Line(k.Description), term.Line(k.Source))
				}
				return nil
			})
		},
	}
	cmd.AddCommand(list, find, install, update, audit, &cobra.Command{
		Use: "uninstall SKILL", Short: "Remove a skill that came from elsewhere", Args: words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sys.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				if err := haveSkills(a, args[:1]); err != nil {
					return err
				}
				return a.UninstallSkill(ctx, args[0])
			})
		},
	})
	return cmd
}

// haveSkills makes sure that there are skills of some names.
func haveSkills(a *app.App, names []string) error {
	all, _, err := a.AllSkills()
	for _, name := range names {
		if err == nil && !slices.ContainsFunc(all, func(k app.Skill) bool { return k.Name == name }) {
			err = usageError{fmt.Errorf("there is no skill %q: hermes-tui skills list shows them", name)}
		}
	}
	return err
}

// skillFlags say what may be installed.
type skillFlags struct{ yes, dangerous bool }

// install shows an offer and installs what was asked for.
func (s *sys) install(ctx context.Context, offer *app.SkillOffer, names []string, o skillFlags) error {
	for _, n := range offer.Notes {
		s.complain(n)
	}
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	var take []string
	refused := false
	for _, c := range offer.Skills {
		if len(names) > 0 && !wanted[c.Name] {
			continue
		}
		delete(wanted, c.Name)
		s.printCandidate(c)
		switch {
		case c.Refused != "":
			refused = true
		case c.Verdict == app.SkillDangerous && !o.dangerous:
			refused = true
			fmt.Fprintln(s.out, "  It is installed only with --dangerous.")
		default:
			take = append(take, c.Name)
		}
	}
	for n := range wanted {
		return usageError{fmt.Errorf("there is no skill %q in %s", n, offer.Source)}
	}
	if len(take) > 0 && !o.yes {
		fmt.Fprintln(s.out, "\nNothing was changed: install "+strings.Join(take, ", ")+" with --yes.")
		return nil
	}
	done, err := offer.Install(ctx, take, o.dangerous)
	if len(done) > 0 {
		fmt.Fprintln(s.out, "\nInstalled: "+strings.Join(done, ", ")+". New sessions know of it; /skills shows it.")
	}
	if err == nil && refused {
		err = errors.New("not all of it was installed")
	}
	return err
}

// printCandidate shows a skill of a source.
func (s *sys) printCandidate(c app.SkillCandidate) {
	fmt.Fprintf(s.out, "%s  %s, %s, %s\n", c.Name, format.Count(len(c.Files), "file", "files"), c.Verdict, c.Trust)
	lines := []string{c.Description}
	lines = append(append(lines, c.Problems...), c.Findings...)
	if len(c.Changed) > 0 {
		lines = append(lines, "changes: "+strings.Join(c.Changed, ", "))
	}
	if c.Refused != "" {
		lines = append(lines, "Not installed: "+c.Refused+".")
	}
	for _, l := range lines {
		fmt.Fprintln(s.out, "  "+term.Line(l))
	}
}

// update looks for what is new of installed skills.
func (s *sys) update(ctx context.Context, a *app.App, names []string, o skillFlags) error {
	if len(names) == 0 {
		all, err := a.AuditSkills()
		if err != nil {
			return err
		}
		for _, k := range all {
			names = append(names, k.Name)
		}
		if len(names) == 0 {
			s.complain("no skill was installed from elsewhere")
		}
	}
	if err := haveSkills(a, names); err != nil {
		return err
	}
	var failed error
	for _, name := range names {
		offer, err := a.UpdateSkill(ctx, name)
		switch {
		case err != nil:
			failed = errors.New("not all of them could be looked at")
			s.complain(err.Error())
			continue
		case len(offer.Skills[0].Changed) == 0:
			fmt.Fprintln(s.out, name+" is as it is there.")
		default:
			err = s.install(ctx, offer, nil, o)
		}
		if err = errors.Join(err, offer.Close()); err != nil {
			return err
		}
	}
	return failed
}

func (s *sys) printSkills(all []app.Skill, asJSON bool) error {
	if asJSON {
		return s.printJSON(all)
	}
	w := s.grid()
	for _, k := range all {
		fmt.Fprintln(w, term.Line(k.Name)+"\t"+k.Origin+"\t"+k.State+"\t"+term.Line(k.Description))
	}
	return w.Flush()
}

// shownAudit is a skill that was looked through as JSON has it.
type shownAudit struct {
	Name     string   `json:"name"`
	Source   string   `json:"source"`
	Commit   string   `json:"commit,omitempty"`
	Is       string   `json:"is"`
	Verdict  string   `json:"verdict"`
	Findings []string `json:"findings"`
}

func (s *sys) printAudit(all []app.AuditedSkill, asJSON bool) error {
	if asJSON {
		list := []shownAudit{}
		for _, k := range all {
			list = append(list, shownAudit{k.Name, k.Source.String(), k.Commit, k.Is(), k.Verdict, append([]string{}, k.Findings...)})
		}
		return s.printJSON(list)
	}
	if len(all) == 0 {
		s.complain("no skill was installed from elsewhere")
	}
	for _, k := range all {
		fmt.Fprintf(s.out, "%s  %s  from %s\n", k.Name, k.Is(), term.Line(k.Source.String()))
		for _, finding := range k.Findings {
			fmt.Fprintln(s.out, "  "+term.Line(finding))
		}
	}
	return nil
}
