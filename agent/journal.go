package agent

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// bunch is a part of the journal on its way into the state.
type bunch struct {
	rows   []sessions.Event
	events []event.Event
	err    error
	done   chan struct{} // closed when events and err are there
}

// decode fills in the events, up to the first that cannot be read.
func (b *bunch) decode(d *event.Decoder, conv event.ConvID) {
	defer close(b.done)
	b.events = make([]event.Event, 0, len(b.rows))
	for _, row := range b.rows {
		e, err := d.UnmarshalAs(event.Type(row.Type), row.Body)
		if err != nil {
			b.err = fmt.Errorf("event %d of session %s: %w", row.Seq, conv, err)
			return
		}
		b.events = append(b.events, e)
	}
}

// fold reads the journal into the state. Decoding is most of the work of opening
// a long conversation: bunches of events are decoded on all processors and
// applied in their order. A few thousand events are in memory twice at most.
func (r *revival) fold(p *Past) error {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	work, order := make(chan *bunch), make(chan *bunch, 2*workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			d := event.NewDecoder()
			for b := range work {
				b.decode(d, r.conv)
			}
		})
	}
	var readErr error
	running.Go(func() {
		defer close(order)
		defer close(work)
		readErr = r.db.EachPage(ctx, string(r.conv), 0, func(rows []sessions.Event) error {
			b := &bunch{rows: rows, done: make(chan struct{})}
			select {
			case order <- b:
				work <- b
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	})
	var err error
	for b := range order {
		<-b.done
		if err != nil {
			continue
		}
		for i, e := range b.events {
			p.State.Apply(e)
			p.Seq = b.rows[i].Seq
		}
		if err = b.err; err != nil {
			cancel()
		}
	}
	running.Wait()
	if err == nil {
		err = readErr
	}
	return err
}
