package app

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// summing serves a model that answers "ok", and requests for a record with the given
// steps.
func summing(t *testing.T, steps ...script.Step) *scripttest.Server {
	t.Helper()
	server, err := scripttest.Serve(&script.Scenario{
		Models: []script.Model{{ID: "m", ContextLength: 20_000}},
		Rules:  []script.Rule{{Match: script.Match{System: "You keep the record"}, Steps: steps}, {Steps: []script.Step{script.Text{Text: "ok"}}}},
	}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

const summingConfig = "model: {provider: custom, base_url: %q, default: m, context_length: 20000}\nagent: {auto_title: false}\n"

// history is what the model got with the newest request of a conversation.
func history(t *testing.T, server *scripttest.Server) (list []string) {
	t.Helper()
	all := server.Requests()
	var body struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(all[len(all)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, m := range body.Messages[1:] { // the prompt is the first
		list = append(list, string(m))
	}
	return list
}

// compactions are the places where the context was shortened.
func compactions(c Conversation) (list []*event.Block) {
	for _, b := range c.State().Root().Blocks {
		if b.Kind == event.BlockCompact {
			list = append(list, b)
		}
	}
	return list
}

// talk says something n times that takes a thousand tokens.
func talk(t *testing.T, c Conversation, from, n int) {
	t.Helper()
	for i := range n {
		say(t, c, fmt.Sprint("saying ", from+i, " ", strings.Repeat("many words ", 350)))
	}
}

// TestSummaryTakesThePlace has a model sum up what is left out: on request, with what is
// to be kept, and its text stands before the model and on the screen. What it did is
// taken back to the byte, here and in the next program.
func TestSummaryTakesThePlace(t *testing.T) {
	server := summing(t, script.Text{Text: "## Goal\nKeep the lighthouse."})
	b := newBox(t)
	b.config(fmt.Sprintf(summingConfig, server.URL()))
	a, c := b.begin()
	talk(t, c, 0, 9)
	say(t, c, "before")
	before := history(t, server)
	plan, err := c.PlanCompress(t.Context())
	if err != nil || plan.Messages == 0 || plan.After >= plan.Before || len(plan.Gone) == 0 || !strings.HasPrefix(plan.Gone[0], "saying ") || len(server.Requests()) != 10 {
		t.Fatalf("%+v, %v, %d requests", plan, err, len(server.Requests()))
	}
	if changed, err := c.Compress(t.Context(), "the lamp"); err != nil || !changed {
		t.Fatal(changed, err)
	}
	all := server.Requests()
	if asked := string(all[len(all)-1].Body); !strings.Contains(asked, `\"focus\":\"the lamp\"`) || !strings.Contains(asked, "saying 2 many") {
		t.Errorf("asked for a record with %.900s", asked)
	}
	list := compactions(c)
	if len(list) != 1 || !strings.Contains(list[0].Text.String(), "Keep the lighthouse.") || list[0].Open {
		t.Fatalf("on the screen: %+v", list)
	}
	if got := list[0].Compact; got.Messages != plan.Messages || got.After > plan.After || got.After >= got.Before {
		t.Errorf("planned %+v, done %+v", plan, got)
	}
	say(t, c, "after")
	short := history(t, server)
	if len(short) != len(before)+2-plan.Messages || !strings.Contains(short[0], "## Goal\\nKeep the lighthouse.") || strings.Contains(strings.Join(short, ""), "saying 2 many") {
		t.Errorf("%d messages of %d: %.900s", len(short), len(before), short)
	}
	closed(t, a)

	a, c = b.resume()
	if tokens, err := c.Uncompress(t.Context()); err != nil || tokens <= list[0].Compact.After {
		t.Fatal(tokens, err)
	}
	say(t, c, "again")
	whole := history(t, server)
	if len(whole) != len(before)+4 || !reflect.DeepEqual(whole[:len(before)], before) {
		t.Errorf("%d messages, %d before", len(whole), len(before))
	}
	if _, err := c.Uncompress(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing was shortened") {
		t.Errorf("twice: %v", err)
	}
	if list := compactions(c); len(list) != 2 || !list[1].Compact.Restored {
		t.Errorf("on the screen: %+v", list)
	}
	closed(t, a)
}

// TestSummaryFails: a model that fails leaves a record of what was asked, and the turn
// goes on.
func TestSummaryFails(t *testing.T) {
	server := summing(t, script.Failure{Status: 500, Message: "broken"})
	b := newBox(t)
	b.config(fmt.Sprintf(summingConfig, server.URL()))
	_, c := b.begin()
	talk(t, c, 0, 18)
	list := compactions(c)
	if len(list) == 0 || !strings.Contains(list[0].Text.String(), "No model could sum up") || !strings.Contains(list[0].Text.String(), "- The user: saying 2 many words") {
		t.Fatalf("%+v", list)
	}
	if first := history(t, server)[0]; !strings.Contains(first, "- The user: saying 2 many words") {
		t.Errorf("the model got %.900s", first)
	}
}

// TestSummaryStopped: the user stops a compression, and nothing has changed.
func TestSummaryStopped(t *testing.T) {
	server := summing(t, script.Text{Text: "## Goal\nKeep\n"}, script.Stall{})
	b := newBox(t)
	b.config(fmt.Sprintf(summingConfig, server.URL()))
	_, c := b.begin()
	talk(t, c, 0, 9)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := c.Compress(ctx, "")
		done <- err
	}()
	for open := false; !open; {
		if _, err := c.Next(ctx); err != nil {
			t.Fatal(err)
		}
		list := compactions(c)
		open = len(list) == 1 && list[0].Open && strings.Contains(list[0].Text.String(), "Keep")
	}
	c.Interrupt(c.State().Root().ID, Self)
	if err := <-done; err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("ended with %v", err)
	}
	say(t, c, "go on")
	if list := compactions(c); len(list) != 0 || len(history(t, server)) != 19 {
		t.Errorf("%d messages, on the screen %+v", len(history(t, server)), list)
	}
}

// TestSummaryReviewed asks about a summary before it takes effect: has it written again,
// takes it, or leaves everything as it is and is not asked again at once.
func TestSummaryReviewed(t *testing.T) {
	server := summing(t, script.Text{Text: "## Goal\nKeep the lighthouse."})
	b := newBox(t)
	b.config(fmt.Sprintf(summingConfig, server.URL()) + "compression: {review: ask}\n")
	_, c := b.begin()
	talk(t, c, 0, 9)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	answer := func(texts ...string) (changed bool, err error) {
		t.Helper()
		done := make(chan struct{})
		go func() { changed, err = c.Compress(ctx, ""); close(done) }()
		for _, text := range texts {
			for len(c.State().Requests) == 0 {
				if _, err := c.Next(ctx); err != nil {
					t.Fatal(err)
				}
			}
			q := c.State().Requests[0]
			if q.Clarify == nil || len(q.Clarify.Choices) != 2 {
				t.Fatalf("asked %+v", q)
			}
			if list := compactions(c); !list[len(list)-1].Open {
				t.Error("the summary is not on the screen while it is asked about")
			}
			if err := c.Answer(q.ID, event.Answer{Choice: event.ChoiceText, Text: text}); err != nil {
				t.Fatal(err)
			}
			for len(c.State().Requests) > 0 {
				if _, err := c.Next(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		<-done
		return changed, err
	}
	if changed, err := answer("Leave everything as it is"); changed || err != nil || len(compactions(c)) != 0 {
		t.Errorf("left: %v, %v, %+v", changed, err, compactions(c))
	}
	if changed, err := answer("and the lamp", "Use it"); !changed || err != nil || len(compactions(c)) != 1 {
		t.Errorf("taken: %v, %v, %+v", changed, err, compactions(c))
	}
	all := server.Requests()
	if asked := string(all[len(all)-1].Body); !strings.Contains(asked, `\"draft\":\"## Goal`) || !strings.Contains(asked, `\"focus\":\"and the lamp\"`) {
		t.Errorf("asked %.900s", asked)
	}
}

// TestSummaryEdited puts the summary as the user has changed it before the model.
func TestSummaryEdited(t *testing.T) {
	server := summing(t, script.Text{Text: "## Goal\nKeep the lighthouse."})
	b := newBox(t)
	b.config(fmt.Sprintf(summingConfig, server.URL()) + "compression: {review: ask}\n")
	_, c := b.begin()
	talk(t, c, 0, 9)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := c.Compress(ctx, "")
		done <- err
	}()
	for len(c.State().Requests) == 0 {
		if _, err := c.Next(ctx); err != nil {
			t.Fatal(err)
		}
	}
	q := c.State().Requests[0]
	if q.Clarify.Draft != "## Goal\nKeep the lighthouse." {
		t.Errorf("asked about %q", q.Clarify.Draft)
	}
	if err := c.Answer(q.ID, event.Answer{Choice: event.ChoiceEdit, Text: "## Goal\nSell it, key AKIAIOSFODNN7EXAMPL3."}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	say(t, c, "after")
	first := history(t, server)[0]
	if !strings.Contains(first, "Sell it") || strings.Contains(first, "Keep the lighthouse") || strings.Contains(first, "AKIAIOSFODNN7EXAMPL3") {
		t.Errorf("the model got %.2000s", first)
	}
}

// TestRecordIsMasked: neither a summary while it is written nor the record without a
// model shows a key.
func TestRecordIsMasked(t *testing.T) {
	const key = "sk-ant-api03-Zx9fKq7LmN2pRt5VbW8yHd3JgCs6"
	for name, steps := range map[string][]script.Step{
		"written": {script.Text{Text: "## Critical Context\n- the key is " + key[:20]}, script.Text{Text: key[20:] + "\n- and more\n"}},
		"none":    {script.Failure{Status: 500, Message: "broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := summing(t, steps...)
			b := newBox(t)
			b.config(fmt.Sprintf(summingConfig, server.URL()))
			_, c := b.begin()
			say(t, c, "hello")
			say(t, c, "take this: "+key)
			talk(t, c, 0, 6)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := c.Compress(ctx, "")
				done <- err
			}()
			for over := false; !over; {
				events, err := c.Next(ctx)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if d, ok := e.(*event.TextDelta); ok && strings.Contains(d.Text, key[:20]) {
						t.Errorf("shown: %q", d.Text)
					}
					if _, ok := e.(*event.ContextCompressed); ok {
						over = true
					}
				}
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			say(t, c, "after")
			if first := history(t, server)[0]; strings.Contains(first, key[:20]) || !strings.Contains(first, "What was said and done there") {
				t.Errorf("the model got %.2000s", first)
			}
			for _, b := range compactions(c) {
				if strings.Contains(b.Text.String(), key[:20]) {
					t.Errorf("on the screen: %s", b.Text.String())
				}
			}
		})
	}
}

// TestCompressedElsewhere leaves a session alone that another program is compressing.
func TestCompressedElsewhere(t *testing.T) {
	server := summing(t, script.Text{Text: "## Goal\nKeep the lighthouse."})
	b := newBox(t)
	b.config(fmt.Sprintf(summingConfig, server.URL()))
	a, c := b.begin()
	talk(t, c, 0, 9)
	if taken, err := a.db.LockCompression(t.Context(), string(c.Session()), "another program"); err != nil || !taken {
		t.Fatal(taken, err)
	}
	if changed, err := c.Compress(t.Context(), ""); changed || err == nil || !strings.Contains(err.Error(), "another program is shortening this session") {
		t.Errorf("%v, %v", changed, err)
	}
	talk(t, c, 9, 9)
	told := false
	for _, b := range c.State().Root().Blocks {
		told = told || strings.Contains(b.Text.String(), "Another program is shortening this session")
	}
	if !told || len(compactions(c)) != 0 || len(history(t, server)) < 30 {
		t.Errorf("told %v, %d messages sent, on the screen %+v", told, len(history(t, server)), compactions(c))
	}
	if err := a.db.UnlockCompression(t.Context(), string(c.Session()), "another program"); err != nil {
		t.Fatal(err)
	}
	say(t, c, "and now")
	if len(compactions(c)) != 1 {
		t.Errorf("on the screen %+v", compactions(c))
	}
}
