// Package corpustest reads the conformance data of tests.
package corpustest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Dir is where the families of the package in a folder are, or those of the directory
// that HERMES_CONFORMANCE names.
func Dir(folder string) string {
	if d := os.Getenv("HERMES_CONFORMANCE"); d != "" {
		return d
	}
	return filepath.Join(folder, "testdata", "conformance")
}

// Cases are those of a family in [Dir] of the package itself, with numbers as
// [json.Number] where their type is open. The test is skipped when the directory does
// not have the family.
func Cases[C any](t testing.TB, name string) []C {
	t.Helper()
	return CasesIn[C](t, Dir("."), name)
}

// CasesIn is [Cases], in another directory.
func CasesIn[C any](t testing.TB, dir, name string) []C {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: no family %s in %s", name, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []C }
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&f); err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
	if len(f.Cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return f.Cases
}

// Run runs each case of a family that has an input and what is wanted of it.
func Run[In, Want any](t *testing.T, name string, run func(t *testing.T, in In, want Want)) {
	t.Helper()
	for _, c := range Cases[struct {
		ID    string
		Input In
		Want  Want
	}](t, name) {
		t.Run(c.ID, func(t *testing.T) { run(t, c.Input, c.Want) })
	}
}
