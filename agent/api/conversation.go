package api

// Conversation is all that a front end can ask of one conversation. It is safe for concurrent
// use; Next has one caller at a time. A front end that needs less takes the topics it needs.
type Conversation interface {
	Core
	Control
	Queue
	Attach
	Commands
	Record
	Context
	Instructions
	Changes
	Permissions
	Review
	Skills
	Servers
	Jobs
	Hooks
	Usage
	Files
}
