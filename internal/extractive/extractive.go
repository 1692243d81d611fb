// Package extractive speaks without a model: it chooses the sentences of the
// evidence that answer the message, at most three, and says them in the NPC's
// voice, or picks an authored line. Given the same turn it says the same thing.
// It judges no truth: what it says goes through the same review as a model's.
package extractive

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
)

// MaxSentences is how many sentences of evidence one answer may hold.
const MaxSentences = 3

// Similarity says how near each sentence stands to the question, 0 to 1.
type Similarity func(question string, sentences []string) []float64

// Input is what an answer is made from.
type Input struct {
	Question string
	Whole    string // a question that says nothing of itself, behind what it leans on, for the reader; else empty
	Message  string // the player's own words, where the question was made from them
	Class    protocol.Class
	Evidence []protocol.Evidence // shared with the speaker, best first
	Person   voice.Person
	Openers  []string
	Avoid    map[string]bool // folded sentences that a review refused
	Seed     string          // the turn's id: variety that a replay repeats
	Similar  Similarity
	Reads    Similarity // the probability that each sentence answers, by a trained reader; nil: none is at hand
}

// Answer chooses and words the sentences that answer. It is empty where no
// evidence sentence has a faithful wording.
func Answer(in Input) []protocol.DraftSentence {
	runs := candidates(in)
	if len(runs) == 0 {
		return nil
	}
	prefersCase(runs, in.Question)
	chosen := choose(runs, in)
	var out []protocol.DraftSentence
	for _, c := range chosen {
		out = append(out, protocol.DraftSentence{
			Text:      c.said,
			Citations: []protocol.Citation{{Claim: c.said, EvidenceID: c.evidence.ID}},
		})
	}
	open(in, out)
	return out
}

// candidate is one sentence of one block.
type candidate struct {
	evidence *protocol.Evidence
	before   *candidate // the sentence before it in its document, where that may be said
	after    *candidate
	first    bool // of its block: nothing is known of what stands before it
	verbatim string
	said     string
	relevant float64 // how near the sentence itself stands to the question
	lifted   float64 // of the first of a block: the score by which it stands before a block of its siblings
	leans    bool    // its "he", "there" or "but" leans on the sentence before
	names    bool    // it names the sort of thing that the question wants
}

// candidates are the blocks' sentences with a faithful wording, scored.
func candidates(in Input) [][]*candidate {
	want := text.ContentSet(in.Question)
	words := text.Words(in.Question)
	sort := intent.SortOf(words)
	var blocks [][]*candidate
	var last *candidate // the last sentence of the block before
	for n := range in.Evidence {
		e := &in.Evidence[n]
		sentences := text.Sentences(e.Text)
		near := relevance(in, n, want, sentences)
		var block []*candidate
		before := last
		if before != nil && !follows(before.evidence, e) {
			before = nil
		}
		last = nil
		for i, s := range sentences {
			ways := voice.Renderings(*e, s, in.Person)
			if len(ways) == 0 || avoided(in.Avoid, ways[0].Text) {
				before = nil
				continue
			}
			relevant := near[i]
			named := intent.NamedIn(s)
			names := named.Has(sort, words)
			if names {
				relevant += worth[sort]
			}
			if text.IsQuestion(s) {
				relevant *= onlyAsks
			}
			c := &candidate{evidence: e, before: before, first: i == 0 && before == nil, verbatim: s, said: ended(ways[0].Text),
				relevant: relevant, leans: Leans(s), names: names && worth[sort] > worth[intent.Person]}
			if before != nil {
				before.after = c
			}
			before = c
			if i == len(sentences)-1 {
				last = c
			}
			block = append(block, c)
		}
		if len(block) > 0 {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// readBlocks is of how many blocks the sentences are read by the trained reader: it takes a millisecond a sentence,
// and what comes later is seldom said.
const readBlocks = 3

// relevance is how near each sentence of the n-th block stands to the question: by its words, by its vector and,
// of the first blocks, by the reader.
func relevance(in Input, n int, want map[string]bool, sentences []string) []float64 {
	near := make([]float64, len(sentences))
	if in.Similar != nil && in.Question != "" {
		near = in.Similar(in.Question, sentences)
	}
	for i, s := range sentences {
		near[i] = 0.5*near[i] + 0.5*coverage(want, s)
	}
	if in.Reads == nil || in.Question == "" || n >= readBlocks {
		return near
	}
	for i, p := range in.Reads(cmp.Or(in.Whole, in.Question), sentences) {
		near[i] = 0.4*near[i] + 0.6*p
	}
	return near
}

// follows says whether one block stands right behind another in its document.
func follows(a, b *protocol.Evidence) bool {
	gap := b.Start - a.Start - len(a.Text)
	return a.ChunkID == b.ChunkID && gap > 0 && gap <= 2
}

// onlyAsks is what a sentence counts, as a share, that asks and so tells nothing.
const onlyAsks = 0.5

// worth is what a sentence gains by naming the sort of thing that the question
// wants; what nearly every sentence names tells nothing.
var worth = map[intent.Sort]float64{
	intent.Price: 0.2, intent.Measure: 0.2, intent.Span: 0.2, intent.Count: 0.2, intent.Time: 0.2, intent.Name: 0.2,
	intent.Person: 0.1,
}

// avoided says whether a wording was refused, with or without an opener.
func avoided(refused map[string]bool, said string) bool {
	folded := text.Fold(said)
	for r := range refused {
		if r == folded || strings.HasSuffix(r, " "+folded) {
			return true
		}
	}
	return false
}

// coverage is the share of the wanted words that the sentence holds.
func coverage(want map[string]bool, sentence string) float64 {
	if len(want) == 0 {
		return 0
	}
	n := 0
	for w := range text.ContentSet(sentence) {
		if want[w] {
			n++
		}
	}
	return float64(n) / float64(len(want))
}

// choose takes the best sentence of the block that answers best, with what it
// leans on and what goes on from it, and then what other blocks add, within the
// length of the class. Which block answers is retrieval's judgement: a sentence
// that merely repeats the question's words does not outrank it.
func choose(blocks [][]*candidate, in Input) []*candidate {
	limit := grounding.SpeechWords(in.Class)
	order := slices.Clone(blocks)
	slices.SortStableFunc(order, func(a, b []*candidate) int {
		return cmpScore(standing(b, in.Question), standing(a, in.Question))
	})
	if two := accounts(order, in); two != nil {
		return two
	}
	var out []*candidate
	var top *candidate
	seen := map[string]bool{}
	for _, block := range order {
		if len(out) >= MaxSentences || len(out) > 0 && !adds(best(block), top) {
			continue
		}
		for _, c := range stretch(block, len(out) == 0, asksForAll(in.Question), in.Class) {
			key := text.Fold(c.verbatim)
			words := wordsIn(out) + len(text.WordSpans(c.said))
			if len(out) >= MaxSentences || seen[key] || len(out) > 0 && words > limit {
				break
			}
			if len(out) == 0 {
				top = best(block)
			}
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// standing is how well a block answers. Hearsay counts a tenth: where lore speaks
// of the matter too, the lore is told first. So does half of what is told about
// something without naming it.
func standing(block []*candidate, question string) float64 {
	e := block[0].evidence
	score := max(e.Score, block[0].lifted)
	if e.Belief != "" {
		score /= 10
	}
	if asksForAll(question) && coverage(text.ContentSet(question), e.Text) == 0 {
		score *= unnamed
	}
	return score
}

// unnamed is what a block counts, as a share, that does not name what it is to
// tell about.
const unnamed = 0.4

// stretch is a run of neighbouring sentences around the best one of a block: back to a
// sentence that stands by itself, and forward while the thought goes on.
func stretch(block []*candidate, first, whole bool, class protocol.Class) []*candidate {
	b := best(block)
	out := []*candidate{b}
	for out[0].leans && out[0].before != nil {
		out = slices.Insert(out, 0, out[0].before)
	}
	if out[0].leans && !out[0].first {
		return nil
	}
	if !first {
		return out
	}
	for n := b.after; n != nil && (whole || goesOn(b, n, class)); n = n.after {
		out = append(out, n)
	}
	for n := out[0].before; n != nil && class == protocol.ClassComplex && goesOn(b, n, class); n = n.before {
		out = slices.Insert(out, 0, n)
	}
	return out
}

// asksForAll says whether a question wants all there is to tell.
func asksForAll(question string) bool {
	for _, w := range text.Words(question) {
		switch w {
		case "tell", "about", "story", "tale", "happened", "history", "describe", "explain", "everything":
			return true
		}
	}
	return false
}

// goesOn says whether a neighbouring sentence belongs to the answer: it leans on
// what was said, answers what was asked there, names what was asked for where the best one does
// not, or speaks of the question itself.
func goesOn(best, next *candidate, class protocol.Class) bool {
	share := 0.75
	if class == protocol.ClassComplex {
		share = 0.4
	}
	return next.leans || next.names && !best.names || text.IsQuestion(best.verbatim) ||
		next.relevant >= share*best.relevant
}

// adds says whether another block has something to add: it answers nearly as
// well, and one of its sentences speaks of the question at least as much.
func adds(next, top *candidate) bool {
	share := 0.8
	if next.evidence.Path == top.evidence.Path {
		share = 0.6
	}
	return next.evidence.Score >= share*top.evidence.Score && next.relevant >= 0.9*top.relevant
}

func best(block []*candidate) *candidate {
	return slices.MaxFunc(block, func(a, b *candidate) int { return cmpScore(a.relevant, b.relevant) })
}

func cmpScore(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func wordsIn(cs []*candidate) int {
	n := 0
	for _, c := range cs {
		n += len(text.WordSpans(c.said))
	}
	return n
}

// Pick chooses one of several lines by a seed, so that a replay repeats it.
func Pick(lines []string, seed string, avoid func(string) bool) string {
	if len(lines) == 0 {
		return ""
	}
	start := int(Hash(seed) % uint64(len(lines)))
	for i := range lines {
		if l := lines[(start+i)%len(lines)]; avoid == nil || !avoid(l) {
			return l
		}
	}
	return lines[start]
}

// Hash is a stable hash of a seed.
func Hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	// FNV's low bits are weak for short seeds that differ at the end.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>29
}

// ended closes a sentence that carries no end mark, as lines of notes often do.
func ended(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if strings.HasSuffix(s, ":") || strings.HasSuffix(s, ";") || strings.HasSuffix(s, ",") {
		return s[:len(s)-1] + "."
	}
	if s == "" || strings.ContainsAny(s[len(s)-1:], `.!?"')`) || strings.HasSuffix(s, "”") ||
		strings.HasSuffix(s, "’") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}
