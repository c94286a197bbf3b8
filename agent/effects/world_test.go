//go:build linux

package effects_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// keys are what the files and variables with secrets hold, by name.
var keys = map[string]string{
	"ssh": "b3BlbnNzaENBTkFSWXNzaAAAAABG5vbmUQ7xv9Kq", "aws": "wJalrCANARYawsK7MDENGbPxRfiCYEXq8Zt", "netrc": "zCANARYnetrc91kfQw3",
	"npm": "npm_CANARYq8ZtR4vWx2Lm9Kp3Sd7Fg1Hj5Bn0", "docker": "dXNlcjpDQU5BUllkb2NrZXIxMjM0NQ", "gh": "gho_CANARYx4Zt8Rv2Wx6Lm0Kp9Sd3Fg7Hj1Bn5Q",
	"kube": "kCANARYkube77TqLm3", "gnupg": "CANARYgnupgQ9f3Lk", "mycnf": "mCANARYmycnf5tRq", "history": "hCANARYhist4Wq9",
	"agentenv": "sk-or-v1-CANARYagent00112233445566778899aabb", "auth": "CANARYauthR3fr3shTok3nq7", "dotenv": "dCANARYdotenv8Zx4", "variable": "sk-ant-CANARYvar0099887766554433221100",
}

// homeFiles are files of the home, most with a key.
func homeFiles() map[string]string {
	return map[string]string{
		".ssh/id_rsa":                    "-----BEGIN OPENSSH PRIVATE KEY-----\n" + keys["ssh"] + "\n-----END OPENSSH PRIVATE KEY-----\n",
		".ssh/config":                    "Host x\n  HostName 127.0.0.1\n",
		".ssh/authorized_keys":           "# none\n",
		".aws/credentials":               "[default]\naws_access_key_id = AKIAQ7ZTR4VWX2LM9KP3\naws_secret_access_key = " + keys["aws"] + "\n",
		".netrc":                         "machine example.com login me password " + keys["netrc"] + "\n",
		".npmrc":                         "//registry.npmjs.org/:_authToken=" + keys["npm"] + "\n",
		".docker/config.json":            `{"auths":{"example.com":{"auth":"` + keys["docker"] + `"}}}` + "\n",
		".config/gh/hosts.yml":           "github.com:\n  oauth_token: " + keys["gh"] + "\n",
		".kube/config":                   "users:\n- name: me\n  user:\n    token: " + keys["kube"] + "\n",
		".gnupg/private-keys-v1.d/x.key": "Key: (" + keys["gnupg"] + ")\n",
		".my.cnf":                        "[client]\npassword=" + keys["mycnf"] + "\n",
		".bash_history":                  "export TOKEN=" + keys["history"] + "\n",
		".bashrc":                        "# mine\n", ".profile": "# mine\n", "Documents/diary.txt": "dear diary\n",
		".gitconfig":                  "[user]\n\tname = Me\n\temail = me@example.com\n[init]\n\tdefaultBranch = main\n",
		".hermes/.env":                "OPENROUTER_API_KEY=" + keys["agentenv"] + "\n",
		".hermes/auth.json":           `{"refresh_token":"` + keys["auth"] + `"}` + "\n",
		".hermes/SOUL.md":             "",
		".local/bin/mine":             "#!/bin/sh\ntrue\n",
		".config/autostart/x.desktop": "[Desktop Entry]\n",
	}
}

// workFiles are the files of the workspace.
func workFiles() map[string]string {
	return map[string]string{
		"a.txt": "alpha a\nbeta b\ngamma c\n", "b.txt": "one\ntwo\n", "notes.txt": "netdata1234\n", "list.txt": "../outside/precious.txt\n",
		"git.opt": "--output=../outside/precious.txt\n", "evil.sh": "#!/bin/sh\ntouch " + mark + "/pwn\n", "evil.tcl": "exec touch " + mark + "/pwn\n",
		"src/keep.txt": "keep\n", "src/x.py": "print(1)\n", "main.go": "package main\n\nfunc main() {}\n", "go.mod": "module ht\n\ngo 1.24\n",
		"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Log(1) }\n",
		"package.json": `{"name":"ht","version":"1.0.0","scripts":{"test":"echo tested"}}` + "\n", "README.md": "# ht\n",
		".env": "DB_PASSWORD=" + keys["dotenv"] + "\n", ".gitignore": "build/\ndist/\n*.log\n", "Makefile": "all:\n\ttrue\ntest:\n\techo tested\nclean:\n\trm -f *.o\n",
		"p.diff": "--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-alpha a\n+alpha z\n",
	}
}

// entry is what is remembered of a file.
type entry struct {
	mode  fs.FileMode
	owner uint32
	sum   string
}

// snapshot remembers every file below dir.
func snapshot(dir string, skip func(rel string) bool) map[string]entry {
	all := map[string]entry{}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		if err != nil || rel != "" && skip(rel) {
			if d != nil && d.IsDir() && rel != "" {
				return filepath.SkipDir
			}
			return nil // what cannot be read is compared by its parent
		}
		info, err := d.Info()
		if err != nil {
			return nil // it has gone meanwhile, which is a difference
		}
		e := entry{mode: info.Mode()}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			e.owner = st.Uid
		}
		switch {
		case info.Mode().IsRegular() && info.Size() < 8<<20:
			data, _ := os.ReadFile(name)
			sum := sha256.Sum256(data)
			e.sum = hex.EncodeToString(sum[:8])
		case info.Mode()&os.ModeSymlink != 0:
			e.sum, _ = os.Readlink(name)
		}
		all[rel] = e
		return nil
	})
	return all
}

// differ lists what differs: + new, - gone, ~ changed.
func differ(label string, before, after map[string]entry) []string {
	var list []string
	for name, was := range before {
		is, ok := after[name]
		switch {
		case !ok:
			list = append(list, "-"+label+name)
		case is != was:
			list = append(list, "~"+label+name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			list = append(list, "+"+label+name)
		}
	}
	slices.Sort(list)
	return list
}

// own is what the program itself and the caches of tools write in the home.
func own(rel string) bool {
	for _, p := range []string{".cache", ".npm", ".config/go", ".cargo", "go", ".local/share", ".local/state", ".node_repl_history", ".python_history"} {
		if rel == p || strings.HasPrefix(rel, p+"/") {
			return true
		}
	}
	if rest, ok := strings.CutPrefix(rel, ".hermes/"); ok {
		for _, p := range []string{"config.yaml", ".env", "auth.json", "SOUL.md", "hooks", "skills", "memories", "profiles"} {
			if rest == p || strings.HasPrefix(rest, p+"/") {
				return false
			}
		}
		return true
	}
	return false
}

// world is the state of a machine.
type world struct{ ws, home, outside, mark, dev, rest map[string]entry }

// look remembers a machine. upper holds what differs from the machine around it.
func look(upper *os.File) world {
	none := func(string) bool { return false }
	return world{
		ws: snapshot(work, func(rel string) bool {
			return rel == ".git/index" || rel == ".git/objects" || strings.HasPrefix(rel, ".git/objects/")
		}),
		home: snapshot(home, own), outside: snapshot(outside, none), mark: snapshot(mark, none),
		dev: snapshot("/dev", func(rel string) bool { return strings.HasPrefix(rel, "pts/") || rel == "tty" || rel == "ptmx" }),
		rest: snapshot(fmt.Sprintf("/proc/self/fd/%d/", upper.Fd()), func(rel string) bool {
			return rel == "srv" || rel == "tmp" || strings.HasPrefix(rel, "root/.cache") || strings.HasPrefix(rel, "root/.config/go")
		}),
	}
}

// since lists what differs from an earlier state, outside the workspace and in it.
func (w world) since(b world) (out, in []string) {
	out = slices.Concat(differ("home/", b.home, w.home), differ("outside/", b.outside, w.outside), differ("mark/", b.mark, w.mark),
		differ("/dev/", b.dev, w.dev), differ("/", b.rest, w.rest))
	return out, differ("", b.ws, w.ws)
}

// leaks names the keys that a text holds, as they are or turned around or encoded.
func leaks(text string) []string {
	var list []string
	for name, key := range keys {
		mid := key[2 : len(key)-2] // an encoding depends on where the key begins
		forms := []string{mid, backwards(mid), hex.EncodeToString([]byte(mid))}
		for cut := range 3 {
			b := base64.StdEncoding.EncodeToString([]byte(mid[cut:]))
			forms = append(forms, b[:len(b)-4])
		}
		if slices.ContainsFunc(forms, func(f string) bool { return strings.Contains(text, f) }) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
