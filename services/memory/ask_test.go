package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// asker is a model that the test holds.
type asker struct {
	answer func(r *schema.Reply) ([]extract.Proposal, error)
	calls  int
}

func (a *asker) Memories(_ context.Context, r *schema.Reply) (extract.Answer, error) {
	a.calls++
	list, err := a.answer(r)
	return extract.Answer{Memories: list}, err
}

func from(object string, spans ...string) extract.Proposal {
	return extract.Proposal{Kind: schema.MemoryFact, Subject: "player", Predicate: "from", Object: object,
		Content: "I come from " + object, Confidence: 0.9, Spans: spans}
}

const coast = "I come from the coast."

func TestAModelSaysWhatIsWorthRemembering(t *testing.T) {
	byRule := "active: Ansel told me that they come from the coast."
	for _, c := range []struct {
		name, message string
		answer        []extract.Proposal
		err           error
		calls         int
		want          []string
	}{
		{"what no rule knows", "Well, I juggle knives at fairs.",
			[]extract.Proposal{{Kind: schema.MemoryFact, Subject: "player", Predicate: "said", Object: "juggles knives at fairs",
				Content: "I juggle knives at fairs", Confidence: 0.9, Spans: []string{"I juggle knives at fairs"}}}, nil, 1,
			[]string{"active: Ansel told me that they juggle knives at fairs."}},
		{"as the rules have it", coast, []extract.Proposal{from("the coast", "I come from the coast")}, nil, 1,
			[]string{byRule}},
		{"nothing", coast, nil, nil, 1, []string{}},
		{"another object", coast, []extract.Proposal{from("the moon", "I come from the coast")}, nil, 1, []string{}},
		{"words that nobody said", coast, []extract.Proposal{from("the moon", "I come from the moon")}, nil, 1, []string{}},
		{"what is asked is not stated", "Do I come from the coast?",
			[]extract.Proposal{from("the coast", "Do I come from the coast?")}, nil, 0, []string{}},
		{"it is away", coast, nil, llm.ErrUnavailable, 1, []string{byRule}},
		{"it answers something else", coast, nil, llm.ErrAnswer, 1, []string{byRule}},
		{"it is slow", coast, nil, context.DeadlineExceeded, 1, []string{byRule}},
		{"nothing to remember", "Good morning!", []extract.Proposal{from("the coast", "Good morning!")}, nil, 0, []string{}},
		{"dictated", "Remember that I come from the coast.", []extract.Proposal{from("the coast", "I come from the coast")},
			nil, 0,
			[]string{`active: Ansel asked me to remember something: "Remember that I come from the coast".`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.down.Store(true) // by rules: what is not in the words waits, and is not kept
			a := &asker{answer: func(*schema.Reply) ([]extract.Proposal, error) { return c.answer, c.err }}
			d.options.Ask = a
			service := d.another()
			r := d.reply("t1", c.message)
			must(t, service.Reply(t.Context(), r, 1))
			got := slices.DeleteFunc(d.kept(), func(s string) bool { return strings.HasPrefix(s, "pending") })
			if !slices.Equal(got, c.want) || a.calls != c.calls {
				t.Errorf("%d calls keep %q, want %d and %q", a.calls, got, c.calls, c.want)
			}
			if n := service.Asked(); int(n.Calls) != c.calls || (n.Failed == 1) != (c.err != nil) {
				t.Errorf("counted %+v", n)
			}
		})
	}
}

// A model that answers otherwise each time adds nothing to a turn that was read.
func TestATurnIsAskedAboutOnce(t *testing.T) {
	d := newDesk(t)
	a := &asker{}
	a.answer = func(*schema.Reply) ([]extract.Proposal, error) {
		if a.calls > 1 {
			return []extract.Proposal{{Kind: schema.MemoryFact, Subject: "player", Predicate: "lives_in", Object: "coast",
				Content: coast, Confidence: 0.9, Spans: []string{coast}}}, nil
		}
		return []extract.Proposal{from("the coast", "I come from the coast")}, nil
	}
	d.options.Ask = a
	for range 3 {
		must(t, d.another().Reply(t.Context(), d.reply("t1", coast), 1))
	}
	d.want("read three times", "active: Ansel told me that they come from the coast.")
	if a.calls != 1 {
		t.Errorf("%d calls", a.calls)
	}
}

// What waits for a verdict is judged again as the model proposed it, without asking.
func TestWhatAModelProposedWaitsToo(t *testing.T) {
	d := newDesk(t)
	a := &asker{answer: func(*schema.Reply) ([]extract.Proposal, error) {
		p := from("the coast", "I come from the coast")
		p.Content = "Ansel is from the coast"
		return []extract.Proposal{p}, nil
	}}
	d.options.Ask = a
	d.down.Store(true)
	must(t, d.another().Reply(t.Context(), d.reply("t1", coast), 1))
	d.want("away", "pending: Ansel told me that Ansel is from the coast.")
	d.down.Store(false)
	d.At = d.At.Add(time.Hour)
	d.Rebuild()
	must(t, d.another().Again(t.Context(), d.Index))
	d.want("back", "active: Ansel told me that Ansel is from the coast.")
	if a.calls != 1 {
		t.Errorf("%d calls", a.calls)
	}
}

func TestAskingEndsWithTheService(t *testing.T) {
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	d.options.Ask = &asker{answer: func(*schema.Reply) ([]extract.Proposal, error) {
		cancel()
		return nil, fmt.Errorf("ask: %w", ctx.Err())
	}}
	if err := d.another().Reply(ctx, d.reply("t1", coast), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
	d.want("stopped meanwhile")
}
