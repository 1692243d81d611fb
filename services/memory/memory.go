// Package memory is Guard 1 as a service: it reads every released reply and every
// event that a backend saw, takes from them what is worth remembering, grounds it
// in the words, and writes the memory log. The log is the truth; beside it the
// service keeps the index that turns are answered from (Index), and whoever
// answers them asks it (Recaller). It never reads a draft, and nothing that is
// written here can be cited for a claim about the world.
package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Turns is where the service reads what became of turns and actions. mesh.Client
// is one.
type Turns interface {
	Reply(ctx context.Context, convo schema.ConversationID, turn string) (*schema.Reply, error)
	Results(ctx context.Context, convo schema.ConversationID, turn string) (map[int]schema.ActionResult, error)
}

// Options are what the service needs.
type Options struct {
	Library *lore.Library
	Turns   Turns
	Guard   *write.Guard
	Extract func(*schema.Reply, extract.Context) []extract.Candidate // nil: by rules
	Ask     Asker                                                    // nil: the rules alone say what is worth remembering
	Now     func() time.Time
	Notice  func(string)  // one line of what was left out, such as an event that cannot be taken
	Retry   time.Duration // between two tries of candidates without a verdict; default a minute
	Meter   Meter         // what is done is counted there; nil: nowhere
}

// Meter counts what Guard 1 does.
type Meter interface {
	Grounded(label schema.GroundingLabel, dropped bool, took time.Duration)
	Passed(stage report.Stage, n int)
}

// Service writes memories.
type Service struct {
	o      Options
	books  *Books
	asking asking
	order  *order
	// until Close: a model's answer is waited for by whoever reads the turn, and asked for by none of them
	living context.Context
	end    context.CancelFunc
}

// New makes the service over books that may be shared with an Index.
func New(books *Books, o Options) *Service {
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Extract == nil {
		o.Extract = extract.FromReply
	}
	if o.Retry == 0 {
		o.Retry = time.Minute
	}
	if o.Meter == nil {
		o.Meter = report.NewMetrics()
	}
	s := &Service{o: o, books: books, order: newOrder(), asking: asking{turns: cacheOf[*asked](answersKept)}}
	s.living, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends calls of the model that are under way. Who still waits for one is told
// that the context has ended.
func (s *Service) Close() {
	s.end()
	s.asking.calling.Wait()
}

// answerWait is how long after a turn began the game may take to answer its
// actions, before they are remembered as offered.
const answerWait = 15 * time.Second

// Reply takes what a released reply leaves behind. Given again it adds nothing. Replies of
// one conversation that come at once are taken in the order of their sequence; sequence 0
// is one that is read again.
func (s *Service) Reply(ctx context.Context, r *schema.Reply, sequence uint64) error {
	if r.Unheard() || schema.IsGuest(r.Player) || s.o.Library.Get(r.World) == nil {
		return nil
	}
	if sequence > 0 {
		if s.order.early(r) {
			return mesh.Later(putBack)
		}
		leave, err := s.order.enter(ctx, r, sequence)
		if err != nil {
			return err
		}
		defer leave()
	}
	open, err := s.take(ctx, r)
	if err != nil {
		return err
	}
	if open {
		return mesh.Later(2 * time.Second)
	}
	if sequence > 0 { // else it is read again, for what came after it
		s.o.Meter.Passed(report.Turns, 1)
		if r.Message != "" && r.Reason != schema.ReasonSocial {
			s.o.Meter.Passed(report.Read, 1)
		}
	}
	return nil
}

// Settle takes what a reply leaves behind before its conversation goes on. The reply
// itself comes as well; what an action still waits for comes with that.
func (s *Service) Settle(ctx context.Context, r *schema.Reply) error {
	if r.Unheard() || schema.IsGuest(r.Player) || s.o.Library.Get(r.World) == nil {
		return nil
	}
	_, err := s.take(ctx, r)
	return err
}

// Result takes the game's answer to an action that may have been remembered as
// offered already.
func (s *Service) Result(ctx context.Context, convo schema.ConversationID, turn string) error {
	r, err := s.o.Turns.Reply(ctx, convo, turn)
	if errors.Is(err, transport.ErrNotFound) {
		return nil // the reply is to come, and brings its answers; or it is no more
	}
	if err != nil {
		return err
	}
	return s.Reply(ctx, r, 0)
}

// take remembers what a reply holds; open says that an action still waits for the
// game.
func (s *Service) take(ctx context.Context, r *schema.Reply) (open bool, err error) {
	if r.Scene != nil {
		return s.scene(ctx, r)
	}
	return s.takeOne(ctx, r, false)
}

// takeOne is take for one NPC. One that overhears was not spoken to: "you" is another.
func (s *Service) takeOne(ctx context.Context, r *schema.Reply, overhears bool) (open bool, err error) {
	x := s.contextOf(r.World, r.NPC, r.Player, r.PlayerName)
	x.Previous = previous(r)
	if len(r.Actions) > 0 {
		if x.Results, err = s.o.Turns.Results(ctx, r.Conversation(), r.TurnID); err != nil {
			return false, err
		}
		if s.o.Now().Before(r.AcceptedAt.Add(answerWait)) {
			r, open = withoutUnanswered(r, x)
		}
	}
	r = withoutRecalled(r)
	words := extract.Words(r, x)
	candidates, err := s.candidates(ctx, r, x)
	if err != nil {
		return open, err
	}
	if overhears {
		candidates = extract.Meant(candidates)
	}
	if err := s.remember(ctx, r.NPC, proposal{candidates, words, x}); err != nil {
		return open, err
	}
	return open, s.passOn(ctx, r, x)
}

// withoutUnanswered is a reply as if it had not proposed what the game has not
// answered yet.
func withoutUnanswered(r *schema.Reply, x extract.Context) (out *schema.Reply, some bool) {
	c := *r
	c.Actions = nil
	for i, a := range r.Actions {
		if _, answered := x.Results[i]; !answered && a.Checked && !a.Confirmed && a.Refused == "" && a.Name != deed.Trust &&
			a.Name != deed.Tell {
			a.Checked, some = false, true
		}
		c.Actions = append(c.Actions, a)
	}
	return &c, some
}

// withoutRecalled is a reply without what only tells of memories or of the
// conversation: to have told a memory is no memory, else each telling adds one.
func withoutRecalled(r *schema.Reply) *schema.Reply {
	c := *r
	c.Sentences = slices.DeleteFunc(slices.Clone(r.Sentences), func(s schema.Sentence) bool {
		return len(s.Evidence) > 0 && !slices.ContainsFunc(s.Evidence, func(e schema.EvidenceRef) bool {
			return e.Source == schema.OriginCorpus || !strings.HasPrefix(e.Path, "memory:") &&
				!strings.HasPrefix(e.Path, "session:")
		})
	})
	return &c
}

// previous are the player's words before this turn.
func previous(r *schema.Reply) *extract.Utterance {
	p := r.Previous
	if p == nil {
		return nil
	}
	return &extract.Utterance{TurnID: p.TurnID, Speaker: extract.SpeakerPlayer, Text: p.Text, At: p.At}
}

// Occurrence takes what the game saw happen, for each NPC among its witnesses.
func (s *Service) Occurrence(ctx context.Context, o *schema.Occurrence, _ uint64) error {
	if err := o.Validate(); err != nil {
		return mesh.Reject(fmt.Errorf("event %s: %w", o.ID, err))
	}
	x := s.o.Library.Get(o.World)
	if x == nil {
		return mesh.Reject(fmt.Errorf("event %s: world %q is not served here; these are: %s", o.ID, o.World,
			strings.Join(s.o.Library.Names(), ", ")))
	}
	known := 0
	for _, handle := range o.Witnesses {
		if x.World.NPCs[handle] == nil {
			continue // a player, or nobody
		}
		known++
		if err := s.witnessed(ctx, o, handle); err != nil {
			return err
		}
	}
	if known == 0 {
		s.o.Notice(fmt.Sprintf("event %s of %s: none of its witnesses (%s) is an NPC there, so nobody remembers it", o.ID,
			o.World, strings.Join(o.Witnesses, ", ")))
	}
	return nil
}

func (s *Service) witnessed(ctx context.Context, o *schema.Occurrence, npc string) error {
	c := s.contextOf(o.World, npc, o.Player, "")
	list, err := extract.FromOccurrence(o, npc, c)
	if err != nil {
		return mesh.Reject(err)
	}
	return s.remember(ctx, npc, proposal{list, extract.OccurrenceWords(o), c})
}

// contextOf is what the words of a turn with an NPC stand in.
func (s *Service) contextOf(world, npc, player, playerName string) extract.Context {
	return ContextOf(s.o.Library.Get(world), npc, player, playerName, s.o.Now())
}

// ContextOf is what the words of a talk with an NPC of a world stand in.
func ContextOf(x *lore.Lore, npc, player, playerName string, wall time.Time) extract.Context {
	aliases := map[string]string{}
	for handle, n := range x.World.NPCs {
		id := memory.NPCPrefix + handle
		aliases[handle], aliases[n.Name] = id, id
	}
	firstNames(aliases)
	if playerName != "" {
		aliases[playerName] = memory.PlayerPrefix + player
	}
	c := extract.Context{NPCName: npc, PlayerName: playerName, Wall: wall, Names: extract.NewNames(aliases),
		Unremembered: []string{deed.Trust, deed.Tell}}
	c.Predicates = x.World.Predicates
	if n := x.World.NPCs[npc]; n != nil {
		c.NPCName = n.Name
	}
	return c
}

// firstNames adds first names that one NPC alone has: "Bram" of "Bram Dunnock".
func firstNames(aliases map[string]string) {
	of := map[string]map[string]bool{}
	for name, id := range aliases {
		if first, _, more := strings.Cut(name, " "); more && first != "The" && first != "Old" {
			if of[first] == nil {
				of[first] = map[string]bool{}
			}
			of[first][id] = true
		}
	}
	for first, ids := range of {
		if _, taken := aliases[first]; taken || len(ids) != 1 {
			continue
		}
		for id := range ids {
			aliases[first] = id
		}
	}
}
