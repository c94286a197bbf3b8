package place

import (
	"io/fs"
	"os"
	"runtime"
)

// leashScript starts a program and, beside it, something that waits for the end of
// descriptor 3, the other end of which only this program has: then it ends what carries the
// mark, wherever that has gone, and the group.
const leashScript = `exec 4<&0 </dev/null
"$@" <&4 3<&- 4<&- &
child=$!
{
	trap '' HUP
	read -r _ <&3
	trap '' TERM
	exec 3<&-
	self=$(exec sh -c 'echo $PPID')
	for round in 1 2 3 4 5 6 7 8 9 10; do
		more=
		for file in $(grep -ls "` + markName + `=$` + markName + `" /proc/[0-9]*/environ); do
			pid=${file#/proc/}
			pid=${pid%/environ}
			if [ "$pid" != "$self" ] && [ "$pid" != $$ ] && kill -KILL "$pid"; then more=1; fi
		done
		[ "$more" ] || break
	done
	kill -KILL 0
} 4<&- >/dev/null 2>&1 &
watch=$!
exec 3<&- 4<&- 2>/dev/null
wait $child
code=$?
`

// leashEnd is how the script ends. Of a process that ends as a whole, the other waits on: this
// program ends its group with it, and where this program was killed, so that the process has
// ended because its input did, no one else looks for what that has left.
const (
	leashEnd      = "kill $watch\nwait $watch\nexit $code"
	leashEndWhole = "exit $code"
)

// leashed runs the program so that it ends with this one.
func leashed(p Proc, _ string) (command, error) {
	if runtime.GOOS == "windows" { // which knows no groups: the end of its input has to do
		return plain(p, "")
	}
	if st, err := os.Stat(p.Argv[0]); err != nil { // a shell would say so too late
		return command{}, err
	} else if st.IsDir() || st.Mode().Perm()&0o111 == 0 {
		return command{}, &fs.PathError{Op: "start", Path: p.Argv[0], Err: fs.ErrPermission}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return command{}, err
	}
	script := leashScript + leashEnd
	if p.Whole {
		script = leashScript + leashEndWhole
	}
	return command{argv: append([]string{"/bin/sh", "-c", script, "sh"}, p.Argv...), env: p.Env, leash: r, hold: w}, nil
}
