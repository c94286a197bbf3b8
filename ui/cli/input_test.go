package cli

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestExecPromptFromInput(t *testing.T) {
	b, server := with(t, on("", say("ok")))
	b.in = strings.NewReader("line one\nline two\n")
	b.exec()
	b.in = strings.NewReader("by dash")
	b.exec("-")
	b.in = strings.NewReader("")
	b.exec("from", "the words")
	for i, want := range []string{"user: line one\nline two\n", "user: by dash", "user: from the words"} {
		if got := sent(t, server, i+1); !slices.Equal(got, []string{want}) {
			t.Errorf("call %d sent %q", i, got)
		}
	}
	for name, c := range map[string]struct {
		in   string
		args []string
		says string
	}{
		"blank":   {" \n", nil, "the prompt is empty"},
		"too big": {strings.Repeat("x", maxPrompt+1), []string{"-"}, "over 4 MB"},
	} {
		b.in = strings.NewReader(c.in)
		if o := b.run(append([]string{"exec"}, c.args...)...); o.code != exitUsage || !strings.Contains(o.err, c.says) {
			t.Errorf("%s: %v", name, o)
		}
	}
	b.in = nil // a terminal
	if o := b.run("exec"); o.code != exitUsage || !strings.Contains(o.err, "exec needs a prompt") {
		t.Error(o)
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

// TestExecBesideAPrompt sends what is piped in behind the prompt, and says when it
// is not all of it.
func TestExecBesideAPrompt(t *testing.T) {
	b, server := with(t, on("", say("ok")))
	long := strings.Repeat("0123456789abcde\n", maxContext/16)
	for i, c := range []struct{ in, want, says string }{
		{"one\ntwo\n\n", "what is\nthis?\n\n<stdin>\none\ntwo\n</stdin>", ""},
		{"caf\xe9", "what is\nthis?\n\n<stdin>\ncafé\n</stdin>", ""},
		{"\xff\xfec\x00a\x00f\x00\xe9\x00\n\x00", "what is\nthis?\n\n<stdin>\ncafé\n</stdin>", ""},
		{"\n", "what is\nthis?", ""},
		{long, "what is\nthis?\n\n<stdin>\n" + strings.TrimSuffix(long, "\n") + "\n</stdin>", ""},
		{long[1:] + "é", "what is\nthis?\n\n<stdin>\n" + long[1:] + "\n[cut here: the rest after 256 KB was not read]\n</stdin>", "only the first 256 KB"},
	} {
		b.in = strings.NewReader(c.in)
		o := b.exec("what is\nthis?")
		if got := sent(t, server, i+1); !slices.Equal(got, []string{"user: " + c.want}) {
			t.Errorf("call %d sent %.300q", i, got)
		}
		if holds(t, "stderr", o.err, c.says); strings.Count(o.err, "\n") != min(len(c.says), 1) {
			t.Errorf("call %d: stderr: %s", i, o.err)
		}
	}
	b.in = strings.NewReader("a\x00b")
	if o := b.run("exec", "what?"); o.code != exitUsage || !strings.Contains(o.err, "not text") {
		t.Error(o)
	}
}

// TestExecBesideAnIdleInput has an input that nothing comes from, as a program has
// it that was started by another one.
func TestExecBesideAnIdleInput(t *testing.T) {
	t.Parallel()
	b, server := with(t, on("", say("ok")))
	in, end := io.Pipe()
	b.in = in
	o := b.exec("without")
	holds(t, "stderr", o.err, "nothing came on the standard input", "</dev/null")
	end.Close()

	in, end = io.Pipe()
	b.in = in
	c := b.start("exec", "with", "-")
	time.AfterFunc(idleTime+100*time.Millisecond, func() {
		_, _ = io.WriteString(end, "late")
		end.Close()
	})
	if o := c.wait(); o.code != exitOK || o.err != "" {
		t.Error(o)
	}
	for i, want := range []string{"user: without", "user: with\n\n<stdin>\nlate\n</stdin>"} {
		if got := sent(t, server, i+1); !slices.Equal(got, []string{want}) {
			t.Errorf("call %d sent %q", i, got)
		}
	}
}
