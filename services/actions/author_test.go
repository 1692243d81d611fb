package actions_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/actions"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// ended is what is stored of a turn that ends after these sentences. The review record
// of each promise holds the decision's actions.
func ended(decided []schema.Action, said ...schema.Sentence) mesh.Progress {
	var p mesh.Progress
	for i, s := range said {
		s.Seq = i + 1
		record := protocol.ReviewRecord{Seq: s.Seq, Hash: s.Hash, Authored: s.Authored}
		if s.Authored {
			record.Actions = decided
		}
		p.Sentences, p.Records = append(p.Sentences, s), append(p.Records, record)
	}
	return p
}

func author(t *testing.T, of *lore.Library, r *schema.Request, said mesh.Progress, reason string) *schema.Reply {
	t.Helper()
	reply, err := actions.New(of, actions.Options{}).Author(t.Context(), r, said, reason)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// A turn that is ended early is answered with what was said. Where nothing was said and
// the player waits for an answer, an authored line is the answer.
func TestTheReplyOfATurnThatIsEndedEarly(t *testing.T) {
	for _, c := range []struct {
		name   string
		reason string
		said   []schema.Sentence
		status schema.Status
		line   string // the kind of the authored line that is added
	}{
		{"the deadline, nothing said", schema.ReasonDeadline, nil, schema.StatusAuthored, world.LineWait},
		{"the deadline, something said", schema.ReasonDeadline, []schema.Sentence{told(owner)}, schema.StatusPartial, ""},
		{"too much was said", schema.ReasonRateLimited, nil, schema.StatusAuthored, world.LineWait},
		{"too many turns", schema.ReasonOverload, nil, schema.StatusAuthored, world.LineError},
		{"cancelled, nothing said", schema.ReasonCancelled, nil, schema.StatusAborted, ""},
		{"cancelled, something said", schema.ReasonCancelled, []schema.Sentence{told(owner)}, schema.StatusAborted, ""},
		{"superseded", schema.ReasonSuperseded, []schema.Sentence{told(owner)}, schema.StatusAborted, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			turn := b.Turn("mira", "who owns the ferry?")
			r := author(t, b.Library, &turn.Request, ended(nil, c.said...), c.reason)
			if r.Status != c.status || r.Reason != c.reason || r.NPCName != "Mira" || r.Message != turn.Message {
				t.Errorf("%s, %s by %q to %q", r.Status, r.Reason, r.NPCName, r.Message)
			}
			if len(r.Actions) > 0 {
				t.Errorf("takes %+v", r.Actions)
			}
			if c.line == "" {
				if len(r.Sentences) != len(c.said) || r.Sentences == nil {
					t.Errorf("says %+v", r.Sentences)
				}
				return
			}
			lines := b.Library.Get("village").World.NPCs["mira"].Line(c.line, "")
			if len(r.Sentences) != 1 || !r.Sentences[0].Authored || !slices.Contains(lines, r.Text) {
				t.Errorf("says %q, want one of %q", r.Text, lines)
			}
		})
	}
}

// Whoever ends a turn takes its actions from the review records. Each keeps its place
// and its parameters, and only what a released sentence promised is taken.
func TestTheActionsOfATurnThatIsEndedEarly(t *testing.T) {
	thanks := schema.Action{Name: "update_trust", Parameters: map[string]any{"delta": 1.0}, Checked: true}
	both := []schema.Action{thanks, quest(true)}
	unsaid := ended(both, line(promise))
	unsaid.Sentences = nil
	foreign := ended(both, line(promise))
	foreign.Sentences[0].Hash = protocol.HashText("That stays with me.")
	for _, c := range []struct {
		name  string
		said  mesh.Progress
		taken []bool
	}{
		{"the promise was said", ended(both, line(promise)), []bool{false, true}},
		{"and a sentence behind it", ended(both, line(promise), told(owner)), []bool{false, true}},
		{"another line was said", ended(both, line(unknown)), []bool{false, false}},
		{"the promise was refused", ended([]schema.Action{quest(false)}, line(promise)), []bool{false}},
		{"no sentence promised anything", ended(nil, told(owner)), nil},
		{"the promise was reviewed and not released", unsaid, nil},
		{"another sentence was released in its place", foreign, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			turn := b.Turn("mira", "thank you, have you work for me?")
			r := author(t, b.Library, &turn.Request, c.said, schema.ReasonCancelled)
			if len(r.Actions) != len(c.taken) {
				t.Fatalf("takes %+v", r.Actions)
			}
			for i, a := range r.Actions {
				if a.Checked != c.taken[i] || a.Checked && a.Parameters["quest"] != "ledger" {
					t.Errorf("action %d is %+v, taken: %v", i, a, c.taken[i])
				}
			}
		})
	}
}

// Where a world moderates, the message of a turn that ended early is not kept: nobody
// has said yet that it may be.
func TestAMessageThatNobodyModeratedIsNotKept(t *testing.T) {
	files := servicetest.Village()
	files["world.yaml"] = &fstest.MapFile{Data: append(files["world.yaml"].Data,
		"moderation: {url: \"http://127.0.0.1:9\", timeout_ms: 1000}\n"...)}
	w, _, err := world.Load(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	library, err := lore.NewLibrary(&lore.Lore{World: w})
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := moderation.NewHooks([]*world.World{w}, moderation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	req := &schema.Request{TurnID: "t1", World: "village", NPC: "mira", Player: "p1", Message: "who owns the ferry?"}
	s := actions.New(library, actions.Options{Hooks: hooks})
	if r, err := s.Author(t.Context(), req, mesh.Progress{}, schema.ReasonDeadline); err != nil || r.Message != "" {
		t.Errorf("keeps %q, %v", r.Message, err)
	}
}

// A turn of a world or an NPC that nobody knows any more has a reply all the same.
func TestATurnOfAnUnknownWorldIsEnded(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	req := &schema.Request{TurnID: "t1", World: "elsewhere", NPC: "mira", Player: "p1", Message: "who owns the ferry?"}
	r := author(t, b.Library, req, ended(nil, told(owner)), schema.ReasonDeadline)
	if r.Status != schema.StatusPartial || r.Text != owner {
		t.Errorf("%+v", r)
	}
}
