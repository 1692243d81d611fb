package gateway_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// Through the whole mesh, with a model that paraphrases and a second opinion that takes
// nothing but the words themselves: each door marks the reply, names the sentences in
// doubt, and shows the line by which the NPC says so.
func TestEachDoorMarksAReplyInDoubt(t *testing.T) {
	model, err := llmtest.Start(llmtest.Options{Persona: "paraphrase", Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	settings := guards.Default()
	settings.Faithfulness.Enabled, settings.Faithfulness.Correct = true, true
	settings.Faithfulness.Model = guards.TierRules
	s := openWith(t, func(o *app.Options) { scripted(model.URL())(o); o.Guards = &settings })
	lines := (&world.NPC{}).Line(world.LineDoubt, "")
	check := func(t *testing.T, d *gateway.Doubt, sentences []string) {
		t.Helper()
		last := len(sentences)
		if d == nil || d.Action != "warn" || d.Score >= 1 || len(d.Sentences) == 0 || d.Corrected != last ||
			!slices.Contains(lines, sentences[last-1]) || d.Sentences[len(d.Sentences)-1] >= last {
			t.Errorf("%q is marked %+v", sentences, d)
		}
	}
	said := func(r *gateway.Reply) (out []string) {
		for _, s := range r.Sentences {
			out = append(out, s.Text)
		}
		return out
	}
	t.Run("HTTP", func(t *testing.T) {
		var r gateway.Reply
		s.do("POST", turns, `{"player":"p1","message":"Who owns the ferry?"}`).json(t, &r)
		check(t, r.Doubt, said(&r))
	})
	t.Run("SSE", func(t *testing.T) {
		events := s.stream("POST", turns, `{"player":"p2","message":"Who owns the ferry?"}`)
		var last gateway.Event
		if err := json.Unmarshal([]byte(events[len(events)-1].data), &last); err != nil || last.Reply == nil {
			t.Fatalf("%+v, %v", events, err)
		}
		check(t, last.Reply.Doubt, said(last.Reply))
	})
	t.Run("OpenAI's protocol", func(t *testing.T) {
		var c struct {
			Choices []struct {
				Message struct{ Content string }
			}
			Forsooth struct {
				Sentences []struct{ Start, End int }
				Doubt     *gateway.Doubt
			}
		}
		s.do("POST", completions, questionOf("p3"), "X-Forsooth-Explain", "1").json(t, &c)
		if len(c.Choices) != 1 {
			t.Fatalf("%+v", c)
		}
		var sentences []string
		for _, at := range c.Forsooth.Sentences {
			sentences = append(sentences, string([]rune(c.Choices[0].Message.Content)[at.Start:at.End]))
		}
		check(t, c.Forsooth.Doubt, sentences)
	})
}

func questionOf(player string) string { return said("Who owns the ferry?", `,"user":"`+player+`"`) }
