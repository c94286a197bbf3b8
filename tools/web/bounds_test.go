package web

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// excessVariable makes this program one that takes too much.
const excessVariable = "HERMES_TEST_EXCESS"

// takesTooMuch does what excessVariable says, where it says something.
func takesTooMuch() {
	switch os.Getenv(excessVariable) {
	case "time":
		bound(pdfForm, 50*time.Millisecond)
	case "memory":
		forms[pdfForm] = func(Source) (Made, error) {
			var all [][]byte
			for range 8 << 10 {
				all = append(all, make([]byte, 1<<20))
				time.Sleep(100 * time.Microsecond)
			}
			return Made{}, fmt.Errorf("it took %d MB", len(all))
		}
	}
}

// The process that reads untrusted texts ends itself at the bounds that
// docs/safety.md promises, and says so in a sentence.
func TestReaderBounds(t *testing.T) {
	t.Parallel()
	if readerTime != 20*time.Second || readerMemory != 1<<30 {
		t.Errorf("%v and %d bytes are not 20 seconds and 1 GB", readerTime, int64(readerMemory))
	}
	for excess, want := range map[string]string{"time": "a PDF that takes more than 50ms to read", "memory": "a PDF that takes more than 1 GB of memory to read"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], ReaderArgs()...)
		cmd.Env, cmd.Stdin = append(os.Environ(), excessVariable+"="+excess), Ask(Source{Form: pdfForm})
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Run(); err == nil || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %v, %q", excess, err, said.String())
		}
	}
}
