package deed

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// found are the numbers, names and texts that a message gives for parameters.
func (v views) found(params []parameter) map[string]any {
	out := map[string]any{}
	v.numbers(params, out)
	v.offered(params, out)
	for _, p := range params {
		switch p.kind {
		case "text":
			if s := message(v.asked); s != "" {
				out[p.name] = s
			}
		case "name":
			if s := proper(v.asked); s != "" {
				out[p.name] = s
			}
		}
	}
	return out
}

// small is what a word counts, where it is no scale: "seven", "dozen".
func small(word string) (n float64, ok bool) {
	switch word {
	case "dozen":
		return 12, true
	case "fortnight":
		return 14, true
	}
	n, ok = text.SmallNumbers[word]
	return n, ok
}

// count is a number of a message with the words around it.
type count struct {
	value       float64
	word        string
	prev, after string
}

// numbers gives numbers to parameters: to the one that is named beside it, else to the
// required ones in their order, else to what is paid.
func (v views) numbers(params []parameter, out map[string]any) {
	counts := countsOf(v.asked.Message)
	take := func(p parameter, fits func(count) bool) {
		if _, there := out[p.name]; there || p.kind != "integer" {
			return
		}
		names := stemsOf(p.name)
		chosen, rivals := -1, map[float64]bool{}
		for i := range counts {
			c := &counts[i]
			c.value = p.afternoon(c.value)
			of := text.Stem(c.after)
			if c.value >= p.min && c.value <= p.max && (!units[of] || names[of]) && fits(*c) {
				chosen, rivals[c.value] = i, true
			}
		}
		if len(rivals) == 1 && counts[chosen].prev != "or" { // which of two is meant nobody can say
			out[p.name] = counts[chosen].value
			counts = slices.Delete(counts, chosen, chosen+1)
		}
	}
	for _, p := range params {
		names := stemsOf(p.name)
		take(p, func(c count) bool { return names[text.Stem(c.after)] })
	}
	for _, p := range params {
		if p.required {
			take(p, func(c count) bool { return true })
		}
	}
	for _, p := range params {
		take(p, func(c count) bool { return c.word != "one" && (c.value > 2 || c.prev == "for") })
	}
}

// offered takes the NPC's own number where the player names none: "twelve dinars" before
// "he is mine, then". Where the NPC offered several, the player must name one of them.
func (v views) offered(params []parameter, out map[string]any) {
	if !v.asked.ByNPC {
		return
	}
	for _, p := range params {
		if p.kind != "integer" {
			continue
		}
		rivals := map[float64]bool{}
		for _, c := range countsOf(v.asked.Before) {
			c.value = p.afternoon(c.value)
			if of := text.Stem(c.after); c.value >= p.min && c.value <= p.max && (!units[of] || stemsOf(p.name)[of]) {
				rivals[c.value] = true
			}
		}
		said, there := out[p.name].(float64)
		switch {
		case there && len(rivals) > 1 && !rivals[said]:
			delete(out, p.name)
		case there || len(rivals) == 0:
		case len(rivals) == 1:
			for n := range rivals {
				out[p.name] = n
			}
		default:
			out[p.name] = torn{}
		}
	}
}

// afternoon reads an hour that is too early for the parameter as one after noon.
func (p parameter) afternoon(n float64) float64 {
	if strings.Contains(p.name, "hour") && n < p.min && n+12 <= p.max {
		return n + 12
	}
	return n
}

// torn stands for a number that may be any of several.
type torn struct{}

// units are stems that say what a number counts: it is for no parameter of another name.
var units = stemsOf("days nights hours minutes weeks years months miles")

// countsOf are the numbers of a message. "One" that stands for a thing counts nothing.
func countsOf(message string) []count {
	words := text.Words(message)
	var out []count
	for i := 0; i < len(words); i++ {
		c := count{word: words[i], value: -1}
		if n, err := strconv.Atoi(strings.TrimRight(words[i], "apmxh")); err == nil && n >= 0 {
			c.value = float64(n)
			if strings.HasSuffix(words[i], "pm") && n < 12 {
				c.value += 12
			}
		} else if n, ok := small(words[i]); ok {
			c.value = n
		} else if words[i] == "hundred" || words[i] == "week" && i > 0 && words[i-1] == "a" {
			c.value = map[string]float64{"hundred": 100, "week": 7}[words[i]]
		}
		if c.value < 0 {
			continue
		}
		if i > 0 {
			c.prev = words[i-1]
		}
		for i+1 < len(words) {
			n, ok := small(words[i+1])
			switch {
			case words[i+1] == "hundred" && c.value < 10:
				c.value *= 100
			case ok && c.value >= 20 && int(c.value)%10 == 0 && n < 10 || ok && c.value >= 100 && n < 100:
				c.value += n
			case words[i+1] == "and" && c.value >= 100 && i+2 < len(words) && text.SmallNumbers[words[i+2]] > 0:
			default:
				n = -1
			}
			if n < 0 {
				break
			}
			i++
		}
		if i+1 < len(words) {
			c.after = words[i+1]
		}
		if c.word == "one" && len(words) > 3 && (text.IsStop(c.after) || c.after == "" || !alone[c.prev]) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// alone are words before a "one" that counts.
var alone = words("just for only me of")

var (
	quoted = regexp.MustCompile(`["“]([^"”]{3,})["”]`)
	colon  = regexp.MustCompile(`:\s+(\S.{3,})$`)
	saying = regexp.MustCompile(`(?i)\b(?:tell|let|inform|warn|say|saying|says|know|word|hear|reach(?:es)?|note|write` +
		`|down|message|line|letter|record|told|reads?|learn|understand|passes?|pass|paper|lines|mail|email|remind)\b` +
		`(?: \S+){0,6}? (?:that|saying|to say) (\S.{3,})$`)
	direct = regexp.MustCompile(`(?i)\b(?:tell|inform|warn|let|remind)\s+(?:[\p{L}'.]+\s){1,3}?(?:know\s+)?` +
		`((?:the|my|his|her|i|i'm|i've|we|we're|he|she|it|they|there|his|our)\s.{6,})$`)
	refers = regexp.MustCompile(`(?i)\b(?:that|this|it)\b`)
	asking = regexp.MustCompile(`(?i)\b(?:say|tell|message|write|put|text|read|hear)\b[^.!]*\?$`)
	tail   = regexp.MustCompile(`(?i)[,.]?\s+(?:please|pls|plz|would you|will you|can you|could you|thanks|thank you` +
		`|yeah|ok|okay|god willing|if you can|for me)[.!?]*$`)
)

// message is the text that a message wants passed on or put down.
func message(a Asked) string {
	s := strings.TrimSpace(a.Message)
	for _, re := range []*regexp.Regexp{quoted, saying, colon, direct} {
		if m := re.FindStringSubmatch(s); m != nil {
			return trimmed(m[1])
		}
	}
	switch {
	case a.ByNPC && asking.MatchString(strings.TrimSpace(a.Before)):
		return trimmed(s)
	case !a.ByNPC && a.Before != "" && refers.MatchString(s):
		return trimmed(a.Before)
	}
	return ""
}

func trimmed(s string) string {
	for {
		cut := strings.TrimSpace(tail.ReplaceAllString(strings.TrimSpace(s), ""))
		if cut == s {
			return strings.TrimRight(s, ".!?,; ")
		}
		s = cut
	}
}

var introduced = regexp.MustCompile(`(?i)(?:my name(?:'s| is)|name of|i'm called|called|name:?|for|in the name of)\s+` +
	`((?:(?:Mr|Mrs|Ms|Dr)\.?\s+)?\p{Lu}[\p{L}'-]+(?:\s+\p{Lu}[\p{L}'-]+)*)`)

// proper is a name in a message: two capitals in a row, or one where a name is said to
// follow.
func proper(a Asked) string {
	if m := introduced.FindStringSubmatch(a.Message); m != nil && unicode.IsUpper([]rune(m[1])[0]) {
		return m[1]
	}
	for _, m := range fullName.FindAllString(a.Message, -1) {
		if first, _, _ := strings.Cut(strings.ToLower(m), " "); !text.IsStop(first) {
			return m
		}
	}
	return ""
}

var fullName = regexp.MustCompile(
	`((?:(?:Mr|Mrs|Ms|Dr)\.?\s+\p{Lu}[\p{L}'-]+)|(?:\p{Lu}[\p{L}'-]+\s+\p{Lu}[\p{L}'-]+))`,
)
