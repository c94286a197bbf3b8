package app

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"hermes-tui/store/config"
)

// Setting is a setting of config.yaml with its value, for a user to read and change.
type Setting struct{ config.Setting }

// Editable reports whether one text can be its value; others are changed in the file.
func (s Setting) Editable() bool {
	_, err := config.Value(s.Name, "")
	return err == nil
}

// Switch reports whether it is on or off.
func (s Setting) Switch() bool { return s.Type == "on or off" }

// Whole reports whether nothing of the value is masked.
func (s Setting) Whole() bool {
	return !s.Secret && !strings.Contains(s.Value, "xxxxx@") && !strings.Contains(s.Value, "***@")
}

// Kind says what it may hold.
func (s Setting) Kind() string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch {
	case len(s.Allowed) > 0:
		return "one of " + strings.Join(s.Allowed, ", ")
	case s.Min != s.Max:
		return fmt.Sprintf("%s from %s to %s", s.Type, number(s.Min), number(s.Max))
	case s.Type == "list of texts":
		return "list of texts, with commas between them"
	}
	return s.Type
}

// When says when a change takes effect.
func (s Setting) When() string {
	switch s.Class {
	case config.Live:
		return "at once"
	case config.Turn:
		return "from the next turn on"
	case config.Session:
		return "with the next session"
	}
	return "when the program starts again"
}

// Changed says that it was changed, and from when on that counts.
func (s Setting) Changed() string {
	if s.Class == config.Live {
		return s.Name + " is now " + cmp.Or(s.Value, "not set") + "."
	}
	return s.Name + " is " + cmp.Or(s.Value, "not set") + ", " + s.When() + "."
}

// Beside says what counts more than config.yaml for it, empty for nothing.
func (s Setting) Beside() string {
	if strings.HasPrefix(s.Source, "environment") || strings.HasPrefix(s.Source, "flag") {
		return s.Source
	}
	return ""
}

// AllSettings are the settings that hold now.
func (a *App) AllSettings() []Setting {
	list := a.config().Settings()
	all := make([]Setting, len(list))
	for i, s := range list {
		all[i] = Setting{s}
	}
	return all
}

// ChangeSetting writes a setting into config.yaml, as a text or with commas between the
// texts of a list, and lets it take effect. It gives the setting as it is now.
func (a *App) ChangeSetting(ctx context.Context, name, text string) (Setting, error) {
	value, err := config.Value(name, text)
	if err != nil {
		return Setting{}, err
	}
	if err := a.write(ctx, name, value); err != nil {
		return Setting{}, err
	}
	if a.o.Loading.File != "" {
		a.reload()
	}
	list, err := a.config().Under(name)
	if err != nil {
		return Setting{}, err
	}
	return Setting{list[0]}, nil
}
