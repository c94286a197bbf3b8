package snapshots

// Watch knows what programs did while commands ran.
type Watch interface {
	// Doubt says in words why what changed at a time, in nanoseconds, may be
	// someone else's work; empty when nothing speaks for that.
	Doubt(at int64) string
	// Close ends the watching.
	Close()
}

// observeOthers begins to watch what else changes files, before the first call
// whose paths are not known.
func (k *Keeper) observeOthers() {
	if k.trees > 0 {
		return
	}
	k.since = k.opt.Clock()
	if k.opt.Watch != nil {
		k.watch = k.opt.Watch()
	}
}

// ignoreOthers ends that after the last such call.
func (k *Keeper) ignoreOthers() {
	if k.trees == 0 && k.watch != nil {
		k.watch.Close()
		k.watch = nil
	}
}

// doubter gives the function that says in words why a change may be someone
// else's. It holds for the moment.
func (k *Keeper) doubter() func(path string, after State, st stat) string {
	if k.trees > 0 {
		k.lookAround(k.since)
	}
	if k.trees == 0 || k.watch == nil && len(k.others.follow) == 0 {
		return func(string, State, stat) string { return "" }
	}
	dirs := map[string]int64{}
	return func(path string, after State, st stat) string {
		at := st.ctime
		if after.Kind == None || after.Kind == Dir {
			at = k.dirTime(path, after.Kind == None, dirs)
		}
		if why := k.elsewhere(path, at); why != "" {
			return why
		}
		if k.watch == nil || at == 0 {
			return ""
		}
		return k.watch.Doubt(at)
	}
}

// dirTime is when a directory changed: the one at a path, or the next one above
// what is gone. known holds what was looked at already.
func (k *Keeper) dirTime(path string, gone bool, known map[string]int64) int64 {
	for {
		if gone {
			dir, base := k.split(path)
			if base == "" {
				return 0
			}
			path = dir
		}
		at, ok := known[path]
		if !ok {
			info, err := k.opt.Files.Lstat(path)
			if err != nil && !absent(err) {
				return 0
			}
			if err == nil {
				at = statOf(info).ctime
				known[path] = at
			}
			ok = err == nil
		}
		if ok {
			return at
		}
		gone = true
	}
}
