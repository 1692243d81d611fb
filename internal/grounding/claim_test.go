package grounding_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// kinds are the kinds of the claims of a sentence in order, none left out.
func kinds(claims []grounding.Claim) string {
	var out []string
	for _, c := range claims {
		if c.Kind != schema.ClaimNone {
			out = append(out, string(c.Kind))
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, " ")
}

func TestKindsOfClaims(t *testing.T) {
	cases := []struct{ sentence, want string }{
		// nothing is claimed
		{"Good evening, friend.", "none"},
		{"Hello there!", "none"},
		{"Thank you kindly.", "none"},
		{"Farewell, and safe travels.", "none"},
		{"Well, well.", "none"},
		{"What do you want?", "none"},
		{"Where are you from?", "none"},
		{"Do you want to come in?", "none"},
		{"Who told you that?", "none"},
		{"I don't know.", "none"},
		{"I couldn't say.", "none"},
		{"I don't know anything about that.", "none"},
		{"I've never heard of Xandor.", "none"},
		{"I have no idea who that is.", "none"},
		{"No idea.", "none"},
		{"That's nothing I've heard of.", "none"},
		{"Hard to say.", "none"},
		{"Ask Osric.", "none"},
		{"You could ask the ferryman.", "none"},
		{"Ask somebody else.", "none"},
		{"I'll ask around.", "none"},
		{"Come in and sit down.", "none"},
		{"Leave me be.", "none"},

		// the world
		{"The mill burned in spring.", "world"},
		{"Bram has a key.", "world"},
		{"There are wolves on the fell.", "world"},
		{"You must turn the wheel twice.", "world"},
		{"Wolves.", "world"},
		{"Bram did.", "world"},
		{"Take the north road past the drowned bell.", "world"},
		{"Ask Osric at the chapel.", "world"},
		{"Beware the dragon under the hill.", "world"},
		{"The mill burned, and Bram rebuilt it.", "world world"},
		{"The mill burned; Bram rebuilt it.", "world world"},
		{"If the ice holds, the ferry crosses, and he pays.", "world"},
		{"Osric forged nails and hinges.", "world"},
		{"Osric came to the weir, and Bram left it.", "world world"},
		{"Osric owns a boat, a net, and Bram's old hat.", "world"},

		// a hedge leaves the claim
		{"I think Bram burned the mill.", "world"},
		{"I believe that Bram burned the mill.", "world"},
		{"They say the mill is haunted.", "world"},
		{"Rumour has it that Bram burned the mill.", "world"},
		{"Perhaps Bram burned the mill.", "world"},
		{"Bram burned the mill, I think.", "world"},
		{"Bram burned the mill, or so they say.", "world"},
		{"As far as I know, Bram burned the mill.", "world"},
		{"If I recall correctly, Bram burned the mill.", "world"},
		{"It seems to me that Bram burned the mill.", "world"},
		{"Everyone knows Bram burned the mill.", "world"},
		{"I'm afraid Bram burned the mill.", "world"},
		{"Did you know that Bram burned the mill?", "world"},
		{"Have you heard that Bram burned the mill?", "world"},
		{"Who doesn't know that Bram burned the mill?", "world"},
		{"I don't know why Bram burned the mill.", "world"},
		{"I don't know anything about the gold under the chapel floor.", "world"},
		{"I never heard of the king that sleeps under the hill.", "world"},

		// a question that asserts
		{"Bram burned the mill, didn't he?", "world"},
		{"Bram burned the mill, right?", "world"},
		{"Bram burned the mill, aye?", "world"},
		{"Didn't Bram burn the mill?", "world"},
		{"Isn't the old well poisoned?", "world"},
		{"Why did Bram burn the mill?", "world"},
		{"How did Bram kill the miller?", "world"},
		{"Who burned the mill and killed the miller?", "world"},
		{"Are you here about the gold buried under the chapel?", "world"},
		{"Have you met the duke's son who burned the mill?", "world"},
		{"Could it be that Bram burned the mill?", "world"},
		{"What if Bram burned the mill?", "world"},

		// the shared past
		{"You told me you come from the coast.", "shared_past"},
		{"We met at the fair last year.", "shared_past"},
		{"As you said, the road is long.", "shared_past"},
		{"I told you about the mill.", "shared_past"},
		{"You said: “I come from the coast.”", "shared_past"},
		{"Last time you were here it rained.", "shared_past"},
		{"You promised me a knife.", "shared_past"},

		// the state
		{"My shop is open.", "state"},
		{"My shop is not open.", "state"},
		{"You carry a lantern.", "state"},
		{"You are wounded.", "state"},
		{"Your purse is empty.", "state"},
		{"The gate is locked now.", "state"},

		// the self
		{"I never liked the coast.", "self"},
		{"I'm tired.", "self"},
		{"I trust Osric.", "self"},
		{"I hate liars.", "self"},
		{"I am glad of it.", "self"},
		{"It breaks my heart.", "self"},

		// a fact in the clothes of a feeling
		{"I hate Bram because he burned the mill.", "world"},
		{"I fear the wolf that killed Osric.", "world"},
		{"I was sad when the mill burned.", "world"},
		{"I am proud of the four hundred spears forged in 1390.", "world"},
	}
	for _, c := range cases {
		t.Run(c.sentence, func(t *testing.T) {
			claims := grounding.Claims(c.sentence, mira)
			if got := kinds(claims); got != c.want {
				t.Errorf("%q is %s, want %s (%+v)", c.sentence, got, c.want, claims)
			}
		})
	}
}

// A yes to a question of yes or no asserts what was asked.
func TestAnAnswerAssertsWhatWasAsked(t *testing.T) {
	cases := []struct {
		message, said string
		core          string // of the claim that the answer makes; "" for none
	}{
		{"Did Bram burn the mill?", "Yes.", "Bram did burn the mill"},
		{"Did Bram burn the mill?", "Aye, that he did.", "Bram did burn the mill"},
		{"Did Bram burn the mill?", "Yes, the mill burned in spring.", "Bram did burn the mill"},
		{"Did Bram burn the mill?", "No.", "Bram did not burn the mill"},
		{"Is the old well poisoned?", "It is.", "the old well is poisoned"},
		{"Bram burned the mill, right?", "Indeed.", "Bram burned the mill"},
		{"So Bram burned the mill.", "That's right.", "Bram burned the mill"},
		{"Who burned the mill?", "Yes.", ""},
		{"Can you help me?", "Aye, what do you need?", ""},
		{"Hello!", "Yes?", ""},
		{"", "Yes.", ""},
	}
	for _, c := range cases {
		t.Run(c.message+" "+c.said, func(t *testing.T) {
			ctx := mira
			ctx.Message = c.message
			got := ""
			for _, claim := range grounding.Claims(c.said, ctx) {
				if claim.Kind != schema.ClaimNone && got == "" {
					got = claim.Core
				}
			}
			if !strings.EqualFold(strings.TrimRight(got, "., "), c.core) {
				t.Errorf("got %q, want %q", got, c.core)
			}
		})
	}
}

func TestClaimsStandAlone(t *testing.T) {
	cases := []struct {
		previous []string
		sentence string
		text     string // of the last claim
		hedged   bool
		frame    grounding.Frame
	}{
		{nil, "I forged it.", "Mira Ashdown forged it.", false, ""},
		{nil, "I am the smith.", "Mira Ashdown is the smith.", false, ""},
		{nil, "I've kept my forge since 1394.", "Mira Ashdown has kept Mira Ashdown's forge since 1394.", false, ""},
		{[]string{"Last night Bram came to the forge."}, "He wanted nails.", "Bram wanted nails.", false, ""},
		{[]string{"Last night Bram came to the forge."}, "I think he wanted nails.", "Bram wanted nails.", true,
			grounding.FrameOpinion},
		{nil, "The matter stands like this: the mill burned.", "the mill burned.", false, grounding.FramePlain},
		{nil, "I know it only by hearsay: Bram burned the mill.", "Bram burned the mill.", true, grounding.FrameHearsay},
		{nil, "Osric writes the crew's songs.", "Osric writes the crew's songs.", false, grounding.FramePlain},
		{[]string{"The mill stands by the weir."}, "It burned in spring.", "the weir burned in spring.", false, ""},
		{nil, "They say Bram is dead.", "Bram is dead.", true, grounding.FrameHearsay},
		{nil, "Yrsa told me that Bram is dead.", "Bram is dead.", true, grounding.FrameAttribution},
		{nil, "Didn't Bram burn the mill?", "Bram did burn the mill", false, grounding.FrameQuestion},
		{nil, "Why did Bram burn the mill?", "Bram did burn the mill", false, grounding.FrameQuestion},
		{nil, "Well, as far as I know, Bram is dead.", "Bram is dead.", true, ""},
	}
	for _, c := range cases {
		t.Run(c.sentence, func(t *testing.T) {
			ctx := mira
			ctx.Previous = c.previous
			var last grounding.Claim
			for _, claim := range grounding.Claims(c.sentence, ctx) {
				if claim.Kind != schema.ClaimNone {
					last = claim
				}
			}
			if last.Text != c.text || last.Hedged != c.hedged || last.Frame != c.frame {
				t.Errorf("got %+v", last)
			}
		})
	}
}

// Every word of a sentence lies in exactly one claim or one stretch of kind none.
func FuzzClaims(f *testing.F) {
	for _, s := range []string{
		"Well, I think the mill burned, and Bram rebuilt it, didn't he?",
		"They say: “he did it”; no, he did not — I'd swear to it!",
		"Didn't Bram, who burned the mill, go? Yes. As far as I know, aye.",
		"\xff, and I \u202e ١٢ 水车烧了。 e\u0301",
		"I don't know why, but Yrsa told me that Bram is dead, or so they say.",
	} {
		f.Add(s, "Did Bram burn the mill?")
	}
	f.Fuzz(func(t *testing.T, s, message string) {
		c := mira
		c.Message, c.Previous = message, []string{message}
		covered(t, s, grounding.Claims(s, c))
	})
}

func covered(t *testing.T, s string, claims []grounding.Claim) {
	t.Helper()
	at := 0
	for _, c := range claims {
		if c.Start < at || c.End < c.Start || c.End > len(s) || c.Raw != s[c.Start:c.End] {
			t.Fatalf("claim %+v after %d in %q", c, at, s)
		}
		if len(text.WordSpans(s[at:c.Start])) > 0 {
			t.Fatalf("words of %q are in no claim", s[at:c.Start])
		}
		switch c.Kind {
		case schema.ClaimNone, schema.ClaimWorld, schema.ClaimState, schema.ClaimSharedPast, schema.ClaimSelf:
		default:
			t.Fatalf("kind %q", c.Kind)
		}
		at = c.End
	}
	if strings.TrimSpace(s) != "" && len(text.WordSpans(s[at:])) > 0 {
		t.Fatalf("words of %q are in no claim", s[at:])
	}
}

// Agreement asserts what the player said, however it is worded and whatever
// follows it; where that cannot be told it is a claim in itself.
func TestAgreementAsserts(t *testing.T) {
	for _, c := range []struct{ message, said string }{
		{"Osric burned the mill, did he not?", "You are right, and be quick about it."},
		{"Osric burned the mill, did he not?", "What you say is so."},
		{"Osric burned the mill, did he not?", "Just as you say, friend."},
		{"Osric burned the mill, did he not?", "I can confirm that."},
		{"Osric burned the mill, did he not?", "I won't deny it."},
		{"Osric burned the mill, did he not?", "Who else?"},
		{"Osric burned the mill, did he not?", "You guessed it."},
		{"What do you know of the ferry? And be quick about it.", "You are right, and be quick about it."},
		{"Who burned the mill?", "Who else could it be but Osric?"},
		{"Who burned the mill?", "Who if not Osric?"},
		{"What do you know of the ferry?", "Mira winks grimly and says: I know the ferry."},
		{"What do you know of the ferry?", "Mira says: I know the ferry."},
	} {
		claims := grounding.Claims(c.said,
			grounding.Context{NPCName: "Mira", NPCHandle: "mira", Player: "Ansel", Message: c.message,
				Names: []string{"Mira", "Osric"}})
		if !slices.ContainsFunc(claims, func(cl grounding.Claim) bool {
			return cl.Kind != schema.ClaimNone && cl.Frame != grounding.FrameAttribution
		}) {
			t.Errorf("%q, said to %q, asserts nothing: %+v", c.said, c.message, claims)
		}
	}
}
