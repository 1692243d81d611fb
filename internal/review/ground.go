package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Features are what one sentence is judged by, in the order of featureNames.
type Features [numFeatures]float64

// featureNames name the features in the calibration.
var featureNames = [...]string{
	"entailed",     // log odds of entailment by everything near that was shown
	"contradicted", // log odds of its contradiction
	"world",        // log odds that the sentence is a claim
	"cited",        // log odds of entailment by the best of the blocks that it cites
	"shared",       // the share of its content words that were shown
	"shared_cited", // the share of them that the cited blocks hold
	"names",        // names that nothing shown holds, two at most
	"numbers",      // numbers that nothing shown holds, two at most
	"length",       // log of the number of words
	"cites",        // how many blocks it cites
	"self",         // whether it cites what the NPC is
	"denied",       // how many of the blocks that it cites deny it by rule
}

const numFeatures = len(featureNames)

// ground reads the sentences that are still open, in one batch, and gives each a kind
// and a score. Without a reader, or where it fails, a sentence keeps the score zero.
func (l *line) ground(ctx context.Context, r *Reviewer) {
	var views []view
	var ask []entail.Sentence
	for i := range l.out {
		if !l.out[i].open() || len(l.out[i].Issues) > 0 {
			continue
		}
		units := l.shown(l.reports(l.Sentences[i].Text))
		premise, best := l.premise(i, units)
		l.out[i].support = l.bearer(i, best)
		v := view{of: i, whole: len(ask), cited: l.cited(i, units)}
		ask = append(ask, entail.Sentence{Premise: premise, Before: l.before(i), Text: l.Sentences[i].Text})
		for _, block := range v.cited {
			ask = append(ask, entail.Sentence{Premise: block, Text: l.Sentences[i].Text})
		}
		views = append(views, v)
	}
	if len(ask) == 0 {
		return
	}
	readings, err := readAll(ctx, r.Reader, ask)
	shown := l.everything()
	for _, v := range views {
		o := &l.out[v.of]
		names := shown.UnknownNames(o.Sentence.Text)
		switch {
		case err != nil:
			o.Kind = l.kindByWords(o.Sentence.Text)
			o.Verdict = schema.Verdict{Tier: entail.TierNone, Why: "no model read it: " + err.Error()}
			if shown.UnknownNumbers(o.Sentence.Text) == 0 {
				o.Verdict.Score = scoreUnread
			}
		default:
			o.reading, o.known = readings[v.whole], true
			o.Kind = l.kind(o, r.Fit.Claim, len(names) > 0)
			o.features = l.features(v, shown, len(names), readings)
			o.Verdict = schema.Verdict{Score: r.Fit.Score(o.features), Tier: entail.TierModel}
		}
		vetoed := names
		if blurred := shown.Blurred(o.Sentence.Text); blurred != "" {
			vetoed = append(vetoed, blurred)
		}
		if len(vetoed) > 0 && o.Kind == entail.KindWorld {
			o.Verdict = schema.Verdict{Label: schema.Unverifiable, Score: scoreVetoed, Tier: entail.TierRule,
				Why: vetoed[0], Final: true}
		}
		if o.support != nil {
			o.Verdict.Evidence, o.Verdict.Span = o.support.ID, entail.Nearest(o.support.Text, o.Sentence.Text)
		}
	}
}

// view is where the readings of one sentence stand in a batch: the one beside everything
// near, and behind it one for each cited text.
type view struct {
	of, whole int
	cited     []string
}

// maxCited bounds how many cited texts a sentence is read beside.
const maxCited = 3

// cited are the texts that a sentence cites: block by block, all of them together, and
// what is nearest to it of what the NPC is.
func (l *line) cited(i int, units []unit) []string {
	var out, blocks []string
	for _, c := range l.Sentences[i].Citations {
		e := l.byID[c.EvidenceID]
		switch {
		case c.EvidenceID == selfID:
			if self := l.nearestSelf(i, units); self != "" {
				out = append(out, self)
			}
		case e != nil && !said(e) && l.serves(e, false) && len(blocks) < min(maxCited, cmp.Or(l.MaxCited, maxCited)):
			blocks = append(blocks, grounding.Premise(e, &l.Context))
		}
	}
	out = append(out, blocks...)
	if len(blocks) > 1 {
		out = append(out, strings.Join(blocks, " "))
	}
	return out
}

// selfSentences is how many sentences of what the NPC is stand for it.
const selfSentences = 3

func (l *line) nearestSelf(i int, units []unit) string {
	want := text.ContentSet(l.Sentences[i].Text)
	var self []unit
	for _, u := range units {
		if u.self {
			self = append(self, u)
		}
	}
	share := func(u unit) int {
		n := 0
		for _, w := range u.words {
			if want[w] {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(self, func(a, b unit) int { return share(b) - share(a) })
	var out []string
	for _, u := range self[:min(len(self), selfSentences)] {
		out = append(out, u.text)
	}
	return strings.Join(out, " ")
}

// scoreUnread is P(supported) of a sentence that no model has read: what a judge says of
// it decides alone. One with a number that nothing shown holds is not even asked about.
const scoreUnread = 0.5

// scoreVetoed is P(supported) of a sentence that names somebody whom nothing shown names, or
// makes a figure that was shown less exact.
const scoreVetoed = 0.03

var errNoReader = errors.New("none is loaded")

// readAll asks the reader. A reader that panics, or answers another number of
// sentences, gave no answer.
func readAll(ctx context.Context, r entail.Reader, ask []entail.Sentence) (out []entail.Reading, err error) {
	if r == nil {
		return nil, errNoReader
	}
	defer func() {
		if cause := recover(); cause != nil {
			out, err = nil, fmt.Errorf("panic: %v", cause)
		}
	}()
	out, err = r.Read(ctx, ask)
	switch {
	case err != nil:
	case len(out) != len(ask):
		err = fmt.Errorf("%d readings of %d sentences", len(out), len(ask))
	case slices.ContainsFunc(out, noNumber):
		err = errors.New("a reading is no number")
	}
	return out, err
}

// noNumber finds a reading that cannot be compared, and not be written as JSON.
func noNumber(r entail.Reading) bool {
	return math.IsNaN(r.Entailed + r.Neutral + r.Contradicted + r.World + r.Self + r.Social)
}

// bearer is the block that a sentence is released with: the one nearest to it among
// those it cites, else the nearest of all.
func (l *line) bearer(i int, nearest *protocol.Evidence) *protocol.Evidence {
	want := text.ContentSet(l.Sentences[i].Text)
	var out *protocol.Evidence
	most := -1.0
	for _, e := range l.usable {
		if cites(&l.Sentences[i], e.ID) && l.serves(e, false) {
			if share := entail.ShareOf(text.ContentSet(e.Text), want); share > most {
				out, most = e, share
			}
		}
	}
	if out != nil && !said(out) {
		return out
	}
	return nearest
}

// everything is all that was shown, with the names of those who speak.
func (l *line) everything() *entail.Shown {
	var b strings.Builder
	write := func(s string) {
		b.WriteString(s)
		b.WriteString("\n")
	}
	for _, e := range l.usable {
		write(grounding.Premise(e, &l.Context))
	}
	for i := range l.Self {
		write(l.Self[i].Text)
	}
	for _, s := range l.Released {
		write(s.Text)
	}
	write(l.Context.Player)
	return entail.NewShown(b.String(), grounding.PairOf(&protocol.Evidence{Private: true}, "", l.Context).Names)
}

func (l *line) features(v view, shown *entail.Shown, names int, readings []entail.Reading) Features {
	said, whole := l.Sentences[v.of].Text, readings[v.whole]
	best := whole.Entailed
	if len(v.cited) > 0 {
		best = 0
	}
	for k := range v.cited {
		best = max(best, readings[v.whole+1+k].Entailed)
	}
	blocks, self, denied := 0.0, 0.0, 0.0
	for _, c := range l.Sentences[v.of].Citations {
		if c.EvidenceID == selfID {
			self = 1
		}
		if e := l.byID[c.EvidenceID]; e != nil && entail.Denies(grounding.PairOf(e, said, l.Context)) != "" {
			denied++
		}
		blocks++
	}
	return Features{
		logit(whole.Entailed), logit(whole.Contradicted), logit(orCertain(whole.World)), logit(best), shown.Share(said),
		entail.Share(strings.Join(v.cited, " "), said), float64(min(names, 2)), float64(min(shown.UnknownNumbers(said), 2)),
		math.Log(1 + float64(len(text.WordSpans(said)))), blocks, self, denied,
	}
}

// orCertain is P(world) where the model has no word on kinds.
func orCertain(world float64) float64 {
	if world == 0 {
		return 0.9
	}
	return world
}
