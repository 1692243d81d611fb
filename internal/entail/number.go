package entail

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// quantity is a number in a sentence, however it is written.
type quantity struct {
	value, to float64  // to is the other end of a range
	inexact   bool     // about, at least or at most so many
	bound     string   // "more" or "less", of a limit
	place     bool     // the fortieth
	weak      bool     // "one" and "first" may count nothing
	units     []string // stems of the words it may count, nearest first
	from, end int      // words of the sentence
	text      string
	near      bool // of the sentence that the claim lies over
}

var smallNumbers = map[string]float64{
	"zero": 0, "nought": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
	"eighty": 80, "ninety": 90,
}

var scales = map[string]float64{"hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9, "dozen": 12}

var ordinals = map[string]float64{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
	"eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60,
	"seventieth": 70, "eightieth": 80, "ninetieth": 90, "hundredth": 100, "thousandth": 1000,
}

var multiples = map[string]float64{"once": 1, "twice": 2, "thrice": 3}

var manyOf = wordSet(`dozens hundreds thousands millions scores`)

// quantities are the numbers of a sentence, left to right. A number in a name is none: "at
// Three Oaks".
func (s *sentence) quantities() []quantity {
	var out []quantity
	for i := 0; i < len(s.words); {
		q, ok := s.quantityAt(i)
		if !ok || s.partOfName(q) {
			i++
			continue
		}
		s.count(&q)
		i = q.end
		out = append(out, q)
	}
	return s.joinRanges(out)
}

func (s *sentence) partOfName(q quantity) bool {
	if q.end != q.from+1 || q.end >= len(s.words) || s.words[q.from].gap != "" || startsDigit(s.at(q.from)) || ordinals[s.at(q.from)] > 0 {
		return false
	}
	first, next := s.words[q.from], s.words[q.end]
	return first.upper && !first.first && next.upper && first.raw != strings.ToUpper(first.raw)
}

// quantityAt reads the number that begins at word i.
func (s *sentence) quantityAt(i int) (quantity, bool) {
	w, next := s.at(i), s.at(i+1)
	q := quantity{from: i, end: i + 1}
	switch {
	case multiples[w] > 0:
		q.value, q.units, q.weak = multiples[w], []string{"time"}, w == "once"
	case manyOf[w]:
		q.value, q.inexact = math.NaN(), true
	case w == "half" && next == "dozen":
		q.value, q.end = 6, i+2
	case w == "half":
		q.value = 0.5
	case w == "a" && next == "fortnight":
		q.value, q.end, q.units = 14, i+2, []string{"day", "fortnight"}
	case w == "a" && scales[next] > 0:
		v, n := s.spelled(i + 1)
		q.value, q.end = v, i+1+n
	case w == "a" && (next == "couple" || next == "pair"):
		q.value, q.end, q.weak = 2, i+2, true
	case ordinals[w] > 0:
		q.value, q.place, q.weak = ordinals[w], true, w == "first" || w == "second"
	default:
		return s.figureAt(i, q)
	}
	return q, true
}

// figureAt reads digits, or a number spelled out.
func (s *sentence) figureAt(i int, q quantity) (quantity, bool) {
	if v, ordinal, ok := digits(s.at(i)); ok {
		q.value, q.place = v, ordinal
		if scale := scales[s.at(i+1)]; scale > 0 && !ordinal {
			q.value, q.end = v*scale, i+2
		}
		return q, true
	}
	v, n := s.spelled(i)
	if n == 0 {
		return q, false
	}
	q.value, q.end, q.weak = v, i+n, n == 1 && s.at(i) == "one"
	if o := ordinals[s.at(q.end)]; o > 0 && o < 10 && int(v)%10 == 0 && s.words[q.end-1].gap == "-" {
		q.value, q.place, q.end = v+o, true, q.end+1
	}
	return q, true
}

// digits reads "1,402", "3.5", "42nd".
func digits(w string) (v float64, ordinal, ok bool) {
	if !startsDigit(w) || len(w) > 24 {
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
			lastSmall = min(v, 20)
		case scale == 100 || scale == 12:
			group = max(group, 1) * scale
			lastSmall = math.Inf(1)
		case scale > 0:
			total += max(group, 1) * scale
			group, lastSmall = 0, math.Inf(1)
		case w == "and" && any && s.words[k].gap == "" && s.at(i-1) != "between" && scales[s.at(k-1)] >= 100 && isSmall(s.at(k+1)):
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

func isNumberWord(w string) bool {
	return isSmall(w) || scales[w] > 0 || ordinals[w] > 0 || multiples[w] > 0
}

func startsDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

var (
	inexactly = wordSet(`about around roughly nearly almost approximately circa some near perhaps maybe than least most over under above below to upwards`)
	unitSkip  = wordSet(`of more other good full whole long such or so odd the a an and`)
)

// count finds whether the quantity is meant exactly, and what it counts.
func (s *sentence) count(q *quantity) {
	behind := s.at(q.end)
	q.inexact = q.inexact || !q.place && (inexactly[s.at(q.from-1)] || behind == "odd" || behind == "or" || s.at(q.end+1) == "or" && s.at(q.end+2) != "")
	if q.inexact {
		q.bound = s.bound(q.from)
	}
	q.text = s.text[s.words[q.from].start-s.start : s.words[q.end-1].end-s.start]
	if len(q.units) > 0 {
		return
	}
	for k := q.end; k < len(s.words) && k < q.end+4 && len(q.units) < 2; k++ {
		w := s.words[k]
		if len(q.units) > 0 && (w.low == "a" || w.low == "an" || w.low == "per" || w.low == "each") {
			break // "forty dollars a week" counts dollars
		}
		if gap := s.words[k-1].gap; k > q.end && gap != "" && gap != "-" || strings.ContainsAny(gap, ",;:.") || s.endsRow(k-1) {
			break
		}
		if !unitSkip[w.low] && (measures[w.stem] || !text.IsStop(w.low)) {
			q.units = append(q.units, w.stem)
		}
	}
}

// bound is the way in which what stands before word i bounds it.
func (s *sentence) bound(i int) string {
	w, denied := s.at(i-1), false
	if w == "than" {
		w, denied = s.at(i-2), s.at(i-3) == "no"
	}
	switch w {
	case "more", "least", "over", "above":
		return map[bool]string{false: "more", true: "less"}[denied]
	case "less", "fewer", "most", "under", "below", "to":
		return map[bool]string{false: "less", true: "more"}[denied]
	}
	return ""
}

// endsRow says whether a line ends behind word k and another begins with a capital, as in
// a table.
func (s *sentence) endsRow(k int) bool {
	return k+1 < len(s.words) && s.words[k+1].upper && strings.Contains(s.text[s.words[k].end-s.start:s.words[k+1].start-s.start], "\n")
}

// joinRanges makes one quantity of "between 30 and 50", "30 to 50", "30-50".
func (s *sentence) joinRanges(in []quantity) []quantity {
	var out []quantity
	for i := 0; i < len(in); i++ {
		q := in[i]
		if i+1 < len(in) && !q.place && !in[i+1].place && s.joins(q, in[i+1]) {
			next := in[i+1]
			q.to, q.inexact, q.units, q.end = next.value, true, next.units, next.end
			q.text = s.text[s.words[q.from].start-s.start : s.words[next.end-1].end-s.start]
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
		link := s.at(a.end)
		return (link == "to" || link == "or") && b.value > a.value || link == "and" && s.at(a.from-1) == "between"
	}
	return false
}

// measures are units that never stand for one another.
var measures = stemSet(`second minute hour day night week fortnight month year decade century winter summer
	inch foot yard pace mile league fathom furlong acre
	ounce pound stone ton barrel sack bushel pint gallon cup cask keg crate bottle
	penny pence shilling mark crown bit bits copper silver gold platinum florin ducat groat farthing guinea credit dollar
	time percent level`)

// sameUnit says whether two quantities count the same, and whether they count different measures.
func sameUnit(a, b quantity) (same, differs bool) {
	for _, x := range a.units {
		if slices.Contains(b.units, x) {
			return true, false
		}
	}
	return false, len(a.units) > 0 && len(b.units) > 0 && measures[a.units[0]] && measures[b.units[0]]
}

// numberRule finds another figure for the same unit in the same sentence. A figure that the
// premise lacks is no sign: true claims reckon as often as false ones invent.
func numberRule(c *comparison) []finding {
	_, calendar := c.h.dates()
	var premise []quantity
	for i := range c.p.sentences {
		s := &c.p.sentences[i]
		_, dated := s.dates()
		for _, q := range s.quantities() {
			if q.near = s == c.a.p; !dated[q.from] {
				premise = append(premise, q)
			}
		}
	}
	for _, q := range c.h.quantities() {
		if calendar[q.from] || q.weak {
			continue
		}
		if f := c.figure(q, premise); f != nil {
			return f
		}
	}
	return nil
}

// figure judges one figure of the claim.
func (c *comparison) figure(q quantity, premise []quantity) []finding {
	var other, unit *quantity
	for i := range premise {
		e := &premise[i]
		same, differs := sameUnit(q, *e)
		switch equal := e.value == q.value; {
		case e.place != q.place:
		case equal && !differs && (!e.inexact || q.inexact && q.bound == e.bound):
			return nil
		case q.inexact && !e.inexact:
			return nil // forty-one are about forty
		case equal && differs && e.near:
			unit = e
		case same && e.near:
			other = e
		}
	}
	alone := func(least int, units []string) bool {
		return !c.h.denies() && c.onlyDiffersAt(least, func(i int) bool { return i >= q.from && i < q.end || slices.Contains(units, c.h.words[i].stem) })
	}
	switch {
	case other != nil && (other.inexact || q.inexact):
		return c.differs("number", false, fmt.Sprintf("number: the evidence says “%s”, which does not give “%s”", other.text, q.text))
	case other != nil:
		return c.differs("number", alone(2, nil), fmt.Sprintf("number differs: the evidence says “%s”, the claim “%s”", other.text, q.text))
	case unit != nil && alone(1, q.units):
		return c.differs("number", true, fmt.Sprintf("unit: the evidence counts “%s %s”, the claim “%s %s”", unit.text, unit.units[0], q.text, q.units[0]))
	}
	return nil
}
