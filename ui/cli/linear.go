package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui"
	"hermes-tui/ui/linear"
)

// lines shows a session as lines and sends a prompt there, empty for none.
func (s *sys) lines(ctx context.Context, f *flags, prompt string, open func(context.Context, func(*event.State)) (*app.App, app.Conversation, error)) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	pressed, heard := make(chan struct{}), make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for {
			select {
			case <-heard:
			case <-ctx.Done():
				return
			}
			select {
			case pressed <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	a, conv, err := open(ctx, nil)
	if err != nil {
		if a != nil {
			err = errors.Join(err, a.Close())
		}
		return err
	}
	terminal, _ := s.terminal()
	conv, err = linear.Run(ctx, linear.Options{
		App: a, Conv: conv, In: s.in, Out: s.out, Terminal: terminal, Interrupts: pressed, Prompt: prompt,
		Notices: f.notices(), Now: time.Now, Hide: s.hide(),
	})
	if root := conv.State().Root(); err == nil && root != nil && root.Turns > 0 {
		s.tellEnded(conv.State().Running())
		fmt.Fprintf(s.out, "To resume: hermes-tui --linear --resume %s\n", conv.Session())
	}
	return errors.Join(err, s.leave(ui.Ending{App: a, Conv: conv, State: conv.State()}, false))
}
