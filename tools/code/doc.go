// Package code is the execute_code tool: it runs Python scripts that a model
// wrote, and lets them call other tools.
//
// # What runs
//
// A script is an action of its own kind and needs a permit of the approval gate.
// What runs is what the permit binds: the interpreter with its content, its
// arguments (a fixed start-up program and the generated module hermes_tools), the
// folder, the environment, and the script itself, which is handed over on the
// standard input exactly as the permit holds it. No file is written for it, so
// none can be changed between consent and start, and other users of the machine
// do not see it in the list of processes. Scripts have [MaxScript] bytes at most.
// They run in the agent's place, with a Python of that place; folders and PATH are
// looked at there, and nothing is installed. A Python older than 3.8 says so.
//
// A script whose permit says so runs confined; its tool calls do not, they are judged
// by themselves. When it fails and was refused something, the user is asked, unless it
// has called tools or changed something, whether it is run once more with all rights.
//
// # Calling tools
//
// The module hermes_tools has a function for each tool of a fixed list that the
// agent has as well. A call goes through a Unix socket in a folder that only the
// user can enter, as one line of JSON each way, and in the end to [tools.Host],
// where it is judged, recorded and bounded like any other call. The socket takes
// requests only from processes of the same user that descend from the script's
// own process, and only with a random token that is in no environment, argument
// or file. Refused and counted are a request of an id that was used, a tool that
// is not on the list, an argument that makes no sense for a script, a request
// over 4 MB and the call after the last one allowed. At most eight
// connections are served at a time; calls that change something run alone.
//
// On this machine, and in its sandbox, the socket is the agent's own. In another
// place (a container, another host) it belongs to the process there that watches
// over the script, which passes requests, answers and output on through its own
// input and output. So a call needs nothing of the place but a running process: no
// port, no forwarding, no polling; it takes one round trip, and messages are in
// order, so that the end of the script comes after all of its output. The script
// and its children have none of these pipes: what they write is output, whatever it
// looks like. The rules above are kept by the agent, not by that process. A process
// of the same user that takes it over can do no more than the script, and what does
// not keep to the form ends the script.
//
// # Limits
//
// A script has 300 seconds and 50 calls unless [Options] say otherwise. Its clock
// stands still while a call is on its way, as a call has limits of its own and may
// wait for a user; a terminal command in a script gets 300 seconds at most. Of
// its output 50,000 bytes are kept (the first 40 % and the last 60 %), of its
// errors the first 10,000; everything goes to the sink as it comes.
//
// When the script ends, is interrupted or runs out of time, every process it
// started is killed, as far as the place can find them, and calls on their way are
// cancelled; that takes less than a second, and in another place a few round trips.
// When this program dies, or the connection to the place, the script's process group
// ends two seconds after that is noticed there. A script that kills the process which
// watches over it may leave others behind.
//
// The environment has variables of a short list only, and none whose name says
// credential.
//
// A [Code] belongs to one agent and runs one script at a time; its other methods
// may be called at any time. Scripts share nothing but files.
package code
