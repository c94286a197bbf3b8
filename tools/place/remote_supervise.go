package place

import (
	"context"
	"errors"
	"fmt"
)

// supervise sees a process through to its end.
func (p *remoteProcess) supervise(ctx context.Context) {
	if len(p.filters) == 0 {
		p.watch(ctx)
		return
	}
	select {
	case p.exit.Code = <-p.filters[0].last:
		p.deliver()
	case <-p.client.done:
		p.settle()
		select {
		case p.exit.Code = <-p.filters[0].last:
		default:
			p.lost()
		}
	case <-ctx.Done():
		p.kill()
	case <-p.r.ctx.Done():
		p.kill()
	}
}

// deliver waits until everything the process itself wrote was delivered; what
// others write is read for a moment.
func (p *remoteProcess) deliver() {
	for _, s := range p.filters {
		select {
		case <-s.ended:
		case <-p.client.done:
		}
	}
	p.settle()
}

// kill ends the process, its session and what descends from it.
func (p *remoteProcess) kill() {
	select {
	case p.exit.Code = <-p.filters[0].last: // it ended by itself, just before
		p.deliver()
		return
	default:
	}
	p.exit.Killed = true
	p.err = p.r.killTree(p.pid, p.l.mark, true)
	p.settle()
	select {
	case p.exit.Code = <-p.filters[0].last:
		p.err = nil
	default:
		p.exit.Code = 128 + 9
	}
}

// lost deals with a process whose client ended before it: the connection broke,
// or someone killed the client. No one sees the process any more, so it is
// ended.
func (p *remoteProcess) lost() {
	p.exit.Code = -1
	said := p.client.said.words()
	cause := ErrLost
	if known := p.r.via.explain(said); known != nil {
		known.Place, known.Said, known.Err = p.r.via.name(), said, ErrLost
		cause = known
	}
	if err := p.r.killTree(p.pid, p.l.mark, false); err != nil {
		p.err = fmt.Errorf("wait for process %d of %s, which may still run there: %w", p.pid, p.r.via.name(), errors.Join(cause, err))
		return
	}
	p.err = fmt.Errorf("wait for process %d of %s, which has been ended: %w; what it did until then stays done", p.pid, p.r.via.name(), cause)
}
