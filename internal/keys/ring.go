package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/atomicfile"
)

// Ring is the keys of a file, read again when it changes.
type Ring struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	looked time.Time
	stamp  stamp
	keys   []Key
	there  bool // the file is or was, even if no key is in it: to take it away opens no door
	err    error
}

// stamp tells one version of the file from another.
type stamp struct {
	at   time.Time
	size int64
}

// lookEvery is how long a key that was taken away may still open a door.
const lookEvery = time.Second

// Open reads the keys of a file. One that does not exist holds none, and asks for none;
// one from which the last was taken lets nobody in.
func Open(path string, now func() time.Time) (*Ring, error) {
	r := &Ring{path: path, now: now}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.look()
	return r, r.err
}

// look reads the file if it has changed. One that cannot be read opens no door, and is
// not taken for one without keys.
func (r *Ring) look() {
	now := r.now()
	if !r.looked.IsZero() && now.Sub(r.looked) < lookEvery && !now.Before(r.looked) {
		return
	}
	first := r.looked.IsZero()
	r.looked = now
	s := stamp{}
	if info, err := os.Stat(r.path); err == nil {
		s = stamp{info.ModTime(), info.Size()}
	}
	if !first && s == r.stamp && r.err == nil {
		return
	}
	r.stamp, r.there = s, r.there || s != (stamp{})
	r.keys, r.err = readFile(r.path)
}

// Asked says whether a key must be shown.
func (r *Ring) Asked() (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.look()
	return r.there, r.err
}

// Path is the ring's file.
func (r *Ring) Path() string { return r.path }

// List are the keys.
func (r *Ring) List() ([]Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.look()
	return slices.Clone(r.keys), r.err
}

// Find is the key that a text is, or the key under which a token was made, with its
// grant.
func (r *Ring) Find(text string) (*Key, *Grant, error) {
	all, err := r.List()
	if err != nil {
		return nil, nil, err
	}
	if IsToken(text) {
		return read(all, text, r.now())
	}
	k, err := find(all, text)
	return k, nil, err
}

// Add keeps a key.
func (r *Ring) Add(k Key) error {
	return r.change(func(all []Key) ([]Key, error) { return append(all, k), nil })
}

// Remove takes keys away, by id or by name.
func (r *Ring) Remove(which string) (removed int, err error) {
	err = r.change(func(all []Key) ([]Key, error) {
		rest := slices.DeleteFunc(slices.Clone(all), func(k Key) bool { return k.ID == which || k.Name == which })
		if removed = len(all) - len(rest); removed == 0 {
			return nil, fmt.Errorf("no key has the id or name %q; forsooth keys list prints them", which)
		}
		return rest, nil
	})
	return removed, err
}

// change writes the file anew, whole or not at all.
func (r *Ring) change(f func([]Key) ([]Key, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, err := readFile(r.path)
	if err != nil {
		return err
	}
	if all, err = f(all); err != nil {
		return err
	}
	data, err := json.MarshalIndent(file{Keys: all}, "", "  ")
	if err != nil {
		return err
	}
	r.looked = time.Time{}
	return atomicfile.Write(r.path, append(data, '\n'))
}

type file struct {
	Keys []Key `json:"keys"`
}

func readFile(path string) ([]Key, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the keys cannot be read: %w", err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s is no file of keys: %w; mend it, or take it away and make the keys anew", path, err)
	}
	return f.Keys, nil
}
