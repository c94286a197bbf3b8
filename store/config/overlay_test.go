package config

import (
	"reflect"
	"slices"
	"testing"
)

func TestLayers(t *testing.T) {
	name := file(t, "model: {default: from-file, provider: p}\ndisplay: {theme: dark}\nagent: {max_turns: 5}\n")
	vars := env("HERMES_MODEL", "from-env", "HERMES_PROVIDER", "", "HERMES_TUI_THEME", "light", "HERMES_TUI_TOOLSETS", " a, b,,", "HERMES_API_TIMEOUT", "60", "HERMES_STREAM_STALE_TIMEOUT", "240.0")
	flags := map[string]string{"model.default": "from-flag", "approvals.mode": "off", "display.mouse": "0", "compression.threshold": " .75 ", "tool_loop_guardrails.warn_after.exact_failure": "9"}
	c, warnings, err := Load(Options{File: name, Env: vars, Flags: flags})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if c.Model.Default != "from-flag" || c.Model.Provider != "p" || c.Display.Theme != "light" || c.Agent.MaxTurns != 5 ||
		!slices.Equal(c.Toolsets, []string{"a", "b"}) || c.Network.RequestTimeout != 60 || c.Approvals.Mode != ApprovalOff || c.Display.Mouse ||
		c.Network.StreamStaleTimeout != 240 || c.Compression.Threshold != 0.75 || c.LoopGuard.WarnAfter.ExactFailure != 9 {
		t.Errorf("%+v", c)
	}
	sources := map[string]string{}
	for _, s := range c.Settings() {
		sources[s.Name] = s.Source
	}
	for key, want := range map[string]string{
		"model.default":    "flag for model.default",
		"model.provider":   name + ":1",
		"display.theme":    "environment variable HERMES_TUI_THEME",
		"agent.max_turns":  name + ":3",
		"probe.timeout_ms": "default",

		"network.stream_stale_timeout_s": "environment variable HERMES_STREAM_STALE_TIMEOUT",
		"compression.threshold":          "flag for compression.threshold",
		"compression.target_ratio":       "default",
	} {
		if sources[key] != want || c.IsSet(key) != (want != "default") {
			t.Errorf("%s comes from %q, want %q", key, sources[key], want)
		}
	}
}

func TestSwitchVariables(t *testing.T) {
	for value, want := range map[string]ApprovalMode{"1": ApprovalOff, "true": ApprovalOff, "Yes": ApprovalOff, "0": ApprovalPlan, "false": ApprovalPlan, "": ApprovalPlan} {
		if c := load1(t, "approvals: {mode: plan}", "HERMES_YOLO_MODE", value); c.Approvals.Mode != want {
			t.Errorf("HERMES_YOLO_MODE=%q gives %q", value, c.Approvals.Mode)
		}
	}
	if c := load1(t, "", "HERMES_TUI_DISABLE_MOUSE", "1"); c.Display.Mouse {
		t.Error("HERMES_TUI_DISABLE_MOUSE has no effect")
	}
}

func TestOverlayErrors(t *testing.T) {
	for _, c := range []struct {
		env   []string
		flags map[string]string
		kind  Kind
		want  string
	}{
		{env: []string{"HERMES_YOLO_MODE", "maybe"}, kind: KindType, want: `environment variable HERMES_YOLO_MODE: must be 1 or 0, not "maybe"`},
		{env: []string{"TERMINAL_ENV", "moon"}, kind: KindEnum, want: `environment variable TERMINAL_ENV: terminal.backend must be local, sandbox, docker, ssh or singularity, not "moon"`},
		{env: []string{"HERMES_TUI_MAX_TURNS", "many"}, kind: KindType, want: `environment variable HERMES_TUI_MAX_TURNS: agent.max_turns must be a whole number, not "many"`},
		{env: []string{"HERMES_API_TIMEOUT", "0"}, kind: KindRange, want: `environment variable HERMES_API_TIMEOUT: network.request_timeout_s must be between 1 and 86400, not "0"`},
		{env: []string{"HERMES_STREAM_STALE_TIMEOUT", "86401"}, kind: KindRange, want: `environment variable HERMES_STREAM_STALE_TIMEOUT: network.stream_stale_timeout_s must be between 1 and 86400, not "86401"`},
		{flags: map[string]string{"compression.threshold": "half"}, kind: KindType, want: `flag for compression.threshold: compression.threshold must be a number like 0.5, not "half"`},
		{flags: map[string]string{"tool_loop_guardrails.hard_stop_after.idempotent_no_progress": "0"}, kind: KindRange, want: `flag for tool_loop_guardrails.hard_stop_after.idempotent_no_progress: tool_loop_guardrails.hard_stop_after.idempotent_no_progress must be between 1 and 1000, not "0"`},
		{flags: map[string]string{"fallback_providers": "a"}, kind: KindUnknown, want: `flag for fallback_providers: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"fallback_providers.model": "a"}, kind: KindUnknown, want: `flag for fallback_providers.model: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"credential_pool_strategies": "random"}, kind: KindUnknown, want: `flag for credential_pool_strategies: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"approvals.mode": "x\x1b"}, kind: KindEnum, want: `flag for approvals.mode: approvals.mode must be guarded, manual, plan, smart or off, not "x\x1b"`},
		{flags: map[string]string{"nonsense": ""}, kind: KindUnknown, want: `flag for nonsense: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"display": ""}, kind: KindUnknown, want: `flag for display: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"providers.x.default": ""}, kind: KindUnknown, want: `flag for providers.x.default: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"model.default_headers": "a"}, kind: KindUnknown, want: `flag for model.default_headers: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"keys": "a"}, kind: KindUnknown, want: `flag for keys: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"keys.send": "a"}, kind: KindUnknown, want: `flag for keys.send: there is no such setting, or it can only be set in the file`},
		{flags: map[string]string{"model.default": "a\nb"}, kind: KindValue, want: `flag for model.default: model.default contains a control character, a line break or bytes that are not UTF-8`},
		{flags: map[string]string{"model.api_key": "\xff"}, kind: KindValue, want: `flag for model.api_key: model.api_key contains a control character, a line break or bytes that are not UTF-8`},
	} {
		got, _, err := Load(Options{Env: env(c.env...), Flags: c.flags})
		e := asError(t, err)
		if e.Kind != c.kind || e.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", e.Kind, e, c.want)
		}
		if !reflect.DeepEqual(got, Config{}) {
			t.Error("a Config beside an error")
		}
	}
}
