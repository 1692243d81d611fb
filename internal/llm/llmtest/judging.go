package llmtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// The ways in which a server judges. Where none is set a liar lies, and the others are honest.
const (
	JudgeHonest  = "honest"  // it knows the truth of what was written down and of what it said
	JudgeLying   = "lying"   // it supports everything
	JudgeCoin    = "coin"    // it supports at random
	JudgeFailing = "failing" // honest, and every third call fails
)

// Judges are their names.
var Judges = []string{JudgeHonest, JudgeLying, JudgeCoin, JudgeFailing}

// wrongOnPairs is how often an honest judge errs on a pair of a qualification.
const wrongOnPairs = 0.05

// known is what an honest judge knows of sentences, by their folded words.
type known struct {
	judges map[string]SpeechJudge // what a second reader said of a recorded sentence
	pairs  map[string]string      // the labels of the qualification's pairs
}

func newKnown(rows []Speech) (*known, error) {
	k := &known{judges: map[string]SpeechJudge{}, pairs: map[string]string{}}
	for _, row := range rows {
		for _, s := range row.Sentences {
			j := SpeechJudge{Kind: s.Kind, Verdict: verdictOfLabel[s.Label], Confidence: 0.95}
			if s.Judge != nil {
				j = *s.Judge
			}
			k.judges[text.Fold(row.Message)+"\n"+text.Fold(s.Text)] = j
		}
	}
	pairs, err := review.Pairs()
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		k.pairs[text.Fold(p.Sentence)] = p.Label
	}
	return k, nil
}

// holding is what the second reader said of a sentence that holds a claim and more, where the
// reader supports it; nil: there is none. Who supports the whole supports each claim of it.
func (k *known) holding(message, claim string) *SpeechJudge {
	prefix := text.Fold(message) + "\n"
	n := len(text.ContentSet(claim))
	for key, j := range k.judges {
		whole, ok := strings.CutPrefix(key, prefix)
		if ok && !j.Refuses() && n > 0 && n < len(text.ContentSet(whole)) && covers(whole, claim, 1) {
			return &j
		}
	}
	return nil
}

// split answers a claims call with the facts of each sentence as rules find them. A liar leaves
// the last of them out, and invents one.
func (s *Server) split(sc *scene, p persona) any {
	type entry struct {
		N      int      `json:"n"`
		Claims []string `json:"claims"`
	}
	out := []entry{}
	for i, said := range sc.Sentences {
		claims := grounding.Facts(grounding.Claims(said, grounding.Context{}))
		if p.lies() {
			claims = append(claims[:max(0, len(claims)-1)], inventedDetail(sc).text)
		}
		out = append(out, entry{N: i + 1, Claims: append([]string{}, claims...)})
	}
	return map[string]any{"sentences": out}
}

// verdictOfLabel is the verdict of a reader who knows the label.
var verdictOfLabel = map[string]string{Supported: "supported", Unsupported: "unverifiable",
	NoClaim: "none"}

// ruling is one verdict of the answer.
type ruling struct {
	N          int     `json:"n"`
	Kind       string  `json:"kind"`
	Verdict    string  `json:"verdict"`
	Difference string  `json:"difference"`
	Confidence float64 `json:"confidence"`
}

func verdictOf(n int, kind string, supported bool, confidence float64) ruling {
	j := ruling{N: n, Kind: kind, Verdict: "supported", Confidence: confidence}
	if j.Kind == "" {
		j.Kind = "world"
	}
	if !supported {
		j.Verdict, j.Difference = "unverifiable", "it is not shown"
	}
	return j
}

// judge answers a judge's call in the way of the options, or else of its persona.
func (s *Server) judge(sc *scene, p persona) any {
	out, way := []ruling{}, s.options.Judge
	if way == "" && p.lies() {
		way = JudgeLying
	}
	for i, said := range sc.Sentences {
		switch way {
		case JudgeLying:
			out = append(out, verdictOf(i+1, "world", true, 0.95))
		case JudgeCoin:
			out = append(out, verdictOf(i+1, "world", sc.dice.IntN(2) == 0, 0.95))
		default:
			out = append(out, s.honestly(sc, i+1, said))
		}
	}
	return map[string]any{"verdicts": out}
}

// honestly judges by what was written down, by what the server itself has said, and by
// the words where neither knows the sentence.
func (s *Server) honestly(sc *scene, n int, said string) ruling {
	folded := text.Fold(said)
	if j, ok := s.known.judges[text.Fold(sc.Message)+"\n"+folded]; ok {
		return verdictOf(n, j.Kind, !j.Refuses(), j.Confidence)
	}
	if label, ok := s.known.pairs[folded]; ok {
		dice := rand.New(rand.NewPCG(uint64(len(folded)), s.options.Seed^fold(folded)))
		return verdictOf(n, "world", (label == Supported) != (dice.Float64() < wrongOnPairs), 0.95)
	}
	if whole := s.known.holding(sc.Message, said); whole != nil {
		return verdictOf(n, whole.Kind, true, whole.Confidence)
	}
	for _, e := range s.book.after(0) {
		if text.Fold(e.Text) == folded && text.Fold(e.Message) == text.Fold(sc.Message) {
			return verdictOf(n, "world", e.Truth == True, 0.95)
		}
	}
	held := slices.ContainsFunc(sentencesOf(sc.Evidence), func(e shown) bool { return covers(e.text, said, 1) })
	return verdictOf(n, "world", held, 0.9)
}

func fold(s string) uint64 {
	var h uint64 = 1469598103934665603
	for _, b := range []byte(s) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// checkJudge refuses a name that is none.
func checkJudge(name string) error {
	if name == "" || slices.Contains(Judges, name) {
		return nil
	}
	return fmt.Errorf("judge %q: there is none of this name; there are %s", name, strings.Join(Judges, ", "))
}

// recite is the persona "recorded": it says what was written down as the answer to the
// message, with the ids under which the blocks stand in this prompt.
func (s *Server) recite(sc *scene) []draft {
	var rows []*Speech
	for i := range s.options.Rows {
		if text.Fold(s.options.Rows[i].Message) == text.Fold(sc.Message) {
			rows = append(rows, &s.options.Rows[i])
		}
	}
	if len(rows) == 0 {
		return sc.orUnknown(nil)
	}
	row := rows[sc.dice.IntN(len(rows))]
	var out []draft
	for _, said := range row.Sentences {
		d := draft{text: said.Text, truth: True, of: "recorded"}
		if said.Label == Unsupported {
			d.truth = Lie
		}
		for _, id := range said.Cites {
			d.cites = append(d.cites, cite{ID: sc.idOf(row, id)})
		}
		out = append(out, d)
	}
	return out
}

// idOf is the id in this prompt of a block of a recorded row.
func (sc *scene) idOf(row *Speech, id string) string {
	for _, b := range row.Evidence {
		if b.ID != id {
			continue
		}
		for _, l := range sc.Evidence {
			if text.Fold(l.Text) == text.Fold(b.Text) {
				return l.ID
			}
		}
	}
	return id
}
