package llmtest

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// scene is one call as a persona answers it: what is asked, and the dice of this
// call.
type scene struct {
	Ask
	orders *orderBook
	dice   *rand.Rand
}

// draft is one sentence of an answer with its truth.
type draft struct {
	text  string
	cites []cite
	truth string
	of    string
	false string
	block string
}

// maxSaid is how many sentences the server says in one answer, and in one reply
// before it holds its tongue.
const maxSaid = 3

// quote says whole sentences of the evidence, as they stand.
func quote(s *scene) []draft {
	var out []draft
	for _, best := range s.best(sentencesOf(s.Evidence), maxSaid) {
		out = append(out, verbatim(best))
	}
	return s.orUnknown(out)
}

func verbatim(s shown) draft {
	return draft{text: s.text, cites: []cite{{ID: s.id}}, truth: True, of: s.id, block: s.block}
}

// paraphrase says the same in other words, or in the evidence's own where a review
// asked for them.
func paraphrase(s *scene) []draft {
	all := sentencesOf(s.Evidence)
	out := s.corrected(all)
	for _, best := range s.best(all, maxSaid) {
		if len(out) < maxSaid && !slices.ContainsFunc(out, func(d draft) bool { return d.text == best.text }) {
			d := verbatim(best)
			d.text = Paraphrase(best.text, s.dice)
			out = append(out, d)
		}
	}
	return s.orUnknown(out)
}

// corrected are the sentences whose own words a review asked for.
func (s *scene) corrected(all []shown) []draft {
	var out []draft
	for _, words := range s.OwnWords {
		at := slices.IndexFunc(all, func(c shown) bool { return strings.Contains(text.Fold(c.text), text.Fold(words)) })
		if at >= 0 && len(out) < maxSaid && !slices.ContainsFunc(out, func(d draft) bool { return d.text == all[at].text }) {
			out = append(out, verbatim(all[at]))
		}
	}
	return out
}

// unknownLine marks a sentence as the line for what the NPC does not know.
const unknownLine = "unknown"

// orUnknown says the unknown line where there is no evidence at all.
func (s *scene) orUnknown(out []draft) []draft {
	if len(out) > 0 || len(s.Evidence) > 0 || len(s.Said) > 0 || s.Unknown == "" {
		return out
	}
	return []draft{{text: s.Unknown, truth: True, of: unknownLine}}
}

// best are the sentences that answer the message, best first: those that share
// its words, rare words counting most, that are near it in meaning, and that stand
// early in the list, which is in the order in which they were found to answer.
// What was said or faulted is left out.
func (s *scene) best(all []shown, n int) []shown {
	weights := rarity(all)
	asked := text.ContentSet(s.Message)
	near := nearness(s.Message, all)
	var most, top float64
	shared := make([]float64, len(all))
	for i := range all {
		for w := range text.ContentSet(all[i].text) {
			if asked[w] {
				shared[i] += weights[w]
			}
		}
		most = max(most, shared[i])
	}
	for i := range all {
		if most > 0 {
			all[i].score = shared[i] / most
		}
		all[i].score += near[i] + 0.5/float64(1+i)
		if defines(s.Message, all[i].text) {
			all[i].score++
		}
		top = max(top, all[i].score)
	}
	var out []shown
	for _, c := range all {
		if c.score >= 0.6*top && !s.passedOver(c.text) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b shown) int { return cmp.Compare(b.score, a.score) })
	return out[:min(len(out), n)]
}

var asksWhat = regexp.MustCompile(`(?i)^\W*(?:what|who)(?:['’]s| is| are| was| were)\s+(?:the |a ` +
	`|an )?([^?.,!]+?)\W*$`)

// defines says whether a sentence says of what is asked what it is: "what is X?",
// "X is a …".
func defines(message, sentence string) bool {
	m := asksWhat.FindStringSubmatch(message)
	if m == nil {
		return false
	}
	rest, ok := strings.CutPrefix(strings.TrimPrefix(strings.ToLower(sentence), "the "), strings.ToLower(m[1])+" ")
	first, _, _ := strings.Cut(rest, " ")
	return ok && slices.Contains([]string{"is", "are", "was", "were"}, first)
}

var vectors = sync.OnceValue(func() *embed.Static {
	static, err := embed.NewStatic()
	if err != nil {
		panic(err) // the binary carries its own vectors
	}
	return static
})

// nearness is how near each sentence stands to a message, from 0 to 1.
func nearness(message string, all []shown) []float64 {
	out := make([]float64, len(all))
	texts := []string{message}
	for _, s := range all {
		texts = append(texts, s.text)
	}
	v, err := vectors().Embed(context.Background(), texts)
	if err != nil {
		return out
	}
	for i := range all {
		out[i] = max(0, float64(embed.Dot(v[0], v[i+1])))
	}
	return out
}

// rarity weighs each word by how few of the sentences hold it.
func rarity(all []shown) map[string]float64 {
	in := map[string]float64{}
	for _, s := range all {
		for w := range text.ContentSet(s.text) {
			in[w]++
		}
	}
	for w, n := range in {
		in[w] = math.Log(1 + float64(len(all))/n)
	}
	return in
}

// passedOver says whether a sentence was said already, or was faulted.
func (s *scene) passedOver(sentence string) bool {
	for _, said := range s.Said {
		if covers(said, sentence, 0.65) {
			return true
		}
	}
	for _, claim := range s.Feedback {
		if covers(claim, sentence, 0.7) || text.Fold(claim) != "" && strings.Contains(text.Fold(sentence), text.Fold(claim)) {
			return true
		}
	}
	return false
}

// covers says whether a text holds this share of the content words of another.
func covers(s, of string, share float64) bool {
	want := text.ContentSet(of)
	if len(want) == 0 {
		return text.Fold(s) == text.Fold(of)
	}
	have, n := text.ContentSet(s), 0
	for w := range want {
		if have[w] {
			n++
		}
	}
	return float64(n) >= share*float64(len(want))
}
