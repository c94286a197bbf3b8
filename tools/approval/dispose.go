package approval

import "hermes-tui/tools/shellrisk"

// disposition is what the gate does with an action about which no rule, permission
// or user has decided, from the mildest on.
type disposition int

const (
	runs         disposition = iota // with all rights of the user
	runsConfined                    // held by the system
	asksConfined                    // a yes lets it run, held by the system
	asksOutside                     // a yes lets it run with all rights of the user
)

// asks reports whether the user is asked.
func (d disposition) asks() bool { return d >= asksConfined }

// confined reports whether it runs held by the system.
func (d disposition) confined() bool { return d == runsConfined || d == asksConfined }

// guarded says of every category what [ModeGuarded] does about it where processes
// can be confined one by one, and why.
var guarded = map[shellrisk.Category]struct {
	does disposition
	why  string
}{
	shellrisk.CatDelete:       {runsConfined, "inside the workspace snapshots keep what is deleted; elsewhere the system refuses"},
	shellrisk.CatPermissions:  {runsConfined, "it changes files of the workspace only"},
	shellrisk.CatOwnership:    {runsConfined, "it changes files of the workspace only"},
	shellrisk.CatIndirectExec: {runsConfined, "other code is confined like the program that starts it"},
	shellrisk.CatRemoteExec:   {runsConfined, "what comes from the network is confined as well, and you are asked about the host first"},
	shellrisk.CatEnvInjection: {runsConfined, "whichever program runs is confined"},
	shellrisk.CatExfiltration: {runsConfined, "secrets cannot be read, and each host is asked for"},
	shellrisk.CatObfuscated:   {runsConfined, "whatever it does is confined"},
	shellrisk.CatUnparsable:   {runsConfined, "whatever it does is confined"},
	shellrisk.CatTooComplex:   {runsConfined, "whatever it does is confined"},
	shellrisk.CatUntrusted:    {runsConfined, "what the folder's author wrote is confined"},
	shellrisk.CatUnknown:      {runsConfined, "whatever it does is confined"},
	shellrisk.CatNetwork:      {runsConfined, "each host is asked for when it is connected to"},
	shellrisk.CatRule:         {runsConfined, "a rule says that it is asked about, not where it runs"},

	shellrisk.CatGitDestructive: {asksConfined, "lost commits and stashes are in no snapshot"},
	shellrisk.CatDatabase:       {asksConfined, "a database of the workspace keeps no copy of what is deleted"},

	shellrisk.CatOutside:       {asksOutside, "confined, it could not write there"},
	shellrisk.CatSensitiveFile: {asksOutside, "confined, it could neither read nor write it"},
	shellrisk.CatSystemConfig:  {asksOutside, "confined, it could not write there"},
	shellrisk.CatAgentConfig:   {asksOutside, "confined, it could not write what agents obey later"},
	shellrisk.CatProjectConfig: {asksOutside, "confined, it could not write what programs obey later"},
	shellrisk.CatServer:        {asksOutside, "another program does it, with its own rights"},
	shellrisk.CatPublish:       {asksOutside, "it needs credentials, and others see it"},
	shellrisk.CatPrivilege:     {asksOutside, "confined, it could not gain rights"},
	shellrisk.CatService:       {asksOutside, "confined, it could not reach the service manager"},
	shellrisk.CatContainer:     {asksOutside, "confined, it could not reach the container engine"},
	shellrisk.CatProcessKill:   {asksOutside, "confined, it could not signal other processes"},

	shellrisk.CatDeleteRoot:   {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatDeleteSystem: {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatDeleteHome:   {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatFormatDisk:   {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatRawDisk:      {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatForkBomb:     {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatKillAll:      {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatPower:        {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatSudoStdin:    {asksOutside, "blocked; asked about only where it is another machine's"},
	shellrisk.CatProtected:    {asksOutside, "blocked: credentials and the system's own files"},
}

// dispose says what happens with an action that is not blocked. confines says that
// it can be confined by itself, known that it is one that no program has to be known
// for. In a place that confines or isolates everything the verdict has been relieved
// of what that holds, and the rest is asked about.
func dispose(v shellrisk.Verdict, mode Mode, confines, known bool) disposition {
	switch {
	case mode == ModeOff && !v.Has(shellrisk.CatUntrusted), v.Proved && (!confines || v.Sockets):
		return runs // confined, it would see another network
	case mode == ModeOff && confines, v.Proved: // what it reads can be exchanged while it waits
		return runsConfined
	case confines && (mode == ModeGuarded || mode == ModeSmart):
		does := runsConfined
		for _, cat := range v.Categories {
			does = max(does, guarded[cat].does)
		}
		return does
	case v.Decision == shellrisk.Allow && known:
		return runs
	}
	return asksOutside
}

// held reports whether confinement takes a reason to ask away.
func held(cat shellrisk.Category) bool { return guarded[cat].does == runsConfined }
