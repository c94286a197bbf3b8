package uitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildHonoursTheVariable(t *testing.T) {
	t.Setenv("HERMES_TUI_BIN", "/some/where")
	if got := Build(t); got != "/some/where" {
		t.Errorf("the program is %s", got)
	}
}

func TestBuildBuildsTheModuleAround(t *testing.T) {
	dir := realTemp(t)
	below := filepath.Join(dir, "a", "b")
	for name, text := range map[string]string{
		"go.mod":  "module sample\n\ngo 1.26\n",
		"main.go": "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(9) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	var b built
	bin, err := b.get()
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.get()
	if err != nil || again != bin {
		t.Errorf("the second time it is %s, %v", again, err)
	}
	if err := exec.Command(bin).Run(); err == nil || !strings.Contains(err.Error(), "exit status 9") {
		t.Errorf("the program ended with %v", err)
	}
	b.remove()
	if exists(filepath.Dir(bin)) {
		t.Error("the program is still there")
	}

	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() { nonsense }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.get(); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("a program that does not build gives %v", err)
	}
}
