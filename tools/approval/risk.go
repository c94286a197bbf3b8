package approval

import (
	"slices"

	"hermes-tui/tools/shellrisk"
)

// The judge of [ModeSmart] is a model, and a model can be talked into a yes. So
// the categories are divided by what a wrong yes would cost: each one is in
// exactly one of the two tables, with the reason.

// lowRisk are the categories that a judge may allow: what they do is known before
// it runs, touches no file of the user, and can be put right again.
var lowRisk = map[shellrisk.Category]string{
	shellrisk.CatService:     "a service that was stopped is started again, a setting of it set back",
	shellrisk.CatProcessKill: "a process that was ended is started again; ending all of them is blocked",
	shellrisk.CatUnknown:     "where nothing confines; elsewhere what is not known counts as other code",
}

// destructive are the categories in which a judge may only refuse: what they do
// cannot be taken back, or opens the way to doing anything at all.
var destructive = map[shellrisk.Category]string{
	shellrisk.CatDeleteRoot:   "blocked; asked about only where it is another machine's",
	shellrisk.CatDeleteSystem: "blocked; asked about only where it is another machine's",
	shellrisk.CatDeleteHome:   "blocked; asked about only where it is another machine's",
	shellrisk.CatFormatDisk:   "blocked; asked about only where it is another machine's",
	shellrisk.CatRawDisk:      "blocked; asked about only where it is another machine's",
	shellrisk.CatForkBomb:     "blocked; asked about only where it is another machine's",
	shellrisk.CatKillAll:      "blocked; asked about only where it is another machine's",
	shellrisk.CatPower:        "blocked; asked about only where it is another machine's",
	shellrisk.CatSudoStdin:    "blocked; asked about only where it is another machine's",
	shellrisk.CatProtected:    "blocked: credentials and the system's own files",

	shellrisk.CatDelete:         "what is deleted outside the workspace is in no snapshot",
	shellrisk.CatGitDestructive: "lost commits and stashes are in no snapshot",
	shellrisk.CatDatabase:       "a database keeps no copy of what is deleted",
	shellrisk.CatPermissions:    "the permissions there were are kept nowhere, and others may use the gap at once",
	shellrisk.CatOwnership:      "the owners there were are kept nowhere",
	shellrisk.CatOutside:        "what is overwritten outside the workspace is in no snapshot",
	shellrisk.CatContainer:      "removes data with containers, or gives one power over this machine",
	shellrisk.CatServer:         "another program does it, out of sight",
	shellrisk.CatPublish:        "what is published has been seen by others",
	shellrisk.CatExfiltration:   "what was sent cannot be called back",

	shellrisk.CatIndirectExec:  "other code can do anything, also everything that is in this table",
	shellrisk.CatRemoteExec:    "code from the network can do anything, and another time something else",
	shellrisk.CatEnvInjection:  "changes which programs run later, under whatever name",
	shellrisk.CatPrivilege:     "with the rights of another user nothing here holds",
	shellrisk.CatSystemConfig:  "the system obeys it from then on",
	shellrisk.CatSensitiveFile: "start-up files are obeyed later, and a credential that was read is known",
	shellrisk.CatProjectConfig: "hooks and settings of the project run programs later",
	shellrisk.CatAgentConfig:   "agents obey it later, this one included",

	shellrisk.CatObfuscated: "hides what it does from the judge as well",
	shellrisk.CatUnparsable: "no one can say which of these it is",
	shellrisk.CatTooComplex: "no one can say which of these it is",
	shellrisk.CatUntrusted:  "whom to obey is for the user to say",
	shellrisk.CatNetwork:    "what runs outside may talk to anyone; of what is confined see mayReach",
	shellrisk.CatRule:       "the user has said that they want to be asked",
}

// mayAllow reports whether a judge may allow what was found: all of it is of low
// risk.
func mayAllow(found []shellrisk.Category) bool {
	return len(found) > 0 && !slices.ContainsFunc(found, func(c shellrisk.Category) bool { return lowRisk[c] == "" })
}

// mayReach reports whether a judge may let a confined run with these reasons to ask
// connect to a host, this once: the host is one of the internet, and none of the
// reasons is that the program sends data, runs what it fetches or hides what it does.
// The run knows no secrets, and changes nothing outside the workspace.
func mayReach(found []shellrisk.Category, name string) bool {
	return !local(name) && !slices.ContainsFunc(found, func(c shellrisk.Category) bool {
		switch c {
		case shellrisk.CatExfiltration, shellrisk.CatRemoteExec, shellrisk.CatObfuscated, shellrisk.CatUnparsable, shellrisk.CatTooComplex, shellrisk.CatUntrusted, shellrisk.CatSensitiveFile:
			return true
		}
		return false
	})
}
