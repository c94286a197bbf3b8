package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// quits reports whether a command ends the program.
func quits(c tea.Cmd) bool {
	if c == nil {
		return false
	}
	_, ok := c().(tea.QuitMsg)
	return ok
}

// TestLeaveWaitsForTheLastAnswer leaves before, while and after the terminal has
// questions to answer.
func TestLeaveWaitsForTheLastAnswer(t *testing.T) {
	answer := uv.PrimaryDeviceAttributesEvent{62}
	start := func() *Model {
		m, _ := New(Options{Now: time.Now})
		m.asked = time.Now()
		return m
	}
	for name, test := range map[string]func(t *testing.T){
		"at once, with an answer": func(t *testing.T) {
			m := start()
			if quits(m.onAttributes(answer)) {
				t.Error("an answer ends a program that does not leave")
			}
			if m.leave() == nil || !m.leaving {
				t.Fatal("it does not wait")
			}
			if m.leave() != nil {
				t.Error("it asks again")
			}
			if !quits(m.onAttributes(answer)) {
				t.Error("the answer does not end it")
			}
		},
		"at once, with no answer": func(t *testing.T) {
			m := start()
			began := time.Now()
			if !quits(m.leave()) || time.Since(began) != answerTime {
				t.Errorf("it does not end after %v", time.Since(began))
			}
		},
		"later, of a terminal that answers": func(t *testing.T) {
			m := start()
			<-time.After(300 * time.Millisecond)
			m.onAttributes(answer)
			<-time.After(answerTime)
			began := time.Now()
			if !quits(m.leave()) || time.Since(began) != 600*time.Millisecond {
				t.Errorf("it leaves after %v: what the mouse reports meanwhile is typed into the shell", time.Since(began))
			}
			if !quits(m.onAttributes(answer)) {
				t.Error("the answer does not end it")
			}
		},
		"at once, of a terminal far away": func(t *testing.T) {
			m := start()
			m.o.Term.SSH = true
			began := time.Now()
			if !quits(m.leave()) || time.Since(began) != farTime {
				t.Errorf("it ends after %v", time.Since(began))
			}
		},
		"later": func(t *testing.T) {
			m := start()
			<-time.After(answerTime)
			if !quits(m.leave()) {
				t.Error("it waits for answers that came long ago")
			}
		},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
	}
}

// TestPanicOfACommand: it comes to the goroutine of the program, with its trace.
func TestPanicOfACommand(t *testing.T) {
	m, _ := New(Options{Now: time.Now})
	msg := m.do(func() tea.Msg { panic("boom") })()
	defer func() {
		told := fmt.Sprint(recover())
		if !strings.Contains(told, "boom") || !strings.Contains(told, "TestPanicOfACommand") {
			t.Errorf("it tells %q", told)
		}
	}()
	m.Update(msg)
}
