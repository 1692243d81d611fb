package extract

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// hedges are words by which people say how sure they are, or on what it hangs.
var hedges = regexp.MustCompile(`(?i)\b(?:` +
	`(?:(?:(?:not|never|hardly|(?:can(?:'|\x{2019})?t|cannot|can not|could(?:n't|n\x{2019}t| not)) (?:say|be))` +
	`(?: (?:at all|all that|so|too|that|for|ever|really|entirely|completely|totally|altogether|fully|exactly)){0,2} )?` +
	`(?:pretty|fairly|quite|reasonably|almost|nearly|very|absolutely|half|pretty damn)? ?` +
	`(?:confident|sure|certain|positive|convinced|hopeful|doubtful)|unsure|uncertain)\b` +
	`|maybe|perhaps|probably|prob|probs|possibly|presumably|supposedly|allegedly|apparently|hopefully|likely|unlikely` +
	`|i (?:think|believe|reckon|guess|suppose|suspect|hope|fancy|expect|doubt|mean to|intend to|was thinking of)` +
	`|i(?:'d| would) (?:say|swear to it|bet [^.,;]{2,40})|bet you (?:anything|[^.,;]{2,20})` +
	`|might|may be|could be|ought to|if all goes well|god willing|with luck|with any luck|touch wood|fingers crossed` +
	`|kind of|sort of|kinda|sorta|more or less|give or take|or so|or thereabouts|at the (?:soonest|latest|earliest)` +
	`|as far as i (?:know|remember)|if i remember(?: right| rightly)?|to my knowledge|in theory|in principle` +
	`|they say|people say|i(?:'m| am) told|so i(?:'m| am) told|i hear|so they say|word is|rumour has it|assures?` +
	`|thinks|reckons|swears|suspects|guesses|hinted|without question|by my (?:count|reckoning)|dunno|50/50` +
	`|no promises|don't quote me|thinking of|i half|about|roughly|around|approximately)\b` +
	`|\b(?:unless|if|provided|as long as|so long as) [^.,;!?]{3,60}`)

// hedgeIn is the hedge of some words, as it was said: the plainest of those that stand
// there.
func hedgeIn(s string) string {
	best, rank := "", 0
	for _, at := range hedges.FindAllStringIndex(s, -1) {
		h := strings.TrimSpace(s[at[0]:at[1]])
		low := strings.ToLower(h)
		if howSure.MatchString(low) && ofAnother.MatchString(s[:at[0]]) && !ofSpeaker.MatchString(s[:at[0]]) {
			continue // "Tom is sure"
		}
		if low == "about" || low == "around" { // of an amount only: "about eighty"
			next := text.Words(s[at[1]:])
			if len(next) == 0 || !isAmount(next[0]) && next[0] != "a" && next[0] != "an" && next[0] != "half" {
				continue
			}
		}
		if r := plainness(low); r > rank {
			best, rank = h, r
		}
	}
	return best
}

// plainness says how plainly a hedge speaks of being sure.
func plainness(low string) int {
	switch {
	case howSure.MatchString(low):
		return 4
	case outright.MatchString(low):
		return 3
	case byOthers.MatchString(low):
		return 1
	}
	return 2
}

var (
	howSure = regexp.MustCompile(`\b(?:confident|sure|certain|positive|convinced|hopeful|doubtful|unsure|uncertain)$`)
	// ofAnother are words before a "sure" by which it is somebody's, and ofSpeaker those by which
	// it is the player's, or nobody's: "it's certain".
	ofAnother = regexp.MustCompile(`(?i)(?:\b(?:is|are|was|were|isn't|aren't|wasn't|weren't|seems|seemed|feels|felt` +
		`|looks|sounds)|\w(?:'|\x{2019})(?:s|re))\s*$`)
	ofSpeaker = regexp.MustCompile(`(?i)(?:\b(?:i|we|it|that) (?:is|are|was|were|wasn't|weren't|isn't|aren't|felt)` +
		`|\b(?:we|it|that)(?:'|\x{2019})(?:s|re))\s*$`)
	outright = regexp.MustCompile(`^(?:maybe|perhaps|prob|probs|probably|possibly|i'd |i would |god willing` +
		`|without question` +
		`|unless|at the (?:soonest|latest|earliest))`)
	byOthers = regexp.MustCompile(`^(?:thinks|reckons|swears|suspects|guesses|hinted|assures?|ought to|might` +
		`|thinking of)$`)
)

// qualified adds to each candidate of the player how sure the player was, and of what
// time it is, where the words say so.
func (f *frame) qualified(out []Candidate) []Candidate {
	for i := range out {
		c := &out[i]
		last := c.Spans[len(c.Spans)-1]
		if last.TurnID != f.turn || c.Pred == "asked_to_remember" {
			continue
		}
		at := strings.Index(f.said.original, last.Text)
		if at < 0 {
			continue
		}
		if c.Hedge = hedgeIn(f.said.text[at : at+len(last.Text)]); c.Hedge == "" {
			from, to, hedge := f.hedgedBeside(at, at+len(last.Text))
			if c.Hedge = hedge; hedge != "" { // one stretch proves the statement and its hedge
				c.Spans = slices.Clone(c.Spans)
				c.Spans[len(c.Spans)-1] = f.span(SpeakerPlayer, strings.TrimSpace(f.said.original[from:to]))
			}
		}
		if c.When = timeIn(f.said.text[at : at+len(last.Text)]); c.When == "" {
			c.When = timeIn(f.sentenceOf(at))
		}
		c.WhenAt = dateOf(c.When, f.at)
		if c.WhenAt.After(f.at) && f.tellsPast(sentence{at, at + len(last.Text), asserts}) {
			c.WhenAt = time.Time{} // "I finished it in three days"
		}
	}
	return out
}

// tellsPast says whether a stretch tells of what was.
func (f *frame) tellsPast(s sentence) bool {
	clauses := f.clauses(s)
	return len(clauses) > 0 && clauses[0].past && clauses[0].modal == ""
}

// sentenceOf is the sentence that a place lies in.
func (f *frame) sentenceOf(at int) string {
	for _, s := range f.said.sentences {
		if s.start <= at && at < s.end {
			return f.said.text[s.start:s.end]
		}
	}
	return ""
}

// hedgedBeside is the hedge that stands right before a stretch or behind it, or is all that
// the next sentence says, and the stretch with it. Words that say more are about
// themselves: "I own a boat, but I'm not sure where it is".
func (f *frame) hedgedBeside(from, to int) (start, end int, hedge string) {
	for i, s := range f.said.sentences {
		if from < s.start || to > s.end {
			continue
		}
		before := f.said.text[s.start:from]
		if cut := clauseMark.FindAllStringIndex(before, -1); len(cut) > 0 {
			before = before[cut[len(cut)-1][1]:]
		}
		if h := onlyHedge(before); h != "" {
			return from - len(strings.TrimLeft(before, " ")), to, h
		}
		rest := f.said.text[to:s.end]
		if h := onlyHedge(rest); h != "" {
			return from, s.end, h
		}
		if strings.Trim(rest, " .,!;:\n") != "" || i+1 == len(f.said.sentences) {
			return from, to, ""
		}
		next := f.said.sentences[i+1]
		if h := onlyHedge(f.said.text[next.start:next.end]); h != "" && next.kind == asserts {
			return from, next.end, h
		}
	}
	return from, to, ""
}

var clauseMark = regexp.MustCompile(`[,;:\x{2013}\x{2014}]\s+|\b(?:and|but|so|because)\s+`)

// onlyHedge is the hedge of words that say nothing else.
func onlyHedge(s string) string {
	h := hedgeIn(s)
	if h == "" {
		return ""
	}
	for _, t := range tokens(strings.Replace(s, h, " ", 1), 0, len(s)-len(h)+1) {
		if !besideHedge[t.low] {
			return ""
		}
	}
	return h
}

var besideHedge = text.Set(`i am we are feel was were and but or though although of about on it that this so as at
	least for even only well yes still is to me by then now all just quite pretty fairly`)
