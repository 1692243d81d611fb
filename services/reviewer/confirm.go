package reviewer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// confirmWait is how long a sentence waits for the game to accept its action.
const confirmWait = 1500 * time.Millisecond

// confirmed holds back a sentence that promises an action until the game has
// accepted it; an authored line takes its place otherwise. A sentence that is
// released already was accepted then, and an action that no sentence speaks of is
// not proposed.
func (s *Service) confirmed(
	ctx context.Context, t *protocol.Turn, npc *world.NPC, person voice.Person, draft []protocol.DraftSentence,
) ([]protocol.DraftSentence, error) {
	for i := range t.Decision.Actions {
		a := &t.Decision.Actions[i]
		if !a.Confirm || !a.Promised || !a.Checked {
			continue
		}
		if told(t.Released, voice.Release(a.Phrase, person)) {
			a.Confirmed = true
			continue
		}
		if !slices.ContainsFunc(behind(t.Released, draft, person),
			func(d protocol.DraftSentence) bool { return d.Text == a.Phrase }) {
			a.Checked, a.Refused = false, "no sentence speaks of it"
			continue
		}
		accepted := false
		if s.confirm != nil {
			var err error
			if accepted, err = s.confirm.Confirm(ctx, t, i, *a, confirmWait); err != nil {
				return nil, fmt.Errorf("ask the game to confirm %s: %w", a.Name, err)
			}
		}
		if accepted {
			a.Confirmed = true
			continue
		}
		a.Checked, a.Refused = false, "the game did not confirm it"
		spec, _ := deed.Find(deed.Allowed(t.AllowedActions, npc.Actions), a.Name)
		draft = withoutPhrases(draft, append([]string{a.Phrase}, spec.SpeechActs...),
			extractive.Authored(npc, world.LineRefuse, t))
	}
	return draft, nil
}

// told says whether a sentence was released, in its released form.
func told(released []schema.Sentence, said string) bool {
	return slices.ContainsFunc(released, func(s schema.Sentence) bool { return s.Text == said })
}

// withoutPhrases takes out every sentence that promises an action, in whichever of
// its phrases. Where nothing else is said, an authored line takes its place.
func withoutPhrases(
	draft []protocol.DraftSentence, phrases []string, line protocol.DraftSentence,
) []protocol.DraftSentence {
	kept := slices.DeleteFunc(slices.Clone(draft), func(d protocol.DraftSentence) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return containsFolded(d.Text, text.Fold(phrase)) })
	})
	if len(kept) == 0 {
		return []protocol.DraftSentence{line}
	}
	return kept
}
