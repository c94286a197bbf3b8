package auxiliary

import (
	"context"
	"errors"
)

// ErrPass says that a service is not to do a piece of work now, though nothing is wrong
// with it.
var ErrPass = errors.New("not now")

// Each has the services of a task do a piece of work of several calls, one after the other
// until one has done it. same says that it is the service that answers the conversation,
// as it is. work gets the service with its key, reports whether anything of an answer had
// arrived, and tells with [ErrPass] that the next one is to be asked. All of an attempt
// takes no longer than the timeout of the task. The error is as of [Client.Complete], or
// ErrPass when a service has passed and no other has done it. What was used is for work to
// report.
func (c *Client) Each(ctx context.Context, task Task, work func(ctx context.Context, s Service, same bool) (began bool, err error)) error {
	main := c.o.Main()
	return c.walk(ctx, task, c.chain(task), func(s Service) error {
		late := &lateError{}
		limited, cancel := context.WithTimeoutCause(ctx, c.timeout(task), late)
		defer cancel()
		began, err := work(limited, s, s.site() == main.site() && s.Model == main.Model && s.ExtraBody == "")
		late.began = began
		if err != nil {
			err = outOfTime(limited, ctx, late, err)
		}
		return err
	})
}
