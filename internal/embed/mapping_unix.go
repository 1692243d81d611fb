//go:build unix

package embed

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// mapping is a file's content, which lives as long as anything points to it.
type mapping struct{ data []byte }

// openMapping maps a file into memory, read only. A file that is put in its place
// leaves this one as it is.
func openMapping(path string) (*mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return &mapping{}, err
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: path, Err: err}
	}
	m := &mapping{data: data}
	runtime.AddCleanup(m, func(b []byte) { _ = unix.Munmap(b) }, data)
	return m, nil
}
