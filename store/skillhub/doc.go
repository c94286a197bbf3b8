// Package skillhub installs skills from elsewhere into HERMES_HOME/skills: from a folder,
// an archive, a git repository or a web site that lists its skills.
//
// Guarantees:
//
//   - What is fetched lies in a quarantine (.hub/quarantine) until it was looked through.
//     Nothing of it is run, and nothing outside the quarantine is written before the
//     caller has said which skills it wants.
//   - A skill is moved into its place as a whole. A kill at any moment leaves the old one
//     or the new one, and the next [Hub] puts back what was moved aside.
//   - A skill that the user has changed since is not replaced, nor one that was not
//     installed from elsewhere.
//   - .hub/lock.json has the form that Hermes Agent writes; what it says besides stays.
//   - Programs on one machine take turns.
//
// Limits: [MaxFiles] files and [MaxBytes] of a source, [MaxArchive] of an archive,
// [MaxSkills] skills of a source. A link to what is in a source is a copy of that; other
// links and devices are left out and named. A name that leads out of its folder refuses
// the source.
package skillhub

// The limits of what is fetched.
const (
	MaxFiles   = 5000
	MaxBytes   = 64 << 20
	MaxArchive = 32 << 20
	MaxSkills  = 200
)
