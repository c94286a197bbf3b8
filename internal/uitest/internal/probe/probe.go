package probe

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// variable names the program to be.
const variable = "UITEST_PROBE"

// Env is the variable that makes a test binary run as a program.
func Env(name string) string { return variable + "=" + name }

// Main runs the program that the environment names, and ends the process with
// it. Without one it returns.
func Main() {
	switch name := os.Getenv(variable); name {
	case "":
	case "app":
		os.Exit(app())
	case "raw":
		os.Exit(raw(os.Args[1:]))
	default:
		fmt.Fprintf(os.Stderr, "there is no program %q\n", name)
		os.Exit(2)
	}
}

// raw does what its arguments say, one after the other:
//
//	read      reads a line and shows it
//	stty      puts the terminal into raw mode, for good
//	hang      waits until its input ends
//	stall     waits for ever without reading
//	complain  writes to standard error
//	env       shows the environment
//	exit N    ends with a code
//
// and writes everything else to the terminal.
func raw(args []string) int {
	in := bufio.NewReader(os.Stdin)
	for i, arg := range args {
		var err error
		switch arg {
		case "read":
			var line string
			line, err = in.ReadString('\n')
			fmt.Printf("got %q\n", line)
		case "stty":
			cmd := exec.Command("stty", "raw", "-echo")
			cmd.Stdin = os.Stdin
			err = cmd.Run()
		case "hang":
			_, err = io.Copy(io.Discard, in)
		case "stall":
			<-time.After(time.Hour)
		case "complain":
			fmt.Fprintln(os.Stderr, "something to complain about")
		case "env":
			for _, e := range os.Environ() {
				fmt.Println(e)
			}
		case "exit":
			code := 0
			_, err = fmt.Sscan(args[i+1], &code)
			if err == nil {
				return code
			}
		default:
			fmt.Print(arg)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}
