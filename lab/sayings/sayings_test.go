package sayings_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/lab/sayings"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// never supports nothing: what is left are the words.
type never struct{}

func (never) Entails(context.Context, string, string) (float64, schema.Label, error) {
	return 0.1, schema.Unverifiable, nil
}

func TestTheMatcher(t *testing.T) {
	cases := []struct {
		name, memory, text string
		supports, says     bool
	}{
		{"the same", "the player lives behind the tannery", "The player lives behind the tannery.", true, true},
		{"half of the words", "the player's tent leaks since the siege", "The player's tent is torn.", true, false},
		{"another number", "the player has nine ships", "The player has six ships.", false, false},
		{"denied", "the player didn't desert", "The player deserted.", false, false},
		{"denied by both", "the player never was a thief", "The player was never a thief.", true, true},
		{"another acts", "the player's sister keeps the horses", "The player keeps the horses.", true, false},
		{"another time", "the player gave up the shop", "The player will give up the shop.", true, false},
		{"somebody else's words", "Theo says that the player lost", "The player lost.", true, false},
		{"nobody who is spoken of", "the cat sleeps", "The NPC sleeps.", false, false},
	}
	m := sayings.Matcher{Verifier: never{}}
	for _, c := range cases {
		supports, err := m.Supports(context.Background(), c.memory, c.memory, c.text)
		if err != nil {
			t.Fatal(err)
		}
		if says := m.Says(c.memory, c.text); supports != c.supports || says != c.says {
			t.Errorf("%s: %q, %q: supports %v, says %v", c.name, c.memory, c.text, supports, says)
		}
	}
}

func TestWordsProveAMemory(t *testing.T) {
	cases := []struct {
		name, memory, words string
		corrects, proved    bool
	}{
		{"said so", "Mira hit Osric", "At the weir Mira hit Osric", false, true},
		{"the other way round", "Mira hit Osric", "Osric hit Mira", false, false},
		{"the player by the NPC", "the NPC owes the player a coin", "the player owes the NPC a coin", false, false},
		{"denied there", "the player has a boat", "the player doesn't have a boat", false, false},
		{"denied here", "the player doesn't have a boat", "the player has a boat", false, false},
		{"asked of the NPC", "the player asked the NPC not to feed the mare", "the player asked the NPC: Don't feed the mare",
			false, true},
		{"put right", "the cargo is fourteen crates of seed", "the cargo is forty crates of seed. Fourteen", true, true},
		{"put right, and denied", "the cargo is not fourteen crates", "the cargo is forty crates. Fourteen", true, false},
		{"denied of another", "the player has a boat", "the player has a boat. The player has no horse", false, true},
	}
	for _, c := range cases {
		proved, err := sayings.Matcher{Verifier: never{}}.Proves(context.Background(), c.memory, c.words, c.corrects)
		if err != nil || proved != c.proved {
			t.Errorf("%s: %q of %q: %v, %v", c.name, c.memory, c.words, proved, err)
		}
	}
}

func TestSayingsAreMeasured(t *testing.T) {
	list := read[sayings.Saying](t, `{"id": "a", "said": ["I keep a ferret.", "My tent leaks."],`+
		` "keep": [{"text": "The player keeps a ferret."}, {"text": "The player's tent leaks."},`+
		` {"text": "The player sings."}],`+
		` "not": ["The player sleeps in a tent."], "ask": "What do I keep?"}`+"\n"+
		`{"id": "b", "said": ["My horse speaks Latin."], "keep": [], "not": ["The player's horse speaks Latin."]}`)
	guard, err := write.New(write.DefaultSettings(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := sayings.Measure(context.Background(), sayings.Guard{Guard: guard, Verifier: never{}}, list)
	if err != nil {
		t.Fatal(err)
	}
	if f.Keep != 3 || f.Recalled != 2 || f.Not != 2 || f.Invented != 1 || f.Asked != 1 || f.Answered != 1 {
		t.Errorf("%+v", f)
	}
}

func TestWhatIsNoSaying(t *testing.T) {
	for text, want := range map[string]string{
		`{"id": "a"}`:             "line 1: a: said is empty",
		`{"said": ["x"]}`:         "line 1: id is missing",
		"\n{":                     "line 2: ",
		`{"id": "a", "sayd": []}`: "sayd",
		`{"id": "a", "said": ["x"], "keep": [{}]}`: "has no text",
	} {
		_, err := sayings.Read[sayings.Saying]("f.jsonl", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// The project's own sayings can be read, and no saying stands in both files.
func TestTheSayingsOfTheProject(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"memory-sayings.jsonl", "memory-sayings-train.jsonl"} {
		f, err := os.Open("../../evals/" + name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := sayings.Read[sayings.Saying](name, f)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || len(list) != 300 {
			t.Fatalf("%s: %d sayings, %v", name, len(list), err)
		}
		for _, s := range list {
			said := strings.Join(s.Said, "\n")
			if seen[said] != "" {
				t.Errorf("%s stands in %s as well", s.ID, seen[said])
			}
			seen[said] = name
		}
	}
}

func read[T any](t *testing.T, text string) []T {
	t.Helper()
	list, err := sayings.Read[T]("test", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}
