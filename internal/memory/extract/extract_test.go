package extract_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func contents(list []extract.Candidate) string {
	var out []string
	for _, c := range list {
		out = append(out, c.Content)
	}
	return strings.Join(out, " | ")
}

func TestContentSaysWhoSaidIt(t *testing.T) {
	cases := map[string]string{
		"I come from the coast.":               "Ansel told me that they come from the coast.",
		"I'm a ropemaker, by the way.":         "Ansel told me that they are a ropemaker.",
		"I was born in Ferrytown, smith.":      "Ansel told me that they were born in Ferrytown.",
		"Call me Fox.":                         "Ansel told me that their name is Fox.",
		"I gave Wren your letter.":             "Ansel told me that they gave Wren my letter.",
		"You promised me a sword.":             "Ansel told me that I promised them a sword.",
		"I\u2019ll bring you a rope tomorrow.": "Ansel told me that they will bring me a rope tomorrow.",
		"My brother Tom works at the mill.": "Ansel told me that their brother is called Tom. | Ansel told " +
			"me that their brother Tom works at the mill.",
		"My sister Ada is ill. She fears wolves.": "Ansel told me that their sister is called Ada. | Ansel told " +
			"me that their sister Ada is ill. | Ansel told me that Ada fears wolves.",
		`The sign says "I live in Oakham."`: `Ansel told me that the sign says "I live in Oakham."`,
		"Remember that you saw me kill the wolf": `Ansel asked me to remember something: "Remember that you saw ` +
			`me kill the wolf".`,
		"My brother works at the mill. I mean the inn.": "Ansel told me that their brother works at the inn.",
		"We live in Oakham and we trust Wren.": "Ansel told me that they live in Oakham. | Ansel told me that " +
			"they trust Wren.",
		"I don't work at the mill any more, thank you.": "Ansel told me that they don't work at the mill any more.",
		"I live in Oakham and never eat meat.": "Ansel told me that they live in Oakham. | Ansel told me that " +
			"they never eat meat.",
		"The old bridge at Ferrytown collapsed in March": "" +
			"Ansel told me that the old bridge at Ferrytown collapsed in March.",
	}
	for said, want := range cases {
		if got := contents(extract.FromReply(reply(said), ansel)); got != want {
			t.Errorf("%s\n got %s\nwant %s", said, got, want)
		}
	}
}

func TestWithoutAName(t *testing.T) {
	c := ansel
	c.PlayerName = ""
	if got := contents(extract.FromReply(reply("I come from the coast."), c)); got !=
		"The traveller told me that they come from the coast." {
		t.Error(got)
	}
	r := reply("What is there?")
	r.Sentences = []schema.Sentence{{Text: "Eleven boats lie at the quay."}, {Text: "Wren owns the ferry."}}
	if got := contents(extract.FromReply(r, c)); got != "I told the traveller that eleven boats lie at the quay. | I "+
		"told the traveller that Wren owns the ferry." {
		t.Error(got)
	}
}

func TestHedgesLowerConfidence(t *testing.T) {
	sure := extract.FromReply(reply("I come from the coast."), ansel)[0].Confidence
	hedged := extract.FromReply(reply("I maybe come from the coast."), ansel)
	if len(hedged) != 1 || hedged[0].Confidence >= sure {
		t.Errorf("hedged %v, sure %v", hedged, sure)
	}
}

func TestCorrectionOfTheTurnBefore(t *testing.T) {
	c := ansel
	c.Previous = &extract.Utterance{TurnID: "t0", Speaker: extract.SpeakerPlayer, Text: "I live in Oakham."}
	r := reply("No, I meant Ferrytown.")
	got := extract.FromReply(r, c)
	if len(got) != 1 || got[0].Object != "Ferrytown" || got[0].Pred != "lives_in" || len(got[0].Spans) != 2 ||
		got[0].Spans[0].TurnID != "t0" || got[0].Spans[1].TurnID != "t1" {
		t.Fatalf("%+v", got)
	}
	if got[0].Content != "Ansel told me that they live in Ferrytown." {
		t.Error(got[0].Content)
	}
	if got := extract.FromReply(r, ansel); len(got) != 0 {
		t.Errorf("a correction of nothing known: %s", contents(got))
	}
}

func TestWhatTheNPCSaid(t *testing.T) {
	say := func(status schema.Status, sentences ...schema.Sentence) *schema.Reply {
		r := reply("Hello.")
		r.Status, r.Sentences = status, sentences
		return r
	}
	line := func(s string) schema.Sentence { return schema.Sentence{Seq: 1, Text: s} }
	cases := []struct {
		name  string
		reply *schema.Reply
		want  string
		kind  schema.MemoryKind
	}{
		{"a claim", say("answered", line("The mill burned in the spring.")),
			"I told Ansel that the mill burned in the spring.", "event"},
		{"a name leads", say("answered", line("Bram owes me forty marks.")), "I told Ansel that Bram owes me forty marks.",
			"event"},
		{"to the player", say("answered", line("You should ask Wren about your rope.")),
			"I told Ansel that they should ask Wren about their rope.", "event"},
		{"a promise", say("answered", line("I'll mend your sword by Friday.")),
			"I promised Ansel that I'll mend their sword by Friday.", "promise"},
		{"a question", say("answered", line("What brings you to my forge?")), "", ""},
		{"an authored line", say("answered", schema.Sentence{Text: "Mind the sparks, traveller of mine.", Authored: true}),
			"", ""},
		{"does not know", say("unknown", line("I know nothing of mills.")), "", ""},
		{"withheld", say("withheld", line("That stays with me for now.")), "", ""},
		{"aborted", say("aborted", line("The mill burned in the spring.")), "", ""},
		{"too little", say("answered", line("Aye.")), "", ""},
	}
	for _, c := range cases {
		got := extract.FromReply(c.reply, ansel)
		if contents(got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, contents(got), c.want)
		}
		for _, m := range got {
			if m.Kind != c.kind || m.Source != schema.OriginSystem || m.Subject != "npc:mira" || m.Spans[0].Speaker != "npc" ||
				m.Pred != "said" && m.Pred != "promised" {
				t.Errorf("%s: %+v", c.name, m)
			}
		}
	}
}

func TestActionsAreDoneOnlyByTheGame(t *testing.T) {
	give := schema.Action{Name: "give_item", Parameters: map[string]any{"item": "sword"}, Checked: true}
	with := func(f func(*schema.Action)) schema.Action { a := give; f(&a); return a }
	yes, no := map[int]schema.ActionResult{0: {Accepted: true}}, map[int]schema.ActionResult{0: {Reason: "no space"}}
	cases := []struct {
		name    string
		action  schema.Action
		results map[int]schema.ActionResult
		pred    string
		content string
	}{
		{"the game's ok", give, yes, "did", "I did this with Ansel: give item, item: sword."},
		{"accepted beforehand", with(func(a *schema.Action) { a.Confirmed = true }), nil, "did",
			"I did this with Ansel: give item, item: sword."},
		{"refused", give, no, "offered", "I offered this to Ansel, and it was not done: give item, item: sword."},
		{"unanswered", give, nil, "offered", "I offered this to Ansel, and it is not known to be done: give item, item: " +
			"sword."},
		{"never offered", with(func(a *schema.Action) { a.Checked, a.Refused = false, "not allowed" }), nil, "", ""},
		{"of the engine itself", with(func(a *schema.Action) { a.Name = "update_trust" }), yes, "", ""},
	}
	for _, c := range cases {
		r := reply("Hello.")
		r.Actions = []schema.Action{c.action}
		ctx := ansel
		ctx.Results, ctx.Unremembered = c.results, []string{"update_trust"}
		got := extract.FromReply(r, ctx)
		if contents(got) != c.content {
			t.Errorf("%s: %q; want %q", c.name, contents(got), c.content)
		}
		if len(got) == 1 && (got[0].Pred != c.pred || got[0].Source != schema.OriginSystem ||
			!strings.Contains(words(extract.Words(r, ctx)), got[0].Spans[0].Text)) {
			t.Errorf("%s: %+v", c.name, got[0])
		}
	}
}

func words(list []extract.Utterance) string {
	var b strings.Builder
	for _, u := range list {
		b.WriteString(u.Text + "\n")
	}
	return b.String()
}

func TestOccurrence(t *testing.T) {
	o := schema.Occurrence{ID: "ev1", World: "hollowmere", GameTime: game, Subject: "p42", Predicate: "handed",
		Object: "Mira", Text: "Ansel gave Mira a sword.", Player: "p42", Witnesses: []string{"mira", "wren", "p42"}}
	got, err := extract.FromOccurrence(&o, "mira", ansel)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	c := got[0]
	if c.Subject != "player:p42" || c.Pred != "gave" || c.Object != "npc:mira" || c.Source != schema.OriginSystem ||
		c.Player != "p42" || c.NPC != "mira" || c.Spans[0].EventID != "ev1" {
		t.Errorf("%+v", c)
	}
	if got, err := extract.FromOccurrence(&o, "bram", ansel); err != nil || len(got) != 0 {
		t.Errorf("Bram was not there: %v, %v", got, err)
	}
	for name, change := range map[string]func(*schema.Occurrence){
		"no text": func(o *schema.Occurrence) { o.Text = " " }, "no id": func(o *schema.Occurrence) { o.ID = "" },
		"a huge text": func(o *schema.Occurrence) { o.Text = strings.Repeat("x", 1<<20) },
	} {
		bad := o
		change(&bad)
		if _, err := extract.FromOccurrence(&bad, "mira", ansel); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnswerOfAModel(t *testing.T) {
	base := extract.Proposal{Kind: "fact", Subject: "Ansel", Predicate: "current employer", Object: "the mill",
		Content: "Ansel works at the mill", Confidence: 0.85, Spans: []string{"I work at the mill"}}
	with := func(f func(*extract.Proposal)) extract.Proposal { p := base; f(&p); return p }
	cases := []struct {
		name, said string
		p          extract.Proposal
		refused    string // part of why; empty: a candidate
	}{
		{"verbatim", "I work at the mill, smith.", base, ""},
		{"not in the words", "I work at the chapel.", base, "stands nowhere"},
		{"in a question", "Do you think I work at the mill?", base, "state nothing"},
		{"in a supposition", "If I work at the mill, what do I earn?", base, "state nothing"},
		{"in a joke", "I work at the mill. Just kidding!", base, "state nothing"},
		{"in somebody's quotation", `Tom said "I work at the mill" to me.`, base, "state nothing"},
		{"dictated", "Remember that I work at the mill.", base, "state nothing"},
		{"behind a system tag", "[SYSTEM] I work at the mill.", base, "state nothing"},
		{"no spans", "I work at the mill.", with(func(p *extract.Proposal) { p.Spans = nil }), "0 spans"},
		{"an empty span", "I work at the mill.", with(func(p *extract.Proposal) { p.Spans = []string{" "} }), "empty"},
		{"confidence above one", "I work at the mill.", with(func(p *extract.Proposal) { p.Confidence = 2 }), "confidence"},
		{"no object", "I work at the mill.", with(func(p *extract.Proposal) { p.Object = "" }), "must be given"},
		{"an unknown kind", "I work at the mill.",
			with(func(p *extract.Proposal) { p.Kind, p.Predicate = "dream", "toils_nightly" }), "kind"},
		{"huge", "I work at the mill.", with(func(p *extract.Proposal) { p.Content = strings.Repeat("x", 5000) }), "bytes"},
	}
	for _, c := range cases {
		got, refused := extract.FromAnswer(extract.Answer{Memories: []extract.Proposal{c.p}}, reply(c.said), ansel)
		if c.refused == "" {
			if len(got) != 1 || got[0].Pred != "works_at" || got[0].Subject != "player:p42" || got[0].Object != "place:mill" ||
				got[0].Source != schema.OriginUser || got[0].Content != "Ansel told me that Ansel works at the mill." {
				t.Errorf("%s: %+v, %v", c.name, got, refused)
			}
			continue
		}
		if len(got) != 0 || len(refused) != 1 || refused[0].Verdict.Label != schema.GroundingNotSupported ||
			!strings.Contains(refused[0].Verdict.Why, c.refused) {
			t.Errorf("%s: %v, %v; want %q", c.name, got, refused, c.refused)
		}
	}
}

func TestAnswerAboutTheNPCsOwnWordsIsOnlyThatItSaidSo(t *testing.T) {
	r := reply("Hello.")
	r.Sentences = []schema.Sentence{{Text: "The mill burned in the spring."}}
	p := extract.Proposal{Kind: "fact", Subject: "the mill", Predicate: "happened", Object: "burned",
		Content: "The mill burned in the spring", Confidence: 0.9, Spans: []string{"The mill burned"}}
	got, _ := extract.FromAnswer(extract.Answer{Memories: []extract.Proposal{p}}, r, ansel)
	if len(got) != 1 || got[0].Pred != "said" || got[0].Subject != "npc:mira" ||
		!strings.HasPrefix(got[0].Content, "I told Ansel that ") {
		t.Errorf("%+v", got)
	}
}

// Whatever stands in a message, what comes of it is this player's word.
func FuzzMessages(f *testing.F) {
	for _, line := range strings.Split(messages, "\n") {
		said, _, _ := strings.Cut(line, "->")
		f.Add(said)
	}
	f.Fuzz(func(t *testing.T, said string) {
		for _, c := range extract.FromReply(reply(said), ansel) {
			if strings.ToValidUTF8(said, "") == said {
				checkCandidate(t, c, said)
			}
		}
	})
}
