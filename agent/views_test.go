package agent

import (
	"io"
	"strings"
	"testing"
	"unsafe"

	"hermes-tui/agent/event"
	"hermes-tui/tools"
)

type noMask struct{}

func (noMask) Text(s string) string { return s }

func (noMask) Code(s string) string { return s }

func (noMask) Writer(io.Writer) MaskWriter { return nil }

// TestViewsOwnTheirMemory holds that what a transcript keeps of a call does not keep the
// whole result, of which it is a part.
func TestViewsOwnTheirMemory(t *testing.T) {
	whole := strings.Repeat("a line of output\n", 4*event.BodyLimit/17)
	from, to := uintptr(unsafe.Pointer(unsafe.StringData(whole))), uintptr(len(whole))
	result := struct {
		output string
		code   int
	}{whole, 3}
	v := callView(noMask{}, "terminal", tools.View{
		Kind: tools.KindCommand, Subject: whole[:10], Summary: whole[20:30], Body: whole, Dir: whole[40:50], Exit: &result.code,
	})
	for name, s := range map[string]string{"subject": v.Subject, "summary": v.Summary, "body": v.Body, "dir": v.Dir} {
		if at := uintptr(unsafe.Pointer(unsafe.StringData(s))); s == "" || at >= from && at < from+to {
			t.Errorf("the %s, %d bytes, is a part of the result", name, len(s))
		}
	}
	if v.Exit == &result.code || v.Exit == nil || *v.Exit != 3 {
		t.Errorf("the exit code is %v", v.Exit)
	}
}
