// Package keys keeps who may come in by the doors for HTTP: keys of backends, bound to
// worlds and rights, and tokens by which one player's game may speak as that player
// alone. A key is shown once, when it is made; the file holds its hash. The package
// knows no HTTP.
package keys

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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
