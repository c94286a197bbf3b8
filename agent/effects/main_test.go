//go:build linux

package effects_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hermes-tui/tools/place"
)

// roleEnv makes the test program something else: the first process of a machine.
const roleEnv = "HERMES_EFFECTS_ROLE"

func TestMain(m *testing.M) {
	if handled, code := place.SandboxMain(os.Args); handled { // for the benchmarks
		os.Exit(code)
	}
	switch os.Getenv(roleEnv) {
	case "machine":
		if err := machineMain(); err != nil {
			fmt.Fprintln(os.Stderr, "machine:", err)
			os.Exit(70)
		}
		os.Exit(0)
	case "":
	default:
		os.Exit(64)
	}
	code := m.Run()
	if kit.dir != "" {
		if err := os.RemoveAll(kit.dir); err != nil {
			fmt.Fprintln(os.Stderr, "remove", filepath.Base(kit.dir)+":", err)
		}
	}
	os.Exit(code)
}
