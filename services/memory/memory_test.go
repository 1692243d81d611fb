package memory_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is the service with a verifier, replies and results that the test holds.
type desk struct {
	*servicetest.Keeping
	service *memory.Service
	replies map[string]*schema.Reply
	results map[int]schema.ActionResult
	down    atomic.Bool
	options memory.Options
}

// another is the service of a second process.
func (d *desk) another() *memory.Service {
	service := memory.New(memory.NewBooks(d.Log, d.options.Now, nil), d.options)
	d.T.Cleanup(service.Close)
	return service
}

func (d *desk) Entails(context.Context, string, string) (float64, schema.Label, error) {
	if d.down.Load() {
		return 0, "", errors.New("the model is away")
	}
	return 0.95, schema.Supported, nil
}

func (d *desk) Reply(_ context.Context, _ schema.ConversationID, turn string) (*schema.Reply, error) {
	if r := d.replies[turn]; r != nil {
		return r, nil
	}
	return nil, transport.ErrNotFound
}

func (d *desk) Results(context.Context, schema.ConversationID, string) (map[int]schema.ActionResult, error) {
	return d.results, nil
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{Keeping: servicetest.NewKeeping(t, time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)),
		replies: map[string]*schema.Reply{}}
	guard, err := write.New(write.DefaultSettings(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.options = memory.Options{Library: d.Library, Turns: d, Guard: guard, Now: d.Now, Notice: d.Notice}
	d.service = memory.New(d.Books, d.options)
	t.Cleanup(d.service.Close)
	return d
}

func (d *desk) reply(turn, message string, actions ...schema.Action) *schema.Reply {
	r := &schema.Reply{TurnID: turn, World: "village", NPC: "mira", Player: "p1", PlayerName: "Ansel", Message: message,
		Status: schema.StatusAnswered, AcceptedAt: d.At, Actions: actions}
	d.replies[turn] = r
	return r
}

// kept are the memories as the log has them, by status and content.
func (d *desk) kept() []string {
	d.T.Helper()
	all, err := memory.ReadAll(d.T.Context(), d.Log, "", "")
	if err != nil || len(all.Problems) > 0 {
		d.T.Fatal(err, all.Problems)
	}
	out := []string{}
	for _, m := range all.Memories {
		out = append(out, string(m.Status)+": "+m.Content)
	}
	slices.Sort(out)
	return out
}

func (d *desk) want(when string, want ...string) {
	d.T.Helper()
	if got := d.kept(); !slices.Equal(got, want) {
		d.T.Errorf("%s:\n got %s\nwant %s", when, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatGetsNoVerdictWaitsAndIsTriedAgain has claims that do not stand in the
// words, so that the verifier must be asked.
func TestWhatGetsNoVerdictWaitsAndIsTriedAgain(t *testing.T) {
	const said = "Ansel told me that they come from the coast."
	for _, c := range []struct {
		name  string
		later time.Duration
		back  bool
		gone  bool // the reply has expired
		want  []string
	}{
		{"the verifier is back", time.Hour, true, false, []string{"active: " + said}},
		{"it is still away", time.Hour, false, false, []string{"pending: " + said}},
		{"it is away for a day", 25 * time.Hour, false, false, []string{}},
		{"its words are no more", time.Hour, true, true, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.options.Extract = func(r *schema.Reply, x extract.Context) []extract.Candidate {
				list := extract.FromReply(r, x)
				for i := range list {
					list[i].Claim = "I am from the coast"
				}
				return list
			}
			service := d.another()
			d.down.Store(true)
			must(t, service.Reply(t.Context(), d.reply("t1", "I come from the coast."), 1))
			must(t, service.Reply(t.Context(), d.replies["t1"], 1))
			d.want("without a verifier", "pending: "+said)
			d.At = d.At.Add(c.later)
			d.down.Store(!c.back)
			if c.gone {
				delete(d.replies, "t1")
			}
			d.Rebuild()
			must(t, service.Again(t.Context(), d.Index))
			must(t, service.Again(t.Context(), d.Index))
			d.want("later", c.want...)
		})
	}
}

func TestADeedCountsAsDoneAfterTheGamesOk(t *testing.T) {
	deed := schema.Action{Name: "give_item", Parameters: map[string]any{"item": "sword"}, Checked: true}
	offered := "I offered this to Ansel, and it is not known to be done: give item, item: sword."
	done := "I did this with Ansel: give item, item: sword."
	refused := "I offered this to Ansel, and it was not done: give item, item: sword."
	for _, c := range []struct {
		name   string
		answer *schema.ActionResult
		late   bool // the answer comes after the deed was remembered as offered
		first  []string
		last   []string
	}{
		{"answered at once", &schema.ActionResult{Accepted: true}, false, []string{"active: " + done},
			[]string{"active: " + done}},
		{"refused at once", &schema.ActionResult{Reason: "no"}, false, []string{"active: " + refused},
			[]string{"active: " + refused}},
		{"never answered", nil, false, []string{"active: " + offered}, []string{"active: " + offered}},
		{"answered late", &schema.ActionResult{Accepted: true}, true, []string{"active: " + offered},
			[]string{"active: " + done, "superseded: " + offered}},
		{"refused late", &schema.ActionResult{}, true, []string{"active: " + offered},
			[]string{"active: " + refused, "superseded: " + offered}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			r := d.reply("t1", "Thanks.", deed)
			if c.answer != nil && !c.late {
				d.results = map[int]schema.ActionResult{0: *c.answer}
			} else {
				if err := d.service.Reply(t.Context(), r, 1); err == nil {
					t.Error("it did not wait for the game")
				}
				d.want("while the game may answer")
				d.At = d.At.Add(time.Minute)
			}
			must(t, d.service.Reply(t.Context(), r, 1))
			d.want("at first", c.first...)
			if c.answer != nil {
				d.results = map[int]schema.ActionResult{0: *c.answer}
			}
			must(t, d.service.Result(t.Context(), r.Conversation(), "t1"))
			must(t, d.service.Result(t.Context(), r.Conversation(), "t1"))
			d.want("finally", c.last...)
		})
	}
}

func TestWhatTheGameSawIsRememberedByItsWitnesses(t *testing.T) {
	d := newDesk(t)
	o := schema.Occurrence{ID: "ev1", World: "village", Text: "Ansel gave Mira a sword.", Player: "p1",
		Witnesses: []string{"mira", "p1", "p2"}}
	for range 2 {
		must(t, d.service.Occurrence(t.Context(), &o, 1))
	}
	d.want("after it", "active: Ansel gave Mira a sword.")
	strangers := o
	strangers.ID, strangers.Witnesses = "ev2", []string{"nobody"}
	must(t, d.service.Occurrence(t.Context(), &strangers, 2))
	if len(d.Notices) != 1 || !strings.Contains(d.Notices[0], "none of its witnesses (nobody)") {
		t.Errorf("notices %q", d.Notices)
	}
	for want, bad := range map[string]func(*schema.Occurrence){
		`world "elsewhere" is not served here`: func(o *schema.Occurrence) { o.World = "elsewhere" },
		"text: is empty":                       func(o *schema.Occurrence) { o.Text = " " },
		"witnesses: names nobody":              func(o *schema.Occurrence) { o.Witnesses = nil },
		"at most 2000":                         func(o *schema.Occurrence) { o.Text = strings.Repeat("a", 2001) },
	} {
		x := o
		bad(&x)
		if err := d.service.Occurrence(t.Context(), &x, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %q", err, want)
		}
	}
	d.want("after what was refused", "active: Ansel gave Mira a sword.")
}

// Two processes read the same replies: each has books of its own, and the log is one.
func TestTwoWritersAreOne(t *testing.T) {
	d := newDesk(t)
	second := d.another()
	for _, message := range []string{"I come from the coast.", "My brother is called Tom.", "I hate eels."} {
		r := d.reply("t-"+message[:2], message)
		errs := make(chan error, 2)
		for _, s := range []*memory.Service{d.service, second} {
			go func() { errs <- s.Reply(t.Context(), r, 1) }()
		}
		must(t, <-errs)
		must(t, <-errs)
	}
	end, err := d.Log.End(t.Context())
	if kept := d.kept(); err != nil || len(kept) != int(end) {
		t.Errorf("%d entries make %q, %v", end, kept, err)
	}
}

func TestTellingAMemoryIsNoMemory(t *testing.T) {
	d := newDesk(t)
	r := d.reply("t1", "Where do I come from?")
	r.Sentences = []schema.Sentence{{Seq: 1, Text: "You told me that you come from the coast.",
		Evidence: []schema.EvidenceRef{{ID: "M1", Path: "memory:m1", Source: schema.OriginUser}}}}
	must(t, d.service.Reply(t.Context(), r, 1))
	d.want("after it was told")
}

func TestTheIndexTellsHowFarItIs(t *testing.T) {
	d := newDesk(t)
	must(t, d.service.Reply(t.Context(), d.reply("t1", "I come from the coast."), 1))
	if n, err := d.Index.Behind(t.Context()); err != nil || n == 0 {
		t.Errorf("behind by %d, %v", n, err)
	}
	d.Rebuild()
	if n, err := d.Index.Behind(t.Context()); err != nil || n != 0 {
		t.Errorf("rebuilt, behind by %d, %v", n, err)
	}
	points, err := d.Session.Scroll(t.Context(), store.MemoryFilter{World: "village"}, "", 0)
	if err != nil || len(points) != 1 || len(points[0].Vector) == 0 {
		t.Errorf("%+v, %v", points, err)
	}
}
