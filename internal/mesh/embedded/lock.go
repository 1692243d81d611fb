package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockName is the file whose lock guards a data folder, and whose text names the
// holder.
const lockName = "forsooth.lock"

// holder is who holds a data folder.
type holder struct {
	PID     int    `json:"pid"`
	Address string `json:"address"` // empty until the server is ready
}

// InUseError says that another process holds the data folder. Join it at
// Address instead.
type InUseError struct {
	Dir     string
	PID     int
	Address string
}

func (e *InUseError) Error() string {
	at := e.Address
	if at == "" {
		at = "an address it has yet to take"
	}
	return fmt.Sprintf("data folder %s is in use by pid %d at %s; join it with --nats, stop it, or give another --data",
		e.Dir, e.PID, at)
}

// lock is a flock on a file: it ends with the process that holds it, however
// that ends, so nothing is ever left locked.
type lock struct{ file *os.File }

func acquire(dir string) (*lock, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder %s cannot be locked: %w; give another --data or mend its permissions", dir, err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		h := readHolder(f)
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &InUseError{Dir: dir, PID: h.PID, Address: h.Address}
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	l := &lock{file: f}
	return l, l.name("")
}

// name writes who holds the lock. Readers may come at any time, so the text is
// short enough to be written at once, and a reader that finds half of it finds
// no address.
func (l *lock) name(address string) error {
	data, err := json.Marshal(holder{PID: os.Getpid(), Address: address})
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("write %s: %w", l.file.Name(), err)
	}
	if _, err := l.file.WriteAt(append(data, '\n'), 0); err != nil {
		return fmt.Errorf("write %s: %w", l.file.Name(), err)
	}
	return nil
}

// release leaves the file where it is: removing it would let two processes lock
// two files of one name.
func (l *lock) release() {
	_ = l.file.Truncate(0)
	_ = l.file.Close()
}

func readHolder(f *os.File) holder {
	var h holder
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if err == nil {
		_ = json.Unmarshal(data, &h)
	}
	return h
}

// Holder says whether a process holds the data folder, and at which address its
// mesh can be joined. The address is empty while that process is starting.
func Holder(dir string) (address string, held bool) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err == nil {
		return "", false
	}
	return readHolder(f).Address, true
}
