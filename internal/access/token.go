package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Grant is what a token lets its holder be: one player of one world, until a time.
type Grant struct {
	World   string    `json:"world"`
	Player  string    `json:"player"`
	NPC     string    `json:"npc,omitempty"` // with this NPC alone; empty: with all
	Expires time.Time `json:"expires"`
}

// MaxLife is how long a token may live at most, DefaultLife how long one lives that
// names no time.
const (
	MaxLife     = 24 * time.Hour
	DefaultLife = 15 * time.Minute
)

const tokenPrefix = "fp."

// IsToken says whether a text looks like a player's token.
func IsToken(text string) bool { return strings.HasPrefix(text, tokenPrefix) }

// Mint makes a player's token under a key.
func Mint(k *Key, g Grant, now time.Time) (string, error) {
	g.Expires = g.Expires.UTC().Truncate(time.Second)
	if err := schema.CheckToken("world", g.World); err != nil {
		return "", err
	}
	if err := schema.CheckToken("player", g.Player); err != nil {
		return "", err
	}
	if g.NPC != "" {
		if err := schema.CheckToken("npc", g.NPC); err != nil {
			return "", err
		}
	}
	switch life := g.Expires.Sub(now); {
	case !k.May(Play, g.World):
		return "", fmt.Errorf("the key may not play in %s", g.World)
	case k.Player != "" && k.Player != g.Player:
		return "", errors.New("the key speaks as another player")
	case life <= 0 || life > MaxLife:
		return "", &schema.FieldError{Field: "ttl_s", Reason: fmt.Sprintf("must lie between 1 and %d",
			int(MaxLife.Seconds()))}
	}
	data, err := json.Marshal(g)
	if err != nil {
		return "", err
	}
	body := k.ID + "." + base64.RawURLEncoding.EncodeToString(data)
	return tokenPrefix + body + "." + base64.RawURLEncoding.EncodeToString(k.mac(body)), nil
}

func (k *Key) mac(body string) []byte {
	secret, err := hex.DecodeString(k.Sign)
	if err != nil || len(secret) == 0 {
		return nil // a file that was changed by hand: nothing is signed by it
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("player token 1\n" + body))
	return h.Sum(nil)
}

// read is the grant of a token among these keys, while it lasts.
func read(all []Key, text string, now time.Time) (*Key, *Grant, error) {
	body, is := strings.CutPrefix(text, tokenPrefix)
	at := strings.LastIndexByte(body, '.')
	if !is || at < 0 || len(text) > maxShown {
		return nil, nil, ErrUnknown
	}
	sum, err := base64.RawURLEncoding.Strict().DecodeString(body[at+1:])
	body = body[:at]
	id, payload, whole := strings.Cut(body, ".")
	if err != nil || !whole {
		return nil, nil, ErrUnknown
	}
	for i := range all {
		k := &all[i]
		want := k.mac(body)
		if k.ID != id || want == nil || !hmac.Equal(want, sum) {
			continue
		}
		var g Grant
		data, err := base64.RawURLEncoding.Strict().DecodeString(payload)
		if err != nil || json.Unmarshal(data, &g) != nil {
			return nil, nil, ErrUnknown
		}
		if !now.Before(g.Expires) || g.Expires.Sub(now) > MaxLife || !k.May(Play, g.World) {
			return nil, nil, ErrUnknown
		}
		return k, &g, nil
	}
	return nil, nil, ErrUnknown
}
