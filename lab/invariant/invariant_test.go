package invariant

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var (
	convoA = schema.ConversationID{World: "w", NPC: "mira", Player: "p1"}
	convoB = schema.ConversationID{World: "w", NPC: "bram", Player: "p2"}
	began  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

func after(s float64) time.Time { return began.Add(time.Duration(s * float64(time.Second))) }

func sentence(seq int, text string) schema.Sentence {
	return schema.Sentence{Seq: seq, Text: text, Hash: protocol.HashText(text),
		Evidence: []schema.EvidenceRef{{ID: "E1", Path: "lore/mill.txt", Source: schema.OriginCorpus, ChunkID: "c1"}}}
}

// sound is a run of two turns of one conversation in which nothing is broken: the
// first is answered in two sentences, the second by an authored line at its deadline.
func sound() *Run {
	one, two := sentence(1, "The mill burned."), sentence(2, "It was spring.")
	line := schema.Sentence{Seq: 1, Text: "Give me a moment.", Authored: true, Evidence: []schema.EvidenceRef{},
		Hash: protocol.HashText("Give me a moment.")}
	review := func(s schema.Sentence) *protocol.ReviewRecord {
		return &protocol.ReviewRecord{TurnID: "t1", Seq: s.Seq, Hash: s.Hash, Evidence: []string{"c1"}}
	}
	said := func(seq uint64, turn string, kind schema.SaidKind, s *schema.Sentence) Said {
		return Said{Sequence: seq, Convo: convoA, Turn: turn, Event: &schema.Said{Kind: kind, TurnID: turn, Sentence: s}}
	}
	reply := func(seq uint64, at float64, turn string, status schema.Status, reason string, all ...schema.Sentence) Reply {
		r := schema.Reply{TurnID: turn, World: "w", NPC: "mira", Player: "p1", Status: status, Reason: reason, Sentences: all,
			AcceptedAt: began}
		for i, s := range all {
			if i > 0 {
				r.Text += " "
			}
			r.Text += s.Text
		}
		return Reply{Sequence: seq, At: after(at), Reply: r}
	}
	return &Run{
		Accepted: []Accepted{{convoA, "t1", 1, began, 8 * time.Second}, {convoA, "t2", 2, began, 8 * time.Second}},
		Marks:    map[string]schema.ConversationID{"zqa": convoA, "zqb": convoB},
		Notes:    map[string][]string{"mira": {"I hid the key."}, "bram": {"I owe the smith."}},
		Prompts:  []Prompt{{"t1", "Who burned the mill? zqa I hid the key."}, {"", "zqb I owe the smith."}},
		Authored: func(_ schema.ConversationID, text string) bool { return text == line.Text },
		Repeated: map[string]int{"t1": 1},
		Kept: Kept{
			Replies: []Reply{reply(1, 3, "t1", schema.StatusAnswered, "", one, two),
				reply(2, 6.8, "t2", schema.StatusAuthored, schema.ReasonDeadline, line)},
			Said: []Said{
				said(1, "t1", schema.SaidAccepted, nil),
				{Sequence: 2, Convo: convoA, Turn: "t1", Review: review(one)}, said(3, "t1", schema.SaidSentence, &one),
				{Sequence: 4, Convo: convoA, Turn: "t1", Review: review(two)}, said(5, "t1", schema.SaidSentence, &two),
				said(6, "t1", schema.SaidClosed, nil), said(7, "t1", schema.SaidDone, nil),
				said(8, "t2", schema.SaidAccepted, nil), said(9, "t2", schema.SaidClosed, nil),
			},
			Hops: []Hop{{1, "t1/0", "t1", 0, 0, began}, {2, "t1/1", "t1", 1, 0, after(1)},
				{3, "t1/2/s1/x", "t1", 2, 1, after(2)}},
			Memory: []Memory{{1, after(4), schema.MemoryEvent{ID: "m1", Type: schema.MemoryWritten, World: "w", NPC: "mira",
				Player: "p1", TurnID: "t1"}}},
			Docs: []schema.Conversation{{World: "w", NPC: "mira", Player: "p1", Turns: 2,
				Applied: []schema.Applied{{TurnID: "t1", Sequence: 1}, {TurnID: "t2", Sequence: 2}}}},
			Undone: map[string]uint64{},
		},
		Heard: []Heard{{convoA, "t1", []schema.Sentence{one, two}, []string{one.Text + " " + two.Text}},
			{convoA, "t2", nil, []string{line.Text}}},
	}
}

func TestASoundRunBreaksNothing(t *testing.T) {
	if found := Check(sound()); len(found) > 0 {
		t.Errorf("it finds %+v", found)
	}
}

func TestEachInvariantSeesItsForgery(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range []struct {
		invariant, name string
		forge           func(*Run)
	}{
		{"replied", "a turn without a reply", func(r *Run) {
			r.Accepted = append(r.Accepted, Accepted{convoB, "t9", 9, began, 8 * time.Second})
		}},
		{"replied-once", "a second reply", func(r *Run) {
			second := r.Replies[0]
			second.Sequence = 9
			r.Replies = append(r.Replies, second)
		}},
		{"deadline", "a late reply", func(r *Run) { r.Replies[0].At = after(8.1); r.Memory = nil }},
		{"deadline", "later than an outage allows", func(r *Run) {
			r.Outages = []Outage{{after(5), after(7)}}
			r.Replies[0].At = after(9.1)
			r.Memory = nil
		}},
		{"deadline", "later than the machine stood still", func(r *Run) {
			r.Still = []Outage{{after(2), after(2.5)}}
			r.Replies[0].At = after(8.6)
			r.Memory = nil
		}},
		{"deadline", "later than an outage allows in which the machine stood still", func(r *Run) {
			r.Outages, r.Still = []Outage{{after(5), after(7)}}, []Outage{{after(5.5), after(6.5)}}
			r.Replies[0].At = after(9.1)
			r.Memory = nil
		}},
		{"carried", "half of the turns ended by their deadline", func(r *Run) { r.MostEnded = 0.4 }},
		{"carried", "half of them, and the machine stood still while the broker was away", func(r *Run) {
			r.MostEnded, r.Outages, r.Still = 0.4, []Outage{{after(1), after(1.5)}}, []Outage{{after(0.9), after(1.6)}}
		}},
		{"carried", "half of them, and the machine stood still, and there was plenty of time", func(r *Run) {
			r.MostEnded, r.Still = 0.4, []Outage{{after(1), after(11)}}
			r.Accepted[0].Deadline, r.Accepted[1].Deadline = 30*time.Second, 30*time.Second
		}},
		{"order", "the later turn first", func(r *Run) {
			r.Replies[1].Reason = ""
			r.Replies[0].Sequence, r.Replies[1].Sequence = 2, 1
		}},
		{"reviewed", "no review", func(r *Run) { r.Said = slices.Delete(r.Said, 1, 2) }},
		{"reviewed", "a review of another text", func(r *Run) { r.Said[1].Review.Hash = "other" }},
		{"reviewed", "a review of other evidence", func(r *Run) { r.Said[1].Review.Evidence = []string{"c2"} }},
		{"reviewed", "a review that refused", func(r *Run) { r.Said[1].Review.Refused = []schema.Issue{{}} }},
		{"reviewed", "a review behind its sentence", func(r *Run) {
			r.Said[1].Sequence, r.Said[2].Sequence = 3, 2
		}},
		{"joined", "a text that is not its sentences", func(r *Run) { r.Replies[0].Text = "The mill stands." }},
		{"joined", "a sentence that was said and left out", func(r *Run) {
			r.Replies[0].Sentences = r.Replies[0].Sentences[:1]
			r.Replies[0].Text = r.Replies[0].Sentences[0].Text
		}},
		{"joined", "a sentence that was never said", func(r *Run) {
			r.Replies[1].Sentences = []schema.Sentence{{Seq: 1, Text: "The mill stands.", Authored: true}}
			r.Replies[1].Text = "The mill stands."
		}},
		{"fenced", "a sentence behind the fence", func(r *Run) {
			late := sentence(3, "It rained.")
			r.Said = append(r.Said, Said{10, convoA, "t1", nil,
				&protocol.ReviewRecord{Hash: late.Hash, Evidence: []string{"c1"}}},
				Said{11, convoA, "t1", &schema.Said{Kind: schema.SaidSentence, Sentence: &late}, nil})
		}},
		{"numbered", "a number left out", func(r *Run) {
			r.Said[4].Event.Sentence.Seq = 3
		}},
		{"memory", "of a turn without a reply", func(r *Run) { r.Memory[0].TurnID = "t9" }},
		{"memory", "before the reply", func(r *Run) { r.Memory[0].At = after(1) }},
		{"memory", "twice", func(r *Run) { r.Memory = append(r.Memory, r.Memory[0]) }},
		{"applied", "a reply twice", func(r *Run) { r.Docs[0].Applied[1].TurnID = "t1"; r.Accepted = r.Accepted[:1] }},
		{"applied", "a reply never", func(r *Run) { r.Docs[0].Applied = r.Docs[0].Applied[:1] }},
		{"hops", "one twice", func(r *Run) { r.Hops = append(r.Hops, Hop{9, "t1/1", "t1", 1, 0, after(4)}) }},
		{"hops", "one twice, and ids forgotten behind it", func(r *Run) {
			r.Hops = append(r.Hops, Hop{9, "t1/1", "t1", 1, 0, after(4)})
			r.Forgotten = []Outage{{after(4.5), after(5)}}
		}},
		{"hops", "one twice, without an id", func(r *Run) {
			r.Hops = append(r.Hops, Hop{8, "", "t1", 7, 0, after(3)}, Hop{9, "", "t1", 7, 0, after(4)})
		}},
		{"hops", "too many", func(r *Run) {
			for i := range maxHops {
				r.Hops = append(r.Hops, Hop{uint64(10 + i), fmt.Sprint("t2/", i), "t2", i, 0, began},
					Hop{uint64(90 + i), fmt.Sprint("t1/", 5+i), "t1", 5 + i, 0, began})
			}
		}},
		{"calls", "counted", func(r *Run) { r.Replies[0].Passes = []schema.PassRecord{{LLMCalls: 8}, {LLMCalls: 8}} }},
		{"calls", "seen", func(r *Run) {
			for range 30 {
				r.Prompts = append(r.Prompts, Prompt{"t1", "zqa"})
			}
		}},
		{"in-flight", "a turn in the queue", func(r *Run) { r.Waiting = []string{"t3"} }},
		{"drained", "a consumer behind", func(r *Run) { r.Undone["pass-think"] = 1 }},
		{"drained", "a timer", func(r *Run) { r.Timers = []string{"timer.turn.t1"} }},
		{"private", "another player's words", func(r *Run) { r.Prompts[0].Text += " zqb" }},
		{"private", "another NPC's note", func(r *Run) { r.Prompts[0].Text += " I owe the smith." }},
		{"origin", "a model's text as evidence",
			func(r *Run) { r.Said[2].Event.Sentence.Evidence[0].Source = schema.OriginModel }},
		{"heard", "a sentence lost", func(r *Run) { r.Heard[0].Sentences = r.Heard[0].Sentences[:1] }},
		{"heard", "a sentence doubled", func(r *Run) {
			r.Heard[0].Sentences = append(r.Heard[0].Sentences, r.Heard[0].Sentences[1])
		}},
		{"heard", "two sentences the other way round", func(r *Run) { slices.Reverse(r.Heard[0].Sentences) }},
		{"heard", "a sentence that nobody said", func(r *Run) {
			r.Heard[1].Sentences = []schema.Sentence{sentence(1, "Hm.")}
		}},
		{"heard", "no reply", func(r *Run) { r.Heard[1].Replies = nil }},
		{"heard", "another reply", func(r *Run) { r.Heard[1].Replies[0] = "The mill stands." }},
	} {
		t.Run(c.invariant+", "+c.name, func(t *testing.T) {
			r := sound()
			if c.invariant != "heard" { // what players were shown would differ from each forgery too
				r.Heard = nil
			}
			c.forge(r)
			red := map[string]bool{}
			for _, v := range Check(r) {
				red[v.Invariant] = true
			}
			if !red[c.invariant] || len(red) != 1 {
				t.Errorf("red are %v, want %s alone", red, c.invariant)
			}
		})
		covered[c.invariant] = true
	}
	for _, i := range All {
		if !covered[i.Name] || i.Doc == "" || i.Source == "" {
			t.Errorf("%s has no forgery, or does not say what it holds and where that is promised", i.Name)
		}
	}
}

func TestAnOutageMovesTheDeadline(t *testing.T) {
	r := sound()
	r.Outages = []Outage{{after(9.5), after(10)}, {after(7), after(8)}} // the second lies within the time after the first
	r.Replies[0].At, r.Memory = after(11.9), nil
	if found := Check(r); len(found) > 0 {
		t.Errorf("it finds %+v", found)
	}
}

func TestAMachineThatStandsStillMovesTheDeadline(t *testing.T) {
	r := sound()
	// Of the first, what lies behind the acceptance; the second and the third lie before
	// the deadline as those before them have moved it.
	r.Still = []Outage{{after(-1), after(0.5)}, {after(8.2), after(8.6)}, {after(8.8), after(9)}, {after(9.2), after(9.3)}}
	r.Replies[0].At, r.Memory = after(9.05), nil
	if found := Check(r); len(found) > 0 {
		t.Errorf("it finds %+v", found)
	}
}

func TestATurnForWhichTheMachineStoodStillIsNotCounted(t *testing.T) {
	r := sound()
	r.MostEnded, r.Still = 0.4, []Outage{{after(1), after(2)}}
	if found := Check(r); len(found) > 0 {
		t.Errorf("it finds %+v", found)
	}
}

func TestAHopMayComeTwiceWhereIdsWereForgotten(t *testing.T) {
	r := sound()
	r.Hops = append(r.Hops, Hop{9, "t1/1", "t1", 1, 0, after(4)})
	r.Forgotten = []Outage{{after(2), after(3)}}
	if found := Check(r); len(found) > 0 {
		t.Errorf("it finds %+v", found)
	}
}

func TestADeadlineThatABrokersClockKeptBackIsNotHeldAgainstTheMesh(t *testing.T) {
	r := sound()
	r.Replies[0].At, r.Memory = after(9), nil
	r.Late = map[string]bool{"t1": true}
	if found := Check(r); len(found) > 0 {
		t.Errorf("it finds %+v", found)
	}
}

func TestATurnThatAFaultHasItsDeadlineEndIsNotCounted(t *testing.T) {
	r := sound()
	r.MostEnded, r.Ended = 0.4, map[string]bool{"t2": true}
	if found := Check(r); len(found) > 0 {
		t.Errorf("it finds %+v", found)
	}
}

func TestATurnThatItsDeadlineEndsMayOvertake(t *testing.T) {
	r := sound()
	r.Replies[0].Sequence, r.Replies[1].Sequence = 2, 1
	if found := Check(r); len(found) > 0 {
		t.Errorf("it finds %+v", found)
	}
}

func TestWhatIsMisheardIsCounted(t *testing.T) {
	r := sound()
	if lost, doubled := Misheard(r); lost != 0 || doubled != 0 {
		t.Errorf("of a sound run %d lost, %d doubled", lost, doubled)
	}
	r.Heard[0].Sentences = []schema.Sentence{r.Heard[0].Sentences[1], r.Heard[0].Sentences[1], r.Heard[0].Sentences[1]}
	if lost, doubled := Misheard(r); lost != 1 || doubled != 2 {
		t.Errorf("%d lost, %d doubled; want 1 and 2", lost, doubled)
	}
}
