package web

import (
	"testing"
	"time"
)

// The process that reads what strangers have made has the bounds that docs/safety.md promises;
// TestTextReader (agent/app) sees it end.
func TestReaderBounds(t *testing.T) {
	if readerTime != 20*time.Second || readerMemory != 1<<30 {
		t.Errorf("%v and %d bytes are not 20 seconds and 1 GB", readerTime, int64(readerMemory))
	}
}
