package web

import (
	"bytes"
	"context"
	"os"
	"os/exec"
)

// Own has this test program make text, as the program does that is released.
func Own(ctx context.Context) Making {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return own{exec.CommandContext(ctx, self, ReaderArgs()...)}
}

type own struct{ *exec.Cmd }

func (own) Close() {}

func (o own) Text(_ context.Context, s Source) (Made, error) {
	var out, said bytes.Buffer
	o.Stdin, o.Stdout, o.Stderr = Ask(s), &out, &said
	if err := o.Run(); err != nil {
		return Made{}, Refused(said.String())
	}
	return Answer(out.Bytes())
}

// Here makes the text in this process.
func Here(context.Context) Making { return here{} }

type here struct{}

func (here) Close() {}

func (here) Text(_ context.Context, s Source) (Made, error) { return forms[s.Form](s) }
