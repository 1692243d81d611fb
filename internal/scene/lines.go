package scene

import (
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// lineBytes is how much of a player's message a line keeps: a turn carries many lines.
const lineBytes = 2 << 10

// LinesOf is what a reply leaves in the working memory of a conversation, of one player or of
// a scene: what the player said, and what was released. A turn that was aborted unheard leaves
// only what the player did hear.
func LinesOf(r *schema.Reply) []schema.Line {
	var out []schema.Line
	if r.Message != "" {
		out = append(out, schema.Line{Speaker: "player", Text: cut(r.Message), TurnID: r.TurnID, At: r.AcceptedAt,
			Source: schema.OriginUser})
	}
	for _, s := range r.Sentences {
		out = append(out, schema.Line{Speaker: "npc", Text: s.Text, TurnID: r.TurnID, At: r.AcceptedAt,
			Source: schema.OriginSystem, Verbatim: IsVerbatim(s)})
	}
	return out
}

// IsVerbatim says whether no model worded a sentence: an author wrote it, or it repeats its
// evidence word for word.
func IsVerbatim(s schema.Sentence) bool {
	if s.Authored {
		return true
	}
	for _, e := range s.Evidence {
		if voice.Quotes(s.Text, e.Text) {
			return true
		}
	}
	return false
}

// cut is a message as a line keeps it.
func cut(s string) string {
	const more = "…"
	if len(s) <= lineBytes {
		return s
	}
	end := lineBytes - len(more)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + more
}
