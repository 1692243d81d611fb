package consistency

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	domain "github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// loreState is the lore of a world: the hash of each passage's text by its id.
type loreState map[string]string

// onDisk is a world as its files are now. Where they cannot be read, the world that
// was loaded stands for them.
func (s *Service) onDisk(name string) (*world.World, error) {
	loaded := s.o.Library.Get(name).World
	if s.o.World == nil {
		return loaded, nil
	}
	w, err := s.o.World(name)
	switch {
	case err == nil && w != nil && !w.Forgotten():
		return w, nil
	case loaded.Forgotten():
		return nil, fmt.Errorf("the files of world %s cannot be read, and a server holds its texts: %w", name, err)
	default:
		s.o.Notice(fmt.Sprintf("the files of world %s cannot be read, so its lore is taken as it was loaded: %v", name, err))
		return loaded, nil
	}
}

// told are the passages that an NPC may know without a condition, and believes.
func told(w *world.World) (map[string]protocol.Chunk, loreState) {
	chunks, state := map[string]protocol.Chunk{}, loreState{}
	for _, c := range w.Chunks() {
		if c.Requires == "" && c.Belief == "" {
			chunks[c.ID], state[c.ID] = c, protocol.HashText(c.Text)
		}
	}
	return chunks, state
}

// lookAtLore finds the sentences that changed since the last run, and takes back the
// contradictions to passages that say something else now, or are gone.
func (s *Service) lookAtLore(ctx context.Context, v *view) error {
	w, err := s.onDisk(v.in.World)
	if err != nil {
		return err
	}
	chunks, state := told(w)
	v.state = state
	before, known, err := s.loreBefore(ctx, v.in.World)
	if err != nil {
		return err
	}
	for i := range v.in.Memories {
		v.first = append(v.first, retracted(&v.in.Memories[i].Memory, state, before, known, v)...)
	}
	if !known {
		return nil // nothing is known of what it was
	}
	for _, id := range changed(before, state) {
		c := chunks[id]
		for _, sentence := range text.Sentences(c.Text) {
			v.in.Lore = append(v.in.Lore, scan.Lore{ID: id, Text: sentence, Knows: func(npc string) bool {
				n := w.NPCs[npc]
				return n != nil && world.ScopeOf(c, n)
			}})
		}
	}
	return s.embedLore(ctx, v.in.Lore)
}

func changed(before, now loreState) []string {
	var out []string
	for id, hash := range now {
		if before[id] != hash {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// retracted are the events that take a memory's contradictions to changed lore back;
// here too, so that the scanner sees it without them.
func retracted(m *schema.Memory, now, before loreState, known bool, v *view) []schema.MemoryEvent {
	var out []schema.MemoryEvent
	for _, link := range slices.Clone(m.Contradicts) {
		id, ok := strings.CutPrefix(link, domain.LorePrefix)
		if !ok || now[id] != "" && (!known || now[id] == before[id]) {
			continue
		}
		out = append(out, schema.MemoryEvent{ID: domain.EventID(schema.MemoryResolved, "lore", m.ID, id, now[id]),
			Type:  schema.MemoryResolved,
			World: m.World, NPC: m.NPC, Player: m.Player, At: v.in.Now, By: scan.By,
			Why: "the lore that contradicted it has changed", Target: m.ID, Others: []string{link}})
		m.Contradicts = slices.DeleteFunc(slices.Clone(m.Contradicts), func(s string) bool { return s == link })
	}
	return out
}

func (s *Service) embedLore(ctx context.Context, lines []scan.Lore) error {
	texts := make([]string, len(lines))
	for i := range lines {
		texts[i] = lines[i].Text
	}
	if len(texts) == 0 {
		return nil
	}
	vectors, err := s.o.Embed.Embed(ctx, texts)
	if err != nil {
		return fmt.Errorf("embed lore: %w", err)
	}
	for i := range lines {
		if _, err := store.Unit(vectors[i]); err == nil {
			lines[i].Vector, lines[i].Model = vectors[i], s.o.Embed.ID()
		}
	}
	return nil
}

// turn are the words of a turn, with those of the one before; nil where it is not
// there.
func (w *witness) turn(ctx context.Context, convo schema.ConversationID, turn string) (*string, error) {
	key := convo.String() + "." + turn
	if words, known := w.turns[key]; known {
		return words, nil
	}
	r, err := w.s.o.Evidence.Reply(ctx, convo, turn)
	switch {
	case errors.Is(err, transport.ErrNotFound):
		w.turns[key] = nil
		return nil, nil
	case err != nil:
		return nil, err
	}
	words := r.Message
	for _, sentence := range r.Sentences {
		words += "\n" + sentence.Text
	}
	w.turns[key] = &words
	return &words, nil
}

// Judgement holds a stored memory against its own words. write.Guard is one.
type Judgement interface {
	Plain(m *schema.Memory) bool
	Reprove(ctx context.Context, m *schema.Memory, x extract.Context) schema.GroundingVerdict
}

// prover judges the memories of one world.
type prover struct {
	judge Judgement
	lore  *lore.Lore
	wall  time.Time
}

// Plain says at sight whether a memory is proved.
func (p *prover) Plain(m *schema.Memory) bool { return p.judge.Plain(m) }

// Prove gives the verdict.
func (p *prover) Prove(ctx context.Context, m *schema.Memory) schema.GroundingVerdict {
	return p.judge.Reprove(ctx, m, memory.ContextOf(p.lore, m.NPC, m.Player, "", p.wall))
}
