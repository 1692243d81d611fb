package scan

import (
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
)

// who is a subject of one NPC's memories of one player.
type who struct{ npc, player, subject string }

// named is how a relative's name is remembered: it stands in no field of its own.
var named = regexp.MustCompile(` told me that their ([\p{L}'-]+) is called ([^.]+)\.$`)

// relatives are those of players who have a name: "my cousin" is Ulric where this NPC
// was told of one cousin of that player's, and that he is called Ulric. Guard 1 holds a
// memory against its own words, which do not say so; only here do two memories meet.
func (r *run) relatives() map[who]string {
	out, several := map[who]string{}, map[who]bool{}
	for _, m := range r.items {
		said := named.FindStringSubmatch(m.Content)
		if said == nil || m.Player == "" || m.Subject != memory.PlayerPrefix+m.Player {
			continue
		}
		kin, name := strings.ToLower(said[1]), m.Object
		if first, rest, two := strings.Cut(name, " "); two && strings.EqualFold(first, kin) {
			name = rest // "dog Rex"
		}
		w := who{m.NPC, m.Player, kin + " of " + m.Subject}
		if before, known := out[w]; known && before != r.vocab.fold(name) {
			several[w] = true
		}
		out[w] = r.vocab.fold(name)
	}
	for w := range several {
		delete(out, w) // two brothers: nobody can tell which one is meant
	}
	return out
}

// subject is whom a memory is of, in the form in which two are compared.
func (r *run) subject(m *Item) string {
	if name, ok := r.kin[who{m.NPC, m.Player, m.Subject}]; ok {
		return name
	}
	return r.vocab.fold(m.Subject)
}
