package ui

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/setup"
	"hermes-tui/ui/status"
)

// settingUp is what was chosen in the setup so far. Each of its windows stands over the
// one before, so that esc goes one back.
type settingUp struct {
	trust    bool // is asked about as the last step
	services []app.Service
	service  app.Service
	key      string
	group    app.ModelGroup
	cancel   context.CancelFunc // of the check
}

// The entries of the first window that are no service.
const (
	setupAddress = "address"
	setupLater   = "later"
	setupOthers  = "others"
)

// setupWindow is a list of the setup.
type setupWindow struct {
	*overlay.Picker
	gen uint64 // of its entries
}

// setupModels is the list of the models of a service.
type setupModels struct{ *models.Picker }

// Contexts are where the windows have keys of their own.
func (*setupWindow) Contexts() []keys.Context { return []keys.Context{keys.InSetup} }
func (*setupModels) Contexts() []keys.Context { return []keys.Context{keys.InSetup} }

// Name is what another window leads back to.
func (*setupWindow) Name() string { return "the services" }
func (*setupModels) Name() string { return "the models" }

// Act implements [overlay.Box].
func (w *setupWindow) Act(a keys.Action) overlay.Request {
	if a == keys.Skip {
		return setup.Left{}
	}
	return w.Picker.Act(a)
}

// Act implements [overlay.Box].
func (w *setupModels) Act(a keys.Action) overlay.Request {
	if a == keys.Skip {
		return setup.Left{}
	}
	r := w.Picker.Act(a)
	if c, ok := r.(models.Chosen); ok {
		return setupModelMsg{c.Option}
	}
	return r
}

// The messages of the setup: it is offered, what there is was found, a service was chosen,
// something was typed, the service has answered, a model was chosen, and it is kept.
type (
	setupOfferMsg struct{}
	setupFoundMsg struct {
		of     *setupWindow
		groups []app.ModelGroup
	}
	setupChoiceMsg struct {
		group   *app.ModelGroup // one that was found
		service app.Service
		over    bool // another key that is there
	}
	setupOthersMsg struct{}
	setupTypedMsg  struct {
		in      *setup.Input
		service app.Service
		key     string
	}
	setupTriedMsg struct {
		of      *setup.Input
		service app.Service
		key     string
		group   app.ModelGroup
		err     error
	}
	setupModelMsg struct{ to models.Option }
	setupKeptMsg  struct {
		of  overlay.Box
		err error
	}
	setupTrustMsg struct{ yes bool }
)

// offerSetup opens the setup where the demonstration answers, in place of the service of the
// settings or because nothing was kept before.
func (m *Model) offerSetup() tea.Cmd {
	if !m.o.Setup || !app.IsDemo(m.state.Model) {
		return nil
	}
	a, ctx := m.app, m.ctx
	return m.do(func() tea.Msg {
		if _, err := a.Latest(ctx); errors.Is(err, app.ErrNone) || a.StandsIn() {
			return setupOfferMsg{}
		}
		return nil
	})
}

func (setupOfferMsg) handle(m *Model) tea.Cmd {
	if m.box != nil || !m.composer.Empty() || m.busy() {
		return nil // the user was faster, and the welcome names the command
	}
	return m.openSetup()
}

// setupHints are the keys of a window of the setup.
func (m *Model) setupHints(verb string) []status.Hint {
	return append(m.hint(keys.Accept, keys.InOverlay, verb), m.hints(keys.InSetup, keys.Skip)...)
}

// step titles a window of the setup.
func (m *Model) step(n int, what string) string {
	steps := 4
	if m.setup.trust {
		steps++
	}
	return fmt.Sprintf("Setup %d of %d: %s", n, steps, what)
}

// openSetup asks what is to answer, and looks for what could.
func (m *Model) openSetup() tea.Cmd {
	m.setup = settingUp{trust: m.trustUnknown(), services: m.app.Services()}
	byID := map[string]setupChoiceMsg{}
	w := &setupWindow{}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: m.step(1, "which model should answer?"), Hints: m.setupHints("choose"),
		Chosen: func(it overlay.Item) overlay.Request {
			switch it.ID {
			case setupLater:
				return setup.Left{}
			case setupOthers:
				return setupOthersMsg{}
			}
			return byID[it.ID]
		},
	})
	m.show(w)
	w.gen = w.Load()
	a, ctx, services := m.app, m.ctx, m.setup.services
	return tea.Batch(m.do(func() tea.Msg {
		msg := setupFoundMsg{of: w}
		_ = a.AskModels(ctx, func(g app.ModelGroup) { // what cannot be asked is not found
			if !g.Asking && !app.IsDemo(event.Model{Provider: g.Provider}) {
				msg.groups = append(msg.groups, g)
			}
		})
		for i, g := range msg.groups {
			c := setupChoiceMsg{group: &msg.groups[i]}
			if g.Problem != "" && (g.Key != "" || g.At < 0) {
				if at := slices.IndexFunc(services, func(s app.Service) bool { return s.ID == g.Provider }); at >= 0 {
					c = setupChoiceMsg{service: services[at], over: g.Key != ""}
				}
			}
			byID["found "+g.Provider+" "+g.Host] = c
		}
		return msg
	}), m.animate())
}

// handle lists what was found, and folds what needs a key that is yet to be typed.
func (msg setupFoundMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	if m.box != msg.of {
		return nil
	}
	m.dirty = true
	const local, keyed, set = "Found on this machine", "With a key that is there", "Named in the settings"
	var servers, items []overlay.Item
	for _, g := range msg.groups {
		it := overlay.Item{ID: "found " + g.Provider + " " + g.Host, Label: g.Label, Detail: g.Host, Right: format.Count(len(g.Models), "model", "models"), Group: local}
		if g.Key != "" {
			it.Detail, it.Group = g.Key, keyed
		}
		service := slices.IndexFunc(m.setup.services, func(s app.Service) bool { return s.ID == g.Provider })
		if g.At < 0 {
			it.Group = set
		}
		switch {
		case g.At < 0 && service >= 0:
			it.Label, it.Detail, it.Right = m.setup.services[service].Name, g.Problem, ""
		case g.Problem != "" && service >= 0 && g.Key != "":
			it.Detail, it.Right = "another key: "+g.Problem, "" // for that of the environment does not work
		case len(g.Models) == 0 || g.Problem != "":
			it.Disabled, it.Right = g.Problem, ""
		}
		if g.Key == "" {
			servers = append(servers, it)
		} else {
			items = append(items, it)
		}
	}
	items = append(servers, items...)
	group := "Something else"
	if len(items) == 0 {
		group = "No model server answers on this machine, and no key is in the environment"
	}
	var names []string
	for _, s := range m.setup.services {
		names = append(names, s.Name)
	}
	items = append(items,
		overlay.Item{ID: setupOthers, Label: "Use an API key", Detail: "a service whose key you type: " + strings.Join(names, ", "), Right: strconv.Itoa(len(names)) + " ▸", Group: group},
		overlay.Item{ID: setupAddress, Label: "Custom server", Detail: "at an address that you type", Group: group},
		overlay.Item{ID: setupLater, Label: "Skip (offline demo)", Detail: "/setup comes back here", Group: group})
	msg.of.SetItems(msg.of.gen, items)
	return nil
}

// handle lists the services that open with a key.
func (setupOthersMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	services := m.setup.services
	w := &setupWindow{}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: m.step(1, "which service?"), Hints: m.setupHints("choose"),
		Chosen: func(it overlay.Item) overlay.Request {
			i := slices.IndexFunc(services, func(s app.Service) bool { return s.ID == it.ID })
			return setupChoiceMsg{service: services[i]}
		},
	})
	var items []overlay.Item
	for _, s := range services {
		items = append(items, overlay.Item{ID: s.ID, Label: s.Name, Detail: "keys: " + strings.TrimPrefix(s.KeyPage, "https://")})
	}
	w.SetItems(w.Load(), items)
	m.showOver(w)
	return nil
}

// handle goes on with what was found, or asks for a key or an address.
func (msg setupChoiceMsg) handle(m *Model) tea.Cmd {
	if g := msg.group; g != nil {
		m.setup.service, m.setup.key, m.setup.group = app.Service{ID: g.Provider, Name: g.Label}, "", *g
		return m.setupModel()
	}
	if s := msg.service; s.ID != "" {
		lines := []string{"Keys are made at " + s.KeyPage + ".", "It is checked with a call to " + s.Name + " and kept in auth.json, which only you can read. In the environment, " + s.Variable + " does the same."}
		if msg.over {
			lines = append([]string{"With the key that is there no models could be listed. The one you type takes its place."}, lines...)
		}
		m.setupKey(s, lines...)
		return nil
	}
	var in *setup.Input
	in = setup.New(m.styles, setup.Options{
		Title: m.step(2, "address of the server"), Could: "http://127.0.0.1:8080/v1", Hints: m.setupHints("check it"),
		Lines: []string{"The address under which the server has /models and /chat/completions; with most it ends in /v1."},
		Typed: func(text string) overlay.Request { return setupTypedMsg{in, app.AddressService(text), ""} },
	})
	m.showOver(in)
	return nil
}

// setupKey asks for the key of a service.
func (m *Model) setupKey(s app.Service, lines ...string) {
	var in *setup.Input
	in = setup.New(m.styles, setup.Options{
		Title: m.step(2, "key for "+s.Name), Masked: true, Could: "paste the key; it is not shown", Lines: lines, Hints: m.setupHints("check it"),
		Typed: func(text string) overlay.Request { return setupTypedMsg{in, s, text} },
	})
	m.showOver(in)
}

// handle checks what was typed.
func (msg setupTypedMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	in := msg.in
	if s := &msg.service; s.Address != "" {
		if !strings.Contains(s.Address, "://") {
			s.Address = "http://" + s.Address
		}
		u, err := url.Parse(s.Address)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			in.Fail("That is no address of a server: it begins with http:// or https://, like http://127.0.0.1:8080/v1.")
			return nil
		}
		s.Name = u.Host
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.setup.cancel = cancel
	in.Wait("Asking " + msg.service.Name + " …")
	a := m.app
	return m.do(func() tea.Msg {
		defer cancel()
		g, err := a.TryService(ctx, msg.service, msg.key)
		return setupTriedMsg{in, msg.service, msg.key, g, err}
	})
}

// handle takes what a service has said, if it is still waited for.
func (msg setupTriedMsg) handle(m *Model) tea.Cmd {
	if m.box != msg.of || !msg.of.Waiting() {
		return nil
	}
	m.dirty = true
	switch s := msg.service; {
	case app.WantsKey(msg.err) && s.Address != "" && msg.key == "":
		msg.of.Fail("")
		m.setupKey(s, "The server at "+s.Address+" wants a key. It is kept in auth.json, which only you can read.")
		return nil
	case msg.err != nil:
		why := sentence(msg.err)
		if strings.HasPrefix(why, "Http") {
			why = "h" + why[1:] // an address
		}
		msg.of.Fail(why)
		if app.Unchecked(msg.err) && msg.key != "" {
			ask := overlay.NewConfirm(m.styles, "Keep the key unchecked?", []overlay.Line{{Text: why, Warn: true}, {Text: "It is tried when you send."}},
				m.questionHints("keep it unchecked", "type it again"))
			msg.err = nil
			ask.Yes = setupUncheckedMsg{msg}
			m.showOver(ask)
		}
		return nil
	}
	return m.setupChosen(msg)
}

// setupUncheckedMsg asks to keep a key that could not be checked.
type setupUncheckedMsg struct{ of setupTriedMsg }

func (msg setupUncheckedMsg) handle(m *Model) tea.Cmd {
	return tea.Batch(m.closeBox(), m.setupChosen(msg.of))
}

// setupChosen goes on with the models of a service.
func (m *Model) setupChosen(msg setupTriedMsg) tea.Cmd {
	msg.of.Fail("")
	m.setup.service, m.setup.key, m.setup.group = msg.service, msg.key, msg.group
	return m.setupModel()
}

// setupModel asks for a model of the service.
func (m *Model) setupModel() tea.Cmd {
	g := m.setup.group
	list := &models.List{}
	list.Put(g)
	w := &setupModels{models.NewPicker(m.styles, list, m.setupHints("select"))}
	w.SetTitle(m.step(3, "which model of "+g.Label+"?"))
	w.Mark(app.Choice{Provider: g.Provider, Host: g.Host, Name: g.Usual})
	m.showOver(w)
	return m.animate()
}

// handle keeps the key and the model and has the model answer, also in the session on the
// screen.
func (msg setupModelMsg) handle(m *Model) tea.Cmd {
	a, ctx, id, s, key, of := m.app, m.ctx, m.conv.ID(), m.setup.service, m.setup.key, m.box
	return tea.Batch(m.say("Keeping "+msg.to.Choice.Name+" …"), m.do(func() tea.Msg {
		err := a.Keep(ctx, s, key, msg.to.Choice.Name)
		if err == nil {
			err = a.Pick(ctx, id, msg.to.Choice, msg.to.Info)
		}
		return setupKeptMsg{of, err}
	}))
}

func (msg setupKeptMsg) handle(m *Model) tea.Cmd {
	m.setup.key = ""
	if msg.err != nil {
		return m.complain(msg.err)
	}
	said := m.say("The model is set. /setup changes it.")
	if m.box != msg.of {
		return said
	}
	w := &themesWindow{next: m.setupTrust}
	w.picker(m, m.setupHints("use"))
	w.SetTitle(m.step(4, "the theme"))
	m.showOver(w)
	return tea.Batch(said, m.listThemes(w))
}

// trustUnknown reports whether no one knows or asks yet if the folder is trusted.
func (m *Model) trustUnknown() bool {
	return !m.state.Work.Trusted && !slices.ContainsFunc(m.state.Requests, func(r event.Request) bool { return r.Kind == event.RequestTrust })
}

// setupTrust asks whether the folder is trusted, unless that is known or asked already.
func (m *Model) setupTrust() tea.Cmd {
	if !m.setup.trust || !m.trustUnknown() {
		return m.leaveSetup()
	}
	w := &setupWindow{}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: m.step(5, "do you trust this folder?"), Hints: m.setupHints("choose"),
		Chosen: func(it overlay.Item) overlay.Request { return setupTrustMsg{it.ID == "yes"} },
	})
	where := status.ShortDir(m.state.Work.Root, m.o.Home)
	w.SetItems(w.Load(), []overlay.Item{
		{ID: "no", Label: "Not now", Detail: "instruction files and git hooks of " + where + " are left out"},
		{ID: "yes", Label: "Trust it", Detail: "the agent follows them"},
	})
	m.showOver(w)
	return nil
}

func (msg setupTrustMsg) handle(m *Model) tea.Cmd {
	left := m.leaveSetup()
	if msg.yes {
		return tea.Batch(left, m.commandTrust("yes"))
	}
	return left
}

// leaveSetup closes all windows of the setup.
func (m *Model) leaveSetup() tea.Cmd {
	if m.setup.cancel != nil {
		m.setup.cancel()
	}
	m.setup = settingUp{}
	m.show(nil)
	if app.IsDemo(m.state.Model) {
		return m.say("The offline demo answers; /setup gets a real model.")
	}
	return m.say("Set up: " + m.state.Model.Name + " answers. Type what you want done.")
}
