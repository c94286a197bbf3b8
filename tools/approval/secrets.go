package approval

import (
	"path"
	"strings"
)

// readers are programs that show, copy or send what is in the files they name.
var readers = words(`cat head tail less more bat batcat view xxd od hexdump strings base64 base32 nl tac rev grep egrep fgrep
	rg awk gawk mawk sed cut sort uniq paste tr jq yq diff cmp comm cp install scp rsync tar zip gzip dd openssl vi vim
	nvim nano emacs ed source . curl wget sqlite3`)

// secretsAtHome are files below a home directory that hold keys or passwords. A
// name that ends with a slash is a folder.
var secretsAtHome = strings.Fields(`.aws/credentials .netrc _netrc .pgpass .pypirc .git-credentials .kube/config
	.docker/config.json .config/gh/hosts.yml .config/gcloud/ .azure/ .gnupg/private-keys-v1.d/ .gnupg/secring.gpg
	.password-store/ .local/share/keyrings/ library/keychains/ .config/op/ .config/rclone/rclone.conf .vault-token .s3cfg
	.authinfo .authinfo.gpg .cargo/credentials .cargo/credentials.toml`)

// secretsOfAgent are the files of the agent's home that hold keys.
var secretsOfAgent = words(`auth.json auth .env .anthropic_oauth.json mcp-tokens pairing webhook_subscriptions.json`)

// readsKeys asks about reading a file that holds keys or passwords: what a
// command shows goes to the model.
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
	if j.set.secret(named) || followed && j.set.secret(real) {
		j.askWeakly(CatSensitiveFile, "reads a file with keys or passwords", a.show())
	}
}

// secret reports whether a file holds keys or passwords.
func (s Setting) secret(file string) bool {
	for _, home := range s.agentHomes() {
		if first, ok := belowHome(file, home, s.FoldsCase); ok && secretsOfAgent[first] {
			return true
		}
	}
	rest, ok := s.homeOf(file)
	if !ok {
		return false
	}
	rest = foldName(rest)
	if name, ok := strings.CutPrefix(rest, ".ssh/"); ok {
		return strings.HasPrefix(name, "id_") && !strings.HasSuffix(name, ".pub") || strings.HasSuffix(name, ".pem") || strings.HasSuffix(name, ".key")
	}
	for _, name := range secretsAtHome {
		if rest == strings.TrimSuffix(name, "/") || strings.HasSuffix(name, "/") && strings.HasPrefix(rest, name) {
			return true
		}
	}
	return false
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
