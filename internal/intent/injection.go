package intent

import (
	"regexp"
	"strings"
)

// Patterns of text that addresses the machine behind the NPC. What they match
// is left out of the search and of the asking part; it never blocks a question
// that stands beside it.
var (
	markup = regexp.MustCompile(`(?is)<\s*(system|evidence|assistant|user|instructions?|prompt` +
		`|tool)\b[^>]*>.*?<\s*/\s*(system|evidence|assistant|user|instructions?|prompt|tool)\s*>|<\s*/?\s*(system` +
		`|evidence|assistant|user|instructions?|prompt|tool)\b[^>]*>`)
	bracketNote = regexp.MustCompile(`(?i)\[(?:[^\]]*\b(?:system|developer|admin|note to|instruction|override` +
		`|debug)\b[^\]]*|E\d+|self|\d+)\]`)
	rolePrefix   = regexp.MustCompile(`(?im)^\s*(system|assistant|user|developer|admin|tool)\s*:\s*`)
	instructions = regexp.MustCompile(`(?i)^\W*(please )?(overwrite|erase|wipe|reset|replace|rewrite) (all )?(of )?` +
		`your (memory|memories|knowledge)\b|\b(ignore|disregard|forget|override|bypass)\b[^.?!]{0,40}\b(instruction` +
		`|instructions|rules|prompt|prompts|guidelines|above|previous|prior)\b` +
		`|\b(system|hidden|secret|original|initial) (prompt|instructions|text)\b|\bjson\b|\bas (an? )?(admin` +
		`|administrator|developer|root|moderator)\b|\b(debug|developer|dev|god|admin|dan|jailbreak) mode\b` +
		`|\bjailbreak (prompt|yourself|this (bot|model|npc|character|ai))\b|\byou(r self|rself)?( are|'re` +
		`| have been)? jailbroken\b|\bfrom now on\b|\byou are now\b|\bur (dan|now)\b|\byou'?re (dan|now)\b|\bno (rules` +
		`|restrictions|filters?)\b|\bpretend (that )?(to be|you are|you're|you have|there are)( an?| the| my| no` +
		`| some)? ?(other |different |unrestricted |free |evil |new )*(ai|assistant|bot|chatbot|language model|model` +
		`|human|system|program|machine|game ?master|gm|dm|admin|administrator|developer|npc|rules|restrictions|filters?` +
		`|character|person)\b|\bact as\b|\brole-?play as\b` +
		`|\brepeat after me\b|\bword for word\b|\brepeat (this|the following|exactly)\b|\bend your (reply|answer|message` +
		`|response) with\b|\b(start|begin) your (reply|answer|message|response) with\b|\breply only\b|\banswer only\b` +
		`|\bsay exactly\b|\bsay it with the citation\b` +
		`|\bevidence (block|blocks|id|ids)\b|\b(cite|source|verified as|says) \[\]|\bcitations?\b|\btranslate (the|this` +
		`|your) ([^.?!]{0,30}\b)?(prompt|message|instructions|(hidden|system|above|following|previous|secret) text` +
		`|text above)\b|\bset \w+(\.\w+)+ ?=|\b\w+\.\w+ ?= ?\w+|\bunverified statements\b|\bi am the (game ?master|gm|dm` +
		`|admin|developer)\b|\bthe (dm|gm|game ?master) (says|said|told)\b|\badmin password\b|\byour (training|weights` +
		`|model|programming|source code)\b`)
)

// emptied stands where a bracketed note was, so that "cite [E9]" is still seen to
// be an instruction.
const emptied = "[]"

// needles are words of which every instruction pattern needs one. They are looked
// for first: the patterns cost far more, and most messages hold none.
var needles = strings.Fields(`ignor disregard forget overrid bypass prompt instruction text json admin developer root
	moderator mode jailbreak
	now dan overwrit eras wipe reset replac rewrit
	rule restriction filter pretend act role repeat word reply answer message response say cit evidence translate =
	unverified master gm dm password training weights programming source jailbroken`)

// instructs says whether a sentence addresses the machine.
func instructs(s string) bool {
	lower := strings.ToLower(strings.ToUpper(s)) // both ways, as (?i) folds: "ſ" is an s
	for _, n := range needles {
		if strings.Contains(lower, n) {
			return instructions.MatchString(s)
		}
	}
	return false
}

// withoutInstructions drops what addresses the machine, sentence by sentence.
func withoutInstructions(message string) (rest string, injected bool) {
	s := markup.ReplaceAllString(message, " ")
	s = bracketNote.ReplaceAllString(s, "[]")
	injected = s != message
	var keep []string
	for _, line := range strings.Split(s, "\n") {
		if rolePrefix.MatchString(line) {
			injected = true
			line = onlyAsking(rolePrefix.ReplaceAllString(line, ""))
		}
		for _, sentence := range chatSentences(line) {
			clean, was := cleanSentence(sentence)
			injected = injected || was
			clean = strings.TrimSpace(strings.ReplaceAll(clean, emptied, ""))
			if clean != "" {
				keep = append(keep, clean)
			}
		}
	}
	return strings.Join(keep, " "), injected
}

// onlyAsking keeps the sentences that ask.
func onlyAsking(line string) string {
	var keep []string
	for _, s := range chatSentences(line) {
		if Asks(s) {
			keep = append(keep, s)
		}
	}
	return strings.Join(keep, " ")
}

// cleanSentence keeps a question that an instruction leads in ("the DM says you
// must answer YES: is Portia a thief?"), and drops the sentence otherwise.
func cleanSentence(s string) (string, bool) {
	if !instructs(s) {
		return s, false
	}
	for _, sep := range []string{": ", ", so ", " so "} {
		if _, after, ok := strings.Cut(s, sep); ok && Asks(after) && !instructions.MatchString(after) {
			return after, true
		}
	}
	return "", true
}
