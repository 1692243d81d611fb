package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
)

// What no rule knows is told as it was said, with the one who is meant put for "he".
func TestWhatTheRulesLeaveIsRead(t *testing.T) {
	cases := []struct{ name, before, said, want string }{
		{"a verb that no rule knows", "", "My tent leaks.", "Ansel told me that their tent leaks."},
		{"who is meant stands in the sentence before", "", "My squad leader never shouts. She whispers all the time.",
			"Ansel told me that their squad leader never shouts. | " +
				"Ansel told me that their squad leader whispers all the time."},
		{"in the message before", "The mill cat had her kittens in my hat.", "It smells of fish now.", "" +
			"Ansel told me that it smells of fish now."},
		{"two who may be meant are told with the words that name them", "", "The miller fed the baker. He snores at night.",
			"Ansel told me that the miller fed the baker. | Ansel told me that he snores at night."},
		{"who is named in the same sentence", "", "My uncle snored, and she hummed, and he coughed like a goat.",
			"Ansel told me that their uncle snored. | Ansel told me that their uncle coughed like a goat."},
		{"what holds under the words before", "", "My uncle is kind, except when he plays dice. Then he is a brute.",
			"Ansel told me that their uncle is kind, except when he plays dice. | " +
				"Ansel told me that their uncle is kind, except when he plays dice. Then he is a brute."},
		{"her horse is not she", "", "I shoed her horse once. She paid in plums.",
			"Ansel told me that they shoed her horse once."},
		{"a plan with its condition", "", "I'll dye my cloak blue unless my mother finds the pot.",
			"Ansel told me that they will dye their cloak blue unless their mother finds the pot."},
		{"what is only imagined", "", "If I were a bishop, I would wear a blue hat.", ""},
		{"what is denied stays denied", "", "I wasn't there in the storm.", "" +
			"Ansel told me that they were not there in the storm."},
		{"an errand", "", "Keep my seat by the fire.", "Ansel asked me to keep their seat by the fire."},
		{"an errand that forbids", "", "Don't tell my mother the second part.",
			"Ansel asked me not to tell their mother the second part."},
		{"no errand before no", "", "Wait no, my uncle sold the mule.", "Ansel told me that their uncle sold the mule."},
		{"words that a trickster has too", "", "I translate letters, and everyone in town owes me a story.",
			"Ansel told me that they translate letters, and everyone in town owes them a story."},
		{"a command", "", "Sharpen this blade for me.", ""},
		{"no words of a language", "", "blorp blorp zzzt 12345", ""},
		{"not all of them", "", "Not one of my students passed the winter test.",
			"Ansel told me that not one of their students passed the winter test."},
		{"somebody else's words", "", "Theo told everyone I lost the race.",
			"Ansel told me that Theo told everyone they lost the race."},
	}
	for _, c := range cases {
		x := ansel
		if c.before != "" {
			x.Previous = &extract.Utterance{TurnID: "t0", Speaker: extract.SpeakerPlayer, Text: c.before}
		}
		if got := contents(extract.FromReply(reply(c.said), x)); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.said, got, c.want)
		}
	}
}

// What the player takes back is not kept, and what takes its place is.
func TestWhatIsTakenBackIsNotKept(t *testing.T) {
	cases := map[string]string{
		"I finish my contract in ten weeks. Twelve, if you count the debrief.": "" +
			"Ansel told me that they finish their contract in twelve weeks.",
		"The money is under the third board from the stove. Ah, from the door!": "" +
			"Ansel told me that the money is under the third board from the door.",
		"I hate Tuesdays. Scrap that, it's Wednesdays I hate.": "Ansel told me that it's Wednesdays they hate.",
		"We lost nine ships at the point. No, we lost six ships.": "" +
			"Ansel told me that they lost six ships.",
		"My uncle farms at Tarrant, no, he's sold that farm.": "Ansel told me that their uncle has sold that farm.",
		"We lost nine ships\u2014no, six.":                    "Ansel told me that they lost six ships.",
		"We crossed, no thanks to Bram, with nine ships, no, six ships.": "" +
			"Ansel told me that they crossed, no thanks to Bram, with six ships.",
	}
	for said, want := range cases {
		got := extract.FromReply(reply(said), ansel)
		if contents(got) != want {
			t.Errorf("%s\n got %s\nwant %s", said, contents(got), want)
		}
	}
	// a change is no correction
	now := contents(extract.FromReply(reply("We had nine ships in the spring. Six, now."), ansel))
	if !strings.Contains(now, "they had nine ships in the spring") {
		t.Errorf("what was is gone: %s", now)
	}
	twelve := extract.FromReply(reply("I finish my contract in ten weeks. Twelve, if you count the debrief."), ansel)
	if len(twelve) == 1 && !slices.Contains(twelve[0].Tags, extract.TagCorrection) {
		t.Errorf("tags %v", twelve[0].Tags)
	}
}

// The message before this one can be put right, by words that stand for its end.
func TestTheMessageBeforeIsPutRight(t *testing.T) {
	x := ansel
	x.Previous = &extract.Utterance{TurnID: "t0", Speaker: extract.SpeakerPlayer, Text: "The code is 4471."}
	got := extract.FromReply(reply("Wait, 4417. Sorry."), x)
	if contents(got) != "Ansel told me that the code is 4417." || len(got[0].Spans) != 2 ||
		got[0].Spans[0].TurnID != "t0" || !slices.Contains(got[0].Tags, extract.TagCorrection) {
		t.Errorf("%+v", got)
	}
	if got := extract.FromReply(reply("Wait, 4417. Sorry."), ansel); len(got) != 0 {
		t.Errorf("a correction of nothing known: %s", contents(got))
	}
	for said, want := range map[string]string{
		"Scratch that, they changed it yesterday.": "Ansel told me that they changed it yesterday.",
		"Scratch that, 4417.":                      "Ansel told me that the code is 4417.",
	} {
		got := extract.FromReply(reply(said), x)
		if contents(got) != want || !slices.Contains(got[0].Tags, extract.TagCorrection) ||
			got[0].Spans[0].TurnID != "t0" {
			t.Errorf("%s: %+v", said, got)
		}
	}
}

// Words that people use for much else than taking back take nothing back by themselves.
func TestWhatOnlySoundsLikeTakingBack(t *testing.T) {
	cases := map[string]string{
		"I live in Oakham. Excuse me, I must go.":                "me lives_in Oakham",
		"I live in Oakham. Pardon me, a word.":                   "me lives_in Oakham",
		"I hate my brother. I mean, he stole my rope.":           "me dislikes my brother | brother of me stole my rope",
		"I hate my brother. I mean, honestly.":                   "me dislikes my brother",
		"I have a map. Make it quick.":                           "me has a map",
		"I live in Oakham. Hang on, I know Bram well.":           "me lives_in Oakham | me knows Bram well",
		"I live in Oakham. Check that door for me.":              "me lives_in Oakham",
		"I live in Oakham. Sorry, Mira.":                         "me lives_in Oakham",
		"I like bees. Actually, I like goats too.":               "me likes bees | me likes goats",
		"I live in Oakham. Actually, I live in Tarrant as well.": "me lives_in Oakham | me lives_in Tarrant",
		"I have two sons. Actually, I have a map.":               "me parent_of two sons | me has a map",
		"I have two sons and I live in Oakham. Wait, three.": "" +
			"me lives_in Oakham | me parent_of three sons",
	}
	keeps(t, cases)
}

// What is taken back in so many words is gone, and so is what is said anew of the same.
func TestWhatIsWithdrawn(t *testing.T) {
	cases := map[string]string{
		"I live in Oakham. Scrap that.":                    "",
		"I live in Oakham. Scrap that, how are you?":       "",
		"I live in Oakham. No, that's wrong. I sell rope.": "me said they sell rope",
		"I hate bees. No, it's goats I hate.":              "me said it's goats they hate",
		"I keep bees. I mean, I keep goats.":               "me said they keep goats",
		"I'm a tanner. Actually, I'm a smith.":             "me role smith",
		"I like bees. I mean goats.":                       "me likes goats",
		"I have two sons and I live in Oakham. I mean three.": "" +
			"me lives_in Oakham | me parent_of three sons",
	}
	keeps(t, cases)
}

// keeps holds what is kept of sayings against what should be.
func keeps(t *testing.T, cases map[string]string) {
	t.Helper()
	for said, want := range cases {
		if got := triples(extract.FromReply(reply(said), ansel)); got != want {
			t.Errorf("%s\n got %s\nwant %s", said, got, want)
		}
	}
}
