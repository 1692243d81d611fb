package actions_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/actions"
)

func trust(delta float64) schema.Action {
	return schema.Action{Name: "update_trust", Parameters: map[string]any{"delta": delta}, Checked: true}
}

// apply gives the conversation after a reply.
func apply(c schema.Conversation, r *schema.Reply) *schema.Conversation {
	actions.New(nil, actions.Options{}).Apply(&c, r)
	return &c
}

// Trust moves by the actions that were taken, by ten in a turn and between -100 and 100.
// The opinion words it.
func TestTrustAfterAReply(t *testing.T) {
	refused := trust(5)
	refused.Checked, refused.Refused = false, "the turn ended first"
	for _, c := range []struct {
		name    string
		before  int
		taken   []schema.Action
		after   int
		opinion string
	}{
		{"nothing was done", 0, nil, 0, "neutral"},
		{"thanks", 19, []schema.Action{trust(1)}, 20, "friendly"},
		{"an insult", 2, []schema.Action{trust(-3)}, -1, "wary"},
		{"refused", 0, []schema.Action{refused}, 0, "neutral"},
		{"too much at once", 0, []schema.Action{trust(50)}, 10, "neutral"},
		{"too much in parts", 0, []schema.Action{trust(8), trust(8)}, 10, "neutral"},
		{"up and down", 55, []schema.Action{trust(8), trust(-3)}, 60, "devoted"},
		{"no further up", 95, []schema.Action{trust(10)}, schema.MaxTrust, "devoted"},
		{"no further down", -95, []schema.Action{trust(-10)}, schema.MinTrust, "hostile"},
		{"no number", 7, []schema.Action{{Name: "update_trust", Checked: true}}, 7, "neutral"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := apply(schema.Conversation{Trust: c.before}, &schema.Reply{Actions: c.taken})
			if got.Trust != c.after || got.Opinion != c.opinion || got.Turns != 1 || len(got.Favours) > 0 {
				t.Errorf("trust %d, %s, favours %q; want %d, %s", got.Trust, got.Opinion, got.Favours, c.after, c.opinion)
			}
		})
	}
}

// Working memory holds what was said, word for word and by whom: the last sixteen lines.
func TestTheMemoryAfterAReply(t *testing.T) {
	quoted, own := told(owner), told("The ferry is Teague's, as far as I know.")
	own.Evidence[0].Text = owner
	for _, c := range []struct {
		name  string
		reply schema.Reply
		want  []schema.Line
	}{
		{"a message and its answer", schema.Reply{Message: "who owns the ferry?", Sentences: []schema.Sentence{quoted, own}},
			[]schema.Line{
				{Speaker: "player", Text: "who owns the ferry?", Source: schema.OriginUser},
				{Speaker: "npc", Text: owner, Source: schema.OriginSystem, Verbatim: true},
				{Speaker: "npc", Text: own.Text, Source: schema.OriginSystem}}},
		{"an authored line", schema.Reply{Message: "hello", Sentences: []schema.Sentence{line("Mind the sparks.")}},
			[]schema.Line{
				{Speaker: "player", Text: "hello", Source: schema.OriginUser},
				{Speaker: "npc", Text: "Mind the sparks.", Source: schema.OriginSystem, Verbatim: true}}},
		{"a message that may not be kept", schema.Reply{Sentences: []schema.Sentence{line("That stays with me.")}},
			[]schema.Line{{Speaker: "npc", Text: "That stays with me.", Source: schema.OriginSystem, Verbatim: true}}},
		{"a turn that was aborted unheard", schema.Reply{Message: "who owns the ferry?"},
			[]schema.Line{{Speaker: "player", Text: "who owns the ferry?", Source: schema.OriginUser}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.reply.TurnID = "t1"
			got := apply(schema.Conversation{}, &c.reply)
			if len(got.Memory) != len(c.want) {
				t.Fatalf("memory %+v", got.Memory)
			}
			for i, l := range got.Memory {
				if c.want[i].TurnID = "t1"; !reflect.DeepEqual(l, c.want[i]) {
					t.Errorf("line %d is %+v, want %+v", i, l, c.want[i])
				}
			}
		})
	}
}

func TestTheMemoryIsBounded(t *testing.T) {
	var c schema.Conversation
	for i := range 20 {
		said := []schema.Sentence{line("Mind the sparks.")}
		c = *apply(c, &schema.Reply{TurnID: fmt.Sprint(i), Message: "hello", Sentences: said})
	}
	if len(c.Memory) != 16 || c.Memory[0].TurnID != "12" || c.Memory[15].TurnID != "19" || c.Turns != 20 {
		t.Errorf("%d lines from turn %s, %d turns", len(c.Memory), c.Memory[0].TurnID, c.Turns)
	}
	long := apply(schema.Conversation{}, &schema.Reply{Message: strings.Repeat("é", 4<<10)}).Memory[0].Text
	if len(long) > 2<<10 || !strings.HasSuffix(long, "é…") || strings.ContainsRune(long, '\uFFFD') {
		t.Errorf("a long message is kept with %d bytes, to %q", len(long), long[len(long)-8:])
	}
}

// Of a turn that an NPC began and had nothing to say in, only its cooldown is left.
func TestWhatATurnOfSilenceLeaves(t *testing.T) {
	got := apply(schema.Conversation{}, &schema.Reply{TurnID: "b1", Begin: &schema.Begin{EventID: "e1", Kind: "fell"},
		Status: schema.StatusAborted, Reason: schema.ReasonNothing})
	if len(got.Begun) != 1 || got.Begun[0].Kind != "fell" || got.Turns != 0 || len(got.Memory) > 0 {
		t.Errorf("%+v", got)
	}
}
