package grounding_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var mira = grounding.Context{NPCName: "Mira Ashdown", NPCHandle: "mira", NPCAliases: []string{"Mira"},
	Voice: grounding.Voice{Openers: []string{"Well,", "Look,"}, Hedges: []string{"as far as I know"}},
	Names: []string{"Bram Dunnock", "Osric"}}

func draft(text string, ids ...string) protocol.DraftSentence {
	d := protocol.DraftSentence{Text: text}
	for _, id := range ids {
		d.Citations = append(d.Citations, protocol.Citation{Claim: text, EvidenceID: id})
	}
	return d
}

func ref(source schema.Origin, chunk, text string) schema.EvidenceRef {
	return schema.EvidenceRef{ID: "E1", Path: strings.TrimSuffix(chunk, "#1"), Text: text, Source: source, ChunkID: chunk}
}

func reply(sentences ...schema.Sentence) *schema.Reply {
	for i := range sentences {
		sentences[i].Seq = i + 1
		if sentences[i].Hash == "" {
			sentences[i].Hash = protocol.HashText(sentences[i].Text)
		}
	}
	return &schema.Reply{TurnID: "t1", Sentences: sentences, SourceCounts: grounding.SourceCounts(sentences)}
}

// The auditor refuses a reply that cites what it may not, from the reply alone.
func TestAuditorRefusesWhatMayNotBeCited(t *testing.T) {
	const fire = "The mill burned in spring."
	good := schema.Sentence{Text: fire, Evidence: []schema.EvidenceRef{ref(schema.OriginCorpus, "lore/fire.txt#1", fire)}}
	cited := func(said string, e ...schema.EvidenceRef) *schema.Reply {
		return reply(schema.Sentence{Text: said, Evidence: e})
	}
	counted := reply(good)
	counted.SourceCounts = map[schema.Origin]int{schema.OriginCorpus: 7}
	cases := []struct {
		name string
		r    *schema.Reply
		want string // the kinds of its faults, "" for a reply that may ship
	}{
		{"corpus under a world claim", reply(good), ""},
		{"an authored line", reply(schema.Sentence{Text: "Couldn't tell you.", Authored: true}), ""},
		{"a greeting", cited("Good evening, friend."), ""},
		{"not knowing", cited("I don't know."), ""},
		{"a feeling", cited("I never liked the coast."), ""},
		{"state under a state claim",
			cited("My shop is open.", ref(schema.OriginSystem, "state:mira.shop_open", "My shop is open.")), ""},
		{"what was said, as said", cited("You said: “I come from the coast.”",
			ref(schema.OriginUser, "session:t0", "You said: “I come from the coast.”")), ""},
		{"a model's text", cited(fire, ref(schema.OriginModel, "lore/fire.txt#1", fire)),
			grounding.RejectSource + " " + grounding.FaultOrigin},
		{"a text of no source", cited(fire, ref("", "lore/fire.txt#1", fire)),
			grounding.RejectSource + " " + grounding.FaultOrigin},
		{"a draft", cited(fire, ref(schema.OriginCorpus, "draft:1", fire)), grounding.RejectReservedID},
		{"what an action wrote", cited(fire, ref(schema.OriginCorpus, "gen:note.txt#1", fire)), grounding.RejectReservedID},
		{"a cited text", cited(fire, ref(schema.OriginCorpus, "lore/fire.txt#1", fire+" [E1]")), grounding.RejectCitation},
		{"a player's words under a world claim", cited(fire, ref(schema.OriginUser, "session:t0", fire)),
			grounding.FaultOrigin},
		{"state under a world claim", cited(fire, ref(schema.OriginSystem, "state:mira.x", fire)), grounding.FaultOrigin},
		{"nothing under a world claim", cited(fire), grounding.FaultUncited},
		{"nothing under a claim behind a hedge", cited("I think Bram did it."), grounding.FaultUncited},
		{"an authored line with evidence", reply(schema.Sentence{Text: "Hm.", Authored: true, Evidence: good.Evidence}),
			grounding.FaultAuthored},
		{"another text than was reviewed",
			reply(schema.Sentence{Text: fire, Hash: protocol.HashText("The mill stands."), Evidence: good.Evidence}),
			grounding.FaultHash},
		{"counts that do not add up", counted, grounding.FaultCounts},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var kinds []string
			for _, f := range grounding.Audit(c.r, mira) {
				kinds = append(kinds, f.Kind)
				if f.Detail == "" {
					t.Errorf("%s says nothing more", f.Kind)
				}
			}
			if got := strings.Join(kinds, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAuditDescribesADraft(t *testing.T) {
	for want, all := range map[schema.Audit][]protocol.DraftSentence{
		schema.FullyCited: {draft("Good evening."), draft("The mill burned.", "E1"),
			{Text: "The shop is an old one.", Authored: true}},
		schema.PartiallyCited: {draft("The mill burned.", "E1"), draft("Bram did it.")},
		schema.Uncited:        {draft("Good evening.", "E1"), draft("Bram did it.")},
	} {
		if got := grounding.AuditOf(all, mira); got != want {
			t.Errorf("%v: got %s, want %s", all, got, want)
		}
	}
	if got := grounding.AuditOf(nil, mira); got != schema.FullyCited {
		t.Errorf("nothing said is %s", got)
	}
}

func TestSourceCountsNameTheCorpusAlways(t *testing.T) {
	got := grounding.SourceCounts(
		[]schema.Sentence{{Evidence: []schema.EvidenceRef{ref(schema.OriginCorpus, "a", ""),
			ref(schema.OriginSystem, "b", "")}}, {}})
	if got[schema.OriginCorpus] != 1 || got[schema.OriginSystem] != 1 || len(got) != 2 {
		t.Errorf("%v", got)
	}
	if n, ok := grounding.SourceCounts(nil)[schema.OriginCorpus]; n != 0 || !ok {
		t.Error("an empty reply does not say that it cites no corpus")
	}
}
