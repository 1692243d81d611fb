package mesh_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// talker is a speaker that streams: each run says the same truths in another
// order, with a lie among them, as a model would that is asked again.
type talker struct {
	mu     sync.Mutex
	rnd    *rand.Rand
	stream *mesh.Said
}

var truths = []string{"Teague owns the ferry.", "The ferry crosses the river at dawn and at dusk.",
	"A crossing costs two bits."}

const lie = "Teague built the ferry from a drowned church."

func (k *talker) speak(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
	if _, err := k.stream.Load(ctx, t); err != nil {
		return "", err
	}
	attempt := 1
	if t.Speech != nil {
		attempt = t.Speech.Attempt + 1
	}
	if t.Fallback != "" {
		return "", errors.New("three truths were said, and yet the turn fell back")
	}
	delivery := t.Passes[len(t.Passes)-1].Attempt
	t.Speech = &protocol.Speech{Attempt: attempt, Speaker: "talker", Run: fmt.Sprintf("%d.%d", t.Hop, delivery),
		Base: len(t.Released)}
	k.mu.Lock()
	said := append(slices.Clone(truths), lie)
	k.rnd.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
	k.mu.Unlock()
	for _, s := range said {
		if slices.ContainsFunc(t.Released, func(r schema.Sentence) bool { return r.Text == s }) {
			continue
		}
		id := "E1"
		for _, e := range t.Evidence {
			if strings.Contains(e.Text, s) {
				id = e.ID
			}
		}
		t.Speech.Sentences = append(t.Speech.Sentences,
			protocol.DraftSentence{Text: s, Citations: []protocol.Citation{{EvidenceID: id}}})
		if err := k.stream.Emit(ctx, t, len(t.Speech.Sentences)); err != nil {
			return "", err
		}
	}
	return schema.PassReviewSpeech, nil
}

// A speech streams while speakers and reviewers are killed between any two steps.
// Each truth is said once, the lie never, and every sentence has its review
// record before it.
func TestSpeechStreamsUnderKills(t *testing.T) {
	mesh.NeedFailpoints(t)
	const turns = 60
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	var mu sync.Mutex
	var killed atomic.Int64
	fault := func(string) error {
		mu.Lock()
		defer mu.Unlock()
		if rnd.Float64() < 0.08 {
			killed.Add(1)
			return mesh.ErrKilled
		}
		return nil
	}
	b := servicetest.New(t, servicetest.Village())
	conn := connect(t, server)
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range 2 {
		m := mesh.New(connect(t, server), mesh.Options{AckWait: 300 * time.Millisecond}.WithFault(fault))
		if err := m.Setup(ctx); err != nil {
			t.Fatal(err)
		}
		k := &talker{rnd: rand.New(rand.NewPCG(seed, uint64(i))), stream: m.Said()}
		review := reviewer.New(b.Library, m.Said(), reviewer.Options{Confirm: m})
		for pass, handler := range b.Handlers {
			switch pass {
			case schema.PassSpeak:
				handler = k.speak
			case schema.PassReviewSpeech:
				handler = review.ReviewSpeech
			case schema.PassReviewThought:
				handler = review.ReviewThoughts
			}
			m.Handle(pass, handler)
		}
		m.Intake(mesh.Intake{})
		m.Ends(mesh.Ends{})
		wg.Go(func() {
			if err := m.Run(ctx); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	t.Cleanup(func() { stop(); wg.Wait() })
	client := mesh.NewClient(conn)
	for i := range turns {
		r := &schema.Request{TurnID: fmt.Sprintf("t%d", i), World: "village", NPC: "mira", Player: fmt.Sprintf("p%d", i),
			Message: "What do you know of the ferry?", DeadlineMS: schema.MaxDeadlineMS}
		if _, err := client.Publish(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	for i := range turns {
		convo := schema.ConversationID{World: "village", NPC: "mira", Player: fmt.Sprintf("p%d", i)}
		checkStreamed(t, server, client, convo, fmt.Sprintf("t%d", i))
	}
	if killed.Load() == 0 {
		t.Error("nobody was killed: the test shows nothing")
	}
	t.Logf("%d workers killed", killed.Load())
}

func connect(t *testing.T, server *embedded.Server) *transport.Conn {
	t.Helper()
	c, err := transport.Connect(t.Context(), transport.Dial{InProcess: server, Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func checkStreamed(
	t *testing.T, server *embedded.Server, client *mesh.Client, convo schema.ConversationID, turn string,
) {
	t.Helper()
	reply := awaited(t, client, convo, turn)
	var said []string
	for i, s := range reply.Sentences {
		if s.Seq != i+1 || s.Text == lie || slices.Contains(said, s.Text) {
			t.Fatalf("turn %s: sentence %d is %+v behind %q", turn, i+1, s, said)
		}
		said = append(said, s.Text)
	}
	if reply.Status != schema.StatusAnswered || len(said) != len(truths) || reply.Text != strings.Join(said, " ") {
		t.Errorf("turn %s: %s, %q", turn, reply.Status, reply.Text)
	}
	var events []schema.Said
	var records []protocol.ReviewRecord
	for subject, into := range map[string]func([]byte) error{
		protocol.SubjectSaid(convo, turn): func(b []byte) error {
			var e schema.Said
			err := json.Unmarshal(b, &e)
			events = append(events, e)
			return err
		},
		protocol.SubjectReview(convo, turn): func(b []byte) error {
			var r protocol.ReviewRecord
			err := json.Unmarshal(b, &r)
			records = append(records, r)
			return err
		},
	} {
		if err := mesh.EachStored(t.Context(), connect(t, server), subject, into); err != nil {
			t.Fatal(err)
		}
	}
	runs := make([][]string, len(reply.Sentences))
	for i, said := range reply.Sentences {
		for _, r := range records {
			if r.Seq == said.Seq && r.Hash == said.Hash {
				runs[i] = append(runs[i], r.Run)
			}
		}
	}
	runs = slices.DeleteFunc(runs, func(of []string) bool { return len(of) == 0 }) // reported below
	if !inOneGo(runs, nil) {
		t.Errorf("turn %s: a run goes on behind another; the runs that have a review of its sentences are %q", turn, runs)
	}
	n := 0
	for _, e := range events {
		if e.Kind != schema.SaidSentence {
			continue
		}
		n++
		if !slices.ContainsFunc(records, func(r protocol.ReviewRecord) bool {
			return r.Seq == e.Sentence.Seq && r.Hash == e.Sentence.Hash && len(r.Refused) == 0
		}) {
			t.Errorf("turn %s: sentence %d has no review record", turn, e.Sentence.Seq)
		}
	}
	if n != len(said) {
		t.Errorf("turn %s: %d sentences were stored, the reply has %d", turn, n, len(said))
	}
}

// inOneGo: each sentence is of one of its runs, so that none of them goes on where another
// has spoken: a run that was overtaken says nothing more. One that meets its own sentence,
// said by another in the same place, was not overtaken.
func inOneGo(runs [][]string, before []string) bool {
	if len(runs) == 0 {
		return true
	}
	return slices.ContainsFunc(runs[0], func(run string) bool {
		switch i := slices.Index(before, run); {
		case i < 0:
			return inOneGo(runs[1:], append(slices.Clone(before), run))
		default:
			return i == len(before)-1 && inOneGo(runs[1:], before)
		}
	})
}

func TestARunThatGoesOnBehindAnotherIsSeen(t *testing.T) {
	for _, c := range []struct {
		runs [][]string
		want bool
	}{
		{[][]string{{"a"}, {"a"}, {"b"}}, true},
		{[][]string{{"a"}, {"b"}, {"a"}}, false},
		{[][]string{{"a"}, {"b", "a"}, {"a", "b"}}, true},
		{[][]string{{"a"}, {"b"}, {"a", "b"}}, true},
		{[][]string{{"a"}, {"b", "c"}, {"a"}}, false},
		{[][]string{{"a"}, {}}, false}, // a sentence without a record
	} {
		if got := inOneGo(c.runs, nil); got != c.want {
			t.Errorf("%q: %v", c.runs, got)
		}
	}
}

func awaited(t *testing.T, client *mesh.Client, convo schema.ConversationID, turn string) *schema.Reply {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(time.Minute); ; {
		reply, err := client.Reply(t.Context(), convo, turn)
		if err == nil {
			return reply
		}
		if !errors.Is(err, transport.ErrNotFound) || time.Now().After(until) {
			t.Fatalf("turn %s: %v", turn, err)
		}
		<-tick.C
	}
}
