package grounding_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// compounds are sentences of several settings, each with the facts that a reader finds in it.
var compounds = []struct {
	setting, sentence string
	facts             []string
}{
	{"a smith's village",
		"Mira Ashdown, the smith of Hollowmere, forged the chapel's nine hinges in the spring of 1399, " +
			"sold two to the miller for wool, and taught her nephew Bram the trade that winter.",
		[]string{"Mira Ashdown is the smith of Hollowmere.",
			"Mira Ashdown forged the chapel's nine hinges in the spring of 1399.",
			"Mira Ashdown sold two to the miller for wool.", "Mira Ashdown taught her nephew Bram the trade that winter.",
			"Bram is the nephew of Mira Ashdown."}},
	{"a harbour",
		"The lighthouse at Gull Point was built by Ysolde Kerr, burned in the gale of 1412, stood dark for six years, " +
			"and was lit again by her daughter with whale oil from Norhaven.",
		[]string{"The lighthouse at Gull Point was built by Ysolde Kerr.", "The lighthouse burned in the gale of 1412.",
			"The lighthouse stood dark for six years.", "The lighthouse was lit again by her daughter.",
			"The whale oil was from Norhaven."}},
	{"a space station",
		"Deck Nine holds forty berths, the air there is changed every six hours, Chief Okoro keeps the only key, " +
			"and the port lock has not opened since the fire in March.",
		[]string{"Deck Nine holds forty berths.", "The air there is changed every six hours.",
			"Chief Okoro keeps the only key.", "The port lock has not opened since the fire in March."}},
	{"a detective's city",
		"Inspector Vane found the letter under the piano, it was dated the third of May, it named the banker " +
			"Holt, and the seal on it had been broken twice.",
		[]string{"Inspector Vane found the letter under the piano.", "The letter was dated the third of May.",
			"It named the banker Holt.", "The seal on it had been broken twice."}},
	{"a mine",
		"The Tallow Shaft runs nine hundred feet under the ridge; its pumps came from Dunmoor in 1871, forty men work it " +
			"by night, and no lamp may be lit below the fourth gallery.",
		[]string{"The Tallow Shaft runs nine hundred feet under the ridge.", "Its pumps came from Dunmoor in 1871.",
			"Forty men work it by night.", "No lamp may be lit below the fourth gallery."}},
	{"a court",
		"Queen Aldith married Prince Rowan at Castle Merrow, bore three sons, outlived two of them, and left the crown " +
			"to the youngest, who rules from Tarn to this day.",
		[]string{"Queen Aldith married Prince Rowan at Castle Merrow.", "Queen Aldith bore three sons.",
			"Queen Aldith outlived two of them.", "Queen Aldith left the crown to the youngest.",
			"The youngest rules from Tarn to this day."}},
	{"a wasteland",
		"The well at Rust Cross went bad in the second summer, Doc Farrow boils every bucket twice, a litre costs " +
			"three rounds, and the caravan from Salt City brings none before autumn.",
		[]string{"The well at Rust Cross went bad in the second summer.", "Doc Farrow boils every bucket twice.",
			"A litre costs three rounds.", "The caravan from Salt City brings none before autumn."}},
	{"a school of magic",
		"The north library closes at dusk, its lower shelves are chained, Master Iven lends only to the fourth " +
			"year, and the bell rings once if a book is missing.",
		[]string{"The north library closes at dusk.", "Its lower shelves are chained.",
			"Master Iven lends only to the fourth year.", "The bell rings once if a book is missing."}},
	{"an inn",
		"I bought this house from Hanne Vork with my brother in 1388, we laid the cellar ourselves, the ale is from Brask, " +
			"and the room above the stable costs a bit a night.",
		[]string{"I bought this house from Hanne Vork with my brother in 1388.", "We laid the cellar ourselves.",
			"The ale is from Brask.", "The room above the stable costs a bit a night."}},
	{"a railway town",
		"The 8.40 from Kestrel Junction, which carries the post, stops here on Tuesdays, waits eleven minutes for " +
			"water, and goes on to Pell with two cars fewer.",
		[]string{"The 8.40 from Kestrel Junction carries the post.", "The 8.40 from Kestrel Junction stops here on Tuesdays.",
			"The 8.40 waits eleven minutes for water.", "The 8.40 goes on to Pell with two cars fewer."}},
}

// byRule is how many facts of the compound sentences rules find.
const byRule = 40

// How many facts rules find by themselves is printed, and none is made up: they hold the
// words of the sentence and no other.
func TestWhatRulesFindInCompoundSentences(t *testing.T) {
	found, all := 0, 0
	for _, c := range compounds {
		claims := asserted(c.sentence)
		if !grounding.Compound(c.sentence, claims) {
			t.Errorf("%s: it counts as plain", c.setting)
		}
		facts := grounding.Facts(claims)
		if missing, added := differ(c.sentence, facts); len(missing)+len(added) > 0 {
			t.Errorf("%s: %q lacks %q and adds %q", c.setting, facts, missing, added)
		}
		t.Logf("%-22s %2d words, %d facts, by rule %d: %q", c.setting, len(text.Words(c.sentence)), len(c.facts),
			len(facts), facts)
		found, all = found+min(len(facts), len(c.facts)), all+len(c.facts)
	}
	if found < byRule {
		t.Errorf("by rule %d of %d facts", found, all)
	}
	t.Logf("by rule %d claims for %d facts", found, all)
}

// A sentence of 29 words and five facts makes five claims without any model.
func TestFiveFactsAreFiveClaims(t *testing.T) {
	for _, c := range compounds {
		if n := len(text.Words(c.sentence)); c.setting != "a court" || n != 29 {
			continue
		}
		parts, by := grounding.Parts(c.sentence, nil, asserted(c.sentence))
		if by != schema.SplitRules || !slices.Equal(parts, c.facts) || len(parts) != 5 {
			t.Errorf("by %q: %q", by, parts)
		}
		return
	}
	t.Error("no sentence has 29 words")
}

func asserted(sentence string) []grounding.Claim {
	return slices.DeleteFunc(grounding.Claims(sentence, grounding.Context{}),
		func(c grounding.Claim) bool { return c.Kind == schema.ClaimNone })
}

// differ gives the content words of a sentence that its facts lack, and theirs that it lacks.
func differ(sentence string, facts []string) (missing, added []string) {
	have := text.ContentSet(strings.Join(facts, " "))
	want := text.ContentSet(sentence)
	for w := range want {
		if !have[w] {
			missing = append(missing, w)
		}
	}
	for w := range have {
		if !want[w] {
			added = append(added, w)
		}
	}
	return missing, added
}

// The facts of a sentence are taken as its parts, and what they leave out is a part too.
func TestPartsAreFoundInTheirSentence(t *testing.T) {
	for _, c := range compounds {
		t.Run(c.setting, func(t *testing.T) {
			claims := asserted(c.sentence)
			whole, by := grounding.Parts(c.sentence, c.facts, claims)
			if by != schema.SplitModel || len(whole) < len(c.facts) || !slices.Equal(whole[:len(c.facts)], c.facts) {
				t.Fatalf("%q", whole)
			}
			for i := range c.facts {
				fewer := slices.Delete(slices.Clone(c.facts), i, i+1)
				parts, _ := grounding.Parts(c.sentence, fewer, claims)
				if missing, _ := differ(c.sentence, parts); len(missing) > 0 {
					t.Errorf("without %q nothing holds %v", c.facts[i], missing)
				}
			}
			got, by := grounding.Parts(c.sentence, append(slices.Clone(c.facts), "The duke drowned."), claims)
			if by == schema.SplitModel || slices.Contains(got, "The duke drowned.") {
				t.Errorf("a claim that the sentence does not make is a part of it: %q", got)
			}
		})
	}
}

// What is no split of the sentence leaves the rules in place.
func TestWhatIsNoSplit(t *testing.T) {
	const sentence = "The mill never burned, and Bram may have sold the two barns to Wren before the winter."
	claims := asserted(sentence)
	rules := grounding.Facts(claims)
	if len(rules) != 2 {
		t.Fatalf("rules find %q", rules)
	}
	for name, told := range map[string][]string{
		"nothing": nil, "one claim": {"The mill never burned."}, "the sentence": {sentence, "The mill never burned."},
		"empty words": {"", "The mill never burned."}, "another word": {"The mill never burned.", "Bram sold a horse."},
		"a denial of its own": {"The mill never burned.", "Bram may not have sold the two barns to Wren before the winter."},
	} {
		if got, by := grounding.Parts(sentence, told, claims); by != schema.SplitRules || !slices.Equal(got, rules) {
			t.Errorf("%s: by %q %q", name, by, got)
		}
	}
	for name, told := range map[string][]string{
		"the denial":   {"The mill burned.", "Bram may have sold the two barns to Wren before the winter."},
		"the doubt":    {"The mill never burned.", "Bram sold the two barns to Wren before the winter."},
		"the time":     {"The mill never burned.", "Bram may have sold the two barns to Wren the winter."},
		"another fact": {"The mill never burned.", "Bram may have sold the barns before the winter."},
	} {
		got, by := grounding.Parts(sentence, told, claims)
		if by != schema.SplitModel || len(got) != 3 {
			t.Errorf("what leaves out %s is checked as %q; the clause by rule is missing", name, got)
		}
	}
}
