package faults

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Disk is a mounted file system.
type Disk struct {
	dir string
	mb  int64
}

// DiskForTest mounts one of so many MB until the test ends, and skips the test where that may
// not be done.
func DiskForTest(t testing.TB, mb int64) (*Disk, string) {
	t.Helper()
	dir := t.TempDir()
	d, err := mount(dir, mb)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := d.unmount(); err != nil {
			t.Error(err)
		}
	})
	return d, dir
}

// mount mounts one of so many MB on an empty folder.
func mount(dir string, mb int64) (*Disk, error) {
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, size(mb<<20)); err != nil {
		return nil, fmt.Errorf("mount a small file system on %s: %w; that takes the right to mount, as root has it", dir, err)
	}
	return &Disk{dir: dir, mb: mb}, nil
}

func size(bytes int64) string { return fmt.Sprintf("size=%d", bytes) }

// Fill has no room left: the file system is made as small as what it holds.
func (d *Disk) Fill() error {
	var fs unix.Statfs_t
	for {
		if err := unix.Statfs(d.dir, &fs); err != nil {
			return fmt.Errorf("fill %s: %w", d.dir, err)
		}
		held := int64(fs.Blocks-fs.Bfree) * int64(fs.Bsize) //nolint:gosec // of a file system this small
		err := d.resize(max(held, int64(os.Getpagesize()))) // a size of none means no bound
		if err == nil {
			return nil
		}
		if err != unix.EINVAL { //nolint:errorlint // a bare errno; it says that more was written meanwhile
			return fmt.Errorf("fill %s: %w", d.dir, err)
		}
	}
}

// Empty gives it the room again that it had.
func (d *Disk) Empty() error {
	if err := d.resize(d.mb << 20); err != nil {
		return fmt.Errorf("make room on %s: %w", d.dir, err)
	}
	return nil
}

func (d *Disk) resize(bytes int64) error {
	return unix.Mount("tmpfs", d.dir, "tmpfs", unix.MS_REMOUNT, size(bytes))
}

// unmount takes it away with all that it holds, as soon as nobody has a file of it open.
func (d *Disk) unmount() error {
	if err := unix.Unmount(d.dir, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount %s: %w", d.dir, err)
	}
	return nil
}
