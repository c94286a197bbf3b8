package app

import (
	"hermes-tui/agent"
	"hermes-tui/agent/api"
)

//nolint:revive // documented in package api; these are the names that the screen knows them by
type (
	ArchivedSkill    = api.ArchivedSkill
	Change           = api.Change
	CompressPlan     = api.CompressPlan
	DayUse           = api.DayUse
	Decided          = api.Decided
	Edits            = api.Edits
	HeldInstructions = api.HeldInstructions
	Hit              = api.Hit
	Layer            = api.Layer
	Layers           = api.Layers
	MCPPrompt        = api.MCPPrompt
	MCPServer        = api.MCPServer
	MCPTool          = api.MCPTool
	Match            = api.Match
	Permission       = api.Permission
	PermissionKind   = api.PermissionKind
	Piece            = api.Piece
	Prompt           = api.Prompt
	PruneOptions     = api.PruneOptions
	RewindOptions    = api.RewindOptions
	RewindPlan       = api.RewindPlan
	Rewound          = api.Rewound
	RewoundFile      = api.RewoundFile
	Said             = api.Said
	Scope            = api.Scope
	SessionInfo      = api.SessionInfo
	SideUse          = api.SideUse
	Skill            = api.Skill
	SkillChange      = api.SkillChange
	SkillProblem     = api.SkillProblem
	ToolOffer        = api.ToolOffer
	TurnUse          = api.TurnUse
	Walk             = api.Walk
	// Stopped is the cause of what was cancelled on purpose.
	Stopped = agent.Stopped
)

// The constants of these.
const (
	Self              = api.Self
	Subtree           = api.Subtree
	PermissionSession = api.PermissionSession
	PermissionAlways  = api.PermissionAlways
	PermissionFolder  = api.PermissionFolder
	PermissionRule    = api.PermissionRule
	PermissionProject = api.PermissionProject
)

// The errors of these.
var (
	ErrStale         = api.ErrStale
	ErrNothingToUndo = api.ErrNothingToUndo
)
