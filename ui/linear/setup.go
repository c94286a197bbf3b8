package linear

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

// prompt is a question of the program itself: the next line answers it.
type prompt struct {
	at     time.Time
	hidden bool // what is typed is not shown
	take   func(text string)
}

// want asks the user for a line.
func (r *run) want(hidden bool, take func(text string)) {
	r.prompt = &prompt{at: r.o.Now(), hidden: hidden, take: take}
}

// hides brings the terminal to show what is typed, or not, as what is asked for demands.
func (r *run) hides() {
	secret := r.prompt != nil && r.prompt.hidden || r.prompt == nil && len(r.open) > 0 && r.open[0].Kind == event.RequestSecret && !r.open[0].at.IsZero()
	switch {
	case secret && r.reveal == nil && r.o.Hide != nil:
		r.reveal = r.o.Hide()
	case !secret && r.reveal != nil:
		r.reveal()
		r.reveal = nil
	}
}

// setup asks what is to answer, for its key and for a model.
func (r *run) setup() {
	r.say("Setup, step 1 of 3: ", "which model should answer? Looking for what is there.")
	if err := r.out.Flush(); err != nil {
		r.failed = err
		return
	}
	var found []app.ModelGroup
	_ = r.o.App.AskModels(r.ctx, func(g app.ModelGroup) { // what cannot be asked is not found
		if !g.Asking && !app.IsDemo(event.Model{Provider: g.Provider}) {
			found = append(found, g)
		}
	})
	for i, g := range found {
		text := strings.TrimSuffix(strings.Join(strings.Fields(g.Label+", "+g.Host+" "+g.Key), " "), ",") + ", " + format.Count(len(g.Models), "model", "models") + "."
		if g.Problem != "" {
			text += " " + g.Problem
		}
		r.say(strconv.Itoa(i+1)+": ", text)
	}
	var names []string
	services := r.o.App.Services()
	for _, s := range services {
		names = append(names, s.Name)
	}
	r.say("With a key that you type: ", strings.Join(names, ", ")+".")
	r.say("Answer ", "with a number, the name of a service, or the address of a server, such as http://127.0.0.1:8080/v1. /skip leaves the setup.")
	r.want(false, func(text string) {
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(found) && found[n-1].Problem == "" {
			r.setupModel(app.Service{ID: found[n-1].Provider, Name: found[n-1].Label}, "", found[n-1])
			return
		} else if err == nil && n >= 1 && n <= len(found) {
			text = found[n-1].Provider
		}
		for _, s := range services {
			if strings.EqualFold(text, s.Name) || strings.EqualFold(text, s.ID) {
				r.setupKey(s)
				return
			}
		}
		if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
			s := app.AddressService(text)
			r.setupTry(s, "")
			return
		}
		r.say("Error: ", "there is nothing of that name. /setup begins again.")
	})
}

// setupKey asks for the key of a service.
func (r *run) setupKey(s app.Service) {
	if r.o.Hide == nil {
		r.say("Error: ", "what is typed here cannot be hidden, so no key is asked for: hermes-tui auth add "+s.ID+" keeps one.")
		return
	}
	where := ""
	if s.KeyPage != "" {
		where = " Keys are made at " + s.KeyPage + "."
	}
	r.say("Setup, step 2 of 3: ", "type or paste the key of "+s.Name+" and press enter; it is not shown."+where+" /skip leaves the setup.")
	r.want(true, func(text string) { r.setupTry(s, text) })
}

// setupTry has a service show that it takes a key.
func (r *run) setupTry(s app.Service, key string) {
	r.say("Asking ", s.Name+".")
	if err := r.out.Flush(); err != nil {
		r.failed = err
		return
	}
	g, err := r.o.App.TryService(r.ctx, s, key)
	switch {
	case app.WantsKey(err) && key == "":
		r.setupKey(s)
	case app.Unchecked(err) && key != "":
		r.complain(err)
		r.confirm("Key: ", "it could not be checked, and can be kept unchecked: it is tried when you send.", "/setup begins again.", func() { r.setupModel(s, key, g) })
	case err != nil && key != "":
		r.complain(err)
		r.setupKey(s)
	case err != nil:
		r.complain(err)
		r.say("", "/setup begins again.")
	default:
		r.setupModel(s, key, g)
	}
}

// setupModel asks for a model and keeps what was chosen.
func (r *run) setupModel(s app.Service, key string, g app.ModelGroup) {
	const most = 40
	r.say("Setup, step 3 of 3: ", "which model of "+g.Label+"?")
	for i, m := range g.Models {
		if i == most {
			r.say("", fmt.Sprintf("and %d more, which can be named, too.", len(g.Models)-most))
			break
		}
		r.say(strconv.Itoa(i+1)+": ", m.Name)
	}
	r.say("Answer ", "with a number or a name; usual takes "+g.Usual+". /skip leaves the setup.")
	r.want(false, func(text string) {
		if strings.EqualFold(text, "usual") {
			text = g.Usual
		}
		for i, m := range g.Models {
			if text != strconv.Itoa(i+1) && !strings.EqualFold(text, m.Name) {
				continue
			}
			err := r.o.App.Keep(r.ctx, s, key, m.Name)
			if err == nil {
				err = r.o.App.Pick(r.ctx, r.c.ID(), app.Choice{Provider: g.Provider, Host: g.Host, Name: m.Name}, m)
			}
			r.said(err, "Set up: ", m.Name+" answers. /trust yes has the agent follow the instruction files of this folder.")
			return
		}
		r.say("Error: ", "there is no model "+text+". /setup begins again.")
	})
}
