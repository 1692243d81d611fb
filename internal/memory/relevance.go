package memory

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Enough is the relevance from which a memory is told.
const Enough = 0.6

// Relevance says how well a memory answers what is asked, 0 to 1. cosine is of the
// two texts; it decides between those that answer as well by their words.
func (a Asked) Relevance(m *schema.Memory, player string, preds *PredicateTable, cosine float64) float64 {
	if a.Seen {
		return a.seen(m, cosine)
	}
	self := PlayerPrefix + player
	byNPC := m.Subject == NPCPrefix+m.NPC
	switch {
	case a.Pred != "" && m.Pred != a.Pred:
		return 0
	case a.ByNPC != byNPC && (a.ByNPC || !a.Words["we"]):
		return 0
	case a.Self && !a.Told && m.Subject != self:
		return 0
	case a.By != "" && a.toldBy(m):
		return blend(0.95, cosine)
	}
	rest, matched := a.without(m.Pred, preds)
	rel := 0.0
	if len(rest) == 0 {
		switch {
		case matched:
			rel = 0.95
		case a.Told && len(a.Topic) == 0:
			rel = 0.7
		}
	} else {
		hit := share(rest, m)
		rel = hit * 0.75
		if matched || hit == 1 {
			rel = hit * 0.9
		}
	}
	if rel < Enough {
		return 0
	}
	return blend(rel, cosine)
}

func blend(rel, cosine float64) float64 { return 0.9*rel + 0.1*max(0, min(cosine, 1)) }

// seen: a question about the world is answered by an event that holds all it asks
// about, which the NPC saw itself.
func (a Asked) seen(m *schema.Memory, cosine float64) float64 {
	switch {
	case m.Source != schema.OriginSystem || m.HeardFrom != "" || m.Subject == NPCPrefix+m.NPC:
		return 0
	case m.Pred == "said" || m.Pred == "promised" || m.Pred == "offered": // that it was said is no sight of it
		return 0
	case share(a.Topic, m) < 1:
		return 0
	}
	return blend(0.9, cosine)
}

// toldBy says whether a memory is that a third said something.
func (a Asked) toldBy(m *schema.Memory) bool {
	by := strings.ToLower(m.Subject)
	return m.Pred == "said" && (by == NPCPrefix+a.By || by == a.By || strings.HasPrefix(by, a.By+" "))
}

// without is the topic without the words by which a memory's predicate is asked
// for, and whether there was one.
func (a Asked) without(pred string, preds *PredicateTable) (rest map[string]bool, matched bool) {
	p, ok := preds.Get(pred)
	words := map[string]bool{}
	if ok {
		for _, w := range append(append([]string{}, p.Words...), asks[p.Name]...) {
			w = strings.ToLower(w)
			if !weak[w] {
				words[w], words[text.Stem(w)] = true, true
				matched = matched || a.Words[w]
			}
		}
		for stem := range a.Topic {
			matched = matched || words[stem]
		}
	}
	rest = map[string]bool{}
	for stem := range a.Topic {
		if !matched || !words[stem] {
			rest[stem] = true
		}
	}
	return rest, matched
}

// asks are words by which people ask for a predicate, and do not express it.
var asks = map[string][]string{
	"name": {"name", "who"}, "age": {"old", "age"}, "role": {"trade", "job", "profession", "work", "living"},
	"works_at": {"work", "working"},
	"from":     {"from", "come", "hail", "home", "born"}, "lives_in": {"live", "living", "home", "house"},
	"likes":    {"like", "love", "enjoy", "fond", "favourite", "favorite"},
	"dislikes": {"hate", "dislike", "stand"}, "avoids": {"eat", "drink"}, "distrusts": {"trust"}, "owes": {"owe"},
	"offered": {"give", "gave", "offer"}, "fears": {"fear", "afraid"}, "has": {"own", "carry", "have"},
	"seeks": {"looking", "seeking", "after"},
	"wants": {"want", "wish"}, "plans_to": {"plan", "plans", "planning"}, "gave": {"give", "gave", "gift", "bring"},
	"promised": {"promise", "promised", "swear"},
	"did":      {"do", "did", "give", "gave"}, "travels_to": {"going", "heading", "bound"},
	"stays_at": {"staying", "stay", "sleeping"},
}

// weak are words that too many predicates share to tell by.
var weak = text.Set(`am i'm 'm is are was were be been have has had do does did not no in at on my got get go going
	will one i he's she's way under off out will make made one well never don't doesn't how who know knows knew can
	able`)

// share is how many of the stems stand in a memory: in what it says, what it is
// about and the words that prove it.
func share(stems map[string]bool, m *schema.Memory) float64 {
	said := []string{strings.ReplaceAll(m.Content, "_", " "), strings.ReplaceAll(m.Object, "_", " "),
		strings.ReplaceAll(m.Pred, "_", " "), strings.ReplaceAll(m.Subject, ":", " ")}
	for _, s := range m.Spans {
		said = append(said, s.Text)
	}
	have := text.ContentSet(strings.Join(said, " "))
	if strings.Contains(m.Content, " called ") {
		have["name"] = true
	}
	n := 0
	for s := range stems {
		if have[s] {
			n++
		}
	}
	return float64(n) / float64(len(stems))
}
