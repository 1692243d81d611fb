package grounding

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
