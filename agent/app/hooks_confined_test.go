//go:build linux

package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent/api"
)

// An approved hook that starts a build tool, an interpreter or git runs nothing with the
// rights of the user that an agent has written: it is confined, and one that asks to run
// outside does not run once what it loads has changed, until it is approved again.
func TestHooksRunNothingOfAgents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, files, change, text string }{
		{"make -s lint", "Makefile:lint:\\n\\ttrue\\n", "Makefile", "lint:\n\ttouch 'OUT' || :\n"},
		{"make -s lint", "Makefile:lint:\\n\\tsh-lint.sh\\n lint.sh:true\\n", "lint.sh", "touch 'OUT' || :\n"},
		{"node check.js", `check.js:require("./lib") lib.js:1`, "lib.js", `require("fs").writeFileSync("OUT", "")`},
		{"python3 -m compileall -q .", "a:", "compileall.py", "open('OUT', 'w')\n"},
		{"python3 check.py", "check.py:import-json", "json.py", "open('OUT', 'w')\n"},
		{"sh check", "check:.-./lib.sh lib.sh:true", "lib.sh", "touch 'OUT' || :\n"},
	} {
		program, _, _ := strings.Cut(c.command, " ")
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("SKIPPED: %s, since there is no %s", c.command, program)
			continue
		}
		for _, outside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %s %v", c.command, c.change, outside), func(t *testing.T) {
				server := serve(t, "m")
				b := newBox(t)
				b.confine = true
				out := filepath.Join(t.TempDir(), "out")
				put := func(name, text string) {
					text = strings.ReplaceAll(text, "OUT", out)
					if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				for file := range strings.FieldsSeq(c.files) {
					name, text, _ := strings.Cut(file, ":")
					put(name, strings.NewReplacer(`\n`, "\n", `\t`, "\t", "-", " ").Replace(text))
				}
				b.env["PATH"] = os.Getenv("PATH")
				b.config(fmt.Sprintf("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: %s}\nhooks: {user_prompt_submit: [{command: %q, outside: %v, timeout: 30}]}\n",
					server.URL(), c.command, outside))
				a, conv := b.begin()
				defer closed(t, a)
				state := func() api.Hook {
					list, problems := conv.Hooks(t.Context())
					if len(list) != 1 || len(problems) > 0 {
						t.Fatalf("%+v, %v", list, problems)
					}
					return list[0]
				}
				if h := state(); !outside && h.Outside {
					t.Skip("SKIPPED: nothing can be confined here")
				}
				if err := conv.ApproveHook(t.Context(), state(), true); err != nil {
					t.Fatal(err)
				}
				say(t, conv, "hi")
				if h := state(); h.State != "approved" || len(h.Runs) != 1 || h.Runs[0].Failed {
					t.Fatalf("as it was: %+v", h)
				}
				put(c.change, c.text)
				say(t, conv, "hi again")
				if _, err := os.Stat(out); err == nil {
					t.Error("what was written ran with all rights")
				}
				if h := state(); outside && (h.State != "changed" || len(h.Runs) != 1) || !outside && len(h.Runs) != 2 {
					t.Errorf("after the change: %+v", h)
				}
				if outside {
					if err := conv.ApproveHook(t.Context(), state(), true); err != nil {
						t.Fatal(err)
					}
					say(t, conv, "once more")
					if _, err := os.Stat(out); err != nil {
						t.Errorf("approved again it did not run outside: %+v", state())
					}
				}
			})
		}
	}
}
