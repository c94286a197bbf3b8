// Package skills holds the skills that are part of the program: a folder for each, in
// the form of the open specification of skills.
package skills

import "embed"

//go:embed */SKILL.md */scripts
var files embed.FS

// Files are the folders of the skills. They are read only and safe for concurrent use.
func Files() embed.FS { return files }
