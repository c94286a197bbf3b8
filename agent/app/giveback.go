package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
)

// spare is how many bytes of the heap may stay with the program unused when a turn has
// ended, headroom how many it may grow by before garbage is collected, where that is not
// less than half of what is in use. A turn needs some; its requests leave more behind.
const (
	spare    = 8 << 20
	headroom = 24 << 20
)

// giveBack returns memory that the heap does not use to the system, where that is much, and
// bounds how much of it there will be. It takes some 10 ms of a core, so no turn waits for
// it, and a program that ends soon does not do it.
func (a *App) giveBack() {
	m := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(m)
	if held := m[0].Value.Uint64() + m[1].Value.Uint64() + m[2].Value.Uint64(); !a.o.Unattended && held > m[3].Value.Uint64()+spare {
		a.background.run(func(context.Context) {
			debug.SetGCPercent(max(int(100*headroom/max(m[3].Value.Uint64(), headroom)), 50))
			debug.FreeOSMemory()
		})
	}
}
