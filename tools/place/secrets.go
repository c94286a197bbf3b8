package place

import "hermes-tui/tools"

// Secrets is the list of files with keys in a place: below the user's home there
// and in the agent's own, by their names and behind links. env is the environment of
// the place, for programs that keep theirs elsewhere.
func Secrets(at Place, agentHome string, env []string) *tools.Secrets {
	names := func(dir string) []string {
		list := []string{dir}
		if dir == "" {
			return nil
		}
		if real, err := at.FS().Resolve(dir); err == nil {
			list = append(list, real)
		}
		return list
	}
	return tools.NewSecrets(names(at.Info().Home), names(agentHome), func(name string) (string, bool) { return tools.Variable(env, name) })
}
