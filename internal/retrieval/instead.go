package retrieval

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// polar finds a question of yes or no about somebody: "is Bram the constable?", "was it Bram who sold it?". Behind
// the verb stand "it" where that is there, the words from the name on, and nothing else.
var polar = regexp.MustCompile(`(?is)^\W*(?:(?:so|and|but|hey|wait|then|well|oh)\W+)*` +
	`(is|was|are|were|did|does|do|has|had|have|can|could|will) +(it +)?` +
	`(?:(?:old|young|master|mistress|brother|sister|lord|lady|sir|captain|father) +)?([\pL\pN].*)$`)

// surelySomebody is how sure an NPC is at least of who it is, before it says so in place of yes or no.
const surelySomebody = 0.8

var (
	beVerbs     = text.Set("is was are were")
	determiners = text.Set(text.Determiners)
)

// instead finds who it is, where a message asks whether it is a certain person and nothing says so: an NPC that
// knows the constable does not say that it knows nothing of Bram's being one. Nil where it is not sure of that either.
func (s *search) instead(ctx context.Context) (*search, error) {
	asked := s.who()
	if asked == "" {
		return nil, nil
	}
	query := s.query
	query.Message = asked
	other, err := s.x.run(ctx, query)
	if err != nil || other.capped() < surelySomebody {
		return nil, err
	}
	return other, nil
}

// who puts "who is the constable?" for "is Bram the constable?". It is empty where no known name stands there.
func (s *search) who() string {
	at := polar.FindStringSubmatch(s.query.Message)
	if at == nil {
		return ""
	}
	verb, it, behind := strings.ToLower(at[1]), at[2] != "", strings.Fields(at[3])
	n := s.naming(behind)
	rest := behind[n:]
	switch {
	case n == 0 || len(rest) == 0:
		return ""
	case it && len(rest) > 1 && (rest[0] == "who" || rest[0] == "that"): // "was it Bram who sold it?"
		return "Who " + strings.Join(rest[1:], " ")
	case it:
		return ""
	case beVerbs[verb] && !determiners[strings.ToLower(rest[0])]: // "is Vey married?" does not ask who is
		return ""
	case verb == "does": // "who runs it", which the judgement has read oftener than "who does run it"
		return "Who " + text.WithPerson(rest[0]) + " " + strings.Join(rest[1:], " ")
	}
	return "Who " + verb + " " + strings.Join(rest, " ")
}

// naming is how many of the words name somebody whom the message names or the world has as a character.
func (s *search) naming(words []string) int {
	begins := func(name []string) bool {
		return len(name) > 0 && len(name) <= len(words) && slices.EqualFunc(name, words[:len(name)], strings.EqualFold)
	}
	longest := 0
	for _, n := range s.names {
		var written []string
		for _, w := range n.words {
			written = append(written, w.written)
		}
		if !n.unknown && begins(written) {
			longest = max(longest, len(written))
		}
	}
	for _, npc := range s.x.world.NPCs {
		if npc == s.query.NPC {
			continue // of itself an NPC is asked by "you"
		}
		name := text.Words(npc.Name)
		for i := range name {
			if begins(name[i:]) {
				longest = max(longest, len(name)-i)
			}
		}
		if len(name) > 1 && begins(name[:1]) {
			longest = max(longest, 1)
		}
	}
	return longest
}
