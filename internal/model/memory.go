package model

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Remembers says whether a model finds what is worth remembering.
func (m *Model) Remembers() bool { return m != nil && m.options.Memories }

// Memories asks what is worth remembering of a released reply's message: one call
// of its own, after the reply and outside of the turn's time and calls. The answer is
// still to be held against the words.
func (m *Model) Memories(ctx context.Context, r *schema.Reply) (extract.Answer, error) {
	var out extract.Answer
	data := prompt.Remember(r.PlayerName, r.Message, m.predicates(r.World).Names())
	err := m.apart(ctx, prompt.Memories, r.World, r.NPC, r.Player, data, func(answer []byte) error {
		out = extract.Answer{}
		if err := json.Unmarshal(answer, &out); err != nil {
			return fmt.Errorf("memories: %w", err)
		}
		return nil
	})
	return out, err
}

// predicates are those of a world as the process began with it.
func (m *Model) predicates(of string) *memory.PredicateTable {
	if w := m.worlds[of]; w != nil && w.Predicates != nil {
		return w.Predicates
	}
	return memory.DefaultPredicates()
}

// Judge says what the members of a cluster are to each other, for the nightly scan,
// which bounds how often it asks.
func (m *Model) Judge(ctx context.Context, members []schema.Memory) (scan.Verdict, string, error) {
	if len(members) == 0 {
		return scan.Unclear, "", nil
	}
	var verdict, why string
	of := &members[0]
	err := m.apart(ctx, prompt.Cluster, of.World, of.NPC, of.Player, prompt.Compare(members),
		func(answer []byte) (err error) {
			verdict, why, err = prompt.Compared(answer)
			return err
		})
	if err != nil {
		return scan.Unclear, "", err
	}
	return scan.Verdict(verdict), why, nil
}

// judgeSure is the confidence from which a judgement of the model counts.
const judgeSure = 0.8

// Says asks whether words say what a memory claims, for Guard 1. What the model is not
// sure of is unverifiable.
func (m *Model) Says(ctx context.Context, of *schema.Memory, premise, claim string) (schema.Verdict, error) {
	var said []prompt.Judgement
	data := new(prompt.Data).Section("evidence", "[E1] "+premise).Numbered([]string{claim})
	err := m.apart(ctx, prompt.Judge, of.World, of.NPC, of.Player, data, func(answer []byte) (err error) {
		said, err = prompt.Judged(answer, 1)
		return err
	})
	if err != nil {
		return schema.Verdict{}, err
	}
	v := schema.Verdict{Label: schema.Unverifiable, Score: 0.3, Tier: entail.TierJudge, Why: said[0].Difference}
	switch {
	case said[0].Confidence < judgeSure:
	case said[0].Verdict == schema.Supported:
		v.Label, v.Score = schema.Supported, 0.75
	case said[0].Verdict == schema.Contradicted:
		v.Label, v.Score = schema.Contradicted, 0.25
	}
	return v, nil
}

// apart makes one call that belongs to no turn: it has a meter of its own, which
// allows one question and its repair, and the budget of its world and player.
func (m *Model) apart(
	ctx context.Context, name, of, handle, player string, data *prompt.Data, validate func([]byte) error,
) error {
	w := m.worlds[of]
	if w == nil || w.NPCs[handle] == nil {
		return fmt.Errorf("%s: world %s has no NPC %s here", name, of, handle)
	}
	npc := w.NPCs[handle]
	p, err := m.book(of).Build(name, prompt.Persona{Name: npc.Name, Style: npc.Style}, data)
	if err != nil {
		return err
	}
	meter := llm.Apart(name)
	_, err = m.llm.Complete(ctx, llm.Request{
		Name: p.Name, Schema: p.Schema, System: p.System, User: p.User, World: of, Player: player,
		Limits: m.limits(npc, name), Budget: budget(w), Meter: meter, Validate: validate,
	})
	if calls, cost := meter.Spent(); m.options.Spent != nil && calls > 0 {
		m.options.Spent(name, calls, cost)
	}
	return err
}

// book are the prompts of a world.
func (m *Model) book(of string) *prompt.Book {
	if book := m.books[of]; book != nil {
		return book
	}
	return m.base
}

func byName(worlds []*world.World) map[string]*world.World {
	out := map[string]*world.World{}
	for _, w := range worlds {
		out[w.Name] = w
	}
	return out
}
