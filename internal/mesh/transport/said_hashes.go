package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// HashesKept is how many replies of one NPC to one player have their hashes kept. Each has one
// sentence at least, and internal/lore knows no more sentences of an NPC than this.
const HashesKept = 4096

// saidHashesKept is how many replies of all NPCs have their hashes kept: some 60 MB.
const saidHashesKept = 1 << 18

// SaidHashes is what NPCs said in a model's words, said-hash.<world>.<npc>.<player>.
type SaidHashes struct{ conn *Conn }

// SaidHashes is what this broker keeps of it.
func (c *Conn) SaidHashes() *SaidHashes { return &SaidHashes{c} }

// Hashed is what one reply added.
type Hashed struct {
	World, NPC string
	At         time.Time
	Hashes     []uint64
	Anew       bool // nothing was added: something of this NPC was erased, and is to be read again
	Sequence   uint64
}

// hashedBody is an entry as it is stored: numbers of 64 bits do not survive JSON everywhere.
type hashedBody struct {
	At     time.Time `json:"at,omitzero"`
	Hashes []string  `json:"hashes,omitempty"`
}

// Add keeps the hashes of a turn's reply. A turn that is added again adds nothing.
func (s *SaidHashes) Add(
	ctx context.Context, convo schema.ConversationID, turn string, at time.Time, hashes []uint64,
) error {
	if len(hashes) == 0 {
		return nil
	}
	body := hashedBody{At: at}
	for _, h := range hashes {
		body.Hashes = append(body.Hashes, strconv.FormatUint(h, 16))
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("hashes of turn %s: %w", turn, err)
	}
	missing := false
	_, err = s.conn.publishWhile(ctx, func(err error) bool {
		missing = errors.Is(err, nats.ErrNoResponders) && s.isMissing(ctx)
		return IsLost(err) && !missing
	}, NewMessage(protocol.SubjectSaidHash(convo), data, jetstream.MsgIDHeader, turn+"/said-hash"), ReadTimeout)
	if missing {
		return nil
	}
	return Wrap(err, "keep the hashes of turn %s", turn)
}

// isMissing says whether this is a mesh that an older build set up.
func (s *SaidHashes) isMissing(ctx context.Context) bool {
	_, err := s.conn.Look(ctx, StreamSaidHashes)
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// Anew tells whoever knows what an NPC said to read it again. One such word is kept.
func (s *SaidHashes) Anew(ctx context.Context, world, npc string) error {
	_, err := s.conn.Publish(ctx,
		NewMessage(protocol.SubjectSaidAnew(world, npc), []byte("{}"), jetstream.MsgRollup, jetstream.MsgRollupSubject),
		ReadTimeout)
	return Wrap(err, "have what %s said read again", npc)
}

// Read gives all that is kept of an NPC, in order; an empty npc is all NPCs of the world.
func (s *SaidHashes) Read(ctx context.Context, world, npc string, f func(Hashed)) error {
	if npc == "" {
		npc = "*"
	}
	err := s.conn.Each(ctx, StreamSaidHashes, protocol.Prefix+"said-hash."+world+"."+npc+".*",
		func(msg *jetstream.RawStreamMsg) bool {
			if h, ok := parseHashed(msg.Subject, msg.Sequence, msg.Data); ok {
				f(h)
			}
			return true
		})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // a mesh that an older build set up
	}
	return err
}

// End is the place of the last entry; 0 where there is none.
func (s *SaidHashes) End(ctx context.Context) (uint64, error) {
	stream, err := s.conn.Look(ctx, StreamSaidHashes)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, nil // a mesh that an older build set up
	}
	if err != nil {
		return 0, fmt.Errorf("stream %s: %w", StreamSaidHashes, err)
	}
	return stream.CachedInfo().State.LastSeq, nil
}

// Follow gives each entry behind a place, and then each new one, until the context ends or
// f fails. A broken connection is mended and the reading goes on where it was.
func (s *SaidHashes) Follow(ctx context.Context, after uint64, f func(Hashed) error) error {
	return s.conn.follow(ctx, StreamSaidHashes, after, func(subject string, sequence, _ uint64, data []byte) error {
		if h, ok := parseHashed(subject, sequence, data); ok {
			return f(h)
		}
		return nil
	})
}

// parseHashed reads an entry. What cannot be read tells nothing.
func parseHashed(subject string, sequence uint64, data []byte) (Hashed, bool) {
	on, err := protocol.ParseSubject(subject)
	if err != nil {
		return Hashed{}, false
	}
	out := Hashed{World: on.Conversation.World, NPC: on.Conversation.NPC, Sequence: sequence,
		Anew: on.Conversation.Player == NoPlayer}
	var body hashedBody
	if json.Unmarshal(data, &body) != nil {
		return Hashed{}, false
	}
	out.At = body.At
	for _, text := range body.Hashes {
		h, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			return Hashed{}, false
		}
		out.Hashes = append(out.Hashes, h)
	}
	return out, true
}
