package entail

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// reportRule finds what the premise only says that somebody says, thinks, hopes or
// suspects, and the claim states. A claim that says so too is left alone.
func reportRule(c *comparison) []finding {
	if c.a.coverage < 0.6 || c.a.matched < 2 || c.whole.reports() {
		return nil
	}
	verb, outright := "", false
	for _, k := range c.a.to {
		if k < 0 {
			continue
		}
		if v := c.a.p.reported(k); v != "" {
			verb = v
		} else {
			outright = true
		}
	}
	if verb == "" || outright && !strings.HasSuffix(verb, " to") { // of "is said to be" the subject stands before
		return nil
	}
	why := fmt.Sprintf("certainty: the evidence has it under “%s”, the claim states it", verb)
	if c.a.coverage >= 0.8 {
		return c.refuses("certainty", why)
	}
	return c.doubts("certainty", why)
}

// reports says whether a sentence speaks of what is said, thought or uncertain.
func (s *sentence) reports() bool {
	for i := range s.words {
		w := s.words[i].low
		if attitudes[w] || hedging[w] || reporting[w] || doubtingNouns[w] || w == "if" || w == "whether" {
			return true
		}
	}
	return false
}

// reported is the word under which a sentence has its word k: a verb of saying or
// believing before it whose complement k stands in.
func (s *sentence) reported(k int) string {
	for i := k - 1; i >= 0; i-- {
		if g := s.words[i].gap; g == ";" || g == "." || g == ":" {
			return ""
		}
		w := s.at(i)
		switch {
		case believing[w] && s.complement(i):
			return s.words[i].raw
		case (w == "say" || w == "tell") && tellers[s.at(i-1)] && s.complement(i):
			return s.words[i-1].raw + " " + s.words[i].raw
		case w == "told" && persons3[s.at(i+1)] && (s.at(i+2) == "that" || s.startsClause(i+2)):
			return s.words[i].raw
		case (w == "supposed" || w == "said" || w == "rumoured" || w == "rumored" || w == "believed" || w == "thought") &&
			s.at(i+1) == "to":
			return s.words[i].raw + " to"
		}
	}
	return ""
}

// complement says whether a clause follows word i as what is said or believed.
func (s *sentence) complement(i int) bool {
	if g := s.words[i].gap; g != "" {
		return false
	}
	if s.at(i+1) == "that" {
		return true
	}
	if !s.startsClause(i+1) || s.at(i+2) == "" || persons3[s.at(i+1)] {
		return false
	}
	for k := i + 2; k < min(i+6, len(s.words)); k++ {
		if perceiving[s.at(i)] && strings.HasSuffix(s.at(k), "ing") {
			return false // "heard the wolves howling" is heard itself
		}
	}
	return true
}

var (
	perceiving = text.Set(`heard hear hears imagine imagined fancy dreamt dreamed`)
	believing  = text.Set(`says said claims claimed heard hear hears think thinks thought believe believes believed
		suspect suspects suspected guess guesses guessed reckon reckons reckoned suppose supposes rumour rumours rumor
		rumors legend whispers whispered swears swore insists insisted hope hopes hoped dream dreamt dreamed imagine
		imagined fancy fear fears feared`)
	tellers = text.Set(`they some people folk folks many men others we legends rumors rumours tales stories books
		elders old-timers sailors locals`)
	persons3  = text.Set(`me us him her them you`)
	reporting = text.Set(`tell tells told speak speaks spoke legend legends tale tales story stories whisper whispers
		whispered reckon reckons reckoned supposedly gossip gossips talk`)
	doubtingNouns = text.Set(`rumour rumours rumor rumors hearsay legend gossip guess suspicion hope belief theory word
		talk`)
)
