package approval

import "strings"

// disk judges programs that format disks or change partitions.
func (c call) disk() {
	shown := append([]string{c.name}, show(c.args)...)
	opts, operands := grammar{}.parse(c.args)
	if opts.spelled("--help", "--version", "-V", "-h", "--list", "-l") || len(operands) == 0 {
		return
	}
	switch c.name {
	case "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk":
		if opts.spelled("-d", "--dump", "-p", "--print", "-s", "--verify") {
			return
		}
		c.j.block(CatRawDisk, "changes the partitions of a disk", shown...)
	case "parted":
		if lastWord(operands) == "print" || len(operands) == 1 {
			return
		}
		c.j.block(CatRawDisk, "changes the partitions of a disk", shown...)
	case "wipefs":
		if opts.has("-a", "--all", "-o", "--offset") {
			c.j.block(CatFormatDisk, "erases a file system", shown...)
		}
	case "hdparm":
		if opts.has("--security-erase", "--trim-sector-ranges", "--make-bad-sector", "--write-sector") {
			c.j.block(CatRawDisk, "writes to a disk device", shown...)
		}
	case "badblocks":
		if opts.has("-w") {
			c.j.block(CatRawDisk, "writes to a disk device", shown...)
		}
	case "cryptsetup":
		if strings.HasPrefix(operands[0].text, "luksFormat") || operands[0].text == "erase" {
			c.j.block(CatFormatDisk, "erases a file system", shown...)
		}
	case "diskutil":
		if verb := strings.ToLower(operands[0].text); strings.HasPrefix(verb, "erase") || verb == "partitiondisk" || verb == "zerodisk" {
			c.j.block(CatFormatDisk, "erases a file system", shown...)
		}
	case "zpool":
		if operands[0].text == "destroy" || operands[0].text == "create" {
			c.j.block(CatFormatDisk, "erases a file system", shown...)
		}
	case "blkdiscard":
		c.j.block(CatRawDisk, "erases a disk device", shown...)
	default:
		c.j.block(CatFormatDisk, "makes a new file system over an old one", shown...)
	}
}

func lastWord(args []arg) string {
	if len(args) == 0 {
		return ""
	}
	return args[len(args)-1].text
}
