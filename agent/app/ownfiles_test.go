package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/bind"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// A confined process changes none of the program's own files, nor does it read the
// key of permissions, whatever way it takes.
func TestOwnFilesAreRefusedConfined(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	a := b.open()
	own := map[string]string{}
	for _, name := range []string{"grants.key", "state.db", "config.yaml", ".env", "auth.json"} {
		file := filepath.Join(b.home.Dir(), name)
		if _, err := os.Stat(file); err != nil {
			if err := os.WriteFile(file, []byte("own"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		own[file] = string(data)
	}
	c := &conversation{app: a, place: a.place}
	a.o.Confine = true
	if notes := a.local(t.Context(), c, b.dir); !c.place.Info().Confines {
		t.Skipf("SKIPPED: nothing can be confined here: %q", notes)
	}
	defer func() {
		for _, done := range slices.Backward(c.done) {
			if err := done(); err != nil {
				t.Error(err)
			}
		}
	}()
	for file := range own {
		for _, command := range []string{
			"echo x > F", "echo x >> F", "echo x | tee F", "cp inside F", "mv inside F", "ln -f inside F", "ln -sf $PWD/inside F", "sed -i 1d F", "rm -f F",
			"cd D && echo x > N", "chmod 666 F; echo x > F", "mv D D.old && mkdir D && echo x > F", "ln -s D link; echo x > link/N",
			"dd if=inside of=F", "python3 -c 'open(\"F\", \"w\").write(\"x\")'", "sqlite3 F 'create table x (y)'", "cat F > copy; cp F copy2",
		} {
			command = strings.NewReplacer("F", file, "D", b.home.Dir(), "N", filepath.Base(file)).Replace(command)
			var out strings.Builder
			p, err := c.place.Start(t.Context(), place.Proc{
				Argv: []string{c.place.Info().Shell, "-c", "echo inside > inside; " + command}, Dir: b.dir,
				Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.env["HOME"]}, Stdout: &out, Confine: &place.Confine{},
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Wait(); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != own[file] && filepath.Base(file) != "state.db" || len(data) == 0 {
				t.Fatalf("%q: %v, now %d bytes", command, err, len(data))
			}
		}
	}
	for _, name := range []string{"copy", "copy2"} {
		if data, err := os.ReadFile(filepath.Join(b.dir, name)); err == nil && len(data) > 0 {
			t.Errorf("it read %d bytes of an own file", len(data))
		}
	}
}

// When the key of permissions is lost, they do not hold, which is said once, and all
// else works: new ones can be given, and hold.
func TestLostGrantsKey(t *testing.T) {
	b := newBox(t)
	a, c := b.begin()
	given := approval.Grant{Kind: tools.ActExec, Pattern: "in \"/w\" exactly: npm publish", Example: "npm publish", At: a.o.IDs.Now(), Pins: []approval.Pin{}}
	add := func(a *App) {
		t.Helper()
		if err := bind.Grants(a.db, a.o.IDs, a.seal).Add(t.Context(), given); err != nil {
			t.Fatal(err)
		}
	}
	add(a)
	holds := func(a *App) int {
		t.Helper()
		list, err := bind.Grants(a.db, a.o.IDs, a.seal).List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if list, _, err := c.Permissions(t.Context()); err != nil || len(list) != 1 || list[0].Void != "" || holds(a) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	closed(t, a)
	if err := os.Remove(b.home.GrantsKey()); err != nil {
		t.Fatal(err)
	}
	var notices []string // before a conversation takes them
	begin := func() (*App, Conversation) {
		t.Helper()
		a := b.open()
		notices = slices.Clone(a.notices)
		c, err := a.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return a, c
	}
	said := func(what string) bool {
		return slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, what) })
	}
	a, c = begin()
	list, _, err := c.Permissions(t.Context())
	if err != nil || len(list) != 1 || list[0].Void == "" || holds(a) != 0 || !said("does not count any more") {
		t.Fatalf("%+v, %v, said %q", list, err, notices)
	}
	if err := c.Revoke(t.Context(), list[0], false); err != nil {
		t.Errorf("a void one cannot be taken back: %v", err)
	}
	if add(a); holds(a) != 1 {
		t.Error("a new one does not hold")
	}
	closed(t, a)
	a, c = begin()
	if list, _, err := c.Permissions(t.Context()); err != nil || len(list) != 1 || list[0].Void != "" || said("not count") {
		t.Errorf("the next time: %+v, %v, said %q", list, err, notices)
	}
	closed(t, a)
	if err := os.WriteFile(b.home.GrantsKey(), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, c = begin()
	if list, _, err := c.Permissions(t.Context()); err != nil || len(list) != 1 || list[0].Void == "" || holds(a) != 0 {
		t.Errorf("damaged: %+v, %v", list, err)
	}
	if !said("do not count now") {
		t.Errorf("damaged: said %q", notices)
	}
}
