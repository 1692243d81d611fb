package entail

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// bound says how a quantity is meant.
type bound byte

const (
	exactly bound = iota
	roughly       // about forty
	between       // thirty to fifty
	atLeast       // more than forty
	atMost        // up to forty
	place         // the fortieth
)

// quantity is a number in a sentence, however it is written.
type quantity struct {
	value, to float64 // to is the other end of a range
	bound     bound
	units     []string // stems of the words it may count, nearest first
	from, end int      // words of the sentence
	lead      int      // the first of the words that bound it, where there are any
	text      string
	near      bool // of the sentence that the claim lies over
	strict    bool // of a bound: the value itself is left out, as in "more than forty"
	weak      bool // "one" and "first" may count nothing
}

var smallNumbers, scales = text.SmallNumbers, text.Scales

var ordinals = map[string]float64{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
	"tenth":    10,
	"eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
	"eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60,
	"seventieth": 70, "eightieth": 80, "ninetieth": 90, "hundredth": 100, "thousandth": 1000,
}

var multiples = map[string]float64{"once": 1, "twice": 2, "thrice": 3}

var manyOf = text.Set(`dozens hundreds thousands millions scores`)

// quantities are the numbers of a sentence, left to right.
func (s *sentence) quantities() []quantity {
	var out []quantity
	for i := 0; i < len(s.words); {
		q, ok := s.quantityAt(i)
		if !ok || s.named(q) {
			i++
			continue
		}
		s.bind(&q)
		i = q.end
		out = append(out, q)
	}
	return joinRanges(s, out)
}

// named says whether a number is a part of a name: "at Three Oaks".
func (s *sentence) named(q quantity) bool {
	if q.end != q.from+1 || q.end >= len(s.words) || s.words[q.from].gap != "" || startsDigit(s.at(q.from)) ||
		ordinals[s.at(q.from)] > 0 {
		return false
	}
	first, next := s.words[q.from], s.words[q.end]
	return first.upper && !first.first && next.upper && first.raw != strings.ToUpper(first.raw)
}

// quantityAt reads the number that begins at word i.
func (s *sentence) quantityAt(i int) (quantity, bool) {
	w := s.at(i)
	q := quantity{from: i, end: i + 1}
	switch {
	case multiples[w] > 0:
		q.value, q.units, q.weak = multiples[w], []string{"time"}, w == "once"
	case manyOf[w]:
		q.value, q.bound = math.NaN(), roughly
	case w == "half" && s.at(i+1) == "a" && halves[s.at(i+2)] > 0:
		q.value, q.end = halves[s.at(i+2)]/2, i+3
	case w == "half" && s.at(i+1) == "dozen":
		q.value, q.end = 6, i+2
	case w == "a" && s.at(i+1) == "score" && s.at(i+2) == "of":
		q.value, q.end = 20, i+2
	case w == "a" && s.at(i+1) == "decade":
		q.value, q.end, q.units = 10, i+2, []string{"year", "decad"}
		s.andAHalf(&q)
	case w == "a" && s.at(i+1) == "fortnight":
		q.value, q.end, q.units = 14, i+2, []string{"day", "fortnight"}
	case w == "half":
		q.value = 0.5
	case s.isSpan(i) && s.boundsOne(i):
		q.value, q.end, q.units = 1, i+2, []string{s.stemAt(i + 1)} // "more than a month"
	case (w == "nearly" || w == "almost") && s.isSpan(i+1):
		q.value, q.to, q.bound, q.end, q.units = 0.5, 1, between, i+3, []string{s.stemAt(i + 2)}
	case (w == "better" || w == "best") && s.at(i+1) == "part" && s.at(i+2) == "of" && s.isSpan(i+3):
		q.value, q.to, q.bound, q.end, q.units = 0.5, 1, between, i+5, []string{s.stemAt(i + 4)}
	case w == "most" && s.at(i+1) == "of" && s.isSpan(i+2):
		q.value, q.to, q.bound, q.end, q.units = 0.5, 1, between, i+4, []string{s.stemAt(i + 3)}
	case w == "a" && (scales[s.at(i+1)] > 0):
		v, n := s.spelled(i + 1)
		q.value, q.end = v, i+1+n
		s.andAHalf(&q)
	case w == "a" && s.at(i+1) == "couple", w == "a" && s.at(i+1) == "pair":
		q.value, q.end, q.weak = 2, i+2, true
	case ordinals[w] > 0:
		q.value, q.bound, q.weak = ordinals[w], place, w == "first" || w == "second"
	default:
		return s.figureAt(i, q)
	}
	return q, true
}

// isSpan says whether an article and a unit of time stand at word i: "a month". "A
// second" is mostly another one, and in "a night sky" the unit counts nothing.
func (s *sentence) isSpan(i int) bool {
	if s.at(i) != "a" && s.at(i) != "an" || !spans[s.stemAt(i+1)] || s.at(i+1) == "second" {
		return false
	}
	next := s.at(i + 2)
	return next == "" || s.words[i+1].gap != "" || text.IsStop(next) || afterSpan[next]
}

// afterSpan are words of content that may stand behind a span of time.
var afterSpan = text.Set(`ago later earlier past passed away long old straight together afterwards since`)

// boundsOne says whether what stands before word i makes an article count: "under a month".
func (s *sentence) boundsOne(i int) bool {
	switch before := s.at(i - 1); s.at(i - 1) {
	case "than":
		return slices.Contains([]string{"more", "less", "fewer"}, s.at(i-2))
	case "least", "most":
		return s.at(i-2) == "at"
	default:
		return before == "over" || before == "under"
	}
}

// halves are what one speaks of half of.
var halves = map[string]float64{"dozen": 12, "score": 20, "hundred": 100, "thousand": 1000, "million": 1e6}

// andAHalf reads the end of "a decade and a half".
func (s *sentence) andAHalf(q *quantity) {
	if s.at(q.end) == "and" && s.at(q.end+1) == "a" && s.at(q.end+2) == "half" {
		q.value, q.end = q.value*1.5, q.end+3
	}
}

// figureAt reads digits, or a number spelled out.
func (s *sentence) figureAt(i int, q quantity) (quantity, bool) {
	if v, isOrdinal, ok := digits(s.at(i)); ok {
		q.value = v
		if isOrdinal {
			q.bound = place
		}
		if scale := scales[s.at(i+1)]; scale > 0 && !isOrdinal {
			q.value, q.end = v*scale, i+2
		}
		return q, true
	}
	v, n := s.spelled(i)
	if n == 0 {
		return q, false
	}
	q.value, q.end = v, i+n
	if tens := smallNumbers[s.at(q.end+1)]; n == 1 && v < 10 && s.at(q.end) == "and" && tens >= 20 &&
		s.at(i-1) != "between" {
		q.value, q.end = v+tens, q.end+2 // "five and twenty"
	}
	q.weak = n == 1 && s.at(i) == "one"
	if o := ordinals[s.at(q.end)]; o > 0 && o < 10 && int(v)%10 == 0 && s.words[q.end-1].gap == "-" {
		q.value, q.bound, q.end = v+o, place, q.end+1
	}
	return q, true
}

// digits reads "1,402", "3.5", "42nd".
func digits(w string) (v float64, ordinal, ok bool) {
	if w == "" || w[0] < '0' || w[0] > '9' || len(w) > 24 {
		return 0, false, false
	}
	whole, _, _ := strings.Cut(w, ".")
	for i, part := range strings.Split(whole, ",") {
		if i > 0 && len(strings.TrimRight(part, "stndrh")) != 3 {
			return 0, false, false // "1,5" is not fifteen, and "7,8" are two
		}
	}
	w = strings.ReplaceAll(w, ",", "")
	for _, end := range []string{"st", "nd", "rd", "th"} {
		if n, found := strings.CutSuffix(w, end); found {
			w, ordinal = n, true
		}
	}
	if strings.Trim(w, "0123456789.") != "" {
		return 0, false, false // "1e3", "5b"
	}
	v, err := strconv.ParseFloat(w, 64)
	return v, ordinal, err == nil && !math.IsInf(v, 0)
}

// spelled reads "one hundred and five" and says over how many words it goes.
func (s *sentence) spelled(i int) (total float64, n int) {
	var group float64
	k, any := i, false
	lastSmall := math.Inf(1)
	for ; k < len(s.words); k++ {
		w := s.at(k)
		v, small := smallNumbers[w]
		scale := scales[w]
		switch {
		case small && any && (lastSmall < 20 || lastSmall == 20 && (v == 0 || v >= 10)):
			return total + group, k - i // "forty nine" goes on, "nine forty" and "twenty ten" do not
		case small:
			group += v
			lastSmall = v
			if v >= 20 {
				lastSmall = 20
			}
		case scale == 100 || scale == 12:
			group = max(group, 1) * scale
			lastSmall = math.Inf(1)
		case scale > 0:
			total += max(group, 1) * scale
			group, lastSmall = 0, math.Inf(1)
		case w == "and" && any && s.words[k].gap == "" && s.at(i-1) != "between" && scales[s.at(k-1)] >= 100 &&
			isSmall(s.at(k+1)) && !(scales[s.at(k-1)] == 100 && scales[s.at(k+2)] == 100):
			continue
		default:
			return total + group, k - i
		}
		any = true
		if g := s.words[k].gap; g != "" && (g != "-" || k+1 < len(s.words) && s.words[k+1].start-s.words[k].end > 1) {
			k++
			break
		}
	}
	return total + group, k - i
}

func isSmall(w string) bool { _, ok := smallNumbers[w]; return ok }

var (
	roughWords = text.Set(`about around roughly nearly almost approximately circa some near perhaps maybe`)
	unitSkip   = text.Set(`of more other good full whole long such or so odd the a an and`)
)

// bind finds how the quantity is meant, and what it counts.
func (s *sentence) bind(q *quantity) {
	q.lead = q.from
	before, before2 := s.at(q.from-1), s.at(q.from-2)
	if q.bound == exactly {
		switch {
		case roughWords[before]:
			q.bound, q.lead = roughly, q.from-1
		case before == "to" && before2 == "close":
			q.bound, q.lead = roughly, q.from-2
		case s.orSo(q), s.at(q.end) == "odd":
			q.bound = roughly
		case s.orMore(q, "more", "over", "better"):
			q.bound = atLeast
		case s.orMore(q, "less", "fewer", "under"):
			q.bound = atMost
		default:
			s.limit(q)
		}
	}
	q.text = s.text[s.words[q.lead].start-s.start : s.words[q.end-1].end-s.start]
	if len(q.units) > 0 {
		return
	}
	for k := q.end; k < len(s.words) && k < q.end+4 && len(q.units) < 2; k++ {
		w := s.words[k]
		if len(q.units) > 0 && (w.low == "a" || w.low == "an" || w.low == "per" || w.low == "each") {
			break // "forty dollars a week" counts dollars
		}
		if gap := s.words[k-1].gap; k > q.end && gap != "" && gap != "-" || strings.ContainsAny(gap, ",;:.") {
			break
		}
		if !unitSkip[w.low] && (measures[w.stem] || !text.IsStop(w.low)) {
			q.units = append(q.units, w.stem)
		}
	}
}

// orMore says whether one of the words stands behind a number and what it counts:
// "ten or more", "ten of those crystals or more".
func (s *sentence) orMore(q *quantity, words ...string) bool {
	for k := q.end; k < min(q.end+4, len(s.words)); k++ {
		if s.at(k) == "or" {
			return slices.Contains(words, s.at(k+1))
		}
	}
	return false
}

// orSo says whether "or so" ends what stands behind a number: "five sacks or so", and not "or so they say".
func (s *sentence) orSo(q *quantity) bool {
	for k := q.end; k < min(q.end+4, len(s.words)); k++ {
		if s.at(k) == "or" {
			return (s.at(k+1) == "so" || s.at(k+1) == "thereabouts") && (k == q.end || k+2 >= len(s.words) ||
				s.words[k+1].gap != "" || prepositions[s.at(k+2)])
		}
	}
	return false
}

// joinRanges makes one quantity of "between 30 and 50", "30 to 50", "30-50".
func joinRanges(s *sentence, in []quantity) []quantity {
	var out []quantity
	for i := 0; i < len(in); i++ {
		q := in[i]
		if i+1 < len(in) && q.bound != place && in[i+1].bound != place && s.joins(q, in[i+1]) {
			next := in[i+1]
			q.to, q.bound, q.units, q.end = next.value, between, next.units, next.end
			q.text = s.text[s.words[q.lead].start-s.start : s.words[next.end-1].end-s.start]
			i++
		}
		out = append(out, q)
	}
	return out
}

func (s *sentence) joins(a, b quantity) bool {
	switch b.from - a.end {
	case 0:
		return s.words[a.end-1].gap == "-"
	case 1:
		switch s.at(a.end) {
		case "to", "or":
			return b.value > a.value
		case "and":
			return s.at(a.from-1) == "between"
		}
	}
	return false
}

// measures are units that never stand for one another; spans are those of time.
var (
	measures = stemSet(spanUnits + `
		inch foot yard pace mile league fathom furlong acre
		ounce pound stone ton barrel sack bushel pint gallon cup cask keg crate bottle
		penny pence shilling mark crown coin bit bits copper silver gold platinum florin ducat groat farthing guinea ` +
		`credit dollar
		time percent level`)
	spans  = stemSet(spanUnits)
	metals = stemSet(`copper silver gold platinum crown florin ducat penny pence shilling bit bits mark groat farthing
		guinea`)
)

const spanUnits = `second minute hour day night week fortnight month year decade century winter summer`

// sameUnit compares what two quantities count: yes, no, or not known.
func sameUnit(a, b quantity) (same, known bool) {
	if len(a.units) == 0 || len(b.units) == 0 {
		return false, false
	}
	for _, x := range a.units {
		for _, y := range b.units {
			if x == y {
				return true, true
			}
		}
	}
	if coined(a.units[0], b.units[0]) || coined(b.units[0], a.units[0]) {
		return false, false // fifty coins may be fifty gold
	}
	return false, measures[a.units[0]] && measures[b.units[0]]
}

// coined says whether one word is money of no kind, and the other a kind of it.
func coined(any, kind string) bool { return (any == "coin" || any == "piec") && metals[kind] }
