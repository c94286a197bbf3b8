package api

import (
	"context"
	"time"
)

// Permissions is the topic of what was decided beforehand.
type Permissions interface {
	// Permissions returns what was decided beforehand and still holds, and the newest decisions,
	// the newest first: those of this conversation, then those of others.
	Permissions(ctx context.Context) ([]Permission, []Decided, error)
	// Revoke takes a permission back, or gives it again.
	Revoke(ctx context.Context, p Permission, undo bool) error
}

// PermissionKind says where a permission comes from.
type PermissionKind string

// The kinds of permissions, in the order in which they are listed.
const (
	PermissionSession PermissionKind = "session"  // until this session ends
	PermissionAlways  PermissionKind = "always"   // stored
	PermissionFolder  PermissionKind = "folder"   // a folder that is trusted, or is not
	PermissionRule    PermissionKind = "settings" // a rule, or a host, of the settings
	PermissionProject PermissionKind = "project"  // a rule of a trusted project
)

// Permission is something that was decided beforehand. Rules are changed in the file
// they stand in; the other kinds can be taken back, see [Permissions.Revoke].
type Permission struct {
	Kind PermissionKind
	Text string // as it was shown
	// Example is what it was given for; of a folder, what was decided.
	Example string
	Since   time.Time // zero where it is not known
	Used    time.Time // when it decided last, zero for not yet
	// Void says why it does not count now, empty when it does.
	Void string
	// Seen is what was looked at, for the implementation alone.
	Seen any
}

// Decided is a line of the log of decisions.
type Decided struct {
	At      time.Time
	Subject string // what it was about: a command, a path, the name of a tool
	Outcome string // "allow", "deny", "blocked", "edit"
	By      string // rule, grant, place, mode, person, timeout, policy, judge, or model for mode smart
	Ran     string // confined, outside, plain or not
	Why     string // the rule, the category or the reason that decided; may be empty
	// Session is empty for this one, else the title of the one in which it was decided, or
	// its id.
	Session string
}
