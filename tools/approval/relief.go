package approval

import (
	"slices"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// confinedRelief are the reasons to ask that fall away where the system keeps
// processes from writing outside a few folders: what they are about stays inside
// those, where the agent works anyway and can be rewound.
//
//   - delete, permissions, ownership, outside_workspace: files inside the folders
//     only; elsewhere the system refuses.
//   - indirect_exec, env_injection: other code, under the same confinement.
//
// These keep asking, because the confinement does not hold them:
//
//   - git_destructive: lost commits and changes are inside the folders.
//   - agent_config, project_config: hooks and settings inside the folders are
//     obeyed later, outside the confinement.
//   - sensitive_file: reading is not confined, and start-up files may be inside.
//   - system_config, service, container, database, process_kill, privilege: they
//     act through other processes (the init system, the container daemon, a
//     database server, a setuid program), which are not confined.
//   - obfuscated, unparsable, too_complex: no one can say which of these it is.
//   - untrusted_folder: it is about whom to obey, not about where to write.
var confinedRelief = []shellrisk.Category{
	shellrisk.CatDelete, shellrisk.CatPermissions, shellrisk.CatOwnership, shellrisk.CatOutside, shellrisk.CatIndirectExec, shellrisk.CatEnvInjection,
}

// offlineRelief fall away as well where processes cannot reach the network.
var offlineRelief = []shellrisk.Category{shellrisk.CatRemoteExec, shellrisk.CatExfiltration, shellrisk.CatPublish}

// isolatedBlocks stay blocked even where nothing reaches the user's machine. A
// container shares the kernel, the processor and often the devices with its host,
// and the work lies inside: no task needs to destroy all of that. Blocks that
// guard the user's own files (credentials, the system's settings, passwords
// for sudo) have nothing to guard there.
var isolatedBlocks = []shellrisk.Category{
	shellrisk.CatDeleteRoot, shellrisk.CatDeleteSystem, shellrisk.CatDeleteHome, shellrisk.CatFormatDisk, shellrisk.CatRawDisk, shellrisk.CatForkBomb, shellrisk.CatKillAll, shellrisk.CatPower,
}

// relieved is the verdict where the place makes the action harmless. File tools
// read and write as this program does, so confinement of processes changes nothing for
// them.
func relieved(v shellrisk.Verdict, kind tools.ActionKind, info place.Info) shellrisk.Verdict {
	harmless := false
	falls := func(c shellrisk.Category) bool {
		return slices.Contains(confinedRelief, c) || !info.Network && slices.Contains(offlineRelief, c)
	}
	switch {
	case v.Decision == shellrisk.Allow:
	case info.Isolated:
		harmless = !slices.ContainsFunc(v.Categories, func(c shellrisk.Category) bool { return slices.Contains(isolatedBlocks, c) })
	case info.Confined && v.Decision == shellrisk.Ask && kind != tools.ActWrite && kind != tools.ActRead:
		harmless = !slices.ContainsFunc(v.Categories, func(c shellrisk.Category) bool { return !falls(c) })
		v = v.Without(falls) // what is asked about is what the place does not make harmless
	}
	if !harmless {
		return v
	}
	return v.Relieved()
}
