package extractive

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
)

// open gives about a third of the answers an opener, chosen by the seed. One that
// can mean yes stands only where nothing was asked that yes would answer: "the mill
// burned in 1403, right?" is not to hear "Right," before what the evidence says.
func open(in Input, out []protocol.DraftSentence) {
	if len(in.Openers) == 0 || len(out) == 0 {
		return
	}
	h := Hash(in.Seed + "/opener")
	if h%3 != 0 || strings.Contains(out[0].Text, "“") {
		return
	}
	openly := asksOpenly(in.Question) && (in.Message == "" || asksOpenly(in.Message))
	texts := make([]string, len(in.Evidence))
	for i := range in.Evidence {
		texts[i] = in.Evidence[i].Text
	}
	start := int(h/3) % len(in.Openers)
	for i := range in.Openers {
		opener := in.Openers[(start+i)%len(in.Openers)]
		if voice.Assents(opener) && !openly {
			continue
		}
		if dressed, ok := voice.Dress(opener, out[0].Text, texts); ok {
			out[0].Text = dressed
			return
		}
	}
}

// asksOpenly says whether a message asks for something that neither yes nor no
// answers, and nothing besides: each of its sentences begins with a word that asks
// or with a request, and none ends in a tag.
func asksOpenly(message string) bool {
	sentences := text.Sentences(message)
	for _, s := range sentences {
		words := text.Words(s)
		for len(words) > 0 && before[words[0]] {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if !asking[words[0]] || len(words) > 1 && tags[words[len(words)-1]] && strings.HasSuffix(strings.TrimSpace(s), "?") {
			return false
		}
	}
	return len(sentences) > 0
}

// before are words that may stand before what asks: "and so, at what hour".
var before = set(`and but so then well now please ok okay hey hello hi oh ah good day morning evening friend sir
	at in on to for from with by of about since until under`)

var asking = set(`who whom whose what what's when where where's who's which why how how's tell describe explain name
	list show give teach`)

// tags close a statement as a question: "right?", "isn't it?", "did he?".
var tags = set(`right yes no aye eh huh correct true ok okay it he she they you i we there`)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}
