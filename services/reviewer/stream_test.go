package reviewer_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// The speeches below are a quotation and then a paraphrase.
func isLast(s string) bool { return strings.Contains(s, "belongs to") }

// slow is a reader that holds its first answer about the last sentence until it is let
// go, and notes whether that sentence is read by a second worker meanwhile.
type slow struct {
	entail.Reader
	begun, goOn chan struct{}

	mu     sync.Mutex
	inside int
	twice  bool
}

func (v *slow) Read(ctx context.Context, all []entail.Sentence) ([]entail.Reading, error) {
	if slices.ContainsFunc(all, func(s entail.Sentence) bool { return isLast(s.Text) }) {
		defer v.hold()()
	}
	return v.Reader.Read(ctx, all)
}

func (v *slow) hold() (done func()) {
	v.mu.Lock()
	v.inside++
	first := !closed(v.begun)
	if v.twice = v.twice || v.inside > 1; first {
		close(v.begun)
	}
	v.mu.Unlock()
	if first {
		<-v.goOn
	}
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.inside--
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// believing is a reader that believes the paraphrase.
func believing() *servicetest.Reader {
	return &servicetest.Reader{Says: map[string]entail.Reading{paraphrase: servicetest.Claim(0.995)}}
}

// The message that ends a streamed speech comes while another worker still judges the
// last sentence, which has itself waited for the one before. It waits for that worker:
// no two workers read the sentence at a time, it is moderated once, the judge's vote
// counts, and the model is not asked for another speech.
func TestTheEndOfAStreamedSpeechWaitsForItsLastSentence(t *testing.T) {
	for _, c := range []struct {
		name   string
		reader entail.Reader
		judge  bool
	}{
		{"the reader is slow", believing(), false},
		{"the judge decides", &servicetest.Reader{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := &slow{Reader: c.reader, begun: make(chan struct{}), goOn: make(chan struct{})}
			var moderated counter
			b, court := staged(t, stage{judge: c.judge, judgement: each(judgeYes), reader: v,
				speech: spoken(crossing, paraphrase),
				world:  hookOf(t, moderated.add)})
			waits := make(chan struct{})
			beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
				switch turn.Part {
				case 1: // the last sentence comes before this one is judged
					<-waits
				case 0:
					<-v.begun
				}
				next, err := handle()
				switch {
				case turn.Part == 2 && mesh.IsLater(err) && !closed(waits):
					close(waits)
				case turn.Part == 0 && !closed(v.goOn):
					close(v.goOn)
				}
				return next, err
			})
			r := b.Say(t, "mira", "who owns the ferry?")
			if r.Text != crossing+" "+paraphrase {
				t.Errorf("the reply is %s %q", r.Status, r.Text)
			}
			if v.twice {
				t.Error("the last sentence was read by two workers")
			}
			if n := moderated.of(paraphrase); n != 1 {
				t.Errorf("the last sentence was moderated %d times", n)
			}
			if court.spoke != 1 {
				t.Errorf("the model spoke %d times", court.spoke)
			}
			if n := len(court.asked()); n > 1 || c.judge != (n == 1) {
				t.Errorf("the judge was asked %d times", n)
			}
		})
	}
}

// A worker that dies on a sentence holds up nobody for ever: whoever has waited long
// enough reviews the sentence in its place.
func TestASentenceWhoseWorkerDiedIsReviewedByTheNext(t *testing.T) {
	for _, c := range []struct {
		name string
		dies int // the worker of this sentence
	}{
		{"of the first sentence", 1},
		{"of the last sentence", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, court := staged(t, stage{speech: spoken(crossing, paraphrase), reader: believing()})
			beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
				if turn.Part == c.dies {
					return "", nil
				}
				return handle()
			})
			if r := b.Say(t, "mira", "who owns the ferry?"); r.Text != crossing+" "+paraphrase {
				t.Errorf("the reply is %s %q", r.Status, r.Text)
			}
			if court.spoke != 1 {
				t.Errorf("the model spoke %d times", court.spoke)
			}
		})
	}
}

// beside puts a test between the mesh and the review of speeches.
func beside(b *servicetest.Bench, f func(*protocol.Turn, func() (schema.Pass, error)) (schema.Pass, error)) {
	var review = b.Handlers[schema.PassReviewSpeech]
	b.Handlers[schema.PassReviewSpeech] = func(ctx context.Context, turn *protocol.Turn) (schema.Pass, error) {
		return f(turn, func() (schema.Pass, error) { return review(ctx, turn) })
	}
}

// hookOf is the line of a world with a hook that allows everything and tells a test first
// what it is asked.
func hookOf(t *testing.T, told func(text string)) (line string) {
	t.Helper()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var item moderation.Item
		if err := json.NewDecoder(r.Body).Decode(&item); err != nil {
			t.Error(err)
		}
		told(item.Text)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(allow))
	}))
	t.Cleanup(hook.Close)
	return "moderation: {url: \"" + hook.URL + "\", timeout_ms: 1000}"
}

// counter counts texts.
type counter struct {
	mu    sync.Mutex
	texts map[string]int
}

func (c *counter) add(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil {
		c.texts = map[string]int{}
	}
	c.texts[text]++
}

func (c *counter) of(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.texts[text]
}
