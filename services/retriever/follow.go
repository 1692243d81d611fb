package retriever

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var (
	// bare is a question word that stands alone, and so asks about what was said before.
	bare = regexp.MustCompile(`(?i)^\W*(?:(?:and|but|so|oh|ok|okay)\W+)?(?:(?:since|until|by) )?` +
		`(?:why|when|where|how|who|whom|whose|which|how so|how come|why not|what for|with whom|where to|where from)` +
		`(?:\W+(?:though|tho|then|exactly))?\W*$`)
	// corrects is a message that puts another person or thing in the place of the one that was understood.
	corrects = regexp.MustCompile(`(?i)^\W*(?:(?:no|nope|nah|sorry|wait|oh|ah|oops|hang on|` +
		`not (?:him|her|it|that|them))\W+)*(?:i (?:mean|meant|was asking about)|make that|not \pL+ but)\s+` +
		`(?:about )?([^?!.,]{2,40})\W*$`)
	stands = regexp.MustCompile(`(?i)\b(?:he|she|him|her|they|them|it)\b`)
)

// followed reads a message that asks nothing by itself from what the player asked before: a question word alone,
// or a correction of whom was meant.
func followed(t *protocol.Turn, reading intent.Reading, npcs map[string]*world.NPC) intent.Reading {
	before := lastAsked(t.Convo)
	if before == "" || reading.Injected || reading.Kind == protocol.IntentRecap {
		return reading
	}
	switch m := corrects.FindStringSubmatch(t.Message); {
	case m != nil:
		reading.Question = inPlace(before, strings.TrimSpace(m[1]), npcs)
	case bare.MatchString(t.Message):
		reading.Question = t.Message
	default:
		return reading
	}
	reading.Kind, reading.Class, reading.OwnLife = protocol.IntentQuestion, protocol.ClassMedium, false
	return reading
}

// lastAsked is the player's last line where that asked something.
func lastAsked(c *schema.Conversation) string {
	if c == nil {
		return ""
	}
	for i := len(c.Memory) - 1; i >= 0; i-- {
		if line := c.Memory[i]; line.Speaker != "npc" {
			if !intent.Asks(line.Text) {
				return ""
			}
			return line.Text
		}
	}
	return ""
}

// inPlace is a question asked of somebody or something else: of the first that it names, or points at.
func inPlace(question, other string, npcs map[string]*world.NPC) string {
	for _, span := range text.WordSpans(question) {
		if named(strings.ToLower(question[span.Start:span.End]), npcs) {
			return question[:span.Start] + other + question[span.End:]
		}
	}
	if at := stands.FindStringIndex(question); at != nil {
		return question[:at[0]] + other + question[at[1]:]
	}
	return other + ": " + question
}

// named says whether a word is the name of somebody in the world, or a part of it.
func named(word string, npcs map[string]*world.NPC) bool {
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	for handle, npc := range npcs {
		if word == handle {
			return true
		}
		for _, part := range text.Words(npc.Name) {
			if word == part && !text.IsStop(part) {
				return true
			}
		}
	}
	return false
}

// A complex question is thought about with more, and with longer stretches, than a plain one.
const (
	topKComplex   = 32 // passages of the search
	passagesApart = 2  // how far before and behind each of them its document is shown
	maxSources    = 96
)

// more adds sources to a complex question about which a model thinks: what the search finds
// further down, and what stands around it all in its documents. The evidence stays as it is:
// a source that stands beside it gives a block only once a thought rests on it.
func more(ctx context.Context, t *protocol.Turn, x *lore.Lore, a *model.Turn, query retrieval.Query) error {
	if a == nil || a.Lean() || t.Class != protocol.ClassComplex || len(t.Sources) == 0 {
		return nil
	}
	query.TopK = topKComplex
	found, err := x.Index.Search(ctx, query)
	if err != nil {
		return err
	}
	known, last := map[string]bool{}, 0
	for _, src := range t.Sources {
		n, _ := strconv.Atoi(src.ID)
		known[src.ChunkID], last = true, max(last, n)
	}
	add := func(src protocol.Source) {
		if known[src.ChunkID] || len(t.Sources) >= maxSources {
			return
		}
		last++
		known[src.ChunkID], src.ID, src.Beside, src.Keywords = true, strconv.Itoa(last), true, nil
		t.Sources = append(t.Sources, src)
	}
	for _, src := range found {
		add(src)
	}
	for _, src := range slices.Clone(t.Sources) {
		for _, c := range around(x.Index.Document(src.Path), src, query.Check) {
			beside := grounding.SourceOf(c, "", 0)
			beside.Private = c.NPC != "" && c.NPC == query.NPC.Handle
			add(beside)
		}
	}
	return nil
}

// around are the passages before and behind a source in its document that the NPC may cite.
// A document of several parts, such as an NPC's file, gives only those of the same part.
func around(document []protocol.Chunk, src protocol.Source, check grounding.Check) []protocol.Chunk {
	at := slices.IndexFunc(document, func(c protocol.Chunk) bool { return c.ID == src.ChunkID })
	if at < 0 {
		return nil
	}
	near := document[max(0, at-passagesApart):min(len(document), at+passagesApart+1)]
	return slices.DeleteFunc(slices.Clone(near), func(c protocol.Chunk) bool {
		_, ok := grounding.Eligible(c, check)
		return !ok || c.ID == src.ChunkID || c.Type != src.Type || c.Requires != src.Provenance.Requires
	})
}
