package prompt

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// bytesPerToken is the usual rate of English prose.
const bytesPerToken = 4

// SourceTokens is about how many tokens the sources take in a prompt.
func (s Scene) SourceTokens() int {
	d := &Data{}
	s.sources(d)
	return d.out.Len() / bytesPerToken
}

// Within ends a text at the last whole word within so many tokens.
func Within(s string, tokens int) string {
	most := tokens * bytesPerToken
	if len(s) <= most {
		return s
	}
	end := strings.LastIndexByte(s[:most], ' ')
	if end < 0 {
		end = most
	}
	return strings.ToValidUTF8(s[:end], "")
}

// Shortened are the sources within so many tokens, one a line under its number: of each the
// sentence nearest to the question, and then what else there is room for, best source first.
// No sentence is cut, and none is written anew.
func (s Scene) Shortened(tokens int) string {
	want := text.ContentSet(s.Turn.Retrieval.Query)
	kept := make([]short, len(s.Turn.Sources))
	for i, src := range s.Turn.Sources {
		kept[i] = shortOf(src, s)
	}
	left := tokens * bytesPerToken
	for i := range kept {
		left = kept[i].keep(kept[i].nearest(want), left)
	}
	for i := range kept {
		for at := range kept[i].sentences {
			left = kept[i].keep(at, left)
		}
	}
	var lines []string
	for i := range kept {
		if line := kept[i].line(); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// short is a source on its way to a shorter one.
type short struct {
	lead      string
	tail      string // who wrote or said it, and whether it is a rumour
	sentences []string
	in        []bool
}

func shortOf(src protocol.Source, s Scene) short {
	as := asEvidence(src)
	out := short{lead: "[" + src.ID + "] ", sentences: text.Sentences(Spoken(as, s.Person))}
	if what := described(as, s.Person); what != "" {
		out.tail = " (" + what + ")"
	}
	out.in = make([]bool, len(out.sentences))
	return out
}

// keep takes a sentence where it fits into so many bytes, and gives what is left of them.
func (k *short) keep(at, left int) int {
	if at < 0 || k.in[at] {
		return left
	}
	cost := len(k.sentences[at]) + 1
	if !slices.Contains(k.in, true) {
		cost += len(k.lead) + len(k.tail)
	}
	if cost > left {
		return left
	}
	k.in[at] = true
	return left - cost
}

// nearest is the sentence with most words of the question; -1 where there is none.
func (k *short) nearest(want map[string]bool) int {
	best, most := -1, -1
	for i, sentence := range k.sentences {
		n := 0
		for w := range text.ContentSet(sentence) {
			if want[w] {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

func (k *short) line() string {
	var said []string
	for i, in := range k.in {
		if in {
			said = append(said, k.sentences[i])
		}
	}
	if len(said) == 0 {
		return ""
	}
	return k.lead + strings.Join(said, " ") + k.tail
}
