package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
)

// golden compares frames with testdata/NAME.txt, first without and then with
// styles (the escape written as ␛). UPDATE_GOLDEN=1 writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

// states are what the goldens show.
func states() map[string]func(v *View) []*event.Block {
	running := func(change func(*event.Block, *event.Call)) *event.Block {
		return call("c1", "terminal", "go test ./...", event.ViewCommand, func(b *event.Block, c *event.Call) {
			b.Open, c.Stage, c.Outcome = true, event.CallRunning, ""
			if change != nil {
				change(b, c)
			}
		})
	}
	return map[string]func(v *View) []*event.Block{
		"empty":  func(*View) []*event.Block { return nil },
		"folded": func(*View) []*event.Block { return script() },
		"opened": func(v *View) []*event.Block { v.FoldAll(false); return script() },
		"cursor": func(v *View) []*event.Block { v.SelectBlock("c5"); return script() },
		"group-opened": func(v *View) []*event.Block {
			v.groups["c2"] = true
			return script()
		},
		"drafting": func(*View) []*event.Block {
			return []*event.Block{running(func(_ *event.Block, c *event.Call) {
				c.Stage, c.Bytes, c.View = event.CallDrafting, 1234, event.CallView{Kind: event.ViewGeneric, Name: "patch"}
			}), call("c2", "terminal", "ls", event.ViewCommand, func(b *event.Block, c *event.Call) { b.Open, c.Stage, c.Outcome = true, event.CallPlanned, "" })}
		},
		"running": func(*View) []*event.Block {
			return []*event.Block{running(func(_ *event.Block, c *event.Call) {
				c.Tail = event.NewText("compiling\n10%\r20%\r30%\nok  \x1b[32mstore\x1b[m\n" + strings.Repeat("long ", 60))
			})}
		},
		"waiting": func(v *View) []*event.Block {
			v.SetRequests([]event.Request{{ID: "q1", Kind: event.RequestApproval}, {ID: "q2", Kind: event.RequestSecret}, {ID: "q3", Kind: event.RequestTrust}})
			ask := func(id event.RequestID, stage event.CallStage, kind event.ViewKind) *event.Block {
				return running(func(b *event.Block, c *event.Call) {
					b.ID, c.ID, c.Stage, c.Asked, c.View.Kind = event.BlockID(id), event.CallID(id), stage, id, kind
				})
			}
			return []*event.Block{
				ask("q1", event.CallPlanned, event.ViewCommand), ask("q2", event.CallRunning, event.ViewCommand), ask("q3", event.CallPlanned, event.ViewRead),
				ask("q4", event.CallRunning, event.ViewClarify), ask("q5", event.CallPlanned, event.ViewGeneric),
			}
		},
		"quiet": func(*View) []*event.Block {
			silent := running(func(_ *event.Block, c *event.Call) { c.Started = noon.Add(-21 * time.Second) })
			return []*event.Block{silent, running(func(b *event.Block, c *event.Call) { b.ID, c.ID, c.Started = "c2", "c2", noon.Add(-2*time.Second) })}
		},
		"looking": func(*View) []*event.Block { return looks() },
		"agents":  func(*View) []*event.Block { return []*event.Block{delegation(12, true), delegation(3, false)} },
		"agents-opened": func(v *View) []*event.Block {
			v.FoldAll(false)
			return []*event.Block{delegation(12, true)}
		},
		"hidden": func(v *View) []*event.Block { v.SetReasoning(false); return script() },
		"thinking-opened": func(v *View) []*event.Block {
			v.FoldAll(false)
			return []*event.Block{{ID: "r1", Kind: event.BlockReasoning, At: noon, Open: true, Text: event.NewText(lines(300) + "and on")}}
		},
		"origins": func(*View) []*event.Block {
			var out []*event.Block
			for i, o := range []event.Origin{"", event.OriginJob, event.OriginAgent, "elsewhere"} {
				for _, kind := range []event.BlockKind{event.BlockUser, event.BlockSteer} {
					b := block(kind, fmt.Sprint("o", i, kind), "[The search for callers has ended]\n12 callers\nin 4 files")
					b.Origin = o
					out = append(out, b)
				}
			}
			return out
		},
		"answering": func(*View) []*event.Block {
			b := block(event.BlockAnswer, "a1", "# Result\n\nIt is `fixed`.\n\n```go\nfunc f() {\n\treturn")
			b.Open = true
			return []*event.Block{block(event.BlockUser, "u1", "go on"), b}
		},
		"times": func(v *View) []*event.Block {
			v.SetTimes(true)
			all := script()
			for i, b := range all {
				b.At = noon.Add(time.Duration(i*47)*time.Minute - 3*time.Hour)
				if b.Call != nil {
					b.Call.Started = b.At.Add(time.Minute)
				}
			}
			return all
		},
		"pinned": func(v *View) []*event.Block {
			all := []*event.Block{block(event.BlockUser, "u1", "What is in it?\nAll of it, and with so many words that they do not fit into a row of the screen."), block(event.BlockAnswer, "a1", lines(90))}
			v.Sync(all)
			v.Rows(nil, v.w, v.h)
			v.ScrollBy(-20)
			return all
		},
		"beginning": func(*View) []*event.Block {
			b := block(event.BlockAnswer, "a1", "")
			b.Open = true
			return []*event.Block{b}
		},
		"thinking": func(v *View) []*event.Block {
			b := block(event.BlockReasoning, "r1", lines(250)+"and on")
			b.Open = true
			return []*event.Block{block(event.BlockUser, "u1", "go on"), b}
		},
		"long-input": func(*View) []*event.Block { return []*event.Block{block(event.BlockUser, "u1", lines(40))} },
	}
}

func TestGolden(t *testing.T) {
	for name, make := range states() {
		t.Run(name, func(t *testing.T) {
			var plain, styled strings.Builder
			for _, w := range []int{40, 80, 120} {
				v := newView()
				v.SetSize(w, 30)
				if len(make(v)) > 10 {
					v.SetSize(w, 90)
				}
				v.Sync(make(v))
				for range 5 { // the last ones after all code is coloured
					v.Tick(noon.Add(4200*time.Millisecond), 1)
					v.Rows(nil, w, v.h)
				}
				frame := v.Rows(nil, w, v.h)
				checkFrame(t, frame, w, v.h)
				for len(frame) > 0 && strings.TrimSpace(frame[0]) == "" {
					frame = frame[1:]
				}
				for len(frame) > 0 && strings.TrimSpace(frame[len(frame)-1]) == "" {
					frame = frame[:len(frame)-1]
				}
				fmt.Fprintf(&plain, "== %d columns\n", w)
				fmt.Fprintf(&styled, "== %d columns, styled\n", w)
				for _, r := range frame {
					plain.WriteString(ansi.Strip(r) + "|\n")
					styled.WriteString(strings.ReplaceAll(r, "\x1b", "␛") + "|\n")
				}
			}
			golden(t, name, plain.String()+styled.String())
		})
	}
}
