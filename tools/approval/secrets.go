package approval

import (
	"path"
	"strings"

	"hermes-tui/tools"
)

// readers are programs that show, copy or send what is in the files they name.
var readers = words(`cat head tail less more bat batcat view xxd od hexdump strings base64 base32 nl tac rev grep egrep fgrep
	rg awk gawk mawk sed cut sort uniq paste tr jq yq diff cmp comm cp install scp rsync tar zip gzip dd openssl vi vim
	nvim nano emacs ed source . curl wget sqlite3`)

// readsKeys asks about reading a file that holds keys or passwords: what a
// command shows goes to the model. The environment files of a project are not among
// them: commands read them to run its programs, and their values are masked.
func (j *judge) readsKeys(st *state, a arg) {
	text := a.text
	if i := strings.LastIndexAny(text, "=@"); i >= 0 && i+1 < len(text) && !strings.HasPrefix(text, "/") {
		text = text[i+1:] // "if=FILE", "--data=@FILE"
	}
	raw, ok := st.raw(text)
	if !ok || hasHole(text) {
		return
	}
	named := realPrivate(path.Clean(raw))
	real, followed := j.set.real(raw)
	if j.secrets == nil {
		j.secrets = j.set.secrets()
	}
	if j.secrets.Keys(named) != "" || followed && j.secrets.Keys(real) != "" {
		j.askWeakly(CatSensitiveFile, readsKeysReason, a.show())
	}
}

const readsKeysReason = "reads a file with keys or passwords"

// secrets are the files with keys or passwords in these surroundings.
func (s Setting) secrets() *tools.Secrets {
	return tools.NewSecrets([]string{s.Home}, []string{s.HermesHome}, s.Getenv)
}

// agentHomes are the folders with the layout of the agent's home: its own, the
// usual one, and the one that keeps its own as a profile.
func (s Setting) agentHomes() []string {
	homes := []string{s.hermesHome()}
	if s.Home != "" {
		homes = append(homes, joinPath(s.Home, ".hermes"))
	}
	if parent := path.Dir(s.hermesHome()); path.Base(parent) == "profiles" {
		homes = append(homes, path.Dir(parent))
	}
	return homes
}

// belowHome gives the folded first element of a file below an agent's home,
// within a profile where it is in one.
func belowHome(file, home string, folds bool) (first string, ok bool) {
	if home == "" || home == "/" || !within(file, home, folds) {
		return "", false
	}
	e := elems(foldName(file[min(len(file), len(home)):]))
	if len(e) > 2 && e[0] == "profiles" {
		e = e[2:]
	}
	if len(e) == 0 {
		return "", false
	}
	return e[0], true
}
