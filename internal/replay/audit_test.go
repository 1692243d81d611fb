package replay_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

func village(t *testing.T) *world.World {
	t.Helper()
	w, _, err := world.Load(servicetest.Village(), ".")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const owner = "Teague owns the ferry."

var at = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func lore(chunk, words string) schema.EvidenceRef {
	path, _, _ := strings.Cut(chunk, "#")
	return schema.EvidenceRef{ID: "E1", Path: path, ChunkID: chunk, Text: words, Source: schema.OriginCorpus}
}

func said(text string, evidence ...schema.EvidenceRef) schema.Sentence {
	return schema.Sentence{Text: text, Hash: protocol.HashText(text), Evidence: evidence}
}

// stored is a reply of Mira as the mesh stores it.
func stored(version string, sentences ...schema.Sentence) replay.StoredReply {
	r := &schema.Reply{TurnID: "t1", World: "village", NPC: "mira", NPCName: "Mira", Player: "p1",
		LoreVersion: version,
		Sentences:   sentences, SourceCounts: grounding.SourceCounts(sentences), AcceptedAt: at}
	var texts []string
	for i := range sentences {
		sentences[i].Seq = i + 1
		texts = append(texts, sentences[i].Text)
	}
	r.Text = strings.Join(texts, " ")
	return replay.StoredReply{Conversation: schema.ConversationID{World: r.World, NPC: r.NPC, Player: r.Player},
		Turn: r.TurnID, At: at, Reply: r}
}

func checks(r *replay.AuditReport) string {
	var out []string
	for _, row := range r.Checks {
		moved := ""
		if row.LoreMoved > 0 {
			moved = "~"
		}
		out = append(out, moved+row.Check)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// A reply is held against the rules of its release and against the lore of today.
// "~" marks what an edit of the lore after the reply may explain.
func TestTheAuditOfOneReply(t *testing.T) {
	w := village(t)
	now := w.Version
	otherText := stored(now, said(owner, lore("lore/ferry.txt#1", owner)))
	otherText.Reply.Text = "Bram owns the ferry."
	longAgo := stored(now, said("The mill burned on the twelfth of April 1402.", lore("lore/mill.txt#1",
		"The mill burned on the twelfth of April 1402.")))
	before := time.Date(1402, 4, 1, 0, 0, 0, 0, time.UTC)
	longAgo.Reply.GameTime = &before
	hinges := "I forged the hinges of the north gate in March."
	cases := []struct {
		name string
		s    replay.StoredReply
		want string
	}{
		{"lore, as it stands", stored(now, said(owner, lore("lore/ferry.txt#1", owner))), ""},
		{"the NPC's own note", stored(now, said(hinges, lore("npcs/mira/home/diary.txt#1", hinges))), ""},
		{"a passage that has another number now", stored(now, said(owner, lore("lore/ferry.txt#7", owner))), ""},
		{"what was said, as said", stored(now, said("You said: “I am Tom.”",
			schema.EvidenceRef{ID: "M1", Path: "session:t0", ChunkID: "session:t0", Text: "You said: “I am Tom.”",
				Source: schema.OriginUser})), ""},
		{"an unreadable message", replay.StoredReply{Conversation: otherText.Conversation, Turn: "t1",
			Bad: errors.New("the reply is no JSON")}, replay.Unreadable},
		{"another text than its sentences", otherText, replay.Joined},
		{"another sentence than was reviewed", stored(now, schema.Sentence{Text: owner, Hash: protocol.HashText("x"),
			Evidence: []schema.EvidenceRef{lore("lore/ferry.txt#1", owner)}}), grounding.FaultHash},
		{"words that the document never held", stored(now, said("Bram owns the ferry.", lore("lore/ferry.txt#1",
			"Bram owns the ferry."))), replay.LoreEdited},
		{"words that were edited away since", stored("older", said("Bram owns the ferry.", lore("lore/ferry.txt#1",
			"Bram owns the ferry."))), "~" + replay.LoreEdited},
		{"a document that is gone", stored("older", said(owner, lore("lore/boat.txt#1", owner))),
			"~" + replay.LoreGone},
		{"a document that never was", stored(now, said(owner, lore("lore/boat.txt#1", owner))), replay.LoreGone},
		{"another NPC's diary", stored(now, said("His room at the inn was empty that night.",
			lore("npcs/osric/home/suspects.txt#1", "His room at the inn was empty that night."))),
			grounding.RejectScope},
		{"a document of a later day", stored(now, said("The assize found the miller Bram guilty of arson.",
			lore("lore/verdict.txt#1", "The assize found the miller Bram guilty of arson."))),
			grounding.RejectFuture},
		{"lore that was later than the turn's game time", longAgo, grounding.RejectFuture},
		{"a memory as lore", stored(now, said(owner, lore("memory:m1", owner))), replay.Reentry},
		{"a line of the talk as lore", stored(now, said(owner, lore("session:t0", owner))), replay.Reentry},
		{"a draft", stored(now, said(owner, lore("draft:1", owner))),
			replay.LoreGone + " " + grounding.RejectReservedID},
		{"a model's text", stored(now, said(owner, schema.EvidenceRef{ID: "E1", Path: "x", Text: owner,
			Source: schema.OriginModel})),
			grounding.RejectSource + " " + grounding.FaultOrigin},
		{"a player's words under a claim", stored(now, said(owner, schema.EvidenceRef{ID: "M1", Path: "session:t0",
			Text: owner, Source: schema.OriginUser})), grounding.FaultOrigin},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := replay.NewAuditor([]*world.World{w}, replay.DefaultAudit)
			a.Take(c.s)
			r := a.Report()
			got := strings.Fields(checks(r))
			want := strings.Fields(c.want)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v: %+v", got, want, r.Examples)
			}
		})
	}
}

// A sentence that an NPC put in its own words is no evidence when it stands in the
// lore later: somebody, or a tool, has written it there.
func TestWhatWasSaidComesBackAsLore(t *testing.T) {
	w := village(t)
	invented := stored("older", said("Teague owns the ferry.", lore("lore/ferry.txt#1",
		"A crossing costs two bits.")))
	quoted := stored("older", said("Teague owns the ferry.", lore("lore/ferry.txt#1", owner)))
	same := stored(w.Version, invented.Reply.Sentences...)
	cites := stored(w.Version, said(owner, lore("lore/ferry.txt#1",
		owner+" The ferry crosses the river at dawn and at dusk.")))
	for name, c := range map[string]struct {
		earlier replay.StoredReply
		want    string
	}{
		"said before the lore held it": {invented, replay.Reentry},
		"quoted from the lore":         {quoted, ""},
		"said while the lore held it":  {same, ""},
		"never said":                   {stored("older"), ""},
		"said as an authored line only": {stored("older", schema.Sentence{Text: owner, Hash: protocol.HashText(owner),
			Authored: true}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := replay.NewAuditor([]*world.World{w}, replay.DefaultAudit)
			a.Heard(c.earlier.Reply)
			a.Take(cites)
			r := a.Report()
			if got := checks(r); got != c.want || (r.NonCorpusRate == 1) != (c.want != "") {
				t.Errorf("got %q at a rate of %v, want %q", got, r.NonCorpusRate, c.want)
			}
		})
	}
}

func TestAnAuditKeepsABoundedNumber(t *testing.T) {
	w := village(t)
	a := replay.NewAuditor([]*world.World{w}, replay.AuditSettings{Examples: 2, Said: 10})
	for i := range 50 {
		a.Take(stored("older", said(fmt.Sprintf("The tower number %d stands on the hill.", i),
			lore("lore/tower.txt#1", "A tower."))))
	}
	r := a.Report()
	if r.Forgotten != 40 || len(r.Examples) != 2 || r.LoreMoved != 50 || r.Violations != 0 {
		t.Errorf("%d forgotten, %d examples, %d moved, %d violations", r.Forgotten, len(r.Examples), r.LoreMoved,
			r.Violations)
	}
}

func TestTheReportCountsWhatIsNotCorpus(t *testing.T) {
	a := replay.NewAuditor(nil, replay.DefaultAudit)
	state := schema.EvidenceRef{ID: "S1", Path: "state:mira.shop_open", ChunkID: "state:mira.shop_open",
		Text: "My shop is open.", Source: schema.OriginSystem}
	a.Take(stored("v", said("My shop is open.", state), said(owner, lore("lore/ferry.txt#1", owner)),
		said("Bram owns the mill.")))
	r := a.Report()
	if r.NonCorpusCitationRate != 0.5 || r.NonCorpusRate != 0 || r.Citations != 2 || r.Uncited != 1 || r.Unchecked != 1 ||
		r.Violations != 0 {
		t.Errorf("%+v", r)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil || !strings.Contains(out.String(), "non_corpus_citation_rate  0.500") {
		t.Errorf("%v:\n%s", err, out.String())
	}
}
