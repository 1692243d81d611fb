package extractive_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
)

var mira = voice.Person{Handle: "mira", Name: "Mira", Pronoun: voice.She}

func block(id string, score float64, body string) protocol.Evidence {
	return protocol.Evidence{ID: id, Text: body, Score: score, Private: true, Author: "mira", Type: "note"}
}

func said(sentences []protocol.DraftSentence) []string {
	var out []string
	for _, s := range sentences {
		out = append(out, s.Text)
	}
	return out
}

// A trained reader outweighs the words that question and sentence share.
func TestTheReaderChoosesTheSentence(t *testing.T) {
	reads := func(_ string, sentences []string) []float64 {
		out := make([]float64, len(sentences))
		for i, s := range sentences {
			if strings.Contains(s, "chain") {
				out[i] = 0.9
			}
		}
		return out
	}
	got := said(extractive.Answer(extractive.Input{Question: "how did you hurt your foot?", Class: protocol.ClassMedium,
		Person: mira, Reads: reads,
		Evidence: []protocol.Evidence{block("E1", .9, "I never set foot in the fells. A chain fell on me in 1383.")}}))
	if want := []string{"A chain fell on me in 1383."}; !reflect.DeepEqual(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestAnswerChoosesTheSentencesThatAnswer(t *testing.T) {
	cases := []struct {
		name     string
		question string
		class    protocol.Class
		evidence []protocol.Evidence
		want     []string
	}{
		{"the sentence that names what is asked for", "how much does the ferry cost?", protocol.ClassMedium,
			[]protocol.Evidence{block("E1", .9, "Ask Teague about the ferry. A passenger on the ferry pays two silver coins.")},
			[]string{"A passenger on the ferry pays two silver coins."}},
		{"a topic is named in what is told about it", "tell me about the ferry", protocol.ClassMedium,
			[]protocol.Evidence{block("E1", .9, "Teague talks too much."), block("E2", .5, "The ferry Patience leaks.")},
			[]string{"The ferry Patience leaks."}},
		{"one sentence of several", "who owns the ferry?", protocol.ClassMedium,
			[]protocol.Evidence{block("E1", .9, "The river rose in March. Teague owns the ferry. The reeds are cut in June.")},
			[]string{"Teague owns the ferry."}},
		{"what a pronoun leans on comes along", "who keeps the keys?", protocol.ClassMedium,
			[]protocol.Evidence{block("E1", .9, "Osric is the reeve. He keeps the keys.")},
			[]string{"Osric is the reeve.", "He keeps the keys."}},
		{"a story is told whole", "tell me about the flood", protocol.ClassComplex,
			[]protocol.Evidence{block("E1", .9, "The flood came at night. Nine sheep drowned. The bridge held.")},
			[]string{"The flood came at night.", "Nine sheep drowned.", "The bridge held."}},
		{"a weak second block stays out", "who owns the ferry?", protocol.ClassMedium,
			[]protocol.Evidence{block("E1", .9, "Teague owns the ferry."), block("E2", .2, "The ferry is painted green.")},
			[]string{"Teague owns the ferry."}},
		{"the NPC speaks of herself as I", "who forged the hinges?", protocol.ClassMedium,
			[]protocol.Evidence{block("E1", .9, "Mira forged the gate hinges.")},
			[]string{"I forged the gate hinges."}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := said(extractive.Answer(extractive.Input{Question: c.question, Class: c.class, Evidence: c.evidence,
				Person: mira, Seed: "s"}))
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestARefusedSentenceIsNotSaidAgain(t *testing.T) {
	in := extractive.Input{Question: "who owns the ferry?", Class: protocol.ClassMedium, Person: mira, Seed: "s",
		Evidence: []protocol.Evidence{block("E1", .9, "Teague owns the ferry.")},
		Avoid:    map[string]bool{text.Fold("Teague owns the ferry."): true}}
	if got := extractive.Answer(in); len(got) != 0 {
		t.Errorf("said %q", said(got))
	}
}

// Whatever the evidence, an answer repeats itself for the same seed, holds at
// most three sentences, cites a block for each, and each is a rendering of it.
func TestAnswersAreGroundedByConstruction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.StringMatching(`(Mira|He|Teague|But the mill|I) (sold|burned|owns) (the )?(ferry|hinges` +
			`|keys)( in March)?\.`)
		var evidence []protocol.Evidence
		for i, body := range rapid.SliceOfN(rapid.SliceOfN(sentence, 1, 3), 0, 5).Draw(t, "blocks") {
			evidence = append(evidence,
				block("E"+string(rune('1'+i)), rapid.Float64Range(0, 1).Draw(t, "score"), strings.Join(body, " ")))
		}
		in := extractive.Input{Question: rapid.SampledFrom([]string{"who owns the ferry?", "tell me about the mill"}).Draw(
			t, "q"),
			Class: protocol.ClassMedium, Evidence: evidence, Person: mira, Seed: rapid.String().Draw(t, "seed"),
			Openers: []string{"Well,", "Aye."}}
		out := extractive.Answer(in)
		if !reflect.DeepEqual(out, extractive.Answer(in)) {
			t.Fatal("two calls differ")
		}
		if len(out) > extractive.MaxSentences {
			t.Fatalf("%d sentences", len(out))
		}
		for _, s := range out {
			var cited *protocol.Evidence
			for i := range evidence {
				if evidence[i].ID == s.Citations[0].EvidenceID {
					cited = &evidence[i]
				}
			}
			if _, _, ok := voice.Same(s.Text, *cited, mira, in.Openers); !ok {
				t.Fatalf("%q is no rendering of %q", s.Text, cited.Text)
			}
		}
	})
}

// "Right," before the evidence would say yes to what was asked.
func TestNoAssentBeforeAQuestionOfYesOrNo(t *testing.T) {
	evidence := []protocol.Evidence{block("E1", 1, "The mill burned in the spring of 1402.")}
	asked := map[string]bool{ // and whether an opener that assents may stand
		"When did the mill burn?":                     true,
		"Tell me about the mill.":                     true,
		"The mill burned in 1403, right?":             false,
		"Did the mill burn in 1403?":                  false,
		"So the mill never burned?":                   false,
		"When did the mill burn? It was 1403, no?":    false,
		"Good evening, when did the mill burn, then?": true,
	}
	for message, may := range asked {
		assented := false
		for seed := range 40 {
			out := extractive.Answer(extractive.Input{Question: "when mill burn", Message: message, Class: protocol.ClassMedium,
				Evidence: evidence,
				Person:   mira, Seed: strconv.Itoa(seed), Openers: []string{"Right,"}})
			assented = assented || strings.HasPrefix(out[0].Text, "Right,")
		}
		if assented != may {
			t.Errorf("%q: an opener that assents: %v, want %v", message, assented, may)
		}
	}
}

func TestPickAvoidsTheLastLine(t *testing.T) {
	lines := []string{"a", "b", "c"}
	for _, last := range lines {
		if got := extractive.Pick(lines, "seed", func(s string) bool { return s == last }); got == last {
			t.Errorf("picked %q again", got)
		}
	}
}

func TestWhatLeansOnTheSentenceBefore(t *testing.T) {
	cases := map[string]bool{
		"He keeps the keys.":                             true,
		"If you want to join the guild, talk to him.":    true,
		"He's in the room on the left.":                  true,
		"There's a password you need to tell the oak.":   false,
		"It's said the weir leaks.":                      false,
		"Drop them right above me.":                      true,
		"Teague says that he owns the ferry.":            false,
		"The miller swore he saw nothing.":               false,
		"I know Osric, and I never trusted him.":         false,
		"Bring the emeralds and drop them here.":         false,
		"There is a password you need to tell the oak.":  false,
		"She has sold her eggs to the inn since spring.": true,
	}
	for s, want := range cases {
		if got := extractive.Leans(s); got != want {
			t.Errorf("Leans(%q) = %v", s, got)
		}
	}
}
