package place

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Labels of the containers we make.
const (
	labelKind  = "hermes.place" // kept or passing
	labelSpec  = "hermes.spec"  // what it was made from, of one that is kept
	labelOwner = "hermes.owner" // who made it, of one that is not
)

// prepare finds or makes the container.
func (d *docker) prepare(ctx context.Context) error {
	d.info.Target = d.o.Image
	d.info.Network = d.o.Network != "none"
	d.info.Isolated = d.o.Workspace == "" && len(d.o.Volumes) == 0 && d.o.Network != "host"
	if _, err := d.run(ctx, "image", "inspect", "--format", "{{.Id}}", d.o.Image); err != nil {
		return err
	}
	d.sweep(ctx)
	if d.o.Persistent {
		if id := d.find(ctx, labelSpec+"="+d.spec()); id != "" {
			d.id = id
			return nil // ready starts it
		}
	}
	return d.create(ctx)
}

// spec tells containers apart that were made from different options.
func (d *docker) spec() string {
	data, err := json.Marshal([]any{
		1, d.o.Image, d.o.Workspace, d.o.Volumes, d.o.Network, d.o.CPUs, d.o.MemoryMB, d.o.DiskMB,
	})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// find gives the container with a label, the newest first; empty for none.
func (d *docker) find(ctx context.Context, label string) string {
	out, err := d.run(ctx, "ps", "-a", "-q", "--no-trunc", "--filter", "label="+label)
	if err != nil {
		return ""
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return strings.TrimSpace(id)
}

// containerMain is what runs in our container: nothing, until it is told to end.
// As the first process it also takes care of those whose parents are gone,
// which wait does in every POSIX shell.
const containerMain = `trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done`

// create makes the container and starts it.
func (d *docker) create(ctx context.Context) error {
	name, err := randomName(d.o.Rand)
	if err != nil {
		return fmt.Errorf("make a container: %w", err)
	}
	disk := []string{"--storage-opt", "size=" + strconv.Itoa(d.o.DiskMB) + "m"}
	if d.o.DiskMB <= 0 {
		disk = nil
	}
	id, err := d.run(ctx, d.createArgs("hermes-"+name, disk)...)
	if err != nil && disk != nil && refusesDisk(err) {
		d.said = append(d.said, "this engine's storage cannot bound the disk: terminal.container_disk has no effect")
		_, _ = d.run(ctx, "rm", "-f", "hermes-"+name) // some leave it behind, unstarted
		id, err = d.run(ctx, d.createArgs("hermes-"+name, nil)...)
	}
	if err != nil {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.o.Connect)
		defer cancel()
		_, _ = d.run(after, "rm", "-f", "hermes-"+name) // there may be none
		return err
	}
	lines := strings.Fields(id)
	if len(lines) == 0 {
		return &UnavailableError{Place: d.name(), What: "the engine did not name the container it made", Next: "try again"}
	}
	d.id = lines[len(lines)-1]
	return nil
}

// refusesDisk reports whether a bound of the disk is what the engine refuses.
func refusesDisk(err error) bool {
	var u *UnavailableError
	if !errors.As(err, &u) {
		return false
	}
	low := strings.ToLower(u.Said)
	for _, text := range []string{"storage-opt", "storage option", "pquota", "project quota", "quota", "storage driver", "overlay.size", "size option"} {
		if strings.Contains(low, text) {
			return true
		}
	}
	return false
}

func (d *docker) createArgs(name string, disk []string) []string {
	args := []string{"run", "-d", "--name", name}
	if d.o.Persistent {
		args = append(args, "--label", labelKind+"=kept", "--label", labelSpec+"="+d.spec())
	} else {
		args = append(args, "--label", labelKind+"=passing", "--label", labelOwner+"="+owner())
	}
	// What installing packages and ending processes of other users needs, no more.
	args = append(args, "--cap-drop", "ALL")
	for _, c := range []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"} {
		args = append(args, "--cap-add", c)
	}
	args = append(args, "--security-opt", "no-new-privileges")
	args = append(args, d.limits()...)
	args = append(args, disk...)
	if d.o.Network != "" {
		args = append(args, "--network", d.o.Network)
	}
	if d.o.Workspace != "" {
		args = append(args, "--volume", d.o.Workspace+":"+d.o.Workspace)
	}
	for _, v := range d.o.Volumes {
		args = append(args, "--volume", v)
	}
	main := containerMain
	if d.o.Workspace == "" {
		main = "mkdir -p " + defaultWorkspace + "; " + main
	}
	return append(args, "--entrypoint", "/bin/sh", d.o.Image, "-c", main)
}

// sweep removes containers that were not to be kept and whose owners are gone.
// What cannot be found out is left alone.
func (d *docker) sweep(ctx context.Context) {
	out, err := d.run(ctx, "ps", "-a", "--no-trunc", "--filter", "label="+labelKind+"=passing",
		"--format", `{{.ID}} {{.Label "`+labelOwner+`"}}`)
	if d.kind() == "podman" {
		out, err = d.run(ctx, "ps", "-a", "--no-trunc", "--filter", "label="+labelKind+"=passing",
			"--format", `{{.ID}} {{index .Labels "`+labelOwner+`"}}`)
	}
	if err != nil {
		return
	}
	for line := range strings.Lines(out) {
		if id, who, ok := strings.Cut(strings.TrimSpace(line), " "); ok && ownerGone(who) {
			_, _ = d.run(ctx, "rm", "-f", id) // the next run tries again
		}
	}
}

// owner names this process so that another one on this machine can tell whether
// it still runs: machine, id, and the moment it began where that is known.
func owner() string {
	host, _ := os.Hostname() // without a name, no one removes it
	return strings.Join([]string{host, strconv.Itoa(os.Getpid()), beganAt(os.Getpid())}, "/")
}

// ownerGone tells for certain that an owner on this machine has ended.
func ownerGone(who string) bool {
	f := strings.Split(who, "/")
	host, err := os.Hostname()
	if err != nil || host == "" || len(f) != 3 || f[0] != host {
		return false
	}
	pid, err := strconv.Atoi(f[1])
	if err != nil || pid <= 0 {
		return false
	}
	return ended(pid, f[2])
}

// beganAt is when a process of this machine began, in the kernel's own words;
// empty where there is no /proc.
func beganAt(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	f, ok := parseProc(pid, string(data))
	if !ok {
		return ""
	}
	return f.start
}
