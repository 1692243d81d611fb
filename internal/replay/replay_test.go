package replay_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

func turn() *protocol.Turn {
	return &protocol.Turn{AcceptedAt: servicetest.Now,
		Request: schema.Request{TurnID: "t1", World: "village", NPC: "mira", Player: "p1", Message: "Who owns the ferry?"}}
}

// straight are handlers that hand a turn on and change nothing.
func straight() replay.Passes {
	to := func(next schema.Pass) mesh.Handler {
		return func(context.Context, *protocol.Turn) (schema.Pass, error) { return next, nil }
	}
	return replay.Passes{schema.PassRetrieve: to(schema.PassThink), schema.PassThink: to(schema.PassReviewThought),
		schema.PassReviewThought: to(schema.PassDecide),
		schema.PassDecide:        to(schema.PassSpeak), schema.PassSpeak: to(schema.PassReviewSpeech),
		schema.PassReviewSpeech: to(schema.PassAct),
		schema.PassAct: func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
			t.Reply = &schema.Reply{TurnID: t.TurnID, Sentences: t.Released}
			return schema.PassDone, nil
		}}
}

func run(t *testing.T, passes replay.Passes, log *replay.Log) (*schema.Reply, error) {
	t.Helper()
	return replay.Run(t.Context(), passes, log, turn(), time.Now)
}

func passesOf(r *schema.Reply) []schema.Pass {
	var out []schema.Pass
	for _, p := range r.Passes {
		out = append(out, p.Pass)
	}
	return out
}

func TestAReplayFollowsThePasses(t *testing.T) {
	r, err := run(t, straight(), replay.NewLog(nil))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(passesOf(r), protocol.Passes) {
		t.Errorf("it ran %v", passesOf(r))
	}
}

func TestFeedbackSendsTheTurnBack(t *testing.T) {
	passes := straight()
	reviews := 0
	passes[schema.PassReviewThought] = func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
		if reviews++; reviews < 3 {
			return schema.PassThink, nil
		}
		return schema.PassDecide, nil
	}
	r, err := run(t, passes, replay.NewLog(nil))
	if err != nil || reviews != 3 || len(r.Passes) != 11 {
		t.Errorf("%v: %d reviews in %v", err, reviews, passesOf(r))
	}
}

// The sentences of a speech under way are reviewed beside the speaker and beside each
// other. Whoever must wait for another says Later, as on the mesh, and is asked again.
func TestASpeechIsReviewedWhileItStreams(t *testing.T) {
	passes, log := straight(), replay.NewLog(nil)
	passes[schema.PassSpeak] = func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
		t.Speech = &protocol.Speech{Run: "5.1"}
		for i, text := range []string{"Teague owns the ferry.", "He is a king.", "It crosses at dawn."} {
			t.Speech.Sentences = append(t.Speech.Sentences, protocol.DraftSentence{Text: text})
			if err := log.Emit(ctx, t, i+1); err != nil {
				return "", err
			}
		}
		return schema.PassReviewSpeech, nil
	}
	passes[schema.PassReviewSpeech] = func(ctx context.Context, turn *protocol.Turn) (schema.Pass, error) {
		p, err := log.Progress(ctx, turn)
		switch {
		case err != nil:
			return "", err
		case turn.Part == 0 && len(p.Records) < len(turn.Speech.Sentences), len(p.Records) < turn.Part-1:
			return "", mesh.Later(time.Millisecond)
		case turn.Part == 0:
			return schema.PassAct, nil
		}
		text := turn.Speech.Sentences[turn.Part-1].Text
		record := protocol.ReviewRecord{Run: turn.Speech.Run, Part: turn.Part, Hash: protocol.HashText(text),
			Seq: len(p.Sentences) + 1}
		if strings.Contains(text, "king") {
			record.Seq, record.Refused = 0, []schema.Issue{{Type: schema.IssueNotEntailed}}
			return "", log.Refuse(ctx, turn, record)
		}
		return "", log.Release(ctx, turn, record, schema.Sentence{Seq: record.Seq, Text: text, Hash: record.Hash})
	}
	r, err := run(t, passes, log)
	if err != nil {
		t.Fatal(err)
	}
	var parts []int
	for _, record := range log.Records {
		parts = append(parts, record.Part)
	}
	if !slices.Equal(parts, []int{1, 2, 3}) || len(r.Sentences) != 2 || r.Sentences[1].Seq != 2 {
		t.Errorf("reviewed %v, said %+v", parts, r.Sentences)
	}
}

func TestNothingIsReleasedBehindTheFence(t *testing.T) {
	log := replay.NewLog(nil)
	passes := straight()
	act := passes[schema.PassAct]
	var late error
	passes[schema.PassAct] = func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
		late = log.Release(ctx, t, protocol.ReviewRecord{Seq: 1}, schema.Sentence{Seq: 1})
		return act(ctx, t)
	}
	if _, err := run(t, passes, log); err != nil || !errors.Is(late, mesh.ErrClosed) {
		t.Errorf("%v, released: %v", err, late)
	}
}

func TestReplaysThatCannotEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		pass schema.Pass
		h    mesh.Handler
		want string
	}{
		{"a pass fails", schema.PassThink,
			func(context.Context, *protocol.Turn) (schema.Pass, error) { return "", errors.New("no ink") },
			"pass think: no ink"},
		{"no such pass", schema.PassThink, func(context.Context, *protocol.Turn) (schema.Pass, error) { return "sing", nil },
			`no handler is there for pass "sing"`},
		{"round and round", schema.PassReviewThought,
			func(context.Context, *protocol.Turn) (schema.Pass, error) { return schema.PassThink, nil }, "round and round"},
		{"no reply", schema.PassAct, func(context.Context, *protocol.Turn) (schema.Pass, error) {
			return schema.PassDone,
				nil
		}, "without a reply"},
		{"its record is gone", schema.PassThink, func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
			t.Passes = nil
			return schema.PassReviewThought, nil
		}, "dropped its own record"},
	} {
		passes := straight()
		passes[c.pass] = c.h
		if _, err := run(t, passes, replay.NewLog(nil)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestTheGameIsNotAskedAgain(t *testing.T) {
	stored := turn()
	stored.Decision = &protocol.Decision{Actions: []schema.Action{{Name: "give", Confirmed: true}, {Name: "open"}}}
	log := replay.NewLog(stored)
	for name, want := range map[string]bool{"give": true, "open": false, "other": false} {
		if got, err := log.Confirm(t.Context(), stored, 0, schema.Action{Name: name}, time.Second); err != nil ||
			got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A stored turn is the request and the conversation alone; it begins now, in the
// game time in which it was asked.
func TestAStoredTurnBeginsAnew(t *testing.T) {
	was := turn()
	was.Thoughts, was.Passes, was.Convo = []protocol.Thought{{Text: "hm"}}, []schema.PassRecord{{}},
		&schema.Conversation{Trust: 7}
	stored, err := replay.Stored([]protocol.Trace{{TurnID: "t1"}, {TurnID: "t1", Turn: was}})
	if err != nil || stored.Thoughts != nil || stored.Passes != nil || stored.Convo.Trust != 7 ||
		stored.Message != was.Message {
		t.Fatalf("%v: %+v", err, stored)
	}
	now := servicetest.Now.Add(48 * time.Hour)
	if r := renew(t, stored, now, false); !r.GameTime.Equal(servicetest.Now) || !r.AcceptedAt.Equal(now) ||
		r.DeadlineAt.Sub(now) != 8*time.Second || stored.GameTime != nil {
		t.Errorf("%+v", r)
	}
	if r := renew(t, stored, now, true); r.GameTime != nil {
		t.Errorf("the world's own time is set to %v", r.GameTime)
	}
	if _, err := replay.Stored(nil); err == nil {
		t.Error("a turn from nothing")
	}
}

func renew(t *testing.T, stored *protocol.Turn, now time.Time, worldHasTime bool) *protocol.Turn {
	t.Helper()
	out, err := replay.Renew(stored, now, worldHasTime)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatWasSaidWhenTheTimeWasUp(t *testing.T) {
	log := replay.NewLog(nil)
	if r := replay.CutOff(turn(), log); r.Status != schema.StatusAuthored || r.Reason != schema.ReasonDeadline {
		t.Errorf("%+v", r)
	}
	log.Sentences = []schema.Sentence{{Seq: 1, Text: "Teague owns the ferry."}}
	if r := replay.CutOff(turn(), log); r.Status != schema.StatusPartial || len(r.Sentences) != 1 {
		t.Errorf("%+v", r)
	}
}

// The turns of a mesh, run again through the same handlers, end as they did, and
// nothing in the mesh has changed.
func TestATurnOfTheMeshRunsAgainAsItDid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "village")
	if err := os.CopyFS(dir, servicetest.Village()); err != nil {
		t.Fatal(err)
	}
	w, _, err := world.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := app.Options{Worlds: []*world.World{w}, Data: t.TempDir(), Index: filepath.Join(t.TempDir(), "index.db"),
		Meaning: app.MeaningFirst}
	a, err := app.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
	for i, message := range []string{"Who owns the ferry?", "What did I ask you?", "Tell me about Quellamar.",
		"I have work to do; any quest for me?"} {
		req := &schema.Request{TurnID: "turn" + string(rune('a'+i)), World: w.Name, NPC: "mira", Player: "p1",
			Message: message}
		if _, err := a.Client.Publish(ctx, req); err != nil {
			t.Fatal(err)
		}
		events, err := a.Client.Watch(ctx, req.Conversation(), req.TurnID)
		if err != nil {
			t.Fatal(err)
		}
		var old *schema.Reply
		for ev := range events {
			if ev.Reply != nil {
				old = ev.Reply
			}
		}
		before := atRest(t, a.Client)
		c := again(t, a.Client, o, w, req.TurnID, old)
		if len(c.Changed) > 0 {
			var b bytes.Buffer
			c.Write(&b)
			t.Errorf("%q ends otherwise:\n%s", message, &b)
		}
		if after := kept(t, a.Client); !slices.EqualFunc(before, after, unchanged) {
			t.Errorf("%q changed the mesh: %v, then %v", message, before, after)
		}
	}
}

// With a model the speech streams into the review, lies and all, and each replay
// of it says the same.
func TestATurnRunsAgainWithAModel(t *testing.T) {
	server, err := llmtest.Start(llmtest.Options{Persona: "mixed", Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	w, _, err := app.LoadWorld("shadowwatch")
	if err != nil {
		t.Fatal(err)
	}
	o := app.Options{Worlds: []*world.World{w}, Index: filepath.Join(t.TempDir(), "index.db"),
		LLM: llm.Config{Primary: llm.Provider{Name: "primary", URL: server.URL(), Model: "scripted"}}}
	stored := &protocol.Turn{AcceptedAt: servicetest.Now,
		Request: schema.Request{TurnID: "t1", World: "shadowwatch", NPC: "zero", Player: "p1", Message: "Who is Alice?"}}
	var replies []*schema.Reply
	for range 2 {
		log := replay.NewLog(nil)
		passes, done, err := app.OffMesh(t.Context(), o, log)
		if err != nil {
			t.Fatal(err)
		}
		r, err := replay.Run(t.Context(), passes, log, renew(t, stored, time.Now(), !w.Now.IsZero()), time.Now)
		done()
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for _, record := range log.Records {
			if record.Run == "" && !record.Authored && len(record.Refused) == 0 && r.Status == schema.StatusAnswered {
				t.Errorf("a sentence of the model was reviewed with the whole: %+v", record)
			}
			refused += len(record.Refused)
		}
		if refused == 0 || len(log.Records)-len(log.Sentences) == 0 {
			t.Errorf("a liar was refused %d times, %d records of %d sentences", refused, len(log.Records), len(log.Sentences))
		}
		replies = append(replies, r)
	}
	c := replay.Compare(stored, replies[0], replies[1])
	if len(c.Changed) > 0 || len(replies[0].Sentences) == 0 {
		var b bytes.Buffer
		c.Write(&b)
		t.Errorf("%s", &b)
	}
}

func again(
	t *testing.T, client *mesh.Client, o app.Options, w *world.World, id string, old *schema.Reply,
) *replay.Comparison {
	t.Helper()
	var traces []protocol.Trace
	// a reply does not wait for them
	for until := time.Now().Add(10 * time.Second); len(traces) == 0 || traces[len(traces)-1].Next != schema.PassDone; {
		var err error
		if traces, err = client.Trace(t.Context(), id); err != nil || time.Now().After(until) {
			t.Fatalf("%d traces, %v", len(traces), err)
		}
	}
	stored, err := replay.Stored(traces)
	if err != nil {
		t.Fatal(err)
	}
	log := replay.NewLog(traces[len(traces)-1].Turn)
	passes, done, err := app.OffMesh(t.Context(), app.Options{Worlds: o.Worlds, Index: o.Index}, log)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	reply, err := replay.Run(t.Context(), passes, log, renew(t, stored, time.Now(), !w.Now.IsZero()), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return replay.Compare(stored, old, reply)
}

// unchanged says whether nothing was added to a stream or taken from it. Timers of
// turns that have ended go by themselves when their time comes.
func unchanged(before, after mesh.StreamState) bool {
	if before.Name == "TIMERS" && after.Name == "TIMERS" && after.Messages < before.Messages {
		return true
	}
	return before == after
}

// atRest is what is kept once nothing more comes: a turn's traces are written behind
// its reply.
func atRest(t *testing.T, client *mesh.Client) []mesh.StreamState {
	t.Helper()
	last, same := kept(t, client), 0
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); same < 10 && time.Now().Before(deadline); {
		<-tick.C
		now := kept(t, client)
		if !slices.Equal(now, last) {
			same = -1
		}
		last, same = now, same+1
	}
	return last
}

// kept is how much each stream holds once the queue is empty: a turn leaves it
// just after it is done.
func kept(t *testing.T, client *mesh.Client) []mesh.StreamState {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(10 * time.Second); ; <-tick.C {
		streams, _, err := client.Inspect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waits := slices.ContainsFunc(streams, func(s mesh.StreamState) bool { return s.Name == "TURNS" && s.Messages > 0 })
		if !waits {
			return streams
		}
		if time.Now().After(until) {
			t.Fatalf("a turn still waits: %v", streams)
		}
	}
}
