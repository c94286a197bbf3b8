package feature_test

import (
	"context"
	"fmt"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/ui/feature"
)

// shelf is a program with one plugin.
type shelf struct{ state string }

func (s *shelf) Plugins() ([]api.Plugin, error) {
	return []api.Plugin{{Name: "tidy", Version: "1.0", State: s.state, Tools: []string{"dust"}}}, nil
}

func (s *shelf) EnablePlugin(_ context.Context, _ api.Plugin, on bool) error {
	s.state = map[bool]string{true: "enabled", false: "disabled"}[on]
	return nil
}

func (s *shelf) RemovePlugin(context.Context, string) error { return nil }

// A front end loads a feature, draws its entries, and does what the user asks for.
func Example() {
	host := feature.Host{Plugins: &shelf{"disabled"}, Now: time.Now}
	f, _ := feature.Named("plugins")
	list, _ := f.Load(context.Background(), host, "")
	for _, e := range list.Entries {
		fmt.Println(e.Group, "-", e.Label, e.Detail, "-", e.Right)
	}
	tidy, _ := f.Find(list, "tidy", "/plugins")
	enable, _ := f.Action("enable")
	out, _ := enable.Run(context.Background(), host, tidy, "")
	fmt.Println(out.Said)
	// Output:
	// Off - tidy 1.0 - 1 tool
	// Enabled as it is now: tidy, from the next session on. When it changes it is off until you enable it again.
}
