package approval

import (
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// What strangers have written may hold instructions, and an agent that follows them needs
// a way out for what it has read. So after such a text has come into a turn
// ([Request.After]), what sends something out needs a permission that was given for just
// this case; one that was given before, or a rule that allows, is not enough.

// widely begins the permissions that hold also after a turn has read what strangers wrote.
const widely = "also after what strangers wrote: "

// receives are the verbs of programs that are online but send nothing of the workspace, and
// gh and glab, of which [shellrisk] knows which commands publish.
var receives = []string{"git clone", "git fetch", "git pull", "git ls-remote", "gh", "glab"}

// sends reports whether an action can carry data of the workspace to where strangers may
// read it.
func (m *matter) sends() bool {
	switch m.Action.Kind {
	case tools.ActCall:
		return true // what the server's tool does with the arguments is not known
	case tools.ActExec, tools.ActFetch:
		return m.has(shellrisk.CatExfiltration) || m.has(shellrisk.CatPublish) ||
			slices.ContainsFunc(m.seen.Online(), func(program string) bool { return !slices.Contains(receives, program) })
	case tools.ActCode:
		return true
	}
	return false
}

// leaves reports whether an action sends something out after strangers' words came into the
// turn. A confined one only does so at the hosts that it reaches, see [Permit.Reach].
func (m *matter) leaves() bool {
	return m.After != "" && m.Mode != ModeOff && (m.free || !m.does.confined()) && !(m.Action.Kind == tools.ActCode && m.does == runs) && m.sends()
}

// reaches is leaves for the hosts of what runs confined.
func (m *matter) reaches() bool { return m.After != "" && m.Mode != ModeOff && m.sends() }

// afterReason says why it is asked about.
func (m *matter) afterReason() tools.Reason {
	return tools.Reason{
		Category: string(shellrisk.CatExfiltration),
		Text:     "can send data out after the agent has read what strangers may have written (" + shellrisk.Canonical(m.After) + ") and may be following that",
	}
}

// remedy is what lets pass what no one is there to be asked about.
func remedy(leaves bool, usual string) string {
	if leaves {
		return "with approvals.ask_after_untrusted: false"
	}
	return usual
}

// wide turns permissions into those that hold after strangers' words as well.
func wide(scopes []tools.Scope) []tools.Scope {
	list := slices.Clone(scopes)
	for i := range list {
		list[i].Rule = widely + list[i].Rule
	}
	return list
}

// Brings names a program of a command that shows what strangers may have written; empty if
// none is known.
func (p Permit) Brings() string {
	if p.p == nil || p.p.about == nil {
		return ""
	}
	for _, program := range p.p.about.seen.Online() {
		if !strings.HasPrefix(program, "git ") { // which shows names of branches
			return program
		}
	}
	return ""
}
