package retrieval

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/intent"
)

// matchNames are what a candidate holds of the single words of the question: of
// its names, and of the words that say what about them is asked. A passage about
// the right person and the wrong matter holds the first and lacks the second.
var matchNames = []string{
	"relation_cover", "relation_like", "relation_special", "relation_missing",
	"name_cover", "name_missing", "unmet", "strongest", "elsewhere",
	"cosine_gap", "summary", "summary_likeness",
	"answer_met", "answer_missed", "other_author", "price_met",
	"hearsay", "opening",
}

// farFrom is the likeness below which a word of the question is not met at all.
const farFrom = 0.5

// matching are a candidate's features of matchNames; near is how near its words
// come to each term of the question.
func (s *search) matching(c *candidate, near []float64) []float64 {
	p := &s.x.passages[c.at]
	d := &s.x.docs[p.doc]
	var all, relation, names float64 // weights
	var unmet, strongest, elsewhere float64
	var cover, like, special, missing, nameCover, nameMissing float64
	for i := range s.q.terms {
		t, w := &s.q.terms[i], s.weight(i)
		inDoc := s.inDocument(t, d)
		doc := max(near[i], 0.9*bit(inDoc))
		all += w
		strongest = max(strongest, doc*s.x.rarity(t.word))
		unmet += w * max(0, farFrom-doc) / farFrom
		elsewhere += w * max(0, s.bestOf[i]-doc)
		if s.proper(t) {
			names += w
			nameCover += w * bit(near[i] == 1)
			nameMissing = max(nameMissing, bit(near[i] < 1 && !inDoc && !t.late))
			continue
		}
		relation += w
		cover += w * bit(near[i] == 1 || inDoc)
		like += w * doc
		special += w * max(0, doc-s.mean[i]) / max(0.2, 1-s.mean[i])
		if !t.late {
			missing = max(missing, s.x.rarity(t.word)*(1-doc))
		}
	}
	met, missed := s.answers(p)
	return []float64{
		share(cover, relation), share(like, relation), share(special, relation), missing,
		share(nameCover, names), nameMissing, share(unmet, all), strongest, share(elsewhere, all),
		s.bestCosine - c.cosine, c.summary, clamp(c.summaryLikeness/4, -1, 1.5),
		met, missed, bit(s.q.you && s.byAnother(p)), met * bit(s.sort == intent.Price),
		bit(p.chunk.Belief != ""), bit(s.q.kind == kindTopic && d.passages[0] == c.at),
	}
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// proper says whether a term is a name: written with a capital in the message,
// or wherever it stands inside a sentence of the world, where something in scope holds it. A word that
// neither the scope nor English has is taken for one too.
func (s *search) proper(t *queryTerm) bool {
	if t.capital {
		return true
	}
	if s.held(t.stem) {
		return s.x.writtenProper(t)
	}
	return len(t.word) > 3 && s.x.english != nil && s.x.rarity(t.word) == 1
}

// byAnother says whether a passage speaks with another's voice: its "I" is not
// the NPC.
func (s *search) byAnother(p *passage) bool {
	by, npc := p.chunk.Author, s.query.NPC
	return by != "" && !strings.EqualFold(by, npc.Name) && !strings.EqualFold(by, npc.Handle)
}

// answers says whether a passage names the sort of thing that the question wants:
// met, missed, or neither where the question wants nothing of a sort.
func (s *search) answers(p *passage) (met, missed float64) {
	if s.sort == intent.NoSort {
		return 0, 0
	}
	has := p.named.Has(s.sort, s.asked)
	return bit(has), bit(!has)
}
