package sessions

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// connector opens connections and prepares each of them with the same
// statements.
type connector struct {
	driver.Connector
	setup []string
}

func newConnector(dsn string, setup []string) (driver.Connector, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return connector{Connector: c, setup: setup}, nil
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, sql := range c.setup {
		x, ok := conn.(driver.ExecerContext)
		if !ok {
			return nil, errors.Join(errors.New("the driver can't run statements"), conn.Close())
		}
		if _, err := x.ExecContext(ctx, sql, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("prepare connection: %w", err), conn.Close())
		}
	}
	return conn, nil
}
