package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// hedges are words by which people say how sure they are, or on what it hangs.
var hedges = regexp.MustCompile(`(?i)\b(?:` +
	`(?:pretty|fairly|quite|reasonably|almost|nearly|very|absolutely|half|not|not so|not very|not entirely` +
	`|pretty damn)? ?` +
	`(?:confident|sure|certain|positive|convinced|hopeful|doubtful)\b` +
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
		if low == "about" || low == "around" { // of an amount only: "about eighty"
			if next := strings.Fields(s[at[1]:]); len(next) == 0 || !amount.MatchString(next[0]) {
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
	howSure  = regexp.MustCompile(`\b(?:confident|sure|certain|positive|convinced|hopeful|doubtful)$`)
	outright = regexp.MustCompile(`^(?:maybe|perhaps|prob|probs|probably|possibly|i'd |i would |god willing` +
		`|without question` +
		`|unless|at the (?:soonest|latest|earliest))`)
	byOthers = regexp.MustCompile(`^(?:thinks|reckons|swears|suspects|guesses|hinted|assures?|ought to|might` +
		`|thinking of)$`)
)

var amount = regexp.MustCompile(`^(?i)(?:\d|an?$|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven` +
	`|twelve|\w+teen` +
	`|\w+ty|hundred|dozen)`)

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
		where := f.around(at, at+len(last.Text))
		if c.Hedge = hedgeIn(f.said.text[at : at+len(last.Text)]); c.Hedge == "" {
			if c.Hedge = hedgeIn(where); c.Hedge != "" {
				c.Spans = append(slices.Clone(c.Spans), f.span(SpeakerPlayer, c.Hedge))
			}
		}
		if c.When = timeIn(f.said.text[at : at+len(last.Text)]); c.When == "" {
			c.When = timeIn(f.sentenceOf(at))
		}
		c.WhenAt = dateOf(c.When, f.at)
	}
	return out
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

// around is what stands behind a stretch: the rest of its sentence, and the next one
// where that does nothing but say how sure the player is.
func (f *frame) around(from, to int) string {
	for i, s := range f.said.sentences {
		if from < s.start || to > s.end {
			continue
		}
		rest := f.said.text[to:s.end]
		if len(text.ContentWords(rest)) > 4 {
			rest = ""
		}
		if i+1 < len(f.said.sentences) {
			next := f.said.sentences[i+1]
			words := f.said.text[next.start:next.end]
			if h := hedgeIn(words); h != "" && next.kind == asserts &&
				len(text.ContentWords(strings.Replace(words, h, "", 1))) < 2 {
				rest += " " + words
			}
		}
		return rest
	}
	return ""
}
