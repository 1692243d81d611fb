package grounding

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Claim is a stretch of a sentence with what it asserts. The claims of a sentence
// follow one another and hold all of its words; those of kind none assert nothing.
type Claim struct {
	Text   string // decontextualised: pronouns and first person resolved, hedges gone
	Core   string // what is asserted, in the sentence's own words
	Raw    string // the sentence from Start to End
	Kind   schema.ClaimKind
	Start  int // bytes of the sentence
	End    int
	Hedged bool   // a hedge lowers its certainty; it is a claim all the same
	Frame  Frame  // how it is put
	By     string // to whom an attribution gives it
	Points string // the pronoun by which it leans on what stood before, if any
	Means  string // what that pronoun was resolved to, or ""
	Prior  string // the sentence before, where a pronoun stayed unresolved

	outright bool // says yes to what stands before, or is said to be known: no frame before it covers it
}

// Frame is what a claim is wrapped in.
type Frame string

// The frames of a claim.
const (
	FramePlain       Frame = ""
	FrameOpinion     Frame = "opinion"     // I think
	FrameHearsay     Frame = "hearsay"     // they say
	FrameAttribution Frame = "attribution" // Alice wrote that
	FrameQuestion    Frame = "question"    // is it not so?
)

// Voice is an NPC's own turns of phrase that say nothing.
type Voice struct{ Openers, Hedges []string }

// Context is what surrounds a sentence.
type Context struct {
	NPCName    string
	NPCHandle  string
	NPCAliases []string
	Player     string
	Message    string   // what the player said: a word of it asked back asserts nothing
	Previous   []string // the sentences before, oldest first
	Voice
	Names  []string                   // known names of the world
	NameOf func(handle string) string // display name of a writer; may be nil
}

// Bounds on what is read: a longer sentence is one world claim, what follows the
// last clause stays with it, and what is left of leads and hedges is asserted.
const (
	maxSentence = 2 << 10
	maxClauses  = 24
	maxLeads    = 8
	maxTail     = 80
)

// Claims reads a sentence as claims.
func Claims(s string, c Context) []Claim {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	if len(s) > maxSentence {
		return []Claim{{Text: s, Core: s, Raw: s, Kind: schema.ClaimWorld, End: len(s)}}
	}
	var out []Claim
	frame, hedged, by := FramePlain, false, ""
	for _, sp := range clauseSpans(s) {
		cl := newClause(s, sp, &c, out)
		out = append(out, cl.lead...)
		if cl.empty() {
			continue
		}
		claim := cl.claim()
		if cl.apart() || cl.outright {
			frame, hedged, by = FramePlain, false, ""
		}
		if claim.Frame == FramePlain && frame != FramePlain && !claim.outright && !vouches.MatchString(claim.Core) {
			claim.Frame, claim.Hedged, claim.By = frame, hedged, by // "they say that X, and Y"
		}
		if claim.Frame == FrameHearsay || claim.Frame == FrameAttribution {
			frame, hedged, by = claim.Frame, claim.Hedged, claim.By
		}
		out = append(out, claim)
		out = append(out, cl.tail...)
	}
	for i := range out {
		resolve(&out[i], out[:i], c)
	}
	return out
}

// apart says whether a clause stands for itself, behind a semicolon, a dash or a
// "but": what is only said before it is stated there.
func (cl *clause) apart() bool {
	before := strings.TrimRight(text.Plain(cl.s[:cl.from]), " \t\n")
	return strings.HasSuffix(before, ";") || strings.HasSuffix(before, "-") || strings.HasSuffix(before, " but")
}

// vouches is a clause that says of what others say that it is so.
var vouches = regexp.MustCompile(`(?i)^\W*(?:and |for )?(?:it|that|this|so it|all of it|they|he|she)(?:'s| is| was` +
	`| are| were)?(?: all| quite| indeed)? (?:so|true|right|the truth|fact|a fact|no lie|speaks? (?:true|truly` +
	`|the truth)|told? (?:true|the truth)|do not lie|does not lie|don't lie)\b`)

// none is a stretch that asserts nothing.
func none(s string, start, end int) Claim {
	return Claim{Text: strings.TrimSpace(s[start:end]), Core: strings.TrimSpace(s[start:end]), Raw: s[start:end],
		Kind: schema.ClaimNone, Start: start, End: end}
}

// clause is one clause on its way to a claim.
type clause struct {
	s          string
	start, end int // what is left of it
	from       int // where the claim's stretch begins: hedges belong to it
	words      []text.Span
	c          *Context
	lead, tail []Claim
	frame      Frame
	hedged     bool
	outright   bool // said to be known, whatever is told before it
	by         string
	asked      bool
	before     []Claim // of the same sentence
}

func newClause(s string, sp text.Span, c *Context, before []Claim) *clause {
	cl := &clause{s: s, start: sp.Start, end: sp.End, from: sp.Start, c: c, before: before}
	cl.asked = text.IsQuestion(s[sp.Start:sp.End]) && !rhetorical.MatchString(s[sp.Start:sp.End])
	cl.refresh()
	cl.dropLeads()
	cl.dropTags()
	cl.dropHedges()
	return cl
}

// rhetorical questions name their answer: "who else could it be but Osric?"
var rhetorical = regexp.MustCompile(`(?i)^\W*(?:(?:and|but|well|now|so|aye),? )?(?:(?:who|whom|what|where|when|why` +
	`|how) else\b.+\b(?:but|if not|than|except|save)\b|(?:who|whom|what|where) (?:but|if not|other than|except|save)\b)`)

// refresh finds the words of what is left.
func (cl *clause) refresh() {
	cl.words = cl.words[:0]
	for _, w := range text.WordSpans(cl.s[cl.start:cl.end]) {
		cl.words = append(cl.words, text.Span{Start: w.Start + cl.start, End: w.End + cl.start})
	}
}

func (cl *clause) empty() bool { return len(cl.words) == 0 }

// low is the lower-case word at i, or "".
func (cl *clause) low(i int) string {
	if i < 0 || i >= len(cl.words) {
		return ""
	}
	return strings.ToLower(text.Plain(cl.s[cl.words[i].Start:cl.words[i].End]))
}

func (cl *clause) lows() []string {
	out := make([]string, len(cl.words))
	for i := range cl.words {
		out[i] = cl.low(i)
	}
	return out
}

// gap is what stands between word i and the next.
func (cl *clause) gap(i int) string {
	if i < 0 || i+1 >= len(cl.words) {
		return ""
	}
	return cl.s[cl.words[i].End:cl.words[i+1].Start]
}

// claim reads what is left of the clause.
func (cl *clause) claim() Claim {
	core := strings.TrimSpace(cl.s[cl.start:cl.end])
	out := Claim{Core: core, Text: core, Raw: cl.s[cl.from:cl.end], Start: cl.from, End: cl.end, Hedged: cl.hedged,
		Frame: cl.frame, By: cl.by, outright: cl.outright}
	if core := cl.answers(cl.lows()); core != "" {
		out.Kind, out.Core, out.Text, out.outright = schema.ClaimWorld, core, core, true
		return out
	}
	out.Kind = cl.kind()
	if cl.asked && out.Kind != schema.ClaimNone {
		out.Frame = FrameQuestion
		if out.Core = cl.asserted(); out.Core != core {
			out.Text = out.Core
		}
	}
	return out
}

// clauseSpans splits a sentence where it joins whole clauses: at a semicolon, a
// dash, and at a comma with "and", "but" or "so" that a subject follows. A clause
// under a condition keeps all that follows it. The spans hold every word.
func clauseSpans(s string) []text.Span {
	words := text.WordSpans(s)
	low := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return strings.ToLower(text.Plain(s[words[i].Start:words[i].End]))
	}
	if subordinating[low(0)] || len(words) == 0 {
		return []text.Span{{Start: 0, End: len(s)}}
	}
	var out []text.Span
	start, first := 0, 0
	inQuote := false
	for i := 0; i+1 < len(words); i++ {
		gap := text.Plain(s[words[i].End:words[i+1].Start])
		if strings.Count(gap, `"`)%2 == 1 {
			inQuote = !inQuote
		}
		if len(out) >= maxClauses {
			break
		}
		if inQuote || i+1-first < 2 || len(words)-i-1 < 2 {
			continue
		}
		if !joins(gap, low, i+1) && !joinsName(gap, low, i+1, upperAt(s, words, i+2)) || isTail(s[words[i].End:]) {
			continue
		}
		end := words[i+1].Start
		out = append(out, text.Span{Start: start, End: end})
		start, first = end, i+1
	}
	return append(out, text.Span{Start: start, End: len(s)})
}

// subordinating words begin a clause that qualifies the next one.
var subordinating = text.Set(`if unless when whenever while until though although because since whether suppose as
	after before once either neither not both`)

// joins says whether a clause ends in the gap before word next.
func joins(gap string, low func(int) string, next int) bool {
	w := low(next)
	switch {
	case strings.ContainsAny(gap, ";") || strings.Contains(gap, " - ") ||
		strings.ContainsAny(strings.TrimRight(gap, " "), ".!?"):
		return true
	case strings.Contains(gap, ",") && (w == "and" || w == "but" || w == "so" || w == "yet"):
		return clauseSubject[low(next+1)] || verbish(low(next+2))
	case strings.Contains(gap, ",") && clausePronoun[w]:
		return true
	}
	return false
}

// isTail says whether the rest of a sentence is a tag or a hedge, which belongs to
// the clause before it.
func isTail(rest string) bool {
	if len(rest) > maxTail {
		return false
	}
	rest = text.Plain(rest)
	for _, re := range []*regexp.Regexp{hedgeTail, tagQuestion} {
		if m := re.FindStringIndex(rest); m != nil && m[0] == 0 {
			return true
		}
	}
	return false
}

// joinsName: "…, and Bram left" begins a clause, "…, and Bram's hat" does not.
func joinsName(gap string, low func(int) string, next int, upper bool) bool {
	if !upper || !strings.Contains(gap, ",") || low(next) != "and" && low(next) != "but" && low(next) != "so" {
		return false
	}
	name, verb := low(next+1), low(next+2)
	return verb != "" && !strings.HasSuffix(name, "'s") && !strings.HasSuffix(name, "s'") &&
		(!text.IsStop(verb) || auxiliaries[verb])
}

func upperAt(s string, words []text.Span, i int) bool {
	return i < len(words) && startsUpper(s[words[i].Start:])
}

var clausePronoun = text.Set(`i he she it we they you i'm he's she's it's we're they're you're i've you've i'll`)

var clauseSubject = text.Set(`i he she it we they you there this that these those the a an my your his her our its
	their nobody everybody someone everyone i'm he's she's it's we're they're you're i've you've i'll he'd she'd they'd
	who`)

// verbish guesses that a word is a finite verb.
func verbish(w string) bool {
	return auxiliaries[w] || strings.HasSuffix(w, "ed") && len(w) > 4
}

var auxiliaries = text.Set(`is are was were am be been has have had do does did will would shall should can could may
	might must isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't wouldn't can't couldn't
	shouldn't`)
