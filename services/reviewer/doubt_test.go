package reviewer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// What a second opinion does not support is marked by its place in the reply, and what
// was taken out without one. An NPC that is to correct itself says one line more, behind
// a reply that is in doubt, and behind no other.
func TestAnNPCSaysWhatItIsNotSureOf(t *testing.T) {
	lax := &servicetest.Reader{Says: map[string]entail.Reading{paraphrase: servicetest.Claim(0.999)}}
	for _, c := range []struct {
		name     string
		policy   guards.Faithfulness
		correct  bool
		scorer   entail.Verifier
		said     []string
		doubted  []schema.Doubted
		released int // sentences without the line
		adds     bool
	}{
		{name: "the second opinion differs", policy: policy("warn"), correct: true, scorer: strict{word: "nothing"},
			said: []string{paraphrase}, released: 1, adds: true,
			doubted: []schema.Doubted{{Seq: 1, Text: paraphrase, Claims: []string{paraphrase}}}},
		{name: "it is not to correct itself", policy: policy("warn"), scorer: strict{word: "nothing"},
			said: []string{paraphrase}, released: 1,
			doubted: []schema.Doubted{{Seq: 1, Text: paraphrase, Claims: []string{paraphrase}}}},
		{name: "it repeats, and is no surer", policy: policy("regenerate"), correct: true, scorer: strict{word: "nothing"},
			said: []string{paraphrase}, released: 1, adds: true,
			doubted: []schema.Doubted{{Seq: 1, Text: paraphrase, Claims: []string{paraphrase}}}},
		{name: "both agree", policy: policy("warn"), correct: true, scorer: strict{},
			said: []string{paraphrase}, released: 1},
		{name: "it was taken out", policy: policy("warn"), correct: true, scorer: strict{},
			said: []string{owner, invented}, released: 1, doubted: []schema.Doubted{{Text: invented,
				Claims: []string{invented}}}},
		{name: "it blocks", policy: policy("block"), correct: true, scorer: strict{word: "nothing"},
			said: []string{paraphrase}, released: 1, doubted: []schema.Doubted{{Text: paraphrase,
				Claims: []string{paraphrase}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.policy.Correct = c.correct
			b, _ := staged(t, stage{guard: c.policy, reader: lax, scorer: reviewer.Scorer{Verifier: c.scorer},
				speech: spoken(c.said...)})
			var said []protocol.DraftSentence
			for _, s := range c.said {
				said = append(said, cite(s, "ferry"))
			}
			r := b.Walk(t, draft(t, b, said...), schema.PassReviewSpeech)
			checkDoubt(t, r, c.doubted, c.released, c.adds)
		})
	}
}

// A speech that streams is scored when it is out, so the line comes behind it, once, also
// where the worker that said it has died before it could say so.
func TestTheDoubtComesBehindAStreamedSpeech(t *testing.T) {
	for _, dies := range []bool{false, true} {
		guard := policy("warn")
		guard.Correct = true
		b, _ := staged(t, stage{guard: guard, reader: believing(), scorer: reviewer.Scorer{Verifier: strict{word: "dawn"}},
			speech: spoken(crossing, paraphrase)})
		again := false
		beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
			next, err := handle()
			if turn.Part == 0 && next == schema.PassAct && dies && !again {
				again = true
				turn.Faithfulness, turn.Released = nil, nil // what it knew died with it
				return handle()
			}
			return next, err
		})
		r := b.Say(t, "mira", "who owns the ferry?")
		checkDoubt(t, r, []schema.Doubted{{Seq: 2, Text: paraphrase, Claims: []string{paraphrase}}}, 2, true)
		if dies && !again {
			t.Error("no worker died")
		}
	}
}

func checkDoubt(t *testing.T, r *schema.Reply, doubted []schema.Doubted, released int, adds bool) {
	t.Helper()
	want, f := released, r.Faithfulness
	if adds {
		want++
	}
	if f == nil || len(r.Sentences) != want {
		t.Fatalf("%s %q, scored %+v; want %d sentences", r.Status, r.Text, f, want)
	}
	if !slices.EqualFunc(f.Sentences, doubted, func(a, b schema.Doubted) bool {
		return a.Seq == b.Seq && a.Text == b.Text && slices.Equal(a.Claims, b.Claims)
	}) {
		t.Errorf("doubted %+v, want %+v", f.Sentences, doubted)
	}
	last := r.Sentences[len(r.Sentences)-1]
	if lines := (&world.NPC{}).Line(world.LineDoubt, ""); adds != slices.Contains(lines, last.Text) ||
		adds != (f.Corrected == last.Seq) || adds && !last.Authored {
		t.Errorf("the reply ends with %q, and says that %d corrects it", last.Text, f.Corrected)
	}
	if strings.Count(r.Text, last.Text) != 1 {
		t.Errorf("said twice: %q", r.Text)
	}
}
