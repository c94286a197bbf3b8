package atomicfile

import "golang.org/x/sys/unix"

// OnNetwork reports whether a folder lies on a file system whose files another machine, or
// the host of this one, may have open as well: memory that is shared by a file does not
// reach there.
func OnNetwork(dir string) bool {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return false
	}
	return networked(uint32(s.Type)) //nolint:gosec // the field has other types on other processors
}

// networked reports whether a file system of a kind is one of a network or of a host.
func networked(kind uint32) bool {
	switch kind {
	case unix.V9FS_MAGIC, unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, // and virtiofs
		unix.CEPH_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.NCP_SUPER_MAGIC, unix.OCFS2_SUPER_MAGIC,
		0x0bd00bd0, 0x47504653, 0x786f4256, 0x6a656a63: // Lustre, GPFS, VirtualBox, virtiofs
		return true
	}
	return false
}
