package transport

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// erasedPrefix is where the bucket "erased" keeps its keys: the key of its
// hashes, and one hash for each turn of a player who was erased.
const erasedPrefix = "$KV.erased."

// The subjects of that bucket.
const (
	erasedKey  = erasedPrefix + "key"
	erasedTurn = erasedPrefix + "turn."
)

// erasedKept is how long a turn of an erased player is refused: longer than the
// reply of any other turn and its marker are kept.
const erasedKept = 40 * day

// EraseKeySize is the length of the key of the hashes.
const EraseKeySize = 32

// ErrErased says that a turn or an event is of a player who was erased since.
var ErrErased = errors.New("of a player who was erased")

// EraseHash is what stands for something of an erased player. Without the key
// nobody can tell of whom.
func EraseHash(key []byte, parts ...string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h.Sum(nil))
}

// Keyless is how long the broker's word that nobody was ever erased holds: every turn
// asks several times. An erasure waits as much longer for those who rest on it.
const Keyless = 500 * time.Millisecond

// eraseKey is the broker's key; nil while nobody was ever erased here.
func (c *Conn) eraseKey(ctx context.Context) ([]byte, error) {
	c.mu.Lock()
	key, none := c.erasing, time.Since(c.keyless) < Keyless
	c.mu.Unlock()
	if key != nil || none {
		return key, nil
	}
	return c.askEraseKey(ctx)
}

// askEraseKey asks the broker for its key. It is never replaced, so it is asked for
// until it is there, and then no more.
func (c *Conn) askEraseKey(ctx context.Context) ([]byte, error) {
	asked := time.Now()
	msg, err := c.Last(ctx, StreamErased, erasedKey)
	if errors.Is(err, ErrNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		c.mu.Lock()
		c.keyless = asked
		c.mu.Unlock()
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(msg.Data) != EraseKeySize {
		return nil, fmt.Errorf("the key of erasures has %d bytes and not %d; restore the stream %s from a backup",
			len(msg.Data), EraseKeySize, StreamErased)
	}
	c.mu.Lock()
	c.erasing = msg.Data
	c.mu.Unlock()
	return msg.Data, nil
}

// EraseKey is the key of the hashes, made now where there is none. offered, if
// given, becomes the key where there is none yet.
func (c *Conn) EraseKey(ctx context.Context, offered []byte) ([]byte, error) {
	if err := c.EnsureStream(ctx,
		StreamTable(Settings{Replicas: c.Replicas(ctx)}.WithDefaults(), StreamErased)); err != nil {
		return nil, err
	}
	for {
		key, err := c.askEraseKey(ctx)
		if err != nil || key != nil {
			return key, err
		}
		if key = offered; key == nil {
			key = make([]byte, EraseKeySize)
			if _, err := rand.Read(key); err != nil {
				return nil, fmt.Errorf("make the key of erasures: %w", err)
			}
		}
		_, err = c.Publish(ctx, NewMessage(erasedKey, key, jetstream.ExpectedLastSubjSeqHeader, "0"), ReadTimeout)
		if err != nil && !IsConflict(err) {
			return nil, err
		}
	}
}

// Replicas is how many copies the mesh keeps of what it knows.
func (c *Conn) Replicas(ctx context.Context) int {
	s, err := c.Stream(ctx, StreamReplies)
	if err != nil {
		return 0
	}
	return s.CachedInfo().Config.Replicas
}

// Refuse keeps a turn from being answered again.
func (c *Conn) Refuse(ctx context.Context, key []byte, convo schema.ConversationID, turn string) error {
	subject := erasedTurn + EraseHash(key, convo.World, convo.NPC, convo.Player, turn)
	_, err := c.Publish(ctx, NewMessage(subject, nil, jetstream.MsgTTLHeader, erasedKept.String()), ReadTimeout)
	return err
}

// IsErased says whether a turn is of a player who was erased after it.
func (c *Conn) IsErased(ctx context.Context, convo schema.ConversationID, turn string) (bool, error) {
	key, err := c.eraseKey(ctx)
	if err != nil || key == nil {
		return false, err
	}
	_, err = c.Last(ctx, StreamErased, erasedTurn+EraseHash(key, convo.World, convo.NPC, convo.Player, turn))
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// EventNPC stands for the NPC where what is refused is an event of the game,
// which is of no conversation.
const EventNPC = "_"

// refuses says whether an entry of the memory log comes from a turn or an event
// of a player who was erased after it.
func (l *MemoryLog) refuses(ctx context.Context, e *schema.MemoryEvent) (bool, error) {
	if e.Player == "" {
		return false, nil
	}
	convo := schema.ConversationID{World: e.World, NPC: e.NPC, Player: e.Player}
	turns, events := map[string]bool{e.TurnID: true}, map[string]bool{e.EventID: true}
	if m := e.Memory; m != nil {
		turns[m.TurnID] = true
		for _, s := range m.Spans {
			turns[s.TurnID], events[s.EventID] = true, true
		}
	}
	delete(turns, "")
	delete(events, "")
	for turn := range turns {
		if is, err := l.conn.IsErased(ctx, convo, turn); is || err != nil {
			return is, err
		}
	}
	convo.NPC = EventNPC
	for event := range events {
		if is, err := l.conn.IsErased(ctx, convo, event); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// Last is the place of the newest entry of an NPC and player; 0 where there is
// none.
func (l *MemoryLog) Last(ctx context.Context, world, npc, player string) (uint64, error) {
	if player == NoPlayer {
		player = ""
	}
	msg, err := l.conn.Last(ctx, StreamMemory,
		protocol.SubjectMemory(schema.ConversationID{World: world, NPC: npc, Player: player}))
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return msg.Sequence, nil
}

// NoPlayer is how subjects name nobody.
const NoPlayer = "_"

// SettleAfter is how long a worker that had begun before an erasure may still
// write: one attempt at one publish, by what it knew when it began.
const SettleAfter = Keyless + ReadTimeout + 500*time.Millisecond
