// Package access says who may come in, and what each may do: by the doors for HTTP with
// keys of backends and tokens of players, and on the broker with one user for each
// service, for the game servers of each world and for the operators' commands.
//
// A key is bound to worlds and rights. It is shown once, when it is made; the file holds
// its hash. A token lets one player's game speak as that player alone. The package knows
// no HTTP, and connects to nothing.
package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Right is what a key may do.
type Right string

// The rights. None holds another.
const (
	Play    Right = "play"    // say something as any player, tell events, carry out actions
	Read    Right = "read"    // conversations, memories, and how a turn went
	Operate Right = "operate" // reset, erase
)

// Rights are all of them.
var Rights = []Right{Play, Read, Operate}

// Key is a key as the file keeps it.
type Key struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Hash    string    `json:"hash"`             // SHA-256 of the secret, which has 256 random bits
	Sign    string    `json:"sign"`             // signs the tokens of players; see Mint
	Worlds  []string  `json:"worlds,omitempty"` // empty: all
	Rights  []Right   `json:"rights"`           // at least one
	Player  string    `json:"player,omitempty"` // the one player that it speaks as; empty: any
	Users   bool      `json:"users,omitempty"`  // the field "user" of OpenAI's protocol names the player
	Rate    float64   `json:"rate,omitempty"`   // requests a second; 0: the gateway's default
	Created time.Time `json:"created"`
}

// May says whether the key has a right in a world; an empty world asks for any.
func (k *Key) May(right Right, world string) bool {
	return slices.Contains(k.Rights, right) && (world == "" || len(k.Worlds) == 0 || slices.Contains(k.Worlds, world))
}

// check says what is wrong with a key that is to be made.
func (k *Key) check() error {
	if len(k.Name) == 0 || len(k.Name) > 64 || strings.ContainsFunc(k.Name, func(r rune) bool { return r < ' ' }) {
		return errors.New("a key needs a name of at most 64 characters, such as that of its backend")
	}
	if len(k.Rights) == 0 {
		return fmt.Errorf("a key needs a right; these are: %s, %s, %s", Play, Read, Operate)
	}
	for _, r := range k.Rights {
		if !slices.Contains(Rights, r) {
			return fmt.Errorf("%q is no right; these are: %s, %s, %s", r, Play, Read, Operate)
		}
	}
	for _, w := range k.Worlds {
		if err := schema.CheckToken("world", w); err != nil {
			return err
		}
	}
	if k.Player != "" {
		if err := schema.CheckToken("player", k.Player); err != nil {
			return err
		}
	}
	if k.Player != "" && k.Users {
		return errors.New("a key speaks as one player, or takes the user field for the player, not both")
	}
	if !(k.Rate >= 0 && k.Rate <= 1e6) {
		return fmt.Errorf("rate is %v requests a second; it must lie between 0 (the default) and 1000000", k.Rate)
	}
	return nil
}

const (
	keyPrefix  = "fk_"
	idBytes    = 5
	secretSize = 32
)

// Make makes a key from what it may do. The text is what its backend shows; it is
// kept nowhere.
func Make(k Key, random io.Reader, now time.Time) (made Key, text string, err error) {
	if err := k.check(); err != nil {
		return Key{}, "", err
	}
	raw := make([]byte, idBytes+secretSize)
	if _, err := io.ReadFull(random, raw); err != nil {
		return Key{}, "", err
	}
	k.ID, k.Created = hex.EncodeToString(raw[:idBytes]), now.UTC().Truncate(time.Second)
	secret := base64.RawURLEncoding.EncodeToString(raw[idBytes:])
	k.Hash, k.Sign = digest("key", secret), digest("sign", secret)
	return k, keyPrefix + k.ID + "_" + secret, nil
}

// digest is a hash of the secret for one use. What has 256 random bits needs no slow one.
func digest(use, secret string) string {
	sum := sha256.Sum256([]byte("forsooth " + use + "\n" + secret))
	return hex.EncodeToString(sum[:])
}

// ErrUnknown says that what was shown opens nothing. It does not say why.
var ErrUnknown = errors.New("this key or token is not known here, or no longer")

// maxShown bounds what is looked at.
const maxShown = 1024

// find is the key of a text among these.
func find(all []Key, text string) (*Key, error) {
	rest, is := strings.CutPrefix(text, keyPrefix)
	id, secret, whole := strings.Cut(rest, "_")
	if !is || !whole || len(text) > maxShown {
		return nil, ErrUnknown
	}
	for i := range all {
		if all[i].ID == id && subtle.ConstantTimeCompare([]byte(all[i].Hash), []byte(digest("key", secret))) == 1 {
			return &all[i], nil
		}
	}
	return nil, ErrUnknown
}

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

// OpenRing reads the keys of a file. One that does not exist holds none, and asks for none;
// one from which the last was taken lets nobody in.
func OpenRing(path string, now func() time.Time) (*Ring, error) {
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
	return store.WriteFile(r.path, append(data, '\n'))
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
