package trials

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// scene is who speaks in a bench of the guards, and the names of the world.
type scene struct {
	world, npc, npcName, playerName string
	names                           []string
	ids                             map[string]string // of names
	tier                            tier
}

// tier is the verifier that stands behind the guards.
type tier struct {
	name      string
	model     bool // there is one behind the rules
	verifier  entail.Verifier
	judgement *review.Reviewer // of the reply guard, as the engine has it
	support   float64          // the score from which it supports; 0: that of the fit
}

// newScene takes the NPC named, or the first there is.
func newScene(w *world.World, npc string, t tier) (scene, error) {
	handles := w.Handles()
	if len(handles) == 0 {
		return scene{}, fmt.Errorf("world %s has no NPC; there is nobody to remember anything", w.Name)
	}
	if !slices.Contains(handles, npc) {
		npc = handles[0]
	}
	s := scene{world: w.Name, npc: npc, npcName: w.NPCs[npc].Name, playerName: "Ansel", ids: map[string]string{}, tier: t}
	for _, h := range handles {
		name := w.NPCs[h].Name
		s.names = append(s.names, name)
		s.ids[name], s.ids[h] = memory.NPCPrefix+h, memory.NPCPrefix+h
	}
	return s, nil
}

func (s scene) context(player string, at time.Time) extract.Context {
	ids := maps.Clone(s.ids)
	ids[s.playerName] = memory.PlayerPrefix + player
	return extract.Context{NPCName: s.npcName, PlayerName: s.playerName, Names: extract.NewNames(ids), Wall: at}
}

// firstDay is when a bench begins, of the game and of the wall alike.
var firstDay = time.Date(1402, 5, 1, 10, 0, 0, 0, time.UTC)

// keeper is what an NPC remembers, kept in the order in which the services do it:
// candidates through Guard 1 into the book by day, and the scan at night.
type keeper struct {
	scene
	guard   *write.Guard
	scanner scan.Scanner
	embed   embed.Embedder
	book    *memory.Book
	judged  map[string]scan.Verdict
	proved  map[string]bool
}

func newKeeper(s scene, e embed.Embedder) (*keeper, error) {
	var writes write.Verifier
	var scans scan.Entailer
	if s.tier.model {
		scans = scan.Entail(s.tier.verifier)
		writes = scans
	}
	guard, err := write.New(write.DefaultSettings(), writes, nil)
	if err != nil {
		return nil, err
	}
	return &keeper{scene: s, guard: guard,
		scanner: nightly(e.ID(), scans,
			rereading{guard, func(m *schema.Memory) extract.Context { return s.context(m.Player, m.CreatedAt) }}), embed: e,
		book: memory.NewBook(s.world, s.npc), judged: map[string]scan.Verdict{}}, nil
}

// take has Guard 1 judge candidates and keeps what it lets in.
func (k *keeper) take(
	ctx context.Context, candidates []extract.Candidate, words []extract.Utterance, x extract.Context,
) ([]write.Outcome, error) {
	var out []write.Outcome
	for _, c := range candidates {
		o := k.guard.Judge(ctx, c, words, x)
		if o.Fate == write.Store {
			o.Again = k.guard.Again(ctx, &o.Memory, write.Earlier(k.book, &o.Memory))
		}
		out = append(out, o)
		if err := k.apply(k.guard.Events(k.book, o, "", x.Wall)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// force keeps a memory without asking the guard.
func (k *keeper) force(m schema.Memory, at time.Time) (string, error) {
	m.ID, _ = k.book.Place(&m)
	m.Status = schema.MemoryActive
	return m.ID, k.apply([]schema.MemoryEvent{{ID: memory.EventID(schema.MemoryWritten, "bench "+m.TurnID, m.ID),
		Type:  schema.MemoryWritten,
		World: m.World, NPC: m.NPC, Player: m.Player, At: at, By: "bench", TurnID: m.TurnID, Memory: &m}})
}

func (k *keeper) apply(events []schema.MemoryEvent) error {
	for _, e := range events {
		if err := k.book.Apply(e, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// mostNights bounds how often the scan runs until it carries nothing over.
const mostNights = 8

// nights scans until nothing is carried over, and gives what was done.
func (k *keeper) nights(ctx context.Context, now time.Time) ([]schema.MemoryEvent, error) {
	var done []schema.MemoryEvent
	for range mostNights {
		r, err := k.night(ctx, now)
		if err != nil {
			return nil, err
		}
		done = append(done, r.Events...)
		if r.Report.Carried+r.Report.Unread == 0 {
			break
		}
		now = now.Add(24 * time.Hour)
	}
	return done, nil
}

func (k *keeper) night(ctx context.Context, now time.Time) (scan.Result, error) {
	items, err := k.items(ctx)
	if err != nil {
		return scan.Result{}, err
	}
	r, err := k.scanner.Run(ctx, scan.Input{World: k.world, Memories: items, Judged: k.judged, Proved: k.proved, Now: now})
	if err != nil {
		return r, err
	}
	k.judged, k.proved = r.Judged, r.Proved
	return r, k.apply(r.Events)
}

func (k *keeper) items(ctx context.Context) ([]scan.Item, error) {
	var items []scan.Item
	var texts []string
	for _, m := range k.book.Memories() {
		if m.Status == schema.MemoryActive {
			items, texts = append(items, scan.Item{Memory: m, Model: k.embed.ID()}), append(texts, m.Content)
		}
	}
	vectors, err := k.embed.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i := range items {
		items[i].Vector = vectors[i]
	}
	return items, nil
}

// recalled is what the NPC brings into a turn with a player, as evidence in the words
// in which it may be told.
func (k *keeper) recalled(player string, now time.Time) []protocol.Evidence {
	var records []memory.Record
	for _, m := range k.book.Memories() {
		records = append(records, memory.Record{Memory: m, Relevance: 1})
	}
	var out []protocol.Evidence
	names := memory.Names{NPC: k.npcName, Player: k.playerName}
	for i, r := range memory.Recall(records, memory.Query{World: k.world, NPC: k.npc, Player: player, Now: now}) {
		out = append(out, protocol.Evidence{ID: fmt.Sprintf("M%d", i+1), SourceID: "session",
			ChunkID: "memory:" + r.Memory.ID, Type: "session", Private: true,
			Text: memory.Spoken(&r.Memory, names), At: r.Memory.EventTime,
			AllowedFor: []string{string(schema.ClaimSharedPast)},
			Provenance: protocol.Provenance{Source: r.Memory.Source, World: k.world, NPC: k.npc, CreatedAt: r.Memory.CreatedAt,
				IndexedAt: r.Memory.CreatedAt}})
	}
	return out
}

// asks is the message to which the NPC says what it remembers.
const asks = "What do you remember of what I told you?"

// reviewed is a reply as the reviewer and Guard 3 see it: the sentences that were
// found fit, and the score of all of them.
func (s scene) reviewed(
	ctx context.Context, sentences []string, evidence []protocol.Evidence,
) ([]string, protocol.Review, error) {
	var cites []protocol.Citation
	for _, e := range evidence {
		cites = append(cites, protocol.Citation{EvidenceID: e.ID})
	}
	d := review.Draft{Evidence: evidence, Class: protocol.ClassComplex, Support: s.tier.support,
		Context: grounding.Context{NPCName: s.npcName, NPCHandle: s.npc, Player: s.playerName, Message: asks, Names: s.names}}
	for _, text := range sentences {
		d.Sentences = append(d.Sentences, protocol.DraftSentence{Text: text, Citations: cites})
	}
	found, outcomes, err := s.tier.judgement.Review(ctx, d)
	if err != nil {
		return nil, found, err
	}
	var fit []string
	for i := range outcomes {
		if outcomes[i].OK() {
			fit = append(fit, sentences[i])
		}
	}
	return fit, found, nil
}

func (s scene) score(found protocol.Review) faithful.Score {
	return faithful.Of(found.Claims, faithful.NamesOf(append([]string{s.playerName}, s.names...), nil),
		guards.Default().Faithfulness.Risk)
}
