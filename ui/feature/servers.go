package feature

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
)

var serverGroups = []group{
	{"held", "Not started until you allow them"},
	{"ready", "Ready"},
	{"connecting", "Starting"},
	{"needs login", "Want a login"},
	{"rests", "Resting until they are called"},
	{"parked", "Not reached"},
	{"failed", "Cannot be used as they are written"},
	{"off", "Switched off"},
}

func servers() Feature {
	return Feature{
		Name: "mcp", Keys: keys.InServers, Title: "MCP servers", One: "server", Many: "servers", Named: "name",
		Short: "Use the tools of other programs",
		Empty: "There are no servers: mcp_servers in config.yaml names programs whose tools the agent can use. " +
			"hermes-tui mcp add NAME adds one.",
		Footer: "hermes-tui mcp add NAME adds others.",
		Load: func(_ context.Context, h Host, _ string) (List, error) {
			l := List{Changed: h.Servers.MCPNews()}
			list, problems := h.Project.MCPServers()
			for _, s := range list {
				l.Entries = append(l.Entries, serverEntry(s))
			}
			l.Entries, l.Problems = grouped(l.Entries, serverGroups), problems
			return l, nil
		},
		Show: "Show all about a server",
		Read: func(_ context.Context, _ Host, e Entry) (string, error) { return serverText(serverOf(e)), nil },
		Actions: []Action{
			{Verb: "allow", Key: keys.Allow, Help: "Allow a server, or its new and changed tools, as they are now", Not: nothingHeld, Ask: askStart, Do: allowServer},
			{Verb: "off", Key: keys.Disable, Help: "Switch a server off until you end the program", Not: notHere(true), Do: switchServer(true)},
			{Verb: "on", Key: keys.Disable, Help: "Switch a server on again", Not: notHere(false), Do: switchServer(false)},
			{Verb: "login", Key: keys.Login, Help: "Log in at a server", Slow: true, Alone: true, Do: loginServer},
			{Verb: "try", Key: keys.Try, Help: "Try to connect to a server", Slow: true, Do: tryServer},
			{Verb: "log", Key: keys.Logged, Help: "Read the log of a server", Do: readServerLog},
			{Verb: "off-here", Key: keys.Project, Help: "Switch a server off in this project", Not: notProject(true), Do: switchProject(true)},
			{Verb: "on-here", Key: keys.Project, Help: "Switch a server on in this project", Not: notProject(false), Do: switchProject(false)},
			{Verb: "give", Key: keys.Give, Help: "Set your variables for a server, as it asks", Not: notGiven(false), Ask: askGive, Do: giveServer(true)},
			{Verb: "take-back", Key: keys.Give, Help: "Take your variables back from a server", Not: notGiven(true), Do: giveServer(false)},
		},
	}
}

func serverOf(e Entry) api.MCPServer {
	s, _ := e.Value.(api.MCPServer)
	return s
}

func serverEntry(s api.MCPServer) Entry {
	e := Entry{ID: s.Name, Label: s.Name, Detail: s.Runs, State: s.State, Waits: s.State == "held" || len(s.Held) > 0, Value: s}
	if s.Rests {
		e.State = "rests"
	}
	if s.Why != "" && s.State != "held" {
		e.Detail = s.Why
	}
	var right []string
	if n := len(s.Held); n > 0 {
		right = append(right, format.Count(n, "tool waits", "tools wait"))
	}
	if n := len(s.Tools); n > 0 {
		right = append(right, format.Count(n, "tool", "tools"), format.Tokens(int64(s.Tokens()))+" tok")
	}
	if e.Right = strings.Join(right, " · "); s.Next != "" {
		e.More = []string{s.Next}
	}
	return e
}

func nothingHeld(e Entry) string {
	if s := serverOf(e); s.State != "held" && len(s.Held) == 0 {
		return "Nothing of " + s.Name + " waits to be allowed."
	}
	return ""
}

// askStart asks before a server is started. Tools that are held back are allowed at once: the
// user reads about them first.
func askStart(e Entry) *Question {
	s := serverOf(e)
	if s.State != "held" {
		return nil
	}
	return &Question{"Start " + s.Name + "?", "start it", consent(s)}
}

func allowServer(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
	s := serverOf(e)
	text := "Allowed as it is now: " + s.Name + ". When it changes you are asked again."
	if s.State != "held" {
		text = "Allowed as they are now: " + format.Count(len(s.Held), "tool", "tools") + " of " + s.Name + "."
	}
	return said(text, h.Servers.AllowMCP(ctx, s))
}

func notHere(off bool) func(Entry) string {
	return func(e Entry) string {
		switch s := serverOf(e); {
		case s.OffHere:
			return s.Name + " is switched off in this project: switch it on there first."
		case off == (s.State == "off"):
			return s.Name + " is switched " + onOff(off) + " already."
		}
		return ""
	}
}

func onOff(off bool) string {
	if off {
		return "off"
	}
	return "on"
}

func switchServer(off bool) func(context.Context, Host, Entry, string) (Outcome, error) {
	return func(_ context.Context, h Host, e Entry, _ string) (Outcome, error) {
		text := "Switched on: " + e.ID + "."
		if off {
			text = "Switched off until you end the program: " + e.ID + "."
		}
		return said(text, h.Servers.SwitchMCP(e.ID, off))
	}
}

func notProject(off bool) func(Entry) string {
	return func(e Entry) string {
		switch s := serverOf(e); {
		case s.State == "held":
			return "Not started: " + s.Name + " waits until you allow it."
		case s.State == "off" && !s.OffHere:
			return s.Why
		case off == s.OffHere:
			return s.Name + " is switched " + onOff(off) + " in this project already."
		}
		return ""
	}
}

func switchProject(off bool) func(context.Context, Host, Entry, string) (Outcome, error) {
	return func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
		text := "Switched on in this project: " + e.ID + "."
		if off {
			text = "Switched off in this project, for all sessions there: " + e.ID + "."
		}
		return said(text, h.Project.SwitchMCP(ctx, e.ID, off))
	}
}

func tryServer(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
	s, err := h.Servers.TryMCP(ctx, e.ID)
	return said(strings.TrimSpace(s.Name+" is "+s.State+". "+s.Why), err)
}

func readServerLog(_ context.Context, h Host, e Entry, _ string) (Outcome, error) {
	text, err := h.Servers.MCPLog(serverOf(e))
	if err == nil && text == "" {
		return Outcome{Said: e.ID + " has written nothing into its log."}, nil
	}
	return Outcome{Title: "Log of " + e.ID, Text: text, End: true}, err
}

// wanted are the names of the variables that a server asks for; given reports whether it gets
// one.
func wanted(s api.MCPServer) (names []string, given bool) {
	for _, v := range s.Wants {
		names, given = append(names, v.Name), given || v.Given
	}
	return names, given
}

func notGiven(want bool) func(Entry) string {
	return func(e Entry) string {
		switch names, given := wanted(serverOf(e)); {
		case len(names) == 0:
			return e.ID + " asks for no variables of yours."
		case given != want:
			return map[bool]string{true: e.ID + " has your variables already.", false: e.ID + " has no variables of yours."}[given]
		}
		return ""
	}
}

func askGive(e Entry) *Question {
	s := serverOf(e)
	names, _ := wanted(s)
	first := Line{"It gets the values of " + strings.Join(names, ", ") + ".", true}
	return &Question{"Give " + s.Name + " your variables?", "give them", append([]Line{first}, consent(s)...)}
}

func giveServer(yes bool) func(context.Context, Host, Entry, string) (Outcome, error) {
	return func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
		names, _ := wanted(serverOf(e))
		text := "Given to " + e.ID + ": " + strings.Join(names, ", ") + "."
		if !yes {
			names, text = nil, "Taken back: "+e.ID+" gets no variables of yours."
		}
		return said(text, h.Servers.GiveMCP(ctx, serverOf(e), names))
	}
}

// loginServer logs in at a server. Where the user has to do something for that, the outcome
// says so, and waits for it.
func loginServer(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
	type result struct {
		Outcome
		err error
	}
	shown, done := make(chan Outcome, 1), make(chan result, 1)
	show := func(opened bool, address, text string) {
		o := Outcome{Title: "Log in at " + e.ID, Copy: address, Text: text, Said: "Waiting for you to log in at " + e.ID + "…"}
		if opened {
			o.Said = "The page was opened in your browser. " + o.Said
		}
		o.Wait = func() (Outcome, error) { r := <-done; return r.Outcome, r.err }
		shown <- o
	}
	go func() {
		s, err := h.Servers.LoginMCP(ctx, e.ID, api.LoginWay{
			Browser: func(address string) {
				text := "Open this address in a browser on this machine, and log in there:\n\n" + address + "\n\nThe program goes on by itself when you have.\n"
				show(h.OpenPage != nil && h.OpenPage(address), address, text)
			},
			Code: func(c api.LoginCode) {
				show(false, c.Page, "Open this page on any device, and enter the code there until "+c.Expires.Format("15:04")+":\n\n"+c.Page+"\n\ncode: "+c.Code+
					"\n\nEnter it only if you began this login yourself. The program goes on by itself when you have.\n")
			},
		})
		o := Outcome{Said: strings.TrimSpace("Logged in: " + s.Name + " is " + s.State + ". " + s.Why)}
		if errors.Is(err, context.Canceled) {
			o, err = Outcome{Said: "The login was not finished, and nothing has changed."}, nil
		}
		done <- result{o, err}
	}()
	select {
	case o := <-shown:
		return o, nil
	case r := <-done:
		return r.Outcome, r.err
	}
}

// consent says what is started and what it gets.
func consent(s api.MCPServer) []Line {
	lines := []Line{{Text: "It runs: " + s.Runs}}
	if s.In == "" {
		lines[0].Text = "It is at " + s.Runs
	}
	for _, text := range serverGets(s) {
		lines = append(lines, Line{Text: text})
	}
	lines = append(lines, Line{Text: "Named in " + s.Origin + "."})
	if s.In != "" {
		lines = append(lines, Line{"It runs with your rights: nothing confines it.", true})
	}
	return lines
}

// serverGets says what a server gets, and what it does not.
func serverGets(s api.MCPServer) (lines []string) {
	if s.In != "" {
		lines = append(lines, "In the folder "+s.In)
	}
	for _, g := range s.Gets {
		lines = append(lines, "With "+g)
	}
	if len(s.Files) > 0 {
		lines = append(lines, "Bound to "+strings.Join(s.Files, ", ")+"; other files that these start or load are not bound")
	}
	for _, v := range s.Wants {
		state := "is not given to it"
		switch {
		case v.Given && v.Set:
			state = "is given to it"
		case !v.Set:
			state = "has no value"
		}
		lines = append(lines, "Your variable "+v.Name+" "+state)
	}
	return lines
}

// serverText is all about a server.
func serverText(s api.MCPServer) string {
	lines := append([]string{s.Runs}, serverGets(s)...)
	add := func(yes bool, text ...string) {
		if yes {
			lines = append(lines, text...)
		}
	}
	add(true, "", "Named in "+s.Origin+". It is "+s.State+".")
	add(s.Why != "", s.Why)
	add(s.Next != "", s.Next)
	add(s.Junk != "", s.Junk)
	add(s.Trusted, "Its tools are called without asking (trust: full).")
	add(true, "Its log: "+s.Log)
	add(s.Says != "", "", "It says about itself:", s.Says)
	for _, h := range s.Held {
		add(true, "", "Held back: "+h.Name)
		add(len(h.Findings) > 0, "It reads like an attempt to take over the agent: "+strings.Join(h.Findings, ", ")+".")
		add(true, h.Diff)
	}
	about := format.Count(len(s.Tools), "tool", "tools") + ", about " + format.Tokens(int64(s.Tokens())) + " tokens in every request:"
	add(len(s.Tools) > 0, "", about)
	for _, t := range s.Tools {
		kind := map[bool]string{true: " · only reads, it says"}[t.Reads]
		add(true, "", fmt.Sprintf("%s  %s%s", t.Name, format.Tokens(int64(t.Tokens)), kind), t.Description)
	}
	for _, l := range s.Left {
		add(true, "", "Cannot be used: "+l)
	}
	return strings.Join(lines, "\n") + "\n"
}
