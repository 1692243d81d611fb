package admin

import (
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// Receipt says what an erasure did. It does not say of whom: only with the key can
// a player be held against it.
type Receipt struct {
	ID         string         `json:"id"`
	Player     string         `json:"player_hash"` // HMAC-SHA256 of the id, with the key beside the receipts
	Worlds     []string       `json:"worlds"`      // empty: all
	Started    time.Time      `json:"started"`
	Ended      time.Time      `json:"ended,omitzero"`
	Open       *time.Time     `json:"open_since,omitempty"` // the erasure has not ended: run it again
	Erased     map[string]int `json:"erased"`
	Scrubbed   int            `json:"overwritten_on_disk"` // records deleted before, of anybody
	Unscrubbed bool           `json:"not_overwritten,omitempty"`
	Left       []Left         `json:"left"`    // of others, in which the player is named
	Beyond     []string       `json:"beyond"`  // out of reach
	Operator   []string       `json:"to_do"`   // by the operator
	Again      bool           `json:"already"` // nothing was left to erase

	path string
}

// Left is what stays because it belongs to somebody else.
type Left struct {
	Place string   `json:"place"`
	Count int      `json:"count"`
	Why   string   `json:"why"`
	Until string   `json:"until,omitempty"`
	IDs   []string `json:"ids,omitempty"`
}

// Path is the receipt's file.
func (r *Receipt) Path() string { return r.path }

// folder is where receipts lie.
type folder string

func folderOf(data string) folder { return folder(filepath.Join(data, "receipts")) }

// keyFile holds the key of the receipts beside it. Whoever has both can try ids;
// without it a receipt tells nothing about whom.
const keyFile = "key"

func (f folder) key() ([]byte, error) {
	path := filepath.Join(string(f), keyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the key of receipts: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != transport.EraseKeySize {
		return nil, fmt.Errorf("%s is not a key of receipts: write the %d hexadecimal digits it had", path,
			2*transport.EraseKeySize)
	}
	return key, nil
}

func (f folder) keepKey(key []byte) error {
	return store.WriteFile(filepath.Join(string(f), keyFile), []byte(hex.EncodeToString(key)+"\n"))
}

func (f folder) write(r *Receipt) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	r.path = filepath.Join(string(f), r.ID+".json")
	return store.WriteFile(r.path, append(data, '\n'))
}

// close makes a record of what is under way a receipt.
func (f folder) close(r *Receipt, now time.Time) error {
	r.Open, r.Ended = nil, now.UTC()
	return f.write(r)
}

// find is the newest record of a player, an open one first; nil where there is
// none.
func (f folder) find(player string) (*Receipt, error) {
	key, err := f.key()
	if err != nil || key == nil {
		return nil, err
	}
	all, err := Receipts(string(f))
	if err != nil {
		return nil, err
	}
	var found *Receipt
	for i := range all {
		r := &all[i]
		if !same(r.Player, hashOf(key, player)) {
			continue
		}
		if found == nil || r.Open != nil || found.Open == nil && r.Started.After(found.Started) {
			found = r
		}
	}
	return found, nil
}

func hashOf(key []byte, player string) string { return transport.EraseHash(key, "player", player) }

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// Receipts reads the receipts of a folder, or the one of a file, in the order of
// their beginning.
func Receipts(path string) ([]Receipt, error) {
	names := []string{path}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no receipts at %s", path)
	}
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if names, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil {
			return nil, err
		}
	}
	var out []Receipt
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r := Receipt{path: name}
		if err := json.Unmarshal(data, &r); err != nil || r.Player == "" {
			return nil, fmt.Errorf("%s is no receipt of an erasure; move it out of that folder", name)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Receipt) int { return a.Started.Compare(b.Started) })
	return out, nil
}
