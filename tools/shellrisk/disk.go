package shellrisk

import (
	"slices"
	"strings"
)

// partitioners change partitions, unless all their options are among these, which only
// show or check them.
var partitioners = map[string]map[string]bool{
	"fdisk":  words("-l -x -s -o -u -L --list --list-details --getsz --output --units --color --bytes"),
	"sfdisk": words("-l -d -J -F -V -s -g -T -o -q --list --dump --json --list-free --verify --show-size --show-geometry --list-types --output --quiet"),
	"cfdisk": {},
	"gdisk":  words("-l"),
	"sgdisk": words("-p -v -i -O -E -D -f -F -L --print --verify --info --print-mbr --end-of-largest --display-alignment --first-in-largest --first-aligned-in-largest --list-types"),
}

// partedShows are the commands of parted that only show.
var partedShows = words(`print free all devices list unit s b kb mb gb tb kib mib gib tib compact help version quit align-check opt min`)

// erasures are words, wherever they stand, by which programs erase what is on a disk.
var erasures = map[string]map[string]bool{
	"cryptsetup": words("luksformat lukserase erase format reencrypt create"),
	"zpool":      words("destroy create labelclear"),
	"nvme":       words("format sanitize write write-zeroes write-uncor delete-ns device-self-test security-send"),
	"mdadm":      words("--zero-superblock --create -C --grow"),
	"diskutil":   words("erasedisk erasevolume eraseoptical partitiondisk zerodisk randomdisk secureerase reformat"),
	"hdparm":     words("--security-erase --security-erase-enhanced --trim-sector-ranges --make-bad-sector --write-sector --sanitize-block-erase --sanitize-crypto-scramble --sanitize-overwrite"),
	"badblocks":  words("-w"),
}

// disk judges programs that format disks or change partitions.
func (c call) disk() {
	shown := append([]string{c.name}, show(c.args)...)
	opts, operands := grammar{}.parse(c.args)
	if len(operands) == 0 {
		return
	}
	erases, listed := erasures[c.name]
	shows, partitions := partitioners[c.name]
	switch {
	case listed:
		named := func(a arg) bool { return erases[strings.ToLower(strings.TrimLeft(a.text, hole))] }
		if slices.ContainsFunc(c.args, named) || slices.ContainsFunc(opts, func(o option) bool { return erases[o.name] }) {
			c.j.block(CatFormatDisk, "erases a file system or disk", shown...)
		}
	case partitions:
		if len(opts) == 0 || slices.ContainsFunc(opts, func(o option) bool { return !shows[o.name] }) {
			c.j.block(CatRawDisk, "changes the partitions of a disk", shown...)
		}
	case c.name == "parted":
		if slices.ContainsFunc(operands[1:], func(a arg) bool {
			return !partedShows[strings.ToLower(a.text)] && strings.Trim(a.text, "0123456789") != ""
		}) {
			c.j.block(CatRawDisk, "changes the partitions of a disk", shown...)
		}
	case c.name == "wipefs":
		if opts.has("-a", "--all", "-o", "--offset") {
			c.j.block(CatFormatDisk, "erases a file system", shown...)
		}
	case c.name == "blkdiscard":
		c.j.block(CatRawDisk, "erases a disk device", shown...)
	default:
		c.j.block(CatFormatDisk, "makes a new file system over an old one", shown...)
	}
}
