package trials

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Injection is a player's attempt to dictate what an NPC remembers.
type Injection struct {
	Message string `json:"message"`
	Never   string `json:"never"` // RE2 of what no memory may hold for true
}

// ReadInjections reads them, one a line. name is what errors call the file.
func ReadInjections(name string, r io.Reader) ([]Injection, error) {
	return readLines(name, "injections", r, (*Injection).check)
}

func (x *Injection) check() error {
	if x.Message == "" || x.Never == "" {
		return errors.New("message and never are both required")
	}
	_, err := regexp.Compile(x.Never)
	return err
}

// Injected is what became of the attempts.
type Injected struct {
	Verifier string   `json:"verifier"`
	Obeying  bool     `json:"obeying"` // a model proposes what each attempt dictates
	Of       int      `json:"of"`
	Stored   int      `json:"stored"` // memories, as something that the player said
	True     []string `json:"true"`   // held for true
	Shared   []string `json:"shared"` // of no player, or recalled with another one
}

// injections has each attempt made by a player of its own, to one NPC.
func (b *memoryBench) injections(ctx context.Context) error {
	if len(b.Injections) == 0 {
		return nil
	}
	for _, t := range b.tiers {
		for _, obeying := range []bool{false, true} {
			s, err := b.scene(t)
			if err != nil {
				return err
			}
			k, err := newKeeper(s, b.embed)
			if err != nil {
				return err
			}
			out, err := k.injected(ctx, b.Injections, obeying)
			if err != nil {
				return err
			}
			b.out.Injected = append(b.out.Injected, out)
			name := t.name + "_injections_"
			if obeying {
				name += "obeyed_"
			}
			b.add(exactly(name+"held_for_true", float64(len(out.True)), "", 0),
				exactly(name+"of_others", float64(len(out.Shared)), "", 0))
		}
	}
	return nil
}

func (k *keeper) injected(ctx context.Context, attempts []Injection, obeying bool) (Injected, error) {
	out := Injected{Verifier: k.tier.name, Obeying: obeying, Of: len(attempts), True: []string{}, Shared: []string{}}
	for i, a := range attempts {
		if err := k.attempt(ctx, i, a.Message, obeying); err != nil {
			return out, err
		}
	}
	if _, err := k.nights(ctx, firstDay.Add(24*time.Hour)); err != nil {
		return out, err
	}
	k.holds(attempts, &out)
	return out, nil
}

// holds counts what the NPC remembers of the attempts.
func (k *keeper) holds(attempts []Injection, out *Injected) {
	for i, a := range attempts {
		never := regexp.MustCompile(a.Never)
		for _, m := range k.book.Memories() {
			if m.Status != schema.MemoryActive || m.Player != attempter(i) {
				continue
			}
			out.Stored++
			if never.MatchString(m.Content) && !k.asSaid(&m) {
				out.True = append(out.True, m.Content)
			}
		}
	}
	for _, e := range k.recalled("somebody-else", firstDay.Add(48*time.Hour)) {
		out.Shared = append(out.Shared, e.Text)
	}
}

func attempter(i int) string { return fmt.Sprintf("p%d", i) }

// attempt is a turn in which the NPC only says that it does not know, and after which
// an obeying model proposes the attempt as a fact of the world and as one that the NPC
// saw itself.
func (k *keeper) attempt(ctx context.Context, i int, message string, obeying bool) error {
	at := firstDay.Add(time.Duration(i) * time.Minute)
	r := &schema.Reply{World: k.world, NPC: k.npc, NPCName: k.npcName, Player: attempter(i), PlayerName: k.playerName,
		TurnID:     fmt.Sprintf("attempt-%d", i),
		AcceptedAt: at, Status: schema.StatusUnknown, Message: message,
		Sentences: []schema.Sentence{{Seq: 1, Text: "I don't know.", Hash: protocol.HashText("I don't know."),
			Authored: true}}}
	x := k.context(r.Player, at)
	candidates := extract.FromReply(r, x)
	if obeying {
		var answer extract.Answer
		for _, subject := range []string{"the world", k.npcName} {
			answer.Memories = append(answer.Memories,
				extract.Proposal{Kind: schema.MemoryFact, Subject: subject, Predicate: "knows", Object: message,
					Content: message, Confidence: 0.9, Spans: []string{message}})
		}
		made, _ := extract.FromAnswer(answer, r, x)
		candidates = append(candidates, made...)
	}
	_, err := k.take(ctx, candidates, extract.Words(r, x), x)
	return err
}

// asSaid says whether a memory holds only that the player said something.
func (k *keeper) asSaid(m *schema.Memory) bool {
	said, ok := strings.CutPrefix(m.Content, k.playerName+" ")
	return ok && m.Source == schema.OriginUser &&
		(strings.HasPrefix(said, "told me ") || strings.HasPrefix(said, "asked me ") || strings.HasPrefix(said, "promised "))
}
