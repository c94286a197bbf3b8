// Package plugins keeps plugins in the form Agent Plugins 1.0: folders with a plugin.json,
// skills, and MCP servers in an mcp.json. Besides these, a folder hermes-tui of a plugin may
// hold hooks.json and tools.json.
//
// A plugin comes in through a quarantine: it is unpacked beside the others, read whole, and
// only then moved to its place. What it holds counts once it is enabled, which is bound to
// its content; who enables it is not this package's business.
package plugins
