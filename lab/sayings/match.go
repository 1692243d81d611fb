package sayings

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The lines of the matcher.
const (
	// Line is the share of a text's content words from which a memory supports it.
	Line = 0.5
	// least is that share where the verifier supports the text
	least = 0.25
	// same is the likeness from which a clause of a memory says what a text says
	same = 0.81
)

// Verifier is the guard's: whether a premise entails a hypothesis.
type Verifier interface {
	Entails(ctx context.Context, premise, hypothesis string) (score float64, label schema.Label, err error)
}

// Matcher compares memories with texts about "the player" and "the NPC".
type Matcher struct{ Verifier Verifier }

// Supports says whether a memory, with the words that prove it, supports a text: of the
// clauses nearest to the text one has its polarity, the numbers of the text stand in the
// memory, who acts in the text is spoken of, and either half of the content words stand
// there or the verifier says so.
func (m Matcher) Supports(ctx context.Context, memory, words, of string) (bool, error) {
	h, p := reduce(of), reduce(memory+". "+words)
	if !numbersIn(h, p) || !spokenOf(h, p) || !samePolarity(h, memory, words) {
		return false, nil
	}
	share := h.shareIn(p)
	if share >= Line {
		return true, nil
	}
	if share < least || m.Verifier == nil {
		return false, nil
	}
	_, label, err := m.Verifier.Entails(ctx, memory, of)
	return label == schema.Supported, err
}

// Says is Supports both ways: a clause of the memory says what the text says and hardly
// more, with the same one acting.
func (m Matcher) Says(memory, text string) bool {
	h := reduce(text)
	for _, clause := range clausesOf(memory) {
		c := reduce(clause)
		if len(c.order) > 0 && len(h.order) > 0 && c.order[0] == h.order[0] && c.negative == h.negative &&
			c.mood == h.mood && c.verb == h.verb && numbersIn(h, c) && likeness(h, c) >= same {
			return true
		}
	}
	return false
}

// Proves says whether the words that prove a memory say what it says: each clause with its
// words in their order, and denied or not as there, or as the verifier reads them. A correction
// names what it puts in a place behind the rest, so the order of its words is free.
func (m Matcher) Proves(ctx context.Context, memory, words string, corrects bool) (bool, error) {
	said, p := true, reduce(words)
	for _, c := range clausesOf(memory) {
		h := reduce(c)
		held := inOrder(h.order, p.order) || corrects && h.shareIn(p) == 1
		said = said && held && samePolarity(h, words, "")
	}
	if said || m.Verifier == nil {
		return said, nil
	}
	_, label, err := m.Verifier.Entails(ctx, words, memory)
	return label == schema.Supported, err
}

// inOrder says whether words stand among others in their order.
func inOrder(words, among []string) bool {
	for _, w := range among {
		if len(words) > 0 && w == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// reduced is a text as it is compared.
type reduced struct {
	order    []string // content words in their base forms, and "player", "npc" with or without 's
	words    map[string]bool
	negative bool
	verb     string // "be", "have" or "passive", where no other verb stands there
	mood     string // of its first verb: "present", "past", "modal", "reported", or empty
}

var (
	wordForm  = regexp.MustCompile(`[\p{L}\p{N}]+(?:['\x{2019}-][\p{L}\p{N}]+)*`)
	clauseEnd = regexp.MustCompile(`[,;:.!?\x{2013}\x{2014}]+(?:\s|$)|\s(?:and|but|so|because|who|which|while|when` +
		`|though` +
		`|although|since)\s`)
	presents = text.Set(`is are am has have do does i'm i've we're we've you're he's she's it's that's`)
	reports  = text.Set(`says say said tells tell told claims claim claimed writes wrote swears swore thinks thought
		promises promised
		believes hinted asked`)
	bes    = text.Set(`is are am was were be been i'm we're you're he's she's it's that's they're`)
	haves  = text.Set(`has have had i've we've you've they've`)
	surely = text.Set(`will shall must i'll we'll you'll he'll she'll they'll`)
	modals = text.Set(`would could may might should ought can i'd we'd`)
	sides  = text.Set(`against before after under over above below without`)
	light  = text.Set(`ask asks asked say says said tell told think go goes get got thing side people about claim claims`)
	spelt  = map[string]string{"twice": "two", "thrice": "three", "mum": "mother", "mom": "mother", "mam": "mother",
		"dad": "father", "da": "father", "papa": "father", "granny": "grandmother", "gran": "grandmother",
		"nan": "grandmother",
		"kid": "child", "kids": "child", "children": "child", "men": "man", "women": "woman", "doc": "doctor"}
)

// reduce gives the words of a text that say something.
func reduce(s string) reduced {
	out := reduced{words: map[string]bool{}}
	for _, w := range wordForm.FindAllString(strings.ReplaceAll(strings.ToLower(s), "\u2019", "'"), -1) {
		if bare := strings.TrimSuffix(w, "'s"); text.Denies(bare) {
			w = bare
		}
		if denies(w) && (w != "nor" || !out.negative) {
			out.negative = !out.negative
			continue
		}
		if out.verb == "" && (bes[w] || haves[w]) {
			out.verb = "be"
			if haves[w] {
				out.verb = "have"
			}
		} else if out.verb == "be" && extract.Past(w) {
			out.verb = "passive"
		} else if out.verb != "passive" && extract.Base(w) != "" {
			out.verb = ""
		}
		switch {
		case reports[w]:
			out.mood = "reported"
		case surely[w] && out.mood != "reported":
			out.mood = "will"
		case modals[w] && out.mood != "reported":
			out.mood = "modal"
		case out.mood != "" || w == "player" || w == "npc":
		case presents[w]:
			out.mood = "present"
		case w == "was" || w == "were" || w == "had" || w == "did" || extract.Past(w):
			out.mood = "past"
		case extract.Base(w) != "":
			out.mood = "present"
		}
		if w == "player" || w == "npc" || w == "player's" || w == "npc's" {
			out.order = append(out.order, w)
			continue
		}
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'s")
		if w == "npc" || w == "player" {
			out.order = append(out.order, w+"'s")
			continue
		}
		if sides[w] {
			out.order = append(out.order, w)
		}
		if alias := spelt[w]; alias != "" {
			w = alias
		}
		if light[w] || (text.IsStop(w) && !isNumber(w)) {
			continue
		}
		base := baseOf(w)
		out.order = append(out.order, base)
		out.words[base] = true
	}
	return out
}

// baseOf is the form by which a word is compared.
func baseOf(w string) string {
	if n := numberOf(w); n != "" {
		return n
	}
	if base := extract.Base(w); base != "" {
		return text.Stem(base)
	}
	return text.Stem(w)
}

// shareIn is how many of the content words stand in another text.
func (r reduced) shareIn(p reduced) float64 {
	if len(r.words) == 0 {
		return 0
	}
	n := 0
	for w := range r.words {
		if p.words[w] {
			n++
		}
	}
	return float64(n) / float64(len(r.words))
}

func numbersIn(h, p reduced) bool {
	for w := range h.words {
		if isNumber(w) && !p.words[w] {
			return false
		}
	}
	return true
}

// spokenOf says whether the one that a text begins with is spoken of at all.
func spokenOf(h, p reduced) bool {
	if len(h.order) == 0 {
		return false
	}
	switch h.order[0] {
	case "player", "player's":
		return slices.Contains(p.order, "player") || slices.Contains(p.order, "player's")
	case "npc", "npc's":
		return slices.Contains(p.order, "npc") || slices.Contains(p.order, "npc's")
	}
	return true
}

// samePolarity says whether one of the clauses nearest to a text denies as it does.
func samePolarity(h reduced, memory, words string) bool {
	best, ok := -1, false
	for _, c := range append(clausesOf(memory), clausesOf(words)...) {
		r := reduce(c)
		n := 0
		for w := range h.words {
			if r.words[w] {
				n++
			}
		}
		if n > best {
			best, ok = n, false
		}
		ok = ok || n == best && r.negative == h.negative
	}
	return ok
}

func clausesOf(s string) []string {
	var out []string
	for _, c := range clauseEnd.Split(s, -1) {
		if strings.TrimSpace(c) != "" {
			out = append(out, c)
		}
	}
	return out
}

// likeness is the share of the words of both that both have.
func likeness(a, b reduced) float64 {
	all, shared := map[string]bool{}, 0
	for _, w := range append(slices.Clone(a.order), b.order...) {
		if all[w] {
			continue
		}
		all[w] = true
		if slices.Contains(a.order, w) && slices.Contains(b.order, w) {
			shared++
		}
	}
	if len(all) == 0 {
		return 0
	}
	return float64(shared) / float64(len(all))
}

func denies(w string) bool { return text.Denies(w) || w == "hardly" }

func isNumber(w string) bool { return numberOf(w) != "" }

func numberOf(w string) string {
	if w == "once" {
		return "1"
	}
	return strings.TrimRight(text.Digits(w), "abcdefghijklmnopqrstuvwxyz")
}
