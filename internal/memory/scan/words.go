package scan

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// vocabulary numbers the stems of a run, so that two texts are compared by
// numbers.
type vocabulary struct {
	ids    map[string]int32
	stems  []string
	folded map[string]string
}

func newVocabulary() vocabulary {
	return vocabulary{ids: map[string]int32{}, folded: map[string]string{}}
}

func (v *vocabulary) id(stem string) int32 {
	n, ok := v.ids[stem]
	if !ok {
		n = int32(len(v.stems)) //nolint:gosec // a world has fewer words
		v.ids[stem] = n
		v.stems = append(v.stems, stem)
	}
	return n
}

// matter is what was told, without who told it: two memories are compared by that,
// and lore denies that. Who told it is for the subject and the source to say.
func matter(content string) string {
	for range 3 { // hearsay of hearsay
		t, ok := memory.ReadTold(content)
		if !ok || t.How == "asked" {
			break
		}
		content = t.Said
	}
	return content
}

// traits are the words of a memory's content by what they do: two sentences that
// differ in a name or a number speak of two things, however alike they are.
type traits struct {
	stems   []int32 // of content words, ascending
	names   []int32
	numbers []int32
	denies  bool
}

func (r *run) traitsOf(i int) *traits {
	if r.trait[i] == nil {
		r.trait[i] = r.vocab.read(matter(r.items[i].Content))
	}
	return r.trait[i]
}

func (v *vocabulary) read(s string) *traits {
	t := &traits{}
	plain := text.Plain(s)
	begins := true
	last := 0
	for _, w := range text.WordSpans(plain) {
		raw := plain[w.Start:w.End]
		begins = begins || strings.ContainsAny(plain[last:w.Start], ".!?:")
		last = w.End
		low := strings.TrimSuffix(strings.ToLower(raw), "'s")
		switch first, _ := utf8.DecodeRuneInString(raw); {
		case text.Denies(low):
			t.denies = !t.denies
		case text.Digits(low) != "":
			t.numbers = append(t.numbers, v.id(text.Digits(low)))
		case unicode.IsUpper(first) && !begins && low != "i":
			t.names = append(t.names, v.id(low))
		case !text.IsStop(low):
			t.stems = append(t.stems, v.id(text.Stem(low)))
		}
		begins = false
	}
	t.stems, t.names, t.numbers = set(t.stems), set(t.names), set(t.numbers)
	return t
}

func set(ids []int32) []int32 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// value is a memory's object in the form in which two are compared.
type value struct {
	key    string   // the denial and the words, joined
	words  []string // stems without articles, numbers in digits
	denied bool
}

// articles say nothing of a value.
var articles = text.Set(`the a an some his her their my your`)

// valueOf is the value of a memory: its object, or what it says where it has none.
func (r *run) valueOf(i int) *value {
	if r.value[i] != nil {
		return r.value[i]
	}
	object := r.items[i].Object
	if object == "" {
		object = matter(r.items[i].Content)
	}
	v := &value{}
	object, v.denied = memory.Denied(text.Fold(object))
	for _, w := range text.Words(object) {
		switch n := text.Digits(w); {
		case n != "":
			v.words = append(v.words, n)
		case !articles[w]:
			v.words = append(v.words, text.Stem(w))
		}
	}
	// The denial may stand in the sentence alone: "p42 does not like plums".
	if t := r.traitsOf(i); t.denies && !v.denied && !slices.ContainsFunc(v.words, text.Denies) {
		v.denied = true
	}
	v.key = keyOf(v.words, v.denied)
	r.value[i] = v
	return v
}

func keyOf(words []string, denied bool) string {
	if denied {
		return "not " + strings.Join(words, " ")
	}
	return strings.Join(words, " ")
}

// opposites are the keys of values that deny this one.
func (v *value) opposites() []string {
	out := []string{keyOf(v.words, !v.denied)}
	for i, w := range v.words {
		for _, o := range slices.Sorted(maps.Keys(opposites[w])) {
			other := slices.Clone(v.words)
			other[i] = o
			out = append(out, keyOf(other, v.denied))
		}
	}
	return out
}

// within says whether one value only says more than the other: "Arrive" and
// "Arrive in Bangalore".
func (v *value) within(o *value) bool {
	short, long := v.words, o.words
	if len(long) < len(short) {
		short, long = long, short
	}
	if len(short) == 0 || v.denied != o.denied {
		return false
	}
	for _, w := range short {
		if !slices.Contains(long, w) {
			return false
		}
	}
	for _, w := range long {
		if text.Digits(w) != "" && !slices.Contains(short, w) {
			return false
		}
	}
	return true
}

// opposites are stems that exclude one another in what is said of somebody's ways and of the
// state of things.
var opposites = text.Opposites(text.OppositeStates)

// compare says at sight what two sentences are to each other, as far as their
// words tell it. Most pairs that a vector calls alike end here.
func (r *run) compare(i, k int) link {
	a, b := r.items[i], r.items[k]
	subject := r.subject(a) == r.subject(b)
	if !subject && strings.Contains(a.Subject, ":") && strings.Contains(b.Subject, ":") {
		return link{Distinct, "of two subjects"}
	}
	if !r.comparable(a, b) {
		return link{Distinct, "of two occasions"}
	}
	x, y := r.traitsOf(i), r.traitsOf(k)
	ownNames, otherNames := differ(x.names, y.names)
	if len(ownNames) > 0 && len(otherNames) > 0 {
		return link{Distinct, "of other names"}
	}
	own, other := differ(x.stems, y.stems)
	opposed := r.vocab.strike(&own, &other)
	left := len(own) + len(other) + len(ownNames) + len(otherNames)
	pred := r.canonical(a.Pred) == r.canonical(b.Pred)
	if !slices.Equal(x.numbers, y.numbers) {
		if subject && pred && left == 0 && !opposed && asserts(a.Kind) && len(x.numbers) > 0 && len(y.numbers) > 0 {
			return link{Contradiction, "they give two numbers"}
		}
		return link{Distinct, "of other numbers"}
	}
	if opposed != (x.denies != y.denies) {
		switch {
		case left == 0 && subject:
			return link{Contradiction, "the one denies the other"}
		case left <= 2 && subject:
			return link{Unclear, ""}
		}
		return link{Distinct, "the one denies something, but of another matter"}
	}
	switch {
	case left == 0 && subject && !opposed && (pred || r.valueOf(i).key == r.valueOf(k).key):
		return link{Equivalent, "the same words"}
	case r.Entail == nil && r.Judge == nil && pred && !r.shareWord(i, k):
		return link{Distinct, "of two values"}
	case left > len(x.stems)+len(y.stems)-left:
		return link{Distinct, "they share less than they do not"}
	}
	return link{Unclear, ""}
}

// comparable says whether two memories are of one sort, and where they tell of
// something that happened, of one time.
func (r *run) comparable(a, b *Item) bool {
	if asserts(a.Kind) != asserts(b.Kind) {
		return false
	}
	return asserts(a.Kind) || a.Kind == b.Kind && a.EventTime.Equal(b.EventTime)
}

// shareWord says whether two values have a word in common.
func (r *run) shareWord(i, k int) bool {
	return slices.ContainsFunc(r.valueOf(i).words, func(w string) bool { return slices.Contains(r.valueOf(k).words, w) })
}

// differ are what each of two ascending lists has and the other has not.
func differ(a, b []int32) (own, other []int32) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			own, a = append(own, a[0]), a[1:]
		case len(a) == 0 || b[0] < a[0]:
			other, b = append(other, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return own, other
}

// strike takes a pair of opposites out of two lists, if there is one.
func (v *vocabulary) strike(own, other *[]int32) bool {
	for i, a := range *own {
		for k, b := range *other {
			if opposites[v.stems[a]][v.stems[b]] {
				*own, *other = slices.Delete(slices.Clone(*own), i, i+1), slices.Delete(slices.Clone(*other), k, k+1)
				return true
			}
		}
	}
	return false
}
