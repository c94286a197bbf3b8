package shellrisk

import (
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/lazyregexp"
)

// zone says what kind of place a file is in, for writing.
type zone int

const (
	zoneFree    zone = iota // inside the workspace, scratch, /tmp, /dev/null
	zoneOutside             // an ordinary file elsewhere
	zoneProject             // configuration of the project that runs things or holds secrets
	zoneAgent               // the agent's own configuration
	zoneSecret              // start-up files and credentials
	zoneSystem              // the system's files
	zonePower               // /proc/sysrq-trigger
	zoneDevice              // a disk
)

func (z zone) category() Category {
	switch z {
	case zoneProject:
		return CatProjectConfig
	case zoneAgent:
		return CatAgentConfig
	case zoneSecret:
		return CatSensitiveFile
	case zoneSystem:
		return CatSystemConfig
	}
	return CatOutside
}

// writeZone classifies an absolute path, or a relative one whose directory is
// not known. Holes may stand in it; what is before them decides.
func (s Setting) writeZone(file string) (zone, string) {
	if z, reason, ok := s.fixedZone(file); ok {
		return z, reason
	}
	if s.Inside(file) || !strings.HasPrefix(file, "/") {
		return zoneFree, ""
	}
	if first := firstElem(file); systemWrite[first] || strings.HasPrefix(first, "lib") {
		if Within(file, "/var/tmp", false) || Within(file, "/var/folders", false) {
			return zoneFree, ""
		}
		return zoneSystem, "writes to the system's files"
	}
	if Within(file, "/tmp", false) {
		return zoneFree, ""
	}
	return zoneOutside, ""
}

// Inside reports whether a file is in the workspace or in scratch space.
func (s Setting) Inside(file string) bool {
	root := s.root()
	return root != "/" && Within(file, root, s.FoldsCase) || s.InScratch(file)
}

// InScratch reports whether a file is in scratch space.
func (s Setting) InScratch(file string) bool {
	for _, dir := range s.Scratch {
		if Within(file, dir, s.FoldsCase) {
			return true
		}
	}
	return false
}

// systemWrite are top-level directories with files of the system. They are free
// where the workspace is in them, as in /usr/src/app or /var/www.
var systemWrite = words(`bin sbin usr var opt System Library Applications`)

// alwaysSystem are those that are asked about even then.
var alwaysSystem = words(`etc boot proc sys`)

// fixedZone finds the places that matter wherever the workspace is.
func (s Setting) fixedZone(file string) (zone, string, bool) {
	if strings.HasPrefix(file, "/dev/") {
		return deviceZone(file)
	}
	if file == "/proc/sysrq-trigger" {
		return zonePower, "", true
	}
	if alwaysSystem[firstElem(foldName(file))] && strings.HasPrefix(file, "/") {
		return zoneSystem, "writes to the system's configuration", true
	}
	if Within(file, s.hermesHome(), s.FoldsCase) {
		return zoneAgent, "changes the agent's own configuration", true
	}
	if rest, ok := s.homeOf(file); ok && strings.HasPrefix(file, "/") {
		if z, reason, ok := homeZone(foldName(rest)); ok {
			return z, reason, true
		}
	}
	return projectZone(elems(foldName(file)))
}

func firstElem(file string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(file, "/"), "/")
	return first
}

// diskDevice matches the names of disks and their partitions.
var diskDevice = lazyregexp.New(`^/dev/(([hsv]|xv)d[a-z]+[0-9]*|nvme[0-9].*|mmcblk[0-9].*|r?disk[0-9].*|md[0-9].*|dm-[0-9]+|ada[0-9].*|mapper/.+|disk/.+|block/.+|zvol/.+)$`)

// freeDevice are devices that anything may be written to.
var freeDevice = words(`null zero full stdout stderr stdin tty fd shm ptmx random urandom`)

func deviceZone(file string) (zone, string, bool) {
	if diskDevice.MatchString(strings.ReplaceAll(file, hole, "1")) || diskDevice.MatchString(strings.ReplaceAll(file, hole, "a")) {
		return zoneDevice, "", true
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(file, "/dev/"), "/")
	if freeDevice[first] {
		return zoneFree, "", true
	}
	return zoneSystem, "writes to a device", true
}

// homeFiles are start-up files and credentials directly in a home directory.
var homeFiles = words(`.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .bash_history .zsh_history
	.zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .inputrc
	.xinitrc .xprofile .xsession .xsessionrc .pam_environment .netrc _netrc .pgpass .my.cnf .npmrc
	.yarnrc .yarnrc.yml .pypirc .git-credentials .gitconfig .curlrc .wgetrc .vimrc .exrc .gemrc
	.condarc .rprofile .irbrc .pythonrc .pythonrc.py .gdbinit .lldbinit .tmux.conf .screenrc
	.forward .rhosts .shosts .terraformrc .s3cfg .boto .authinfo .authinfo.gpg .envrc .claude.json`)

// homeFolders are folders in a home directory that hold credentials, or what is
// started by itself.
var homeFolders = strings.Fields(`.ssh .aws .gnupg .kube .azure .docker .password-store .claude .codex
	.gemini .cursor .config/gh .config/gcloud .config/git .config/fish .config/autostart
	.config/systemd .config/environment.d .config/pip .config/rclone .config/hub .config/op
	.config/opencode .local/bin .local/share/keyrings bin .cargo/bin .cargo/credentials
	.cargo/credentials.toml .cargo/config .cargo/config.toml .gradle/gradle.properties
	.m2/settings.xml .pip go/bin library/launchagents library/keychains`)

// homeZone classifies a folded path below a home directory. A name that is not
// known right in the home directory may be any of the files there.
func homeZone(rest string) (zone, string, bool) {
	if rest == ".hermes" || strings.HasPrefix(rest, ".hermes/") {
		return zoneAgent, "changes the agent's own configuration", true
	}
	if homeFiles[rest] || strings.HasPrefix(rest, hole) {
		return zoneSecret, "changes a start-up or credential file", true
	}
	for _, dir := range homeFolders {
		if rest == dir || strings.HasPrefix(rest, dir+"/") {
			return zoneSecret, "changes a start-up or credential file", true
		}
	}
	return 0, "", false
}

// projectZone finds files by name: those of git, environment files with secrets,
// what editors and hooks run, agents' configuration.
func projectZone(e []string) (zone, string, bool) {
	switch tools.ObeyedFile(e) {
	case tools.ObeyedByGit:
		return zoneProject, "changes what git itself runs or obeys", true
	case tools.ObeyedByEditors:
		return zoneProject, "changes what an editor or a hook runs by itself", true
	case tools.ObeyedByAgents:
		return zoneAgent, "changes what an agent obeys", true
	case tools.ObeyedAsEnvironment:
		return zoneProject, "changes a file with the project's secrets and settings", true
	}
	return 0, "", false
}
