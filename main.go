// Command hermes-tui is a terminal agent: the user types what they want, and a
// model with tools does it in front of them.
package main

import (
	"os"

	"hermes-tui/ui/cli"
)

func main() { os.Exit(cli.Main()) }
