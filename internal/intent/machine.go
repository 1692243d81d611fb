package intent

import (
	"regexp"
	"strings"
)

// addressed is a text that speaks to whoever writes an answer from it, and not to
// a reader of the world: an order about the answer, a note to the machine, the form
// of a call. It is narrower than what is looked for in a player's words: in lore a
// bailiff may well say that nobody crosses from now on.
var addressed = regexp.MustCompile(`(?i)` +
	`\b(your|the|this|every|each|any|all|an?) (next |final |own |whole |entire |following )?(answers?|repl(y|ies)` +
	`|responses?|outputs?|completions?)\b[^.?!]{0,60}\b(must|should|shall|has to|have to|needs? to|is to|are to)\b` +
	`|\b(add|include|insert|append|prepend|integrate|put|place|mention|embed|hide|write|give|provide|modify|change` +
	`|alter|edit|augment|enhance|extend|replace|convert|substitute|render|rearrange|scramble|jumble|shuffle|anagram` +
	`|misspell|encode|spell|reverse|translate|remove|strip|omit|group|combine|split|capitali[sz]e|use|tease|promote` +
	`|suggest|introduce|start|begin|end|finish|close|sign|conclude|format|rewrite|repeat|reveal|disclose|ignore|leave` +
	`|keep|make|say|answer|respond|reply|turn|insist|state|confirm|tell|print|output)\b[^.?!]{0,90}\b(your|the|this` +
	`|every|each) (own |next |final |whole |entire )?(answers?|repl(y|ies)|responses?|outputs?|completions?` +
	`|system prompt|context window|instructions)\b` +
	`|\bin (your|every|each|the) (next |final )?(answers?|repl(y|ies)|responses?|outputs?)\b` +
	`|\b(ignore|disregard|forget|override|bypass)\b[^.?!]{0,40}\b(instructions?|prompts?|guidelines|system|(previous` +
	`|prior|earlier|above) (rules|orders|text|messages?)|your (rules|orders|training|safety))\b` +
	`|\b(you are|you're|act as|acting as|as) (now )?(an? |the )?(ai|a\.i\.|language model|llm|assistant|chat ?bot|npc` +
	`|bot|model)\b` +
	`|\b(dear|attention|attn|note to|notice to|message to|instructions? (for|to)|memo to|to|hey|hello)[ ,:]+(the |any ` +
	`|every |all |you )?(ai|a\.i\.|language models?|llms?|assistants?|chat ?bots?|npcs?|bots?|models?|dialogue (system` +
	`|engine)|system)\b` +
	`|^\W*(system|assistant|developer|admin|tool|user)( note| message| prompt| override)?\s*[:>\]]` +
	`|\b(system|developer|hidden) (prompt|message|instructions?|override|note)\b` +
	`|\bwhoever (reads|answers|speaks|generates|writes)\b[^.?!]{0,40}\b(must|should|shall|is to)\b` +
	`|\b(call|invoke|execute|trigger|emit|perform|choose)\b[^.?!]{0,40}\b([a-z]+_[a-z_]+|(action|tool|function)s?)\b` +
	`|\b[a-z]+_[a-z]+\s*\(|\{\s*"[a-z_]+"\s*:|<\s*/?\s*(system|assistant|instructions?|prompt|tool|evidence)\b` +
	`|\b(the|this|your) (player|gamer)\b[^.?!]{0,60}\b(must|should|shall|deserves|is to|has earned|may now|gets?` +
	`|receives?)\b|\b(give|hand|grant|award|offer|tell|reveal|show|send|teach|sell|open|unlock|pay|let|make|raise|set` +
	`|mark)\b[^.?!]{0,30}\b(the|this|your|any|every) (player|gamer)\b`)

// marks are bits of words of which each of those texts has one.
var marks = strings.Fields(`answer repl response output completion message instruction prompt guideline system rule
	order text
	ai a.i. model llm assistant bot npc dialogue whoever _ action tool function { < player gamer admin developer`)

// AddressesMachine says whether a sentence of lore or of memory speaks to whoever
// makes an answer of it. It is no fact: nothing is told from it, and no model is
// shown it.
func AddressesMachine(s string) bool {
	lower := strings.ToLower(s)
	for _, m := range marks {
		if strings.Contains(lower, m) {
			return addressed.MatchString(s)
		}
	}
	return false
}
