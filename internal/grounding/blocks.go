package grounding

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// Limits bound the evidence of a turn.
type Limits struct{ MaxChars, MaxBlocks, MaxTokens int }

// DefaultLimits are those of the design.
var DefaultLimits = Limits{MaxChars: 320, MaxBlocks: 12, MaxTokens: 1200}

// maxBlockSentences is how many sentences one block holds at most.
const maxBlockSentences = 3

// piece is one block of one source.
type piece struct {
	source, index int
	start         int // in its source, in bytes
	text          string
}

// Cut cuts the sources of a turn into evidence, and gives the sources of which a block
// is left. The others could only be thought of, and never told: they need not travel, but
// for those that stand beside the evidence.
func Cut(sources []protocol.Source) ([]protocol.Source, []protocol.Evidence) {
	beside := func(s protocol.Source) bool { return s.Beside }
	blocks := Blocks(slices.DeleteFunc(slices.Clone(sources), beside), DefaultLimits)
	kept := slices.DeleteFunc(slices.Clone(sources), func(s protocol.Source) bool {
		return !s.Beside && !slices.ContainsFunc(blocks, func(e protocol.Evidence) bool { return e.SourceID == s.ID })
	})
	for i := range kept {
		kept[i].Keywords = nil // they have helped to find it
	}
	return kept, blocks
}

// Blocks cuts sources into evidence: stretches of one to three whole sentences,
// verbatim in their source, numbered E1 to En in the order of the sources. The
// first sources give more of their text where not all fits. Same sources, same
// blocks. A sentence longer than MaxChars stands alone up to twice as long; a
// longer one is left out, since half of it may say what the whole does not. So is a
// stretch that speaks to whoever answers from it: that is no fact of the world.
func Blocks(sources []protocol.Source, l Limits) []protocol.Evidence {
	var all []piece
	seen := map[string]bool{}
	for i := range sources {
		n := 0
		for _, cut := range cutBlocks(sources[i].Content, l.MaxChars) {
			t := sources[i].Content[cut.Start:cut.End]
			key := text.Fold(t) + "\x00" + sources[i].Speaker + "\x00" + sources[i].Author
			if seen[key] || orders(t) {
				continue
			}
			seen[key] = true
			all = append(all, piece{source: i, index: n, start: cut.Start, text: t})
			n++
		}
	}
	chosen := withinLimits(all, l)
	out := make([]protocol.Evidence, 0, len(chosen))
	for n, p := range chosen {
		e := evidenceOf(&sources[p.source], p.text, n+1)
		e.Start = p.start
		out = append(out, e)
	}
	return out
}

// orders says whether a sentence of a text speaks to the machine, whoever wrote it there.
func orders(s string) bool {
	return slices.ContainsFunc(text.Sentences(s), intent.AddressesMachine)
}

func evidenceOf(s *protocol.Source, t string, n int) protocol.Evidence {
	return protocol.Evidence{
		ID: fmt.Sprintf("E%d", n), SourceID: s.ID, ChunkID: s.ChunkID, Path: s.Path, Page: s.Page, Type: s.Type,
		Text:    t,
		Speaker: s.Speaker, Author: s.Author, At: s.At, Belief: s.Belief, AllowedFor: s.AllowedFor, Private: s.Private,
		Score: s.Score, Provenance: s.Provenance,
	}
}

// withinLimits keeps the blocks that fit. A block further down its source counts
// as two sources further down the list, so that the best sources are told in
// full before the last ones begin.
func withinLimits(all []piece, l Limits) []piece {
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b piece) int { return (a.source + 2*a.index) - (b.source + 2*b.index) })
	tokens := 0
	var out []piece
	for _, p := range order {
		t := tokensOf(p.text)
		if len(out) == l.MaxBlocks || tokens+t > l.MaxTokens {
			break
		}
		tokens += t
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b piece) int {
		if a.source != b.source {
			return a.source - b.source
		}
		return a.index - b.index
	})
	return out
}

// tokensOf is a bound on the tokens of a text: English runs to four characters a
// token.
func tokensOf(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }

// cutBlocks cuts a text into stretches of whole sentences. A blank line always
// ends a stretch.
func cutBlocks(content string, maxChars int) []text.Span {
	var out []text.Span
	spans := text.SentenceSpans(content)
	for i := 0; i < len(spans); {
		j := i + 1
		for j < len(spans) && j-i < maxBlockSentences && !paragraphEnds(content[spans[j-1].End:spans[j].Start]) &&
			utf8.RuneCountInString(content[spans[i].Start:spans[j].End]) <= maxChars {
			j++
		}
		if s := (text.Span{Start: spans[i].Start, End: spans[j-1].End}); utf8.RuneCountInString(content[s.Start:s.End]) <=
			2*maxChars {
			out = append(out, s)
		}
		i = j
	}
	return out
}

func paragraphEnds(between string) bool { return strings.Count(between, "\n") > 1 }

// SpeechWords is how long a speech of a class may be, in words.
func SpeechWords(c protocol.Class) int {
	switch c {
	case protocol.ClassGreeting:
		return 15
	case protocol.ClassMedium:
		return 40
	}
	return 90
}

// ThoughtWords is how long the thoughts of a class may be, in words.
func ThoughtWords(c protocol.Class) int {
	switch c {
	case protocol.ClassGreeting:
		return 20
	case protocol.ClassMedium:
		return 50
	}
	return 150
}

// Further are the blocks of some chunks that stand nearest to a claim and are not
// among the blocks at hand, under the next free ids. Every chunk is held against the
// provenance contract first.
func Further(
	chunks []protocol.Chunk, claim string, have []protocol.Evidence, check Check, handle string, most int,
) []protocol.Evidence {
	var sources []protocol.Source
	seen := map[string]bool{}
	for _, c := range chunks {
		if _, ok := Eligible(c, check); !ok || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		src := SourceOf(c, strconv.Itoa(len(sources)+1), 0)
		src.Private = c.NPC != "" && c.NPC == handle
		sources = append(sources, src)
	}
	blocks := Blocks(sources, Limits{MaxChars: DefaultLimits.MaxChars, MaxBlocks: 64, MaxTokens: 1 << 20})
	blocks = slices.DeleteFunc(blocks, func(e protocol.Evidence) bool {
		return slices.ContainsFunc(have, func(h protocol.Evidence) bool { return h.Text == e.Text && h.Path == e.Path })
	})
	slices.SortStableFunc(blocks, func(a, b protocol.Evidence) int {
		return cmp.Compare(entail.Share(b.Text, claim), entail.Share(a.Text, claim))
	})
	blocks = blocks[:min(len(blocks), most)]
	for i := range blocks {
		blocks[i].SourceID = "rav"
		blocks[i].ID = NextID(slices.Concat(have, blocks[:i]))
	}
	return blocks
}

// NextID is the first free id of a block: E1, E2, ….
func NextID(all []protocol.Evidence) string {
	top := 0
	for i := range all {
		if digits, ok := strings.CutPrefix(all[i].ID, "E"); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				top = max(top, n)
			}
		}
	}
	return fmt.Sprintf("E%d", top+1)
}

// SourceOf makes a citable source of a chunk, with all the provenance that the
// reviewer checks again. Whether it is the asking NPC's own note is for the caller
// to say.
func SourceOf(c protocol.Chunk, id string, score float64) protocol.Source {
	return protocol.Source{
		ID: id, Path: c.Path, Page: c.Page, ChunkID: c.ID, Type: c.Type, Summary: c.Summary, Content: c.Text,
		Keywords:   c.Keywords,
		AllowedFor: c.AllowedFor, Score: score, Author: c.Author, Speaker: c.Speaker, At: c.At, Belief: c.Belief,
		Provenance: ProvenanceOf(c),
	}
}

// ProvenanceOf is where a chunk comes from.
func ProvenanceOf(c protocol.Chunk) protocol.Provenance {
	return protocol.Provenance{Source: c.Source, IndexedAt: c.IndexedAt, CreatedAt: c.CreatedAt, ValidFrom: c.ValidFrom,
		ValidTo: c.ValidTo,
		World:   c.World, NPC: c.NPC, Hash: c.Hash, KnownBy: c.KnownBy, Requires: c.Requires}
}
