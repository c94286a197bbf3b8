package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
)

// Borrowed is a credential of Anthropic that is kept elsewhere. Printing it shows no
// secret.
type Borrowed struct {
	Tokens
	// Source says where it is from, as pools of credentials name it: "env:NAME" or
	// "claude_code".
	Source string
	// APIKey: it is no login and is sent as a key.
	APIKey bool
	// Passed says why a login of Claude Code that is there was not taken, nil if there
	// is none or it was.
	Passed error
}

// String shows no secret.
func (b Borrowed) String() string { return "credential from " + b.Source }

// GoString is [Borrowed.String].
func (b Borrowed) GoString() string { return b.String() }

// SourceClaude is the source of a login that Claude Code keeps.
const SourceClaude = "claude_code"

// The variables that hold credentials of Anthropic. Those before the store of Claude
// Code win over it.
const (
	envToken  = "ANTHROPIC_TOKEN"
	envClaude = "CLAUDE_CODE_OAUTH_TOKEN"
	envKey    = "ANTHROPIC_API_KEY"
	envDir    = "CLAUDE_CONFIG_DIR"
)

// Claude finds a credential of Anthropic: ANTHROPIC_TOKEN, CLAUDE_CODE_OAUTH_TOKEN,
// what Claude Code keeps in .credentials.json below CLAUDE_CONFIG_DIR or ~/.claude,
// ANTHROPIC_API_KEY. The file is read with every call, so that a login that was renewed
// is found, and is never written. home is the user's home directory, "" if it is not
// known. The error is a [*Error].
func Claude(env func(name string) string, home string, now time.Time) (Borrowed, error) {
	get := func(name string) string { return strings.TrimSpace(env(name)) }
	for _, name := range []string{envToken, envClaude} {
		if v := get(name); v != "" {
			return fromEnv(name, v)
		}
	}
	b, err := claudeStore(storePath(get(envDir), home), now)
	if err == nil {
		return b, nil
	}
	key := get(envKey)
	if key == "" {
		return Borrowed{}, err
	}
	b, bad := fromEnv(envKey, key)
	if own, ok := errors.AsType[*Error](err); ok && own.Problem != ProblemNone {
		b.Passed = err
	}
	return b, bad
}

func fromEnv(name, value string) (Borrowed, error) {
	if !plain(value) {
		return Borrowed{}, &Error{Problem: ProblemSetting, Message: name + " holds blanks, line breaks or letters that no key has: set it again"}
	}
	return Borrowed{
		Tokens: NewTokens(value, "", "", time.Time{}), Source: "env:" + name, APIKey: name == envKey || strings.HasPrefix(value, "sk-ant-api"),
	}, nil
}

// storePath is where Claude Code keeps its login, "" if no one knows.
func storePath(dir, home string) string {
	switch {
	case dir != "":
		return filepath.Join(dir, ".credentials.json")
	case home != "":
		return filepath.Join(home, ".claude", ".credentials.json")
	}
	return ""
}

// longestStore bounds the file of Claude Code, in bytes.
const longestStore = 1 << 20

// claudeStore reads the login of Claude Code.
func claudeStore(path string, now time.Time) (Borrowed, error) {
	const instead = "run claude to log in, or set CLAUDE_CODE_OAUTH_TOKEN (claude setup-token makes one) or ANTHROPIC_API_KEY"
	none := &Error{Problem: ProblemNone, Message: "there is no login of Claude Code here: " + instead}
	if path == "" {
		return Borrowed{}, none
	}
	data, _, err := atomicfile.Read(path, longestStore)
	if errors.Is(err, fs.ErrNotExist) {
		return Borrowed{}, none
	}
	damaged := func(why string) error {
		return &Error{Problem: ProblemIssuer, Message: fmt.Sprintf("the login of Claude Code in %s cannot be used (%s): %s", path, why, instead)}
	}
	if err != nil {
		return Borrowed{}, damaged(reason(err))
	}
	var file struct {
		Login *struct {
			Access  string `json:"accessToken"`
			Expires number `json:"expiresAt"` // milliseconds
		} `json:"claudeAiOauth"`
	}
	switch err := json.Unmarshal(data, &file); {
	case err != nil:
		return Borrowed{}, damaged("it is not in the form that is known")
	case file.Login == nil || file.Login.Access == "":
		return Borrowed{}, none
	case !plain(file.Login.Access):
		return Borrowed{}, damaged("its token cannot be one")
	}
	expires := time.Time{}
	if ms := float64(file.Login.Expires); ms > 0 && ms < float64(farFuture.Milliseconds()) {
		expires = time.UnixMilli(int64(ms)).In(now.Location())
	}
	b := Borrowed{Tokens: NewTokens(file.Login.Access, "", "", expires), Source: SourceClaude}
	if b.ended(now) {
		return Borrowed{}, &Error{Problem: ProblemExpired, Message: fmt.Sprintf(
			"the login of Claude Code expired on %s: run claude once, which renews it, or set ANTHROPIC_API_KEY", b.Expires.Format("2 Jan at 15:04"))}
	}
	return b, nil
}

// reason is the part of an error of the file system that tells a user something.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// ClaudeKeeper gives the login that [Claude] finds, for a [Source]. It is never
// renewed here.
type ClaudeKeeper struct {
	Env  func(name string) string
	Home string
	// Clock is time.Now when nil.
	Clock func() time.Time
}

var _ Keeper = ClaudeKeeper{}

// Current implements [Keeper].
func (k ClaudeKeeper) Current(context.Context) (Tokens, error) {
	now := time.Now
	if k.Clock != nil {
		now = k.Clock
	}
	b, err := Claude(k.Env, k.Home, now())
	if err == nil && b.APIKey {
		if b.Passed != nil {
			return Tokens{}, b.Passed
		}
		return Tokens{}, &Error{Problem: ProblemNone, Message: "there is no login of Claude Code here, only an API key"}
	}
	return b.Tokens, err
}

// Renew implements [Keeper].
func (k ClaudeKeeper) Renew(ctx context.Context, _ Tokens) (Tokens, error) { return k.Current(ctx) }
