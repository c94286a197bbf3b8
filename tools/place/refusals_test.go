package place

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// testBounds are those of a workspace /ws with a home that holds keys.
func testBounds() Bounds {
	return Bounds{
		Dir: "/ws/sub", Home: "/home/a", Writable: []string{"/ws", "/tmp/shared"},
		Hidden:   func(name string) bool { return within(name, "/home/a/.ssh") || within(name, "/ws/.secrets") },
		MayWrite: func(name string) bool { return within(name, "/home/a") || within(name, "/usr/lib/node_modules") },
		Exists:   func(name string) bool { return strings.Contains(name, "docker") },
	}
}

func TestReadRefusals(t *testing.T) {
	write := func(names ...string) (list []Refusal) {
		for _, n := range names {
			list = append(list, Refusal{RefusedWrite, n, true})
		}
		return list
	}
	network := func(what string) []Refusal { return []Refusal{{RefusedNetwork, what, true}} }
	for name, c := range map[string]struct {
		output string
		want   []Refusal
	}{
		"nothing":         {"2 tests failed\nexpected 3, got 4", nil},
		"shell":           {"/bin/bash: line 1: /home/a/outside: Permission denied", write("/home/a/outside")},
		"dash in make":    {"echo x > /home/a/outside\n/bin/sh: 1: cannot create /home/a/outside: Permission denied\nmake: *** [Makefile:2: all] Error 2", write("/home/a/outside")},
		"touch":           {"touch: cannot touch '/home/a/o': Permission denied", write("/home/a/o")},
		"mkdir":           {"mkdir: cannot create directory ‘/home/a/d’: Permission denied", write("/home/a/d")},
		"rm":              {"rm: cannot remove '/home/a/.config/x': Permission denied", write("/home/a/.config/x")},
		"mv":              {"mv: cannot move 'a.c' to '/home/a/a.c': Permission denied", write("/home/a/a.c")},
		"tee":             {"tee: /home/a/x: Permission denied\nint main(){return 0;}", write("/home/a/x")},
		"tar":             {"tar: /home/a/x.tar: Cannot open: Permission denied\ntar: Error is not recoverable: exiting now", write("/home/a/x.tar")},
		"relative":        {"touch: cannot touch '../../home/a/x': Permission denied", write("/home/a/x")},
		"blanks":          {"touch: cannot touch '/home/a/My Files/x': Permission denied", write("/home/a/My Files/x")},
		"gcc":             {"/usr/bin/ld: cannot open output file /home/a/a.out: Permission denied\ncollect2: error: ld returned 1 exit status", write("/home/a/a.out")},
		"sqlite3":         {`Error: unable to open database "/home/a/x.db": unable to open database file`, write("/home/a/x.db")},
		"python3":         {"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nPermissionError: [Errno 13] Permission denied: '/home/a/o'", write("/home/a/o")},
		"node":            {"Error: EACCES: permission denied, open '/home/a/o'\n    at Object.writeFileSync (node:fs:2380:20)\n  code: 'EACCES',\n  syscall: 'open',\n  path: '/home/a/o'", write("/home/a/o")},
		"npm global":      {"npm error code EACCES\nnpm error syscall mkdir\nnpm error path /usr/lib/node_modules/left-pad\nnpm error errno -13\nnpm error Error: EACCES: permission denied, mkdir '/usr/lib/node_modules/left-pad'", write("/usr/lib/node_modules/left-pad")},
		"npm logs":        {"npm error Log files were not written due to an error writing to the directory: /home/a/.npm/_logs", nil},
		"go cache":        {"failed to initialize build cache at /home/a/.cache/go-build: mkdir /home/a/.cache: permission denied", write("/home/a/.cache/go-build", "/home/a/.cache")},
		"go modules":      {"go: could not create module cache: mkdir /home/a/go: permission denied", write("/home/a/go")},
		"cargo":           {"error: could not create home directory: '/home/a/.rustup'\n\nCaused by:\n    Permission denied (os error 13)\n\nStack backtrace:", write("/home/a/.rustup")},
		"git global":      {"error: could not lock config file /home/a/.gitconfig: Permission denied", write("/home/a/.gitconfig")},
		"git protected":   {"error: could not write config file ../.git/config: Device or resource busy", write("/ws/.git/config")},
		"protected":       {"/bin/bash: line 1: ../.git/hooks/pre-commit: Read-only file system", write("/ws/.git/hooks/pre-commit")},
		"hidden":          {"cat: /home/a/.ssh/id_rsa: No such file or directory", []Refusal{{RefusedRead, "/home/a/.ssh/id_rsa", true}}},
		"hidden denied":   {"cat: /ws/.secrets/x: Permission denied", []Refusal{{RefusedRead, "/ws/.secrets/x", true}}},
		"jq hidden":       {"jq: error: Could not open file /home/a/.ssh/id_rsa: No such file or directory", []Refusal{{RefusedRead, "/home/a/.ssh/id_rsa", true}}},
		"missing":         {"cat: /home/a/none: No such file or directory", nil},
		"own":             {"cat: /ws/sub/locked: Permission denied\ncat: locked: Permission denied\n/bin/bash: line 1: ./x.sh: Permission denied", nil},
		"not the user's":  {"E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)", nil},
		"shared":          {"touch: cannot touch '/tmp/shared/x': Permission denied", nil},
		"curl":            {"curl: (6) Could not resolve host: example.com", network("example.com")},
		"curl address":    {"curl: (7) Failed to connect to 1.2.3.4 port 80 after 2 ms: Couldn't connect to server", network("1.2.3.4:80")},
		"own server":      {"curl: (7) Failed to connect to 127.0.0.1 port 8000 after 0 ms: Couldn't connect to server", nil},
		"git clone":       {"Cloning into 'b'...\nfatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com", network("github.com")},
		"ssh":             {"ssh: Could not resolve hostname github.com: Temporary failure in name resolution\nfatal: Could not read from remote repository.", network("github.com")},
		"node http":       {"Error: getaddrinfo EAI_AGAIN example.com\n    at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26)\n  code: 'EAI_AGAIN',\n  syscall: 'getaddrinfo',\n  hostname: 'example.com'", network("example.com")},
		"python3 urllib":  {"urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>", network("")},
		"pip":             {"WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -2] Name or service not known')': /simple/cowsay/", network("")},
		"pip host":        {"HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded (Caused by NewConnectionError('Failed to establish a new connection: [Errno 101] Network is unreachable'))", network("pypi.org")},
		"cargo index":     {"warning: spurious network error (3 tries remaining): [6] Could not resolve hostname (Could not resolve host: index.crates.io)\n  failed to download from `https://index.crates.io/config.json`", network("index.crates.io")},
		"go proxy":        {`main.go:2:8: golang.org/x/text@v0.3.1: Get "https://proxy.golang.org/x.zip": dial tcp: lookup proxy.golang.org on 10.0.0.1:53: dial udp 10.0.0.1:53: socket: operation not permitted`, network("proxy.golang.org")},
		"docker":          {"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", []Refusal{{RefusedOther, "talk to Docker", true}}},
		"no bus here":     {"System has not been booted with systemd as init system (PID 1). Can't operate.\nFailed to connect to bus: Host is down", nil},
		"kill":            {"/bin/bash: line 1: kill: (1) - Operation not permitted", []Refusal{{RefusedOther, "signal another process", true}}},
		"dev tcp":         {"/bin/bash: socket: Operation not permitted\n/bin/bash: line 1: /dev/tcp/1.2.3.4/80: Operation not permitted", network("")},
		"python module":   {"ModuleNotFoundError: No module named 'nope'", nil},
		"python file":     {"FileNotFoundError: [Errno 2] No such file or directory: '/ws/x'", nil},
		"names":           {"x_enotfound eacces_seen '/home/a/o' EPERMISSION '/home/a/o' myEROFS /home/a/o ebusyloop enoentity", nil},
		"a name, a code":  {"ModuleNotFoundError\nError: getaddrinfo ENOTFOUND example.com", network("example.com")},
		"skill":           {"skill: Operation not permitted", nil},
		"first named one": {"curl: (6) Could not resolve host: a.example\ncurl: (6) Could not resolve host: a.example", network("a.example")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ReadRefusals(c.output, testBounds()); !slices.Equal(got, c.want) {
				t.Errorf("%q: %+v, want %+v", c.output, got, c.want)
			}
		})
	}
}

func TestMergeRefusals(t *testing.T) {
	known := []Refusal{{RefusedNetwork, "pypi.org:443", false}, {RefusedWrite, "/a", false}}
	read := []Refusal{
		{RefusedNetwork, "pypi.org", true}, {RefusedNetwork, "", true}, {RefusedWrite, "/a", true}, {RefusedWrite, "/b", true}, {RefusedNetwork, "x.org", true},
	}
	want := append(slices.Clone(known), Refusal{RefusedWrite, "/b", true}, Refusal{RefusedNetwork, "x.org", true})
	if got := MergeRefusals(known, read); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := MergeRefusals(nil, []Refusal{{RefusedNetwork, "", true}}); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func FuzzReadRefusals(f *testing.F) {
	for _, s := range []string{
		"touch: cannot touch '/home/a/o': Permission denied", "Permission denied", ": : Permission denied", "~: EROFS",
		"curl: (6) Could not resolve host: example.com", "dial tcp", "‘’: Read-only file system", "'/': EACCES\x00", "//../x: Permission denied",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, output string) {
		b := testBounds()
		found := ReadRefusals(output, b)
		if len(found) > maxRead {
			t.Fatalf("%d refusals", len(found))
		}
		for i, r := range found {
			if slices.Contains(found[:i], r) {
				t.Errorf("%v twice", r)
			}
			if utf8.ValidString(output) && !utf8.ValidString(r.What) && len(output) < maxRefusalLine {
				t.Errorf("%q is no text", r.What)
			}
			switch {
			case r.Kind == RefusedRead && !b.Hidden(r.What):
				t.Errorf("%v is not hidden", r)
			case r.Kind == RefusedWrite && (!strings.HasPrefix(r.What, "/") || strings.HasPrefix(r.What, "/ws/.secrets") || strings.HasPrefix(r.What, "/tmp/shared/") && !says(strings.ToLower(output), append(readOnlyWords, busyWords...))):
				t.Errorf("%v was not refused", r)
			}
		}
	})
}
