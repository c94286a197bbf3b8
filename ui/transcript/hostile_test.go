package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
)

// TestHostileBlocks draws blocks full of what could harm a terminal or a frame.
func TestHostileBlocks(t *testing.T) {
	evil := "\x1b[2J\x1b]0;t\x07\u202eevil\u200b\t\r\n" + strings.Repeat("漢", 300) + "\x1b[31m\xff" + strings.Repeat("e\u0301", 100)
	var blocks []*event.Block
	for i, kind := range []event.BlockKind{event.BlockUser, event.BlockSteer, event.BlockReasoning, event.BlockAnswer, event.BlockNotice, event.BlockCompact, "unheard-of"} {
		blocks = append(blocks, block(kind, fmt.Sprint("x", i), evil))
	}
	for i, kind := range []event.ViewKind{event.ViewCommand, event.ViewRead, event.ViewWrite, event.ViewGeneric, "new"} {
		for j, stage := range []event.CallStage{event.CallDrafting, event.CallPlanned, event.CallRunning, event.CallEnded, "odd"} {
			blocks = append(blocks, call(fmt.Sprint("y", i, j), evil, evil, kind, func(_ *event.Block, c *event.Call) {
				c.Stage, c.View.Summary, c.View.Body, c.View.Lang, c.Tail = stage, evil, evil+"\n~~~~\n"+evil, evil, event.NewText(evil)
				c.Decision = &event.Answer{Text: evil}
				c.Outcome = []event.Outcome{event.OutcomeOK, event.OutcomeFailed, event.OutcomeDenied, event.OutcomeUnknown, "odd"}[i]
			}))
		}
	}
	for i, o := range []event.Origin{event.OriginJob, event.OriginAgent, event.Origin(evil)} {
		b := block(event.BlockUser, fmt.Sprint("o", i), evil)
		b.Origin = o
		blocks = append(blocks, b)
	}
	for i, stage := range []event.CallStage{event.CallRunning, event.CallEnded} {
		blocks = append(blocks, call(fmt.Sprint("z", i), evil, evil, event.ViewAgent, func(_ *event.Block, c *event.Call) {
			c.Stage, c.View.Summary, c.Tail, c.Shed = stage, evil, event.NewText(evil), -1
			for _, s := range []event.AgentState{event.AgentRunning, event.AgentWaiting, event.AgentStopping, event.AgentFailed, event.AgentState(evil), ""} {
				c.Agents = append(c.Agents, &event.Spawned{Agent: event.AgentID(evil), Goal: evil, State: s, On: evil, Doing: evil, Tools: -5, Started: noon, Held: 1 << 60})
			}
		}))
	}
	for _, w := range []int{1, 2, 3, 5, 8, 20, 60} {
		for _, fold := range []bool{true, false} {
			v := newView()
			v.FoldAll(fold)
			v.Sync(blocks)
			frame := v.Rows(nil, w, 2000)
			checkFrame(t, frame, w, 2000)
			for _, r := range frame {
				rest := ansi.Strip(r)
				if strings.ContainsAny(rest, "\x1b\x07\u202e\u200b") || strings.Contains(r, "[2J") {
					t.Fatalf("row %q", r)
				}
			}
		}
	}
}
