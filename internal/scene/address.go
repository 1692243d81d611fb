package scene

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// hears says whether an NPC heard a line: only who was there.
func hears(l schema.Line, npc string) bool {
	return mutant == "witness" || slices.Contains(l.Heard, npc)
}

// Addressed is the NPC among some whom a message speaks to by name, at its beginning
// ("Osric, …") or at its end ("…, Osric?"); "" where it names none.
func Addressed(w *world.World, message string, among []string) string {
	m := strings.ToLower(strings.TrimSpace(message))
	for _, greeting := range []string{"hello ", "hey ", "good day ", "well ", "and you, ", "and "} {
		m = strings.TrimPrefix(m, greeting)
	}
	end := strings.TrimRight(m, " .?!")
	last := ""
	for _, npc := range among {
		for _, name := range namesOf(w, npc) {
			if rest, ok := strings.CutPrefix(m, name); ok && (rest == "" || strings.ContainsAny(rest[:1], ",:;!?.")) {
				return npc
			}
			if before, ok := strings.CutSuffix(end, name); ok && strings.HasSuffix(strings.TrimRight(before, " "), ",") {
				last = npc
			}
		}
	}
	return last
}

// withoutAddress is a message without the name that it speaks to: what is asked or told is
// the rest. A message that is a name alone stays.
func withoutAddress(w *world.World, message, npc string) string {
	trimmed := strings.TrimSpace(message)
	for _, name := range namesOf(w, npc) {
		if len(trimmed) > len(name) && strings.EqualFold(trimmed[:len(name)], name) &&
			strings.ContainsAny(trimmed[len(name):len(name)+1], ",:;!") {
			if rest := strings.TrimLeft(trimmed[len(name):], " ,:;!"); rest != "" {
				first, size := utf8.DecodeRuneInString(rest)
				return string(unicode.ToUpper(first)) + rest[size:]
			}
		}
	}
	return message
}

// asked is the NPC whom a sentence asks by name.
func asked(w *world.World, sentence string, among []string) string {
	if !text.IsQuestion(sentence) {
		return ""
	}
	return Addressed(w, sentence, among)
}

// namesOf are the names by which an NPC is spoken to, in small letters, the longest first.
func namesOf(w *world.World, handle string) []string {
	out := []string{strings.ToLower(handle)}
	if npc := w.NPCs[handle]; npc != nil {
		name := strings.ToLower(npc.Name)
		first, _, _ := strings.Cut(name, " ")
		out = append(out, name)
		if text.IsStop(first) {
			first = name
		}
		out = append(out, first)
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(out)
}
