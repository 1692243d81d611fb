package memory_test

import (
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var asking = time.Date(1402, 5, 3, 18, 0, 0, 0, time.UTC)

func TestWhatAsksForTheSharedPast(t *testing.T) {
	for message, want := range map[string]bool{
		"Where do I come from?":                 true,
		"What did I tell you about my brother?": true,
		"Do you remember me?":                   true,
		"Do you remember where I live?":         true,
		"What's my name?":                       true,
		"Who is my brother?":                    true,
		"Where does my brother live?":           true,
		"How old am I?":                         true,
		"What did I give you?":                  true,
		"What did you promise me?":              true,
		"Have I told you about the wolves?":     true,
		"What do you know about me?":            true,
		"Where do I work?":                      true,
		"What am I afraid of?":                  true,
		"What can I shoot?":                     true,
		"What did Bram tell you of me?":         true,
		"Who burned the mill?":                  false,
		"Where can I find the ferry?":           false,
		"How do I get to the mill?":             false,
		"What do I owe you?":                    false,
		"Can I buy a sword?":                    false,
		"I come from the coast.":                false,
		"Tell me about the mill.":               false,
		"What did Bram say?":                    false,
		"Do you know who stole the silver?":     false,
		"Where do I pay the toll?":              false,
		"May I ask you something?":              false,
	} {
		if got := memory.ReadAsked(message, asking).About; got != want {
			t.Errorf("%q asks for it: %v, want %v", message, got, want)
		}
	}
}

func remembered(t *testing.T, message string) []schema.Memory {
	t.Helper()
	r := &schema.Reply{TurnID: "t1", World: "w", NPC: "mira", Player: "p42", PlayerName: "Ansel", Message: message,
		Status: schema.StatusAnswered, GameTime: &asking}
	var out []schema.Memory
	for _, c := range extract.FromReply(r, extract.Context{NPCName: "Mira Fenn", PlayerName: "Ansel"}) {
		out = append(out, c.Memory)
	}
	return out
}

func TestWhichMemoryAnswersAndHowItIsTold(t *testing.T) {
	all := map[string][]schema.Memory{}
	for _, said := range []string{"I come from the coast.", "My brother is called Tom.",
		"I work at the ropewalk in Osterwick.", "I am 31 years old.",
		"I hate eels.", "My brother lives in Oakham.", "I have a dog called Rags.", "I am afraid of deep water.",
		"I'm looking for my sister."} {
		all[said] = remembered(t, said)
		if len(all[said]) == 0 {
			t.Fatalf("%q leaves nothing", said)
		}
	}
	for _, c := range []struct{ asked, said, told string }{
		{"Where do I come from?", "I come from the coast.", "You told me that you come from the coast."},
		{"Where am I from?", "I come from the coast.", "You told me that you come from the coast."},
		{"What is my brother's name?", "My brother is called Tom.", "You told me that your brother is called Tom."},
		{"Who is my brother?", "My brother is called Tom.", "You told me that your brother is called Tom."},
		{"Where do I work?", "I work at the ropewalk in Osterwick.",
			"You told me that you work at the ropewalk in Osterwick."},
		{"How old am I?", "I am 31 years old.", "You told me that you are 31 years old."},
		{"Which food do I hate?", "I hate eels.", "You told me that you hate eels."},
		{"What do I hate?", "I hate eels.", "You told me that you hate eels."},
		{"Where does my brother live?", "My brother lives in Oakham.", "You told me that your brother lives in Oakham."},
		{"What is my dog called?", "I have a dog called Rags.", "You told me that you have a dog called Rags."},
		{"What am I afraid of?", "I am afraid of deep water.", "You told me that you are afraid of deep water."},
		{"Who am I looking for?", "I'm looking for my sister.", "You told me that you are looking for your sister."},
	} {
		t.Run(c.asked, func(t *testing.T) {
			asked := memory.ReadAsked(c.asked, asking)
			best, from, sentence := 0.0, "", ""
			for said, list := range all {
				for i := range list {
					if rel := asked.Relevance(&list[i], "p42", memory.DefaultPredicates(), 0); rel > best {
						best, from, sentence = rel, said, memory.Spoken(&list[i], memory.Names{NPC: "Mira Fenn", Player: "Ansel"})
					}
				}
			}
			if from != c.said || sentence != c.told {
				t.Errorf("about %v: %q (%.2f) told as %q, want %q told as %q", asked.About, from, best, sentence, c.said, c.told)
			}
		})
	}
	for _, question := range []string{"What is my favourite colour?", "What is my name?", "Who is my sister married to?",
		"Where does my father live?", "What did you promise me?"} {
		asked := memory.ReadAsked(question, asking)
		for said, list := range all {
			for i := range list {
				if rel := asked.Relevance(&list[i], "p42", memory.DefaultPredicates(), 1); rel > 0 {
					t.Errorf("%q answers %q: %.2f", said, question, rel)
				}
			}
		}
	}
}

func TestHowWhatWasSeenIsTold(t *testing.T) {
	names := memory.Names{NPC: "Mira Fenn", Player: "Ansel"}
	for text, want := range map[string]string{
		"Ansel gave Mira a sword.":         "I remember that you gave me a sword.",
		"Ansel killed the wolf.":           "I remember that you killed the wolf.",
		"Mira gave Ansel her hammer.":      "I remember that I gave you her hammer.",
		"Ansel owns a ship.":               "I remember that I saw this: “Ansel owns a ship.”",
		"The wolves came down the valley.": "I remember that I saw this: “The wolves came down the valley.”",
	} {
		m := schema.Memory{NPC: "mira", Player: "p42", Source: schema.OriginSystem, Subject: "player:p42", Pred: "gave",
			Content: text}
		if got := memory.Spoken(&m, names); got != want {
			t.Errorf("%q is told as %q, want %q", text, got, want)
		}
	}
	m := schema.Memory{NPC: "mira", Source: schema.OriginUser, Content: "Ansel told me that wolves came and they fled.",
		Spans: []schema.MemorySpan{{Text: "Wolves came and they fled."}}}
	if got, want := memory.Spoken(&m, names), "You told me: “Wolves came and they fled.”"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWhichTimeIsAskedAbout(t *testing.T) {
	for message, want := range map[string]string{
		"Where did I live last spring?": "1401-05-28", "Where did I live last summer?": "1401-08-28",
		"Where did I live last winter?":      "1402-02-28",
		"Where did I work in February 1402?": "1402-02-28", "Where did I work in June?": "1401-06-28",
		"What was my trade in 1400?":      "1400-12-28",
		"Where did I live two years ago?": "1400-05-03", "Where did I work last month?": "1402-04-03",
		"What did I tell you last week?": "0001-01-01",
		"Where do I live?":               "0001-01-01",
	} {
		if got := memory.ReadAsked(message, asking).At.Format(time.DateOnly); got != want {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
}

// A question about the world is answered by what the NPC saw happen, where that
// holds all that is asked about, and by nothing that anybody said.
func TestWhatWasSeenAnswersForTheWorld(t *testing.T) {
	lantern := schema.Memory{NPC: "mira", Subject: "lantern", Pred: "happened", Object: "floated off Bell Isle",
		Source:  schema.OriginSystem,
		Content: "A green lantern floated off Bell Isle at noon."}
	said, told, own := lantern, lantern, lantern
	said.Source, told.HeardFrom = schema.OriginUser, "npc:bram"
	own.Subject, own.Pred = "npc:mira", "said"
	for _, c := range []struct {
		asked  string
		memory schema.Memory
		answer bool
	}{
		{"What floated off Bell Isle at noon?", lantern, true},
		{"When did the lantern float off Bell Isle?", lantern, true},
		{"What floated off Bell Isle at midnight?", lantern, false},
		{"Who owns Bell Isle?", lantern, false},
		{"What floated?", lantern, false},
		{"What floated off Bell Isle at noon?", said, false},
		{"What floated off Bell Isle at noon?", told, false},
		{"What floated off Bell Isle at noon?", own, false},
	} {
		asked := memory.ReadAsked(c.asked, asking)
		if asked.About {
			t.Errorf("%q asks for the shared past", c.asked)
		}
		seen, enough := asked.Witnessed()
		got := enough && seen.Relevance(&c.memory, "p42", memory.DefaultPredicates(), 0) >= memory.Enough
		if got != c.answer {
			t.Errorf("%q is answered by %+v: %v", c.asked, c.memory, got)
		}
	}
}

func TestWhoToldAMemory(t *testing.T) {
	for content, want := range map[string]memory.Told{
		"Ansel told me that they come from the coast.": {By: "Ansel", How: "told", Said: "they come from the coast."},
		"Dr. J.R. Holt told me that Tom said: wait":    {By: "Dr. J.R. Holt", How: "told", Said: "Tom said: wait"},
		"Ansel asked me to wait.":                      {By: "Ansel", How: "asked", Said: "wait."},
		"Ansel asked me not to wait.":                  {By: "Ansel", How: "asked", Said: "not to wait."},
		"I promised the traveller that I will mend it": {To: "the traveller", How: "promised", Said: "I will mend it"},
		"Mira told me that Ansel told Mira that it is": {By: "Mira", How: "told", Said: "Ansel told Mira that it is"},
		"The mill burned. Tom told me that it did.":    {},
		"The miller told Tom that the mill is shut.":   {},
	} {
		got, ok := memory.ReadTold(content)
		if got != want || ok != (want.How != "") || ok && memory.Said(content) != want.Said {
			t.Errorf("%q is read as %+v", content, got)
		}
	}
	m := schema.Memory{Source: schema.OriginUser, Content: "Ansel asked me not to tell their mother.",
		Spans: []schema.MemorySpan{{Text: "Don't tell my mother."}}}
	want := "You asked me not to tell your mother."
	if got := memory.Spoken(&m, memory.Names{NPC: "Mira", Player: "Ansel"}); got != want {
		t.Errorf("%q; want %q", got, want)
	}
}
