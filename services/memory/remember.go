package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// proposal are candidates with the words they are held against.
type proposal struct {
	candidates []extract.Candidate
	words      []extract.Utterance
	context    extract.Context
}

// remember grounds candidates and writes what becomes of them. Those of which the
// book has these very words already are left alone.
func (s *Service) remember(ctx context.Context, npc string, p proposal) error {
	if len(p.candidates) == 0 {
		return nil
	}
	own := schema.ConversationID{World: p.candidates[0].World, NPC: npc, Player: p.candidates[0].Player}
	var open []extract.Candidate
	var earlier [][]write.Retold
	err := s.books.use(ctx, own, func(n *projection) error {
		for _, c := range p.candidates {
			if settled(n.book, c) {
				if err := s.finish(ctx, n, c); err != nil {
					return err
				}
				continue
			}
			open, earlier = append(open, c), append(earlier, write.Earlier(n.book, &c.Memory))
		}
		return nil
	})
	if err != nil || len(open) == 0 {
		return err
	}
	// judged while others may use the book
	outcomes, took := make([]write.Outcome, len(open)), make([]time.Duration, len(open))
	for i, c := range open {
		began := s.o.Now()
		if outcomes[i] = s.o.Guard.Judge(ctx, c, p.words, p.context); outcomes[i].Fate == write.Store {
			outcomes[i].Again = s.o.Guard.Again(ctx, &outcomes[i].Memory, earlier[i])
		}
		took[i] = s.o.Now().Sub(began)
	}
	if err := ctx.Err(); err != nil {
		return err // a verdict that ran out of time is no verdict
	}
	return s.books.use(ctx, own, func(n *projection) error {
		for i := range outcomes {
			if settled(n.book, open[i]) { // by another reader of the same reply, meanwhile
				continue
			}
			waited := waitingFor(n.book, &open[i]) != ""
			if err := s.write(ctx, n, &open[i], outcomes[i]); err != nil {
				return err
			}
			s.count(&outcomes[i], took[i], waited)
		}
		return nil
	})
}

// count counts a candidate when its verdict comes, and once while none comes.
// What is of a kind that is not kept was not judged.
func (s *Service) count(o *write.Outcome, took time.Duration, waited bool) {
	if o.Skipped || waited && o.Fate == write.Wait {
		return
	}
	if !waited {
		s.o.Meter.Passed(report.Candidates, 1)
	}
	s.o.Meter.Grounded(o.Verdict.Label, o.Fate == write.Drop, took)
	if o.Fate != write.Wait {
		s.o.Meter.Passed(report.Judged, 1)
	}
	if o.Fate == write.Store && o.Again == "" {
		s.o.Meter.Passed(report.Stored, 1)
	}
}

// settled says whether these words of this turn were judged before: they stand in
// the book, or were dropped.
func settled(b *memory.Book, c extract.Candidate) bool {
	m := c.Memory
	id, known := b.Place(&m)
	if have, _ := b.Get(id); known && have.Status != schema.MemoryPending {
		return true
	}
	return !known && (b.Has(memory.EventID(schema.MemoryDropped, causeOf(&m), id)) || write.Told(b, &m))
}

// finish appends what a crash left out behind a memory that is written.
func (s *Service) finish(ctx context.Context, n *projection, c extract.Candidate) error {
	return s.books.append(ctx, n, func(b *memory.Book) []schema.MemoryEvent {
		m := c.Memory
		m.ID, _ = b.Place(&m)
		now := s.o.Now()
		return append(s.o.Guard.Finish(b, &m, now), answered(b, &m, s.o)...)
	})
}

// causeOf is the turn or event that a memory comes from.
func causeOf(m *schema.Memory) string {
	for _, s := range m.Spans {
		if s.EventID != "" {
			return s.EventID
		}
	}
	return m.TurnID
}

// write appends what an outcome means. A crash between two of its events leaves the
// memory without the older one marked, until the turn comes again: see finish.
func (s *Service) write(ctx context.Context, n *projection, c *extract.Candidate, o write.Outcome) error {
	pending := waitingFor(n.book, c)
	return s.books.append(ctx, n, func(b *memory.Book) []schema.MemoryEvent {
		now := s.o.Now()
		return append(s.o.Guard.Events(b, o, pending, now), answered(b, &o.Memory, s.o)...)
	})
}

// waitingFor is the id under which a candidate waits for its verdict, or "".
func waitingFor(b *memory.Book, c *extract.Candidate) string {
	m := c.Memory
	id, _ := b.Place(&m)
	if have, ok := b.Get(id); ok && have.Status == schema.MemoryPending {
		return id
	}
	return ""
}

// answered lets a deed of which the game's answer is known take the place of the
// same deed remembered as offered.
func answered(b *memory.Book, m *schema.Memory, o Options) []schema.MemoryEvent {
	if m.Pred != "did" && m.Pred != "offered" || m.Source != schema.OriginSystem {
		return nil
	}
	id, _ := b.Place(m)
	now := o.Now()
	var out []schema.MemoryEvent
	for _, other := range b.Same(&schema.Memory{Player: m.Player, Subject: m.Subject, Pred: "offered"}) {
		if other.ID != id && other.TurnID == m.TurnID && other.Object == m.Object && other.Status == schema.MemoryActive {
			newer := *m
			newer.ID = id
			out = append(out, memory.Supersede(&other, &newer, m.TurnID, write.By, "the game has answered", now))
		}
	}
	return out
}

// passOn carries out what an NPC tells another in a turn: the other keeps a copy that
// says from whom it comes and belongs to the same player. Where the game is asked
// first, its ok is awaited; else the words are said when the reply is. Given again it
// adds nothing.
func (s *Service) passOn(ctx context.Context, r *schema.Reply, x extract.Context) error {
	for i, a := range r.Actions {
		result, answered := x.Results[i]
		switch {
		case a.Name != deed.Tell || !a.Checked || a.Refused != "":
			continue
		case answered && !result.Accepted, a.Confirm && !a.Confirmed && !answered:
			continue
		}
		to, _ := a.Parameters["npc"].(string)
		id, _ := a.Parameters["memory"].(string)
		if err := s.tell(ctx, r, x, to, id); err != nil {
			return err
		}
	}
	return nil
}

// tell writes the copy. What cannot be told is left out with one line: the reply is
// released, and to try again would not mend it.
func (s *Service) tell(ctx context.Context, r *schema.Reply, x extract.Context, to, id string) error {
	refuse := func(why string) error {
		s.o.Notice(fmt.Sprintf("turn %s: %s does not tell %s of memory %s: %s", r.TurnID, r.NPC, to, id, why))
		return nil
	}
	if s.o.Library.Get(r.World).World.NPCs[to] == nil {
		return refuse("no NPC of " + r.World + " has this handle")
	}
	told, found, err := s.memoryOf(ctx, r, id)
	if err != nil {
		return err
	}
	if !found || !memory.MayUse(&told, r.World, r.NPC, r.Player) {
		return refuse("it is no memory of " + r.NPC + " with this player")
	}
	game := r.AcceptedAt
	if r.GameTime != nil && !r.GameTime.IsZero() {
		game = *r.GameTime
	}
	told, err = memory.Hearsay(&told, memory.Telling{Teller: x.NPCName, To: to, GameTime: game, At: s.o.Now()})
	if err != nil {
		return refuse(err.Error())
	}
	verdict := schema.GroundingVerdict{Label: schema.GroundingSupported, Spans: told.Spans,
		Why: "told by " + r.NPC + " in turn " + r.TurnID, Tier: "rule"}
	hearer := schema.ConversationID{World: r.World, NPC: to, Player: told.Player}
	return s.books.Append(ctx, hearer, func(b *memory.Book) []schema.MemoryEvent {
		return s.o.Guard.Events(b, write.Outcome{Fate: write.Store, Verdict: verdict, Memory: told}, "", s.o.Now())
	})
}

// memoryOf finds a memory that the NPC of a reply has of its player, or of nobody.
func (s *Service) memoryOf(ctx context.Context, r *schema.Reply, id string) (m schema.Memory, found bool, err error) {
	for _, player := range []string{r.Player, ""} {
		own := schema.ConversationID{World: r.World, NPC: r.NPC, Player: player}
		err = s.books.Read(ctx, own, func(b *memory.Book) error {
			m, found = b.Get(id)
			return nil
		})
		if found || err != nil {
			break
		}
	}
	return m, found, err
}
