package retrieval

import "testing"

func TestWhatAQuestionAsksFor(t *testing.T) {
	cases := []struct {
		message string
		kind    kind
		topic   string
		you     bool
	}{
		{"Tell me about the Greenway.", kindTopic, "greenway", false},
		{"hey, what do u know about Old Margit?", kindTopic, "old margit", false},
		{"Who is Mira?", kindTopic, "mira", false},
		{"whats ghostroute", kindTopic, "ghostroute", false},
		{"What bandits?", kindTopic, "bandits", false},
		{"Tell me about who.", kindTopic, "who", false},
		{"who burned the mill", kindWho, "", false},
		{"where r u from", kindWhere, "", true},
		{"when does the gate shut?", kindWhen, "", false},
		{"what time do you close", kindWhen, "", true},
		{"how much for a horseshoe", kindCount, "", false},
		{"how come u left", kindWhy, "", true},
		{"y did he go", kindWhy, "", false},
		{"how do i get in", kindHow, "", false},
		{"is your shop open", kindYesNo, "", true},
		{"nice place", kindOther, "", false},
		{"do you know who built the wall", kindWho, "", false},
		{"can u explain how you forge a blade", kindHow, "", true},
	}
	for _, c := range cases {
		t.Run(c.message, func(t *testing.T) {
			q := parseQuestion(c.message)
			if q.kind != c.kind || q.phrase != c.topic || q.you != c.you {
				t.Errorf("kind %d, topic %q, you %v; want %d, %q, %v", q.kind, q.phrase, q.you, c.kind, c.topic, c.you)
			}
		})
	}
}

func FuzzParseQuestion(f *testing.F) {
	for _, s := range []string{"Tell me about the mill.", "who's there", "u ok? 'The Dog's' — İstanbul’s",
		"\xff what", "what is \u200b?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := parseQuestion(s)
		for _, term := range q.terms {
			if term.stem == "" || term.count < 1 {
				t.Fatalf("term %+v of %q", term, s)
			}
		}
		if (q.kind == kindTopic) != (len(q.topic) > 0) {
			t.Fatalf("kind %d with topic %v", q.kind, q.topic)
		}
	})
}
