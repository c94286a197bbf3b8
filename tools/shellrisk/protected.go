package shellrisk

import (
	"path"
	"strings"
)

// JudgeWrite decides about writing the file at an absolute path, which should
// be resolved: links are not followed here. Files of the system, credentials
// and the agent's own secrets are blocked; what programs run or obey by
// themselves, and everything outside the workspace, is asked about.
func JudgeWrite(file string, set Setting) Verdict {
	var f findings
	if !strings.HasPrefix(file, "/") || strings.IndexByte(file, 0) >= 0 {
		f.add(weightAsk, CatUnparsable, "names a file that cannot be judged", []string{file})
		return f.result()
	}
	clean := realPrivate(path.Clean(file))
	if reason, ok := set.refused(clean); ok {
		f.add(weightBlock, CatProtected, reason, []string{file})
		return f.result()
	}
	if char, hidden := hiddenCharacter(file); hidden {
		f.add(weightAsk, CatObfuscated, "has characters in its name that cannot be seen", []string{char})
	}
	if set.InScratch(clean) {
		return f.result()
	}
	if set.otherName(clean) {
		f.add(weightAsk, CatSensitiveFile, otherNameReason, []string{file})
	}
	switch z, reason := set.writeZone(clean); {
	case z == zoneDevice:
		f.add(weightBlock, CatRawDisk, "writes to a disk device", []string{file})
	case z == zonePower:
		f.add(weightBlock, CatPower, "makes the kernel stop the machine", []string{file})
	case z != zoneFree && z != zoneOutside:
		f.add(weightAsk, z.category(), reason, []string{file})
	case !set.Inside(clean):
		f.add(weightAsk, CatOutside, "is outside the workspace", []string{file})
	}
	return f.result()
}

// refusedFolders hold files that no tool for files ever writes: settings of the
// system, and sockets by which programs with all rights are commanded.
var refusedFolders = strings.Fields(`/etc /boot /usr/lib/systemd /lib/systemd /proc /sys /var/spool/cron /var/spool/at
	/run/docker.sock /var/run/docker.sock /run/podman /var/run/podman /run/containerd /var/run/containerd /run/systemd
	/var/run/systemd`)

// refusedAtHome are credentials below a home directory.
var refusedAtHome = strings.Fields(`.ssh .aws .gnupg .kube .docker .azure .config/gh .config/gcloud .netrc _netrc .pgpass
	.npmrc .pypirc .git-credentials .password-store library/keychains`)

// refusedOfAgent are the agent's own secrets, settings and records, below its
// home. Its skills and memories are asked about.
var refusedOfAgent = words(`config.yaml auth.json auth.lock auth .env .anthropic_oauth.json mcp-tokens pairing
	webhook_subscriptions.json state.db state.db-wal state.db-shm cache logs`)

// refused finds the files that are never written, whoever agrees.
func (s Setting) refused(file string) (reason string, ok bool) {
	folded := foldName(file)
	for _, dir := range refusedFolders {
		if Within(folded, dir, false) {
			return "is a file of the system", true
		}
	}
	if s.ofAgent(file) {
		return "holds the agent's own secrets or settings", true
	}
	rest, ok := s.homeOf(file)
	if !ok {
		return "", false
	}
	rest = foldName(rest)
	for _, name := range refusedAtHome {
		if rest == name || strings.HasPrefix(rest, name+"/") {
			return "holds credentials", true
		}
	}
	return "", false
}

// ofAgent reports whether a file is one of the agent's own, of any profile.
func (s Setting) ofAgent(file string) bool {
	for _, home := range s.agentHomes() {
		if first, ok := belowHome(file, home, s.FoldsCase); ok && refusedOfAgent[first] && !s.InScratch(file) {
			return true
		}
	}
	return false
}
