package trials

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Names of the guards in what is printed.
const (
	guardWrite = "write"
	guardScan  = "scan"
	guardReply = "reply"
	guardAll   = "all three"
)

// escapeBars are the shares that may get past each guard alone, and past all.
var escapeBars = map[string]float64{guardWrite: 0.20, guardScan: 0.50, guardReply: 0.30, guardAll: 0.03}

// dependent is how far the joint rate lies above the product of the three where the
// guards are said to err on the same things.
const dependent = 1.5

// Escapes is what of the fabrications got past the guards with one verifier.
type Escapes struct {
	Verifier string `json:"verifier"`
	Of       int    `json:"of"`

	Alone    []Rate `json:"alone"`    // each guard before all fabrications
	Sequence []Rate `json:"sequence"` // each before those that the ones before let past
	Joint    Rate   `json:"joint"`

	Product    float64 `json:"product"`              // of the rates alone: what is expected of guards that err apart
	Dependence float64 `json:"dependence,omitempty"` // joint / product, where there is one
	Dependent  bool    `json:"dependent"`            // the joint rate is above 1.5 times the product

	Contested Rate `json:"contested"` // the scan alone, where a true memory has the fabrication's subject and predicate

	CutDown    int `json:"cut_down"`   // kept at write as no more than what the words say
	Supplanted int `json:"supplanted"` // true memories whose place a fabrication took in the scan alone
	TrueKept   int `json:"true_kept"`  // of Of: the words gave a true memory by rule
	TrueMarked int `json:"true_marked"`
	// true memories that the scan called unproven; most of them no guard had let in
	TrueAside  int `json:"true_set_aside"`
	TrueStored int `json:"true_stored"`  // of Of: truths that the write guard lets in as they are proposed
	TrueDoubt  int `json:"true_doubted"` // of TrueStored: those that the scan would set aside
	TrueTold   int `json:"true_told"`    // of Of: the reply guard let the truth be told

	Past []Escaped `json:"past"` // what got past a guard alone
}

// Escaped is a fabrication with the guards that it got past.
type Escaped struct {
	Line    int      `json:"line"`
	Reason  string   `json:"reason"`
	Content string   `json:"content"`
	Alone   []string `json:"alone"`
	All     bool     `json:"all,omitempty"` // past all three in sequence
}

// trial is one fabrication on its way.
type trial struct {
	*Fabrication
	player  string
	made    *extract.Candidate // as it would be kept; nil: not even a model could have it kept
	why     string             // it is nil
	past    map[string]bool    // guards alone
	stored  string             // in the sequence: the memory that the write guard let in
	cutDown bool
	all     bool
}

// Times of a trial: the words were spoken once before, and their truth is known; the
// next day an extractor makes something up of them.
var (
	truthAt      = firstDay
	fabricatedAt = firstDay.Add(24 * time.Hour)
	scannedAt    = firstDay.Add(41 * time.Hour)
	toldAt       = firstDay.Add(72 * time.Hour)
)

// escaping runs all fabrications through the guards with one verifier.
type escaping struct {
	scene
	embed  embed.Embedder
	trials []*trial
	out    Escapes
}

func escapesOf(ctx context.Context, s scene, e embed.Embedder, cases []Fabrication) (Escapes, error) {
	x := &escaping{scene: s, embed: e, out: Escapes{Verifier: s.tier.name, Of: len(cases)}}
	for i := range cases {
		x.trials = append(x.trials, &trial{Fabrication: &cases[i], player: fmt.Sprintf("p%03d", i+1),
			past: map[string]bool{}})
	}
	for _, step := range []func(context.Context) error{x.write, x.scan, x.reply, x.sequence} {
		if err := step(ctx); err != nil {
			return Escapes{}, err
		}
	}
	x.conclude()
	return x.out, nil
}

// keeping is an NPC that knows what is true of the words of every trial.
func (x *escaping) keeping(ctx context.Context) (*keeper, error) {
	k, err := newKeeper(x.scene, x.embed)
	if err != nil {
		return nil, err
	}
	for _, t := range x.trials {
		if err := x.learn(ctx, k, t); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// learn keeps what the rules find in the words, and the truth as it is written
// beside the fabrication, as something that was said.
func (x *escaping) learn(ctx context.Context, k *keeper, t *trial) error {
	turn := "truth-" + t.player
	r, c := t.reply(x.scene, t.player, turn, truthAt), t.context(x.scene, t.player, turn, truthAt)
	if _, err := k.take(ctx, extract.FromReply(r, c), extract.Words(r, c), c); err != nil {
		return err
	}
	m := schema.Memory{World: x.world, NPC: x.npc, Player: t.player, Kind: schema.MemoryOccurrence,
		Subject: memory.PlayerPrefix + t.player, Pred: "said",
		Object: t.True.Content, Content: x.reported(t.True.Content), Confidence: 0.9, Source: schema.OriginUser,
		TurnID:    turn,
		CreatedAt: truthAt, EventTime: truthAt, ValidFrom: truthAt}
	for _, said := range t.said(t.Words[0].Speaker) {
		m.Spans = append(m.Spans, schema.MemorySpan{TurnID: turn, Speaker: t.Words[0].Speaker, Text: said, At: truthAt})
	}
	_, err := k.force(m, truthAt)
	return err
}

// told says whether the reply guard lets a content be told: nothing in it is without
// support.
func (x *escaping) told(ctx context.Context, player, content string, evidence []protocol.Evidence) (bool, error) {
	m := schema.Memory{NPC: x.npc, Player: player, Subject: memory.PlayerPrefix + player, Source: schema.OriginUser,
		Content: x.reported(content)}
	sentence := memory.Spoken(&m, memory.Names{NPC: x.npcName, Player: x.playerName})
	_, review, err := x.reviewed(ctx, []string{sentence}, evidence)
	if err != nil {
		return false, err
	}
	return faithful.Next(guards.PolicyBlock, x.score(review)) == faithful.Release, nil
}

// reported is a content as a memory of what the player said has it.
func (s scene) reported(content string) string { return s.playerName + " told me that " + content }

// sequence is all three: what the write guard keeps lies in the store, what the scan
// leaves unmarked is brought into the turn, and is evidence there.
func (x *escaping) sequence(ctx context.Context) error {
	k, err := x.keeping(ctx)
	if err != nil {
		return err
	}
	for _, t := range x.trials {
		if !t.past[guardWrite] {
			continue
		}
		if err := x.store(ctx, k, t); err != nil {
			return err
		}
	}
	if _, err := k.nights(ctx, scannedAt); err != nil {
		return err
	}
	wrote, scanned, told := 0, 0, 0
	for _, t := range x.trials {
		if t.stored == "" {
			continue
		}
		wrote++
		if !unmarked(k, t.stored) {
			continue
		}
		scanned++
		if t.all, err = x.told(ctx, t.player, t.Candidate.Content, k.recalled(t.player, toldAt)); err != nil {
			return err
		}
		if t.all {
			told++
		}
	}
	x.out.Sequence = []Rate{rateOf(guardWrite, wrote, len(x.trials)), rateOf(guardScan, scanned, wrote),
		rateOf(guardReply, told, scanned)}
	x.out.Joint = rateOf(guardAll, told, len(x.trials))
	return nil
}

// store keeps a fabrication as Guard 1 lets it in.
func (x *escaping) store(ctx context.Context, k *keeper, t *trial) error {
	r, c := x.turn(t)
	for _, p := range t.proposals() {
		made, _ := extract.FromAnswer(extract.Answer{Memories: []extract.Proposal{p}}, r, c)
		for i := range made {
			o := k.guard.Judge(ctx, made[i], extract.Words(r, c), c)
			if o.Fate != write.Store || !fabricated(&o, &made[i], r, c) {
				continue
			}
			events := k.guard.Events(k.book, o, "", fabricatedAt)
			if len(events) > 0 {
				t.stored = events[0].Memory.ID
			}
			return k.apply(events)
		}
	}
	return nil
}

func (x *escaping) conclude() {
	counts := map[string]int{}
	for i, t := range x.trials {
		e := Escaped{Line: i + 1, Reason: t.Reason, Content: t.Candidate.Content, All: t.all}
		for _, g := range []string{guardWrite, guardScan, guardReply} {
			if t.past[g] {
				counts[g]++
				e.Alone = append(e.Alone, g)
			}
		}
		if t.cutDown && !t.past[guardWrite] {
			x.out.CutDown++
		}
		if len(e.Alone) > 0 {
			x.out.Past = append(x.out.Past, e)
		}
	}
	x.out.Product = 1
	for _, g := range []string{guardWrite, guardScan, guardReply} {
		r := rateOf(g, counts[g], len(x.trials))
		x.out.Alone, x.out.Product = append(x.out.Alone, r), x.out.Product*r.Rate
	}
	if x.out.Product > 0 {
		x.out.Dependence = x.out.Joint.Rate / x.out.Product
	}
	x.out.Dependent = x.out.Joint.Rate > dependent*x.out.Product
}

// figures hold the rates against their bars.
func (e *Escapes) figures() []bench.Figure {
	prefix := e.Verifier + "_"
	var out []bench.Figure
	for _, r := range append(append([]Rate(nil), e.Alone...), e.Joint) {
		out = append(out, bench.AtMost(prefix+"past_"+strings.ReplaceAll(r.Guard, " ", "_"), r.Rate, "",
			escapeBars[r.Guard]))
	}
	return append(out, exactly(prefix+"stored_truths_doubted", float64(e.TrueDoubt), "", 0),
		bench.Plain(prefix+"past_scan_if_contested", e.Contested.Rate, ""),
		bench.Plain(prefix+"product", e.Product, ""),
		bench.AtMost(prefix+"joint_beyond_1.5_products", e.Joint.Rate-dependent*e.Product, "", 0))
}
