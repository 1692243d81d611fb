package llmtest

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/worlds"
)

func TestRewrites(t *testing.T) {
	for _, c := range []struct {
		rule     rewrite
		was, now string
	}{
		{fronted, "The lock froze in the winter of 1388", "in the winter of 1388, the lock froze"},
		{fronted, "She said that the lock froze in 1388", ""},
		{fronted, "The tavern closes at ten in the evening", ""},
		{unfronted, "In 1388 the lock froze solid", "the lock froze solid in 1388"},
		{cleft, "The lock froze over in 1388", "It was in 1388 that the lock froze over"},
		{cleft, "The lock has frozen over in 1388", ""},
		{toActive, "The mill was built by Wat Marsh in 1351", "Wat Marsh built the mill in 1351"},
		{toActive, "The mill was built by the river", ""},
		{toActive, "The mill was mended by Friday", ""},
		{toActive, "The boats were built by the guild", "the guild built the boats"},
		{toPassive, "Wat Marsh built the mill in 1351", "the mill was built by Wat Marsh in 1351"},
		{toPassive, "Wat Marsh carried the sacks", "the sacks were carried by Wat Marsh"},
		{toPassive, "Wat Marsh lost his hat", ""},
		{thereWas, "An old barn stood behind the mill", "There was an old barn standing behind the mill"},
		{thereWas, "A dog that bites lay at the door", ""},
		{thereAre, "There are four pools in the marsh", "the marsh has four pools in it"},
		{ofToPossessive, "Ada Pike is the warden of Reedham", "Ada Pike is Reedham's warden"},
		{ofToPossessive, "Ada is the aunt of Wat Marsh", ""},
		{because, "The gate is shut because the river rose", "Because the river rose, the gate is shut"},
		{because, "The gate is not shut because the river rose", ""},
		{although, "The wall is old, but it holds", "Although the wall is old, it holds"},
		{whenFirst, "The gates close when the bell rings", "when the bell rings, the gates close"},
		{whenFirst, "The gates do not close when the bell rings", ""},
		{whenLast, "When the bell rings, the gates close", "the gates close when the bell rings"},
		{coordinated, "The river rose, and the gate was shut", "The river rose; the gate was shut"},
		{called2, "The ferry was called Patience", "The name of the ferry was Patience"},
		{called2, "I am called Hesta", "My name is Hesta"},
		{bothJoined, "Wat Marsh and Ada Pike dug a well", "Ada Pike and Wat Marsh dug a well"},
		{fromTo, "I sailed on the barge from 1380 to 1391", "From 1380 until 1391 I sailed on the barge"},
		{allowed, "Nobody was allowed to leave the quay", "It was forbidden for anybody to leave the quay"},
		{allowed, "Nobody was allowed to leave unless ill", ""},
		{apposed, "Ada Pike, the warden, keeps the keys", "Ada Pike, who is the warden, keeps the keys"},
		{twice, "Ada Pike tends the lock and keeps the keys", ""},
		{twice, "Ada Pike tends bees and keeps hens too", "Ada Pike tends bees, and Ada Pike keeps hens too"},
		{placed, "The guild keeps its hall in Reedham", "in Reedham, the guild keeps its hall"},
		{placed, "Ada Pike lives in Reedham", ""},
		{exist, "There were two boats under the bridge", "two boats were under the bridge"},
		{priced, "A bed costs two bits a night", "The price of a bed is two bits a night"},
		{aged, "The warden is sixty years old", "The age of the warden is sixty years"},
		{equal2, "The warden of Reedham is Ada Pike", "Ada Pike is the warden of Reedham"},
		{bornIn, "Ada Pike was born in Reedham in 1340", "Ada Pike was born in 1340, in Reedham"},
		{neverHas, "The warden has never opened the gate", "Never has the warden opened the gate"},
		{given, "Wat Marsh gave the keys to Ada Pike in 1390", "Wat Marsh gave Ada Pike the keys in 1390"},
	} {
		got, ok := c.rule(c.was)
		if ok != (c.now != "") || ok && got != c.now {
			t.Errorf("%q became %q, want %q", c.was, got, c.now)
		}
	}
}

func TestParaphraseKeepsWhatKindOfSpeechItIs(t *testing.T) {
	for _, c := range []struct{ name, was, keeps string }{
		{"hearsay", "I have only heard it told: The eel traps were cut.", "eel traps were cut"},
		{"a letter", "Ada Pike wrote: “I lost the keys.”", "“I lost the keys.”"},
		{"a document", "The sign says: “No fishing.”", "“No fishing.”"},
	} {
		for seed := range uint64(20) {
			got := Paraphrase(c.was, rand.New(rand.NewPCG(seed, 1)))
			if got == c.was || !strings.Contains(got, c.keeps) || len(got) < len(c.keeps)+10 {
				t.Errorf("%s: %q", c.name, got)
			}
		}
	}
}

// Over all that is written of the sample worlds: another wording, the same names,
// numbers and negations.
func TestParaphraseSaysTheSame(t *testing.T) {
	all, copied := 0, 0
	for _, name := range []string{"hollowmere", "shadowwatch"} {
		w, _, err := world.Load(worlds.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range w.Chunks() {
			// notes without a subject: "Ship ShadowWatch" names no ship
			if c.Type == protocol.TypeGoal || c.Type == protocol.TypePersonality {
				continue
			}
			for j, s := range text.Sentences(c.Text) {
				got := Paraphrase(s, rand.New(rand.NewPCG(uint64(i), uint64(j))))
				all++
				if text.Fold(got) == text.Fold(s) {
					t.Errorf("copied: %q", s)
				}
				if strings.Contains(text.Fold(got), text.Fold(s)) {
					copied++
				}
				if a, b := figures(s), figures(got); !slices.Equal(a, b) {
					t.Errorf("%q became %q: figures %v, %v", s, got, a, b)
				}
				if a, b := denials(s), denials(got); a != b {
					t.Errorf("%q became %q: %d negations, then %d", s, got, a, b)
				}
				for _, n := range names(s) {
					if !strings.Contains(strings.ToLower(got), strings.ToLower(n)) {
						t.Errorf("%q became %q without %q", s, got, n)
					}
				}
			}
		}
	}
	t.Logf("%d sentences, %d of them whole behind an introduction", all, copied)
	if all == 0 || copied*4 > all {
		t.Errorf("%d of %d sentences stand whole in their paraphrase", copied, all)
	}
}

var asNumber = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10",
	"twelve": "12", "dozen": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60",
	"hundred": "100", "twice": "2"}

// figures are the numbers in a text, however written, in one order. A fortnight is
// two weeks.
func figures(s string) []string {
	found := map[string]bool{}
	for _, w := range text.Words(strings.ReplaceAll(strings.ToLower(s), "fortnight", "two weeks")) {
		if n, ok := asNumber[w]; ok {
			w = n
		}
		if digits.MatchString(w) {
			found[w] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

var digits = regexp.MustCompile(`^\d`)

// denials counts words that deny.
func denials(s string) int {
	n := 0
	for _, w := range text.Words(strings.ReplaceAll(s, "no fewer than", "at least")) {
		switch {
		case strings.HasSuffix(w, "n't"), strings.HasPrefix(w, "forbid"):
			n++
		case slices.Contains([]string{"not", "never", "no", "nobody", "none", "nothing", "nor", "cannot", "without"}, w):
			n++
		}
	}
	return n
}
