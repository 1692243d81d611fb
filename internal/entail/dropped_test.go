package entail

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A claim in the evidence's own words is refused where it leaves out the word that they
// hang on.
func TestWhatAClaimLeavesOut(t *testing.T) {
	for _, c := range []struct {
		name, premise, hypothesis string
		refused                   bool
	}{
		{"whose brother", "Yrsa's brother hunts wolves in winter.", "Yrsa hunts wolves in winter.", true},
		{"whose wife", "Bram's wife Elsbet died of lung fever.", "Bram died of lung fever.", true},
		{"no name", "The miller's daughter drowned in the weir.", "The miller drowned in the weir.", true},
		{"he too", "Yrsa and Yrsa's brother hunt wolves.", "Yrsa hunts wolves.", false},
		{"the owned is named", "Yrsa's brother hunts wolves in winter.", "The brother of Yrsa hunts wolves in winter.",
			false},
		{"what is owned is told of", "Mira's forge stands by the weir.", "Mira has a forge by the weir.", false},
		{"is", "Yrsa's hunting wolves.", "Yrsa hunts wolves.", false},

		{"either", "Either Bram or Teague took the boat.", "Teague took the boat.", true},
		{"one of two names", "Bram or Teague took the boat.", "Bram took the boat.", true},
		{"both kept", "Either Bram or Teague took the boat.", "Bram or Teague took the boat.", false},
		{"leave for either", "You may ask Bram or Teague for the boat.", "You may ask Teague for the boat.", false},
		{"either of two is denied", "Neither Bram or Teague took the boat.", "Teague did not take the boat.", false},

		{"it used to", "The key used to hang in the hall.", "The key hangs in the hall.", true},
		{"it hung", "The key used to hang in the hall.", "The key once hung in the hall.", false},
		{"it still does", "The key used to hang in the hall and still hangs there.", "The key hangs in the hall.", false},
		{"used for", "The hammer is used to break stones.", "The hammer breaks stones.", false},

		{"it was to be", "The bridge was to be mended in the spring.", "The bridge was mended in the spring.", true},
		{"it was meant to", "The bridge was to be mended in the spring.", "The bridge was meant to be mended in the spring.",
			false},
		{"it should", "The bridge is to be mended in the spring.", "The bridge will be mended in the spring.", false},

		{"if it rises", "If the river rises again, Teague will lose the ferry.", "Teague will lose the ferry.", true},
		{"the condition kept", "If the river rises again, Teague will lose the ferry.",
			"Teague will lose the ferry if the river rises again.", false},
		{"for whoever asks", "If you are hungry, Petra will sell you a pie.", "Petra will sell you a pie.", false},

		{"only he", "Only the reeve may open the chest.", "The reeve may only open the chest.", true},
		{"he only", "The reeve may only open the chest.", "Only the reeve may open the chest.", true},
		{"by him only", "Only the reeve may open the chest.", "The chest may be opened only by the reeve.", false},
		{"only then", "The chapel is only open on feast days.", "The chapel is open only on feast days.", false},

		{"against", "Most of the guild voted against the toll.", "Most of the guild voted for the toll.", true},
		{"for", "Osric spoke for the toll.", "Osric spoke against the toll.", true},
		{"for years", "Osric spoke against the toll for years.", "For years Osric spoke against the toll.", false},
		{"for and against", "Osric spoke for the toll and then against the toll.", "Osric spoke against the toll.", false},

		{"almost", "Bram almost caught the thief at the weir.", "Bram caught the thief at the weir.", true},
		{"nearly said", "Bram almost caught the thief at the weir.", "Bram nearly caught the thief at the weir.", false},
		{"pretended", "Hask pretended to be a priest.", "Hask was a priest.", true},
		{"tried", "Bram tried to lift the anvil.", "Bram lifted the anvil.", true},
		{"tried and did", "Bram tried to lift the anvil and lifted it.", "Bram lifted the anvil.", false},
		{"came to", "Bram came to mend the anvil.", "Bram came to mend the anvil, he did.", false},
		{"wanted", "Rook wanted money for the list.", "Rook got money for the list.", true},
		{"would have", "Aldith would have come, but the pass was closed.", "Aldith came.", true},
		{"would have, told so", "Aldith would have come, but the pass was closed.", "Aldith would have come.", false},
		{"until then", "The toll was two pennies until the flood and is four now.", "The toll is two pennies.", true},
		{"was until then", "The toll was two pennies until the flood and is four now.",
			"The toll was two pennies until the flood.", false},
		{"some of them", "Nine of the twelve sheep were found.", "Twelve sheep were found.", true},
		{"so many of them", "Nine of the twelve sheep were found.", "Nine sheep were found.", false},

		{"the other's work", "Bram forged the hinges; Mira forged the lock.", "Mira forged the hinges.", true},
		{"and the other's", "Bram forged the hinges, and Mira forged the lock.", "Bram forged the lock.", true},
		{"her own", "Bram forged the hinges; Mira forged the lock.", "Mira forged the lock.", false},
	} {
		v := judge(t, Pair{Premise: c.premise, Hypothesis: c.hypothesis})
		against := v.Final || v.Label == schema.Contradicted
		if against != c.refused {
			t.Errorf("%s: %+v", c.name, v)
		}
		if c.refused && v.Label == schema.Supported {
			t.Errorf("%s is supported: %+v", c.name, v)
		}
	}
}
