package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(s *sys) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Say which version of the program this is", Args: words(0, 0),
		Long:    "version prints the release or the revision that the program was built from, with its date, and what built it.",
		Example: "  hermes-tui version\n  hermes-tui version --json",
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				_, err := fmt.Fprintf(s.out, "hermes-tui version %s\n%s, %s/%s\n", build(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return err
			}
			return s.printJSON(versions())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object of JSON")
	return cmd
}

// versions is what is known of this build.
func versions() map[string]string {
	of := map[string]string{"version": Version(), "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, set := range info.Settings {
			switch set.Key {
			case "vcs.revision":
				of["revision"] = set.Value
			case "vcs.time":
				of["date"] = set.Value
			case "vcs.modified":
				of["modified"] = set.Value
			}
		}
	}
	return of
}
