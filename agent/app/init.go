package app

import (
	"context"
	"strings"

	"hermes-tui/agent/event"
)

// InstructionFile is the file of a project that says how agents work in it.
const InstructionFile = "AGENTS.md"

// describe asks an agent for that file.
const describe = `Look at this repository and write ` + InstructionFile + ` at its root: what an agent that comes here for the first time has to know and would not see at once.

Find out first: read the README, the files that say how the project is built, tested and checked (manifests, makefiles, workflows of continuous integration), instruction files of other tools, and enough of the code to see how it is laid out. Run a command only where its result is needed.

Then write, in this order, what you have found and nothing that you have guessed:
1. what the project is, in one or two sentences;
2. the commands that build it, run it, check it and test it, among them the one for a single test;
3. which folder holds what, and how a request travels through them;
4. rules of style and of commits that hold here and that tools do not enforce;
5. what is easily done wrong.

Keep it below 80 lines. Leave out what holds for any project, and lists of files that can be seen. Say at the end what you could not find out.`

// again is what is added where there is such a file.
const again = "\n\nThere is an " + InstructionFile + " already: read it first, keep what is still right, and change the rest in place."

// Describes reports whether the folder of a conversation has an [InstructionFile].
func Describes(ctx context.Context, c Conversation) bool {
	_, err := c.Peek(ctx, InstructionFile, 1)
	return err == nil
}

// Describe has the agent of a conversation look at the project and write an
// [InstructionFile], or change the one there is; about is what the user adds.
func Describe(c Conversation, exists bool, about string) (event.InputID, error) {
	text := describe
	if exists {
		text += again
	}
	if about = strings.TrimSpace(about); about != "" {
		text += "\n\n" + about
	}
	return c.SubmitPasted(text, text)
}
