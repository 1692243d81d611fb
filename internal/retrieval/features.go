package retrieval

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// featureNames are what the fitted models see of a candidate, in order. Those of
// the message alone are the same for all its candidates.
var featureNames = append([]string{
	"text", "meta", "cosine", "likeness",
	"cover", "cover_like", "cover_doc", "missing_rare", "soft", "special", "key_like", "key_special", "cosine_whole",
	"focus", "focus_like",
	"keyword", "keyword_phrase", "topic", "topic_cover", "topic_exact",
	"own", "own_you", "first_person_you", "sign_you", "self_you",
	"expects_met", "expects_missed", "yesno",
	"adjacent", "length", "question",
}, append(matchNames, meaningNames...)...)

// describe is the features of a candidate as an answer.
func (s *search) describe(c *candidate) []float64 {
	p := &s.x.passages[c.at]
	d := &s.x.docs[p.doc]
	near := make([]float64, len(s.q.terms))
	s.near(p, near)
	cover := s.cover(near, d)
	own := p.chunk.NPC != "" && p.chunk.NPC == s.query.NPC.Handle
	topic := s.q.kind == kindTopic
	met, missed := s.expectation(p)
	keyword, phrase := s.keywords(d)
	keyLike, keySpecial := s.keyLike(d)
	return append([]float64{
		c.text, c.meta, c.cosine, clamp(c.likeness/4, -1, 1.5),
		cover.text, cover.like, cover.doc, cover.missingRare, c.soft, c.special, keyLike, keySpecial, s.wholeCosine(p),
		cover.focus, cover.focusLike,
		keyword, bit(phrase), bit(topic), bit(topic) * cover.doc, bit(topic && (phrase || cover.text > 0.999)),
		bit(own), bit(own && s.q.you), bit(s.q.you && p.forms&formFirstPerson != 0), bit(s.q.you && !own),
		bit(s.q.you && own && p.isOfSomebody()),
		met, missed, bit(s.q.kind == kindYesNo),
		s.adjacent(p), clamp(float64(p.length)/60, 0, 1), bit(p.forms&formQuestion != 0),
	}, append(s.matching(c, near), s.meanings(c)...)...)
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func clamp(v, low, high float64) float64 { return min(high, max(low, v)) }

// covering is how much of the question a passage and its document hold, each
// word weighed by its rarity.
type covering struct {
	text, like, doc  float64
	missingRare      float64 // the rarest word that the document lacks
	focus, focusLike float64
}

func (s *search) cover(near []float64, d *document) covering {
	var out covering
	total := 0.0
	focused := false
	for i := range s.q.terms {
		t := &s.q.terms[i]
		w := s.weight(i)
		total += w
		like := near[i]
		exact := bit(like == 1)
		inDoc := max(exact, bit(s.inDocument(t, d)))
		out.text += w * exact
		out.like += w * like
		out.doc += w * inDoc
		if inDoc == 0 && !t.late {
			out.missingRare = max(out.missingRare, s.x.rarity(t.word)*(1-like))
		}
		if t.focus {
			focused = true
			out.focus, out.focusLike = inDoc, max(inDoc, like)
		}
	}
	if total > 0 {
		out.text, out.like, out.doc = out.text/total, out.like/total, out.doc/total
	}
	if !focused {
		out.focus, out.focusLike = 0.5, 0.5
	}
	return out
}

// inDocument says whether an open passage or the metadata holds a term.
func (s *search) inDocument(t *queryTerm, d *document) bool {
	return s.x.docHolds(&s.scope, t.id, d)
}

// keywords is the share of the question's words that stand as keywords of the
// document, and whether the topic as a whole is one.
func (s *search) keywords(d *document) (share float64, phrase bool) {
	if len(s.q.terms) == 0 {
		return 0, false
	}
	total := 0.0
	for i, t := range s.q.terms {
		total += s.weight(i)
		for k := range d.keywords {
			if k == t.word || text.Stem(k) == t.stem {
				share += s.weight(i)
				break
			}
		}
	}
	return share / max(total, 1e-9), s.q.phrase != "" && d.keywords[s.q.phrase]
}

// adjacent is the share of neighbouring content words of the question that stand
// near each other in the passage.
func (s *search) adjacent(p *passage) float64 {
	pairs, found := 0, 0
	for i := 1; i < len(s.q.terms); i++ {
		if s.q.terms[i].late {
			break // what the message leans on comes last
		}
		a, b := s.q.terms[i-1].id, s.q.terms[i].id
		pairs++
		if a >= 0 && b >= 0 && near(p.stems, a, b) {
			found++
		}
	}
	if pairs == 0 {
		return 0
	}
	return float64(found) / float64(pairs)
}

const nearWords = 5

func near(stems []int32, a, b int32) bool {
	lastA, lastB := -nearWords-1, -nearWords-1
	for i, id := range stems {
		if id == a {
			lastA = i
		}
		if id == b {
			lastB = i
		}
		if lastA >= 0 && lastB >= 0 && max(lastA-lastB, lastB-lastA) <= nearWords {
			return true
		}
	}
	return false
}

// Forms by which a passage shows that it holds an answer of a kind.
var (
	firstPersonForm = regexp.MustCompile(`\b(I|[Mm]y|[Mm]e|[Ww]e|[Oo]ur|I'm|I've)\b`)
	numberForm      = regexp.MustCompile(`(?i)\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve` +
		`|dozen|hundred|thousand|half|few|several|many|all|none|both|once|twice)\b`)
	timeForm = regexp.MustCompile(`(?i)\d|\b(day|night|morning|evening|noon|midnight|dawn|dusk|year|month|week|hour` +
		`|minute|spring|summer|autumn|winter|ago|since|until|before|after|during|when|today|tomorrow|yesterday|now|soon` +
		`|always|never|once)s?\b`)
	placeForm = regexp.MustCompile(`(?i)\b(in|at|on|near|under|behind|beside|beneath|above|below|north|south|east` +
		`|west|northern|southern|eastern|western|inside|outside|between|beyond|across|here|there|through|from|to|up|down` +
		`|left|right)\b`)
	reasonForm = regexp.MustCompile(`(?i)\b(because|since|so|for|to|due|reason|if|cause|caused|therefore|that's why|as` +
		`|must|need|want|afraid|fear)\b`)
	meansForm = regexp.MustCompile(`(?i)\b(by|with|use|using|must|need|first|then|through|to|can|should|if|put|place` +
		`|say|pull|push|take|go|give)\b`)
	personForm = regexp.MustCompile(`(?i)\b(he|she|they|his|her|their|who|man|woman|king|queen|lord|lady|god|goddess` +
		`|wizard|captain|priest|guard|father|mother|brother|sister|son|daughter|wife|husband|people|i|we|my|me)\b`)
)

// form is a sort of thing that a passage holds.
type form uint16

const (
	formFirstPerson form = 1 << iota
	formNumber
	formTime
	formPlace
	formReason
	formMeans
	formPerson
	formQuestion
)

// formsOf are the sorts of things that a passage holds.
func formsOf(body string) form {
	var f form
	for _, k := range []struct {
		is   bool
		form form
	}{
		{firstPersonForm.MatchString(body), formFirstPerson},
		{numberForm.MatchString(body), formNumber},
		{timeForm.MatchString(body), formTime},
		{placeForm.MatchString(body), formPlace},
		{reasonForm.MatchString(body), formReason},
		{meansForm.MatchString(body), formMeans},
		{personForm.MatchString(body) || hasName(body), formPerson},
		{text.IsQuestion(body), formQuestion},
	} {
		if k.is {
			f |= k.form
		}
	}
	return f
}

// expected is the sort of thing that a kind of question asks for.
var expected = map[kind]form{
	kindWho: formPerson, kindWhere: formPlace, kindWhen: formTime, kindCount: formNumber, kindWhy: formReason,
	kindHow: formMeans,
}

// expectation says whether the passage holds the sort of thing the question asks
// for: met, missed, or neither where it asks for nothing of a sort.
func (s *search) expectation(p *passage) (met, missed float64) {
	want, ok := expected[s.q.kind]
	if !ok {
		return 0, 0
	}
	has := p.forms&want != 0
	return bit(has), bit(!has)
}

// hasName says whether a text holds a capital inside a sentence.
func hasName(body string) bool {
	fresh := true
	for _, f := range strings.Fields(body) {
		w := strings.Trim(f, `"'“”‘’(),;:`)
		if r := []rune(w); len(r) > 1 && !fresh && unicode.IsUpper(r[0]) && unicode.IsLower(r[1]) {
			return true
		}
		fresh = strings.ContainsAny(f[len(f)-1:], ".!?\"”")
	}
	return false
}

// wholeCosine is the cosine of the question and the passage as a whole.
func (s *search) wholeCosine(p *passage) float64 {
	if p.windows[0] == p.windows[1] {
		return 0
	}
	return dot(s.vector, s.x.window(p.windows[0]))
}

// keyLike is how near the document's keywords come to the question's words: the
// nearest pair, and the share of the question's weight that comes near.
func (s *search) keyLike(d *document) (nearest, share float64) {
	total := 0.0
	for i := range s.q.terms {
		best := 0.0
		for _, id := range d.keyTerms {
			if id == s.q.terms[i].id {
				best = 1
				break
			}
			if s.like[i] != nil {
				best = max(best, float64(s.like[i][id]))
			}
		}
		w := s.weight(i)
		total += w
		nearest = max(nearest, best*s.x.rarity(s.q.terms[i].word))
		share += w * best
	}
	return nearest, share / max(total, 1e-9)
}
