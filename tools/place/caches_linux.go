package place

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// layer is a folder with what is changed in it kept in another one.
type layer struct{ Dir, Upper, Work []byte }

// layered gives each cache a layer of this workspace's own. Of several programs in
// one workspace each has layers of its own. release gives them up.
func layered(state string, roots, caches []string) (layers []layer, release func() error, err error) {
	none := func() error { return nil }
	if state == "" || len(caches) == 0 || len(roots) == 0 {
		return nil, none, nil
	}
	base := filepath.Join(state, "caches", short(roots[0]))
	slot, lock, err := takeSlot(base)
	if err != nil {
		return nil, none, fmt.Errorf("keep layers over caches: %w", err)
	}
	for _, dir := range caches {
		at := filepath.Join(slot, short(dir))
		l := layer{[]byte(dir), []byte(filepath.Join(at, "upper")), []byte(filepath.Join(at, "work"))}
		for _, d := range [][]byte{l.Upper, l.Work} {
			if err := os.MkdirAll(string(d), 0o700); err != nil {
				return nil, none, errors.Join(fmt.Errorf("keep layers over caches: %w", err), lock.Close())
			}
		}
		layers = append(layers, l)
	}
	return layers, sync.OnceValue(lock.Close), nil
}

func short(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:8])
}

// maxSlots bounds the programs that work in one workspace with caches.
const maxSlots = 32

// takeSlot finds a folder that no other program uses, and holds its lock.
func takeSlot(base string) (string, *os.File, error) {
	for i := range maxSlots {
		slot := filepath.Join(base, strconv.Itoa(i))
		if err := os.MkdirAll(slot, 0o700); err != nil {
			return "", nil, err
		}
		lock, err := os.OpenFile(filepath.Join(slot, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return "", nil, err
		}
		if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return slot, lock, nil
		}
		_ = lock.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return "", nil, err
		}
	}
	return "", nil, errors.New("too many programs work here")
}

// overlay makes the mount of a cache, which is nowhere yet.
func (l layer) overlay() (int, error) {
	made, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(made)
	for _, o := range [][2]string{{"lowerdir+", string(l.Dir)}, {"upperdir", string(l.Upper)}, {"workdir", string(l.Work)}} {
		if err := unix.FsconfigSetString(made, o[0], o[1]); err != nil {
			return -1, err
		}
	}
	if err := unix.FsconfigSetFlag(made, "userxattr"); err != nil {
		return -1, err
	}
	if err := unix.FsconfigCreate(made); err != nil {
		return -1, err
	}
	return unix.Fsmount(made, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}
