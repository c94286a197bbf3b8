package place

// gaps says what is not prevented.
func (s *Sandbox) gaps() []string {
	out := []string{
		"Programs can read whatever you can read, except what is hidden.",
		"A file in a writable folder that has a second name elsewhere (a hard link) is changed there too.",
	}
	if s.o.Network {
		out = append(out, "The network is open: a service that trusts callers from this machine can be asked to act outside.")
	}
	if s.inner && !s.system.net {
		out = append(out, "This system refuses network namespaces: confined programs have no network at all, not even to each other.")
	}
	if s.system.abi < 6 {
		out = append(out, "Programs can signal, and through abstract sockets talk to, your other programs; Linux 6.12 prevents that.")
	}
	switch {
	case s.system.abi >= 9:
	case s.system.mounts:
		out = append(out, "A program can talk to a service whose socket in the file system was made after the program started.")
	default:
		out = append(out, "Programs can talk to services through sockets in the file system, such as those of Docker, tmux and D-Bus, and so have them act outside.")
	}
	if s.temp != "" && s.system.mounts {
		out = append(out, "Named pipes far down in "+s.temp+" can be written to.")
	}
	if !s.system.mounts {
		out = append(out, "This system refuses mount namespaces: programs can change modes, owners, times and attributes of your files outside, but not set-user-ID bits, and share /dev/shm with your other programs.")
	}
	switch {
	case len(s.o.ReadOnly) == 0:
	case s.system.mounts && s.inner:
		out = append(out, "What a program makes at a protected path that does not exist yet is moved aside only when the program ends, and not if something that it left running makes it later; a file replaced from outside is protected again only when another program is started.")
	case s.system.mounts:
		out = append(out, "Protected paths that do not exist yet can be made, links to them can be exchanged, and a file replaced from outside is protected again only when another program is started.")
	default:
		out = append(out, "Without mount namespaces, protected paths inside writable folders, such as the hooks of a repository, can be written.")
	}
	return out
}
