package reviewer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// streamed is a turn whose last speech has streamed: each sentence is with a worker of
// its own, and the end of the speech comes behind them.
func streamed(t *testing.T, b *servicetest.Bench, said ...string) *schema.Reply {
	t.Helper()
	var sentences []protocol.DraftSentence
	for _, s := range said {
		sentences = append(sentences, cite(s, "ferry"))
	}
	turn := draft(t, b, sentences...)
	turn.Speech.Run, turn.Class = "3.1", protocol.ClassComplex
	for part := range said {
		if err := b.Releases.Of(turn.TurnID).Emit(t.Context(), turn, part+1); err != nil {
			t.Fatal(err)
		}
	}
	return b.Walk(t, turn, schema.PassReviewSpeech)
}

// unless says yes to every sentence but some.
func unless(no ...string) answering {
	return ruled(func(s string) ruling {
		if slices.Contains(no, s) {
			return judgeSilent
		}
		return judgeYes
	})
}

// The judge is asked about the first sentence at once, and about all the others that the
// model in process leaves open in one call at the end of the speech. They are released in
// order, and each is moderated once.
func TestWhatIsLeftOpenIsJudgedInOneCall(t *testing.T) {
	const but = "But twice a day it goes."
	for _, c := range []struct {
		name     string
		said, no []string
		asked    [][]string
		text     []string
	}{
		{"four paraphrases", []string{paraphrase, toll, dawn, twice}, nil,
			[][]string{{paraphrase}, {toll, dawn, twice}}, []string{paraphrase, toll, dawn, twice}},
		{"a quotation among them", []string{paraphrase, toll, crossing, twice}, nil,
			[][]string{{paraphrase}, {toll, twice}}, []string{paraphrase, toll, crossing, twice}},
		{"a quotation in front", []string{owner, toll, dawn}, nil, [][]string{{toll, dawn}}, []string{owner, toll, dawn}},
		{"quotations alone", []string{owner, crossing}, nil, nil, []string{owner, crossing}},
		{"the first is refused", []string{paraphrase, toll, dawn}, []string{paraphrase},
			[][]string{{paraphrase}, {toll, dawn}}, []string{toll, dawn}},
		{"one is refused, and the next leans on it", []string{owner, toll, but}, []string{toll},
			[][]string{{toll, but}}, []string{owner, twice}},
		{"all are refused but the first", []string{owner, toll, dawn}, []string{toll, dawn},
			[][]string{{toll, dawn}}, []string{owner}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var moderated counter
			b, court := staged(t, stage{judge: true, judgement: unless(c.no...), world: hookOf(t, moderated.add)})
			r := streamed(t, b, c.said...)
			if r.Text != strings.Join(c.text, " ") {
				t.Errorf("the reply is %s %q", r.Status, r.Text)
			}
			if asked := court.asked(); !slices.EqualFunc(asked, c.asked, slices.Equal) {
				t.Errorf("the judge was asked %q, want %q", asked, c.asked)
			}
			for _, s := range c.said {
				if n := moderated.of(s); n > 1 {
					t.Errorf("%q was moderated %d times", s, n)
				}
			}
			if court.spoke > 0 {
				t.Errorf("the model spoke %d times more", court.spoke)
			}
		})
	}
}

// A sentence that is left open has its outcome, whatever becomes of the judge meanwhile.
func TestWhatIsLeftOpenHasItsOutcomeWithoutAJudge(t *testing.T) {
	for _, c := range []struct {
		name      string
		judgement answering
		believed  bool // still, when the speech ends
	}{
		{"the judge lost its belief", each(judgeYes), false},
		{"the judge says nothing of use", saying("Well."), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, court := staged(t, stage{judge: true, judgement: c.judgement})
			left := make(chan struct{})
			done := sync.OnceFunc(func() { close(left) })
			beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
				if turn.Part == 0 && !c.believed {
					<-left
					court.service.Believe(nil)
				}
				next, err := handle()
				if turn.Part == 2 && err == nil {
					done()
				}
				return next, err
			})
			r := streamed(t, b, owner, toll)
			if r.Text != owner || len(r.Stripped) != 1 || r.Stripped[0].Text != toll {
				t.Errorf("%s %q, stripped %+v", r.Status, r.Text, r.Stripped)
			}
		})
	}
}

// The end of a speech may have waited for its sentences often, and asks the judge then.
func TestTheEndAsksTheJudgeHoweverOftenItHasWaited(t *testing.T) {
	b, court := staged(t, stage{judge: true, judgement: each(judgeYes)})
	beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
		if last := len(turn.Passes) - 1; turn.Part == 0 {
			turn.Passes[last].Attempt += 12
		}
		return handle()
	})
	if r := streamed(t, b, owner, toll, dawn); r.Text != owner+" "+toll+" "+dawn {
		t.Errorf("the reply is %q; the judge was asked %q", r.Text, court.asked())
	}
}

// A worker that comes to its sentence only when the end of the speech is at it leaves it
// to the end, which does not wait for it: its one call of the judge was about both.
func TestALateWorkerLeavesItsSentenceToTheEnd(t *testing.T) {
	reached, handled := make(chan struct{}), make(chan struct{})
	goOn := sync.OnceFunc(func() { close(reached) })
	var moderated counter
	hook := hookOf(t, func(sentence string) {
		if moderated.add(sentence); sentence == dawn { // the end holds it; then comes its own worker
			goOn()
			<-handled
		}
	})
	b, court := staged(t, stage{judge: true, judgement: each(judgeYes), world: hook})
	beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
		if turn.Part == 3 {
			<-reached
			defer close(handled)
		}
		next, err := handle()
		if turn.Part == 0 && mesh.IsLater(err) && len(turn.Released) > 1 {
			goOn()
		}
		return next, err
	})
	if r := streamed(t, b, owner, toll, dawn); r.Text != owner+" "+toll+" "+dawn {
		t.Errorf("the reply is %q", r.Text)
	}
	if n := moderated.of(dawn); n != 1 {
		t.Errorf("the last sentence was moderated %d times", n)
	}
	if asked := court.asked(); len(asked) != 1 || !slices.Equal(asked[0], []string{toll, dawn}) {
		t.Errorf("the judge was asked %q", asked)
	}
}

var errDied = errors.New("the worker died")

// dying is a releaser whose worker dies once: before or behind the n-th thing stored.
type dying struct {
	*servicetest.Releases
	at     int
	behind bool

	mu sync.Mutex
	n  int
}

func (d *dying) store(f func() error) error {
	d.mu.Lock()
	d.n++
	dies := d.n == d.at
	d.mu.Unlock()
	if dies && !d.behind {
		return errDied
	}
	err := f()
	if dies {
		return errDied
	}
	return err
}

func (d *dying) Release(ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord, s schema.Sentence) error {
	return d.store(func() error { return d.Releases.Release(ctx, t, record, s) })
}

func (d *dying) Refuse(ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord) error {
	return d.store(func() error { return d.Releases.Refuse(ctx, t, record) })
}

// Wherever a worker dies, the message comes again, and each sentence is released once.
func TestADeathAtEachPointLeavesOneRelease(t *testing.T) {
	said := []string{paraphrase, toll, crossing, twice}
	for at := 1; at <= 8; at++ {
		for _, behind := range []bool{false, true} {
			t.Run(fmt.Sprintf("record %d, behind it: %t", at, behind), func(t *testing.T) {
				d := &dying{at: at, behind: behind}
				b, _ := staged(t, stage{judge: true, judgement: each(judgeYes), guard: policy("warn"),
					releases: func(kept *servicetest.Releases) reviewer.Releaser {
						d.Releases = kept
						return d
					}})
				beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
					came, err := protocol.EncodeTurn(turn)
					if err != nil {
						return "", err
					}
					for {
						next, err := handle()
						if !errors.Is(err, errDied) {
							return next, err
						}
						if err := json.Unmarshal(came, turn); err != nil {
							return "", err
						}
						turn.Passes[len(turn.Passes)-1].Attempt++
					}
				})
				r := streamed(t, b, said...)
				if r.Text != strings.Join(said, " ") || len(r.Sentences) != len(said) {
					t.Errorf("the reply is %s %q", r.Status, r.Text)
				}
				released, marks := map[string]int{}, 0
				for _, record := range b.Releases.Of(r.TurnID).Records {
					if released[record.Hash]++; record.Faithfulness != nil {
						marks++
					}
				}
				for _, s := range r.Sentences {
					if released[s.Hash] != 1 {
						t.Errorf("%q has %d records", s.Text, released[s.Hash])
					}
				}
				if f := r.Faithfulness; marks != 1 || f == nil || f.Claims != len(said) || f.Supported != len(said) {
					t.Errorf("%d marks, %+v", marks, f)
				}
			})
		}
	}
}

// A worker that never comes back holds up nobody, also where the judge decides.
func TestWhatADeadWorkerLeavesOpenIsJudged(t *testing.T) {
	said := []string{paraphrase, toll, dawn, twice}
	for dead := 1; dead <= len(said); dead++ {
		t.Run(said[dead-1], func(t *testing.T) {
			b, court := staged(t, stage{judge: true, judgement: each(judgeYes)})
			beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
				if turn.Part == dead {
					return "", nil
				}
				return handle()
			})
			if r := streamed(t, b, said...); r.Text != strings.Join(said, " ") {
				t.Errorf("the reply is %s %q", r.Status, r.Text)
			}
			if n := len(court.asked()); n > 2 {
				t.Errorf("the judge was asked %d times: %q", n, court.asked())
			}
		})
	}
}

// What the judge has decided at the end of a speech is scored sentence by sentence.
func TestASpeechThatTheJudgeDecidesIsScored(t *testing.T) {
	b, _ := staged(t, stage{judge: true, judgement: unless(invented), guard: policy("warn")})
	r := streamed(t, b, paraphrase, toll, invented)
	f := r.Faithfulness
	if f == nil || f.Claims != 3 || f.Supported != 2 || len(f.Unsupported) != 1 || f.Unsupported[0].Claim != invented {
		t.Errorf("%q: %+v", r.Text, f)
	}
}
